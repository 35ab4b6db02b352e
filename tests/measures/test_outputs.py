"""Measures of several outputs are those of one, taken of each or averaged."""

import numpy as np
import pytest
from sklearn.metrics import mean_squared_error, r2_score

from lukewarm.measures import (
    R2,
    MeanOverOutputs,
    NegMAE,
    NegMSE,
    OneOutput,
    OutputsLoss,
    Pinball,
    PoissonDeviance,
    Task,
    over_outputs,
)


def rows():
    generator = np.random.default_rng(0)
    y = generator.normal(size=(60, 3)) * [1.0, 10.0, 100.0]
    return y, y + generator.normal(size=y.shape), generator.uniform(0.5, 2, size=60)


@pytest.mark.parametrize(("measure", "known"), [(R2(), r2_score), (NegMSE(), mean_squared_error)])
def test_the_mean_is_the_uniform_average_of_scikit_learn(measure, known):
    y, prediction, weights = rows()
    mean, *each = over_outputs([measure] * 3, "abc", measure.name)
    found = mean.evaluate(y, prediction, weights)
    expected = known(y, prediction, sample_weight=weights)
    assert abs(found.value) == pytest.approx(abs(expected), abs=1e-12)
    assert [one.name for one in each] == [f"{measure.name} of {output}" for output in "abc"]


def test_influence_values_of_the_mean_match_a_jackknife():
    y, prediction, _ = rows()
    mean = over_outputs([R2()] * 3, "abc", "r2")[0]
    whole = mean.evaluate(y, prediction)
    left_out = [
        mean.evaluate(np.delete(y, row, axis=0), np.delete(prediction, row, axis=0)).value
        for row in range(len(y))
    ]
    jackknife = (len(y) - 1) * (whole.value - np.array(left_out))
    # A jackknife differs from the derivative by terms of one over the number of rows.
    assert np.corrcoef(jackknife, whole.influence)[0, 1] > 0.999
    assert jackknife.std() == pytest.approx(whole.influence.std(), rel=3 / len(y))


def test_a_loss_of_several_outputs_gives_each_its_own_constant():
    y, prediction, weights = rows()
    loss = OutputsLoss((NegMSE(), NegMAE(), Pinball(0.9)))
    constants = loss.best_constant(y, weights)
    alone = [
        each.best_constant(column, weights) for each, column in zip(loss.measures, y.T, strict=True)
    ]
    np.testing.assert_array_equal(constants, alone)
    assert loss.losses(y, prediction).shape == (60,)


def test_squared_errors_become_shares_of_variance_and_other_losses_stay():
    squared = OutputsLoss((NegMSE(), NegMSE())).as_measures("ab")
    assert [each.name for each in squared] == ["r2", "r2 of a", "r2 of b"]
    mixed = OutputsLoss((Pinball(0.1), Pinball(0.9))).as_measures("ab")
    assert [each.name for each in mixed] == [
        "mean over outputs",
        "pinball(0.1) of a",
        "pinball(0.9) of b",
    ]


def test_a_target_that_one_output_cannot_have_is_refused():
    y, _, _ = rows()
    with pytest.raises(ValueError, match="needs"):
        OutputsLoss((NegMSE(), PoissonDeviance(), NegMSE())).check_target(y)
    part = OneOutput(R2(), 1, "b")
    y[:, 1] = 3.0
    with pytest.raises(ValueError, match="varies"):
        MeanOverOutputs("r2", (part,)).check_target(y)


def test_a_task_of_several_targets_has_a_prediction_for_each():
    y, prediction, weights = rows()
    task = Task(n_targets=3)
    assert (task.kind, task.n_outputs, task.default_measure) == ("regression", 3, "r2")
    assert task.untrained_prediction(4).shape == (4, 3)
    np.testing.assert_allclose(task.constant(y, weights), np.average(y, axis=0, weights=weights))
    expected = mean_squared_error(y, prediction, sample_weight=weights)
    assert task.loss(y, prediction, weights) == pytest.approx(expected)
    np.testing.assert_array_equal(task.link(prediction), prediction)
