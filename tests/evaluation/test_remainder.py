from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtri

from lukewarm.evaluation import (
    EvaluationPlan,
    EvaluationPredictions,
    Remainder,
    join_predictions,
)
from lukewarm.measures import NegMSE

LEVEL = 0.95
QUANTILE = float(ndtri(0.975))


def predictions_of(y, n_sets, rest=None):
    plan, nothing = EvaluationPlan.paired(np.zeros(len(y))), np.zeros(y.shape)
    return EvaluationPredictions(y, nothing, (nothing,) * n_sets, plan, remainder=rest)


def test_limits_are_what_sets_are_worth_to_models_that_know_the_rest(generator):
    x, z, noise = generator.normal(size=(3, 500))
    y = 2 * x + z + noise
    rest = Remainder(2 * x + z, (z, 2 * x), share=5.0)
    limits = predictions_of(y, 2, rest).missed(NegMSE(), LEVEL)
    for quantile in (0.0, QUANTILE):
        for number, missing in enumerate((2 * x, z)):
            gains = (missing + noise) ** 2 - noise**2
            error = gains.std(ddof=1) / np.sqrt(500)
            # The standard error divides by n or n - 1.
            expected = gains.mean() + quantile * error
            assert limits.at(quantile)[number] == pytest.approx(expected, rel=1e-3)


def test_a_set_that_is_not_missed_keeps_its_limit(generator):
    x, noise = generator.normal(size=(2, 500))
    found = predictions_of(x + noise, 2, Remainder(x, (np.zeros(500), x), 1.0))
    plain = replace(found, remainder=None)
    first, second = found.missed(NegMSE(), LEVEL, (300,)).at(QUANTILE)
    assert first > 2 * second
    assert second == plain.missed(NegMSE(), LEVEL, (300,)).at(QUANTILE)[1]


def test_rows_outputs_and_sets_are_taken_from_all_that_is_left(generator):
    left = generator.normal(size=(3, 20, 2))
    rest = Remainder(left[0], (left[1], left[2]), 0.3)
    chosen = np.arange(20) % 3 == 0
    assert np.array_equal(rest.at(chosen).reduced[1], left[2][chosen])
    assert np.array_equal(rest.of_output(1).full, left[0][:, 1])
    y = left[0][:, 0]
    rests = [rest.of_output(0), replace(rest.of_output(0), reduced=(left[2][:, 0],))]
    joined = join_predictions([predictions_of(y, len(one.reduced), one) for one in rests])
    assert len(joined.remainder.reduced) == len(joined.reduced) == 3
