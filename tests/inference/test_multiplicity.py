import numpy as np
import pytest
from scipy.stats import binom, norm

from lukewarm.inference import adjust_p_values, simultaneous_quantile, standard_error


def test_holm_by_hand():
    # Sorted 0.01, 0.02, 0.03, 0.5 times 4, 3, 2, 1 is 0.04, 0.06, 0.06, 0.5.
    adjusted = adjust_p_values(np.array([0.03, 0.01, 0.5, 0.02]), "holm")
    np.testing.assert_allclose(adjusted, [0.06, 0.04, 0.5, 0.06])


def test_benjamini_hochberg_by_hand():
    # Sorted 0.01, 0.02, 0.03, 0.5 times 4/1, 4/2, 4/3, 4/4, then running minima from the right.
    adjusted = adjust_p_values(np.array([0.03, 0.01, 0.5, 0.02]), "bh")
    np.testing.assert_allclose(adjusted, [0.04, 0.04, 0.5, 0.04])


def test_benjamini_yekutieli_pays_for_any_dependence():
    p_values = np.array([0.001, 0.01, 0.2])
    harmonic = 1 + 1 / 2 + 1 / 3
    np.testing.assert_allclose(
        adjust_p_values(p_values, "by"),
        np.minimum(harmonic * adjust_p_values(p_values, "bh"), 1),
    )


def test_holm_never_exceeds_one():
    assert adjust_p_values(np.array([0.9, 0.8]), "holm").max() == 1.0


def test_an_unknown_adjustment_is_refused():
    with pytest.raises(ValueError, match="adjust must be one of 'holm', 'bh', 'by'"):
        adjust_p_values(np.array([0.5]), "bonferroni")


def test_one_importance_needs_no_more_than_the_normal_quantile():
    influence = np.random.default_rng(0).normal(size=(1, 500))
    # 20,000 draws: the 95 % quantile of |Z| has a Monte-Carlo error of 0.013; four of them.
    assert abs(simultaneous_quantile(influence, 0.95) - norm.ppf(0.975)) < 0.052


def test_equal_importances_cost_no_more_than_one():
    one = np.random.default_rng(0).normal(size=(1, 500))
    assert simultaneous_quantile(np.repeat(one, 20, axis=0), 0.95) < 2.05


def test_simultaneous_intervals_cover_together():
    n_replicates, n_rows, n_sets = 400, 300, 8
    generator = np.random.default_rng(1)
    mixing = generator.normal(size=(n_sets, n_sets))
    covered = 0
    for _ in range(n_replicates):
        terms = mixing @ generator.normal(size=(n_sets, n_rows))
        means = terms.mean(axis=1)
        influence = terms - means[:, None]
        quantile = simultaneous_quantile(influence, 0.9, n_draws=4000)
        covered += bool((np.abs(means) <= quantile * standard_error(influence)).all())
    assert binom.ppf(0.0005, n_replicates, 0.9) <= covered <= binom.ppf(0.9995, n_replicates, 0.9)


def test_more_importances_than_rows_need_the_same_quantile():
    few = np.random.default_rng(0).normal(size=(5, 30))
    # The same five, eight times over: 40 importances of 30 rows. Monte-Carlo errors of some 0.02.
    quantiles = [
        simultaneous_quantile(influence, 0.95) for influence in (few, np.tile(few, (8, 1)))
    ]
    assert abs(quantiles[0] - quantiles[1]) < 0.1


def test_intervals_beside_these_count_as_independent_ones():
    # Of 20,000 draws the quantile is known to 0.02; Sidak's level is exact for independent ones.
    influence = np.random.default_rng(0).normal(size=(5, 4000))
    sidak = norm.ppf(0.5 + 0.95 ** (1 / 5) / 2)
    assert simultaneous_quantile(influence[:2], 0.95, n_more=3) == pytest.approx(sidak, abs=0.06)
    assert simultaneous_quantile(np.zeros((2, 10)), 0.95, n_more=5) == pytest.approx(
        sidak, abs=0.06
    )
