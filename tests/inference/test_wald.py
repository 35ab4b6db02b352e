import numpy as np
import pytest
from scipy.stats import binom, norm

import lukewarm as lw
from lukewarm.inference import p_value, reach_zero, standard_error, wald_interval


def test_standard_error_is_that_of_a_mean(generator):
    terms = generator.normal(size=400)
    expected = terms.std() / np.sqrt(400)
    np.testing.assert_allclose(standard_error(terms - terms.mean()), expected, rtol=1e-12)


def test_intervals_cover_at_their_level():
    n_replicates, n_rows, level = 2000, 200, 0.9
    terms = np.random.default_rng(0).normal(size=(n_replicates, n_rows)) + 1.0
    means = terms.mean(axis=1)
    low, high = wald_interval(means, standard_error(terms - means[:, None]), level)
    covered = int(((low <= 1.0) & (high >= 1.0)).sum())
    assert (
        binom.ppf(0.0005, n_replicates, level) <= covered <= binom.ppf(0.9995, n_replicates, level)
    )


def test_p_value_is_one_sided():
    np.testing.assert_allclose(p_value(2.0, 1.0), norm.sf(2.0), rtol=1e-12)
    np.testing.assert_allclose(p_value(2.0, 1.0, delta=1.5), norm.sf(0.5), rtol=1e-12)


@pytest.mark.parametrize(("estimate", "expected"), [(0.0, 1.0), (-1.0, 1.0), (1.0, 0.0)])
def test_without_spread_the_sign_decides(estimate, expected):
    assert p_value(estimate, 0.0) == expected


def test_intervals_reach_zero_and_keep_their_estimate():
    estimates, errors = np.array([-3.0, -1.0, 2.0]), np.ones(3)
    low, high = wald_interval(estimates, errors, 0.95)
    reached_low, reached_high = reach_zero(low, high)
    assert reached_high.tolist() == [0.0, high[1], high[2]]
    assert (reached_low == low).all()
    assert ((reached_low <= estimates) & (estimates <= reached_high)).all()


def test_results_intervals_are_plain_and_on_request_hold_a_possible_importance():
    generator = np.random.default_rng(0)
    y = generator.normal(size=400)
    # The reduced model is plainly better than the full one.
    full = y + generator.normal(size=400)
    result = lw.importance_from_predictions(y, full, {"a": y + 0.1 * generator.normal(size=400)})
    for interval in (result.interval, result.simultaneous_interval):
        low, high = interval()
        assert low[0] < result.importance[0] < high[0] < 0
        reached_low, reached_high = interval(reach_zero=True)
        assert (reached_low[0], reached_high[0]) == (low[0], 0.0)
    assert result.to_frame()["ci_high"][0] < 0
    assert result.p_value()[0] > 0.99
