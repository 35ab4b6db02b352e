"""Corrections by the leaves of the model's own trees."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from lukewarm.data import Removal, Rows
from lukewarm.learners import from_model, train_until
from lukewarm.measures import Task
from lukewarm.reduction import Projection, ReductionData
from lukewarm.reduction.projection._conditional import ConditionalDraws
from lukewarm.reduction.projection._refitted import RefittedLeaves, quickly_distilled
from lukewarm.reduction.projection._regressions import Regressions
from lukewarm.stopping import Patience

N_ROWS = 2400


def product(generator):
    """The removed column depends on a product, which no line and no curve of one column shows."""
    X = generator.normal(size=(N_ROWS, 4))
    X[:, 0] = 1.5 * np.sign(X[:, 1] * X[:, 2]) + 0.5 * generator.normal(size=N_ROWS)
    return X, 2 * X[:, 0] + X[:, 3] + 0.3 * generator.normal(size=N_ROWS)


def uneven(generator):
    """The removed column's spread depends on another, where draws have one spread for all rows."""
    X = generator.normal(size=(N_ROWS, 4))
    X[:, 0] = np.where(X[:, 1] > 0, 2.0, 0.2) * generator.normal(size=N_ROWS)
    return X, X[:, 0] ** 2 + X[:, 1] + 0.3 * generator.normal(size=N_ROWS)


def independent(generator):
    """The other columns know nothing of the removed one, so that draws of it are right."""
    X = generator.normal(size=(N_ROWS, 4))
    return X, X[:, 0] + X[:, 1] + 0.3 * generator.normal(size=N_ROWS)


def reduced(draw, n_classes, *, is_quick=True):
    X, signal = draw(np.random.default_rng(0))
    cuts = np.quantile(signal, np.arange(1, n_classes or 1) / (n_classes or 1))
    y = signal if n_classes is None else np.digitize(signal, cuts).astype(float)
    parts = np.split(np.arange(N_ROWS), [1200, 1800])
    train, stopping, evaluation = (Rows(X[part], y[part]) for part in parts)
    kind = HistGradientBoostingRegressor if n_classes is None else HistGradientBoostingClassifier
    learner = from_model(kind(learning_rate=0.3), task=Task(n_classes), seed=0)
    full, _ = train_until(learner, train, stopping, Patience(5), 40)
    data = ReductionData(train, stopping, Removal.learn(train.X), is_quick=is_quick)
    return full, data, evaluation


@pytest.mark.parametrize("n_classes", [None, 3])
def test_leaves_repair_what_draws_get_wrong(n_classes):
    full, data, evaluation = reduced(uneven, n_classes)
    regressions = data.regressions
    draws = ConditionalDraws(regressions, (0,))
    rows = regressions.prepare(evaluation.X)
    mean = draws.average(full, rows)
    predict, trace = quickly_distilled(full, regressions, draws)
    assert trace.stopped_step > 0

    def loss(prediction):
        return full.task.loss(evaluation.y, prediction)

    # 600 evaluation rows, the same for both: a gain of a tenth is no luck.
    assert loss(predict(evaluation.X)) < 0.9 * loss(mean)
    assert predict(evaluation.X).shape == full.predict(evaluation.X).shape


@pytest.mark.parametrize("n_classes", [None, 2, 3])
@pytest.mark.parametrize("draw", [product, uneven])
def test_quick_corrections_predict_about_as_well_as_thorough_ones(draw, n_classes):
    losses = {}
    for is_quick in (True, False):
        full, data, evaluation = reduced(draw, n_classes, is_quick=is_quick)
        model = Projection().reduce(full, data, (0,), 0)
        losses[is_quick] = full.task.loss(evaluation.y, model.predict(evaluation.X))
    full_loss = full.task.loss(evaluation.y, full.predict(evaluation.X))
    assert losses[False] > 1.1 * full_loss
    # 600 evaluation rows: a mean of squares is known to about sqrt(2 / 600), 6 %.
    assert losses[True] < 1.06 * losses[False]


def test_draws_that_are_right_stay_as_they_are():
    full, data, evaluation = reduced(independent, None)
    draws = ConditionalDraws(data.regressions, (0,))
    predict, trace = quickly_distilled(full, data.regressions, draws)
    assert trace.stopped_step == 0
    found = predict(evaluation.X)
    assert np.std(found - full.predict(evaluation.X)) > 0.5
    rows = data.regressions.prepare(evaluation.X)
    np.testing.assert_array_equal(found, draws.average(full, rows))


def test_the_removed_column_never_matters():
    full, data, evaluation = reduced(product, None)
    model = Projection().reduce(full, data, (0,), 0)
    other = evaluation.X.copy()
    other[:, 0] = np.random.default_rng(1).permutation(other[:, 0])
    assert np.abs(full.predict(other) - full.predict(evaluation.X)).max() > 1
    # Sums of other leaves to the same end: some rounding is left.
    np.testing.assert_allclose(model.predict(other), model.predict(evaluation.X), atol=1e-10)


def test_one_tree_takes_the_shrunken_mean_of_its_leaves():
    generator = np.random.default_rng(0)
    rows = Rows(generator.normal(size=(400, 1)), np.zeros(400))
    halves = rows.at(np.arange(300)), rows.at(np.arange(300, 400))
    regressions = Regressions(*halves, Removal.learn(halves[0].X))
    leaves = [(part.X[:, 0] > 0).astype(np.uint8)[np.newaxis] for part in halves]
    targets = [np.where(each[0] == 1, 3.0, -1.0) for each in leaves]
    fit = RefittedLeaves.fit(regressions, tuple(leaves), tuple(targets))
    counts = np.bincount(leaves[0][0])
    expected = 0.3 * np.array([-1.0, 3.0]) * counts / (counts + 30)
    np.testing.assert_allclose(fit.values[0], expected, rtol=1e-12)
    np.testing.assert_allclose(fit.predict(leaves[1]), expected[leaves[1][0]], rtol=1e-12)


def test_trees_take_turns_as_one_after_another():
    generator = np.random.default_rng(0)
    rows = Rows(generator.normal(size=(400, 1)), np.zeros(400), generator.uniform(0.5, 2.0, 400))
    halves = rows.at(np.arange(300)), rows.at(np.arange(300, 400))
    regressions = Regressions(*halves, Removal.learn(halves[0].X))
    cuts = np.array([-0.5, 0.0, 0.7])
    leaves = [(part.X[:, 0] > cuts[:, np.newaxis]).astype(np.uint8) for part in halves]
    targets = [np.sin(2 * part.X[:, 0]) for part in halves]
    fit = RefittedLeaves.fit(regressions, tuple(leaves), tuple(targets))
    assert len(fit.values) == 3
    weights = halves[0].weights / halves[0].weights.mean()
    rest = targets[0].copy()
    for own, values in zip(leaves[0], fit.values, strict=True):
        expected = 0.3 * np.bincount(own, weights * rest) / (np.bincount(own, weights) + 30)
        np.testing.assert_allclose(values, expected, rtol=1e-12)
        rest -= expected[own]


def test_leaves_that_help_no_stopping_row_stay_at_zero():
    generator = np.random.default_rng(0)
    rows = Rows(generator.normal(size=(400, 1)), np.zeros(400))
    halves = rows.at(np.arange(300)), rows.at(np.arange(300, 400))
    regressions = Regressions(*halves, Removal.learn(halves[0].X))
    leaves = tuple(
        generator.integers(0, 60, size=(20, len(part))).astype(np.uint8) for part in halves
    )
    targets = tuple(generator.normal(size=len(part)) for part in halves)
    fit = RefittedLeaves.fit(regressions, leaves, targets)
    assert len(fit.values) == 0
    np.testing.assert_array_equal(fit.predict(leaves[1]), np.zeros(100))


def test_draws_that_weigh_the_same_are_chosen_without_making_all():
    _, data, _ = reduced(product, None)
    rows = data.regressions.train_rows
    for removed in ((0,), (0, 3)):
        draws = ConditionalDraws(data.regressions, removed)
        for n_draws in (2, 4):
            found = draws.few_values(rows, n_draws)
            shares = [
                (draw + (rows.shuffled + 0.5) / len(rows)) / n_draws for draw in range(n_draws)
            ]
            for (_, values), expected in zip(found, draws._values_at(rows, shares), strict=True):
                assert tuple(values) == removed
                for column in removed:
                    np.testing.assert_array_equal(values[column], expected[column])


def test_two_draws_of_each_row_have_the_mean_of_all_over_the_rows():
    _, data, _ = reduced(product, None)
    draws = ConditionalDraws(data.regressions, (0,))
    rows = data.regressions.train_rows
    every = sum(weight * values[0] for weight, values in draws.weighted_values(rows))
    few = sum(weight * values[0] for weight, values in draws.few_values(rows, 2))
    assert np.abs(few - every).max() > 0.1
    # Two strata of each row's distribution, spread evenly: an error far below that of 2,400 draws.
    spread = np.std([values[0] for _, values in draws.weighted_values(rows)])
    assert abs(few.mean() - every.mean()) < spread / np.sqrt(2 * len(every))
