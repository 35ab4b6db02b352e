import numpy as np
import pandas as pd
import pytest
from given import Given
from sklearn.neighbors import KNeighborsRegressor

from lukewarm.data import Removal, Rows
from lukewarm.learners import from_model
from lukewarm.measures import Task
from lukewarm.reduction import Projection, ReductionData
from lukewarm.reduction.projection._conditional import ConditionalDraws


def _data(X, y=None):
    y = np.zeros(len(X)) if y is None else y
    every = np.arange(len(X)) % 4 == 3

    train, stopping = Rows(X[~every], y[~every]), Rows(X[every], y[every])
    return ReductionData(train, stopping, Removal.learn(train.X))


def _gaussian(n_rows, seed=0, correlation=0.6):
    X = np.random.default_rng(seed).normal(size=(n_rows, 3))
    X[:, 1] = correlation * X[:, 0] + np.sqrt(1 - correlation**2) * X[:, 1]
    return X


def test_the_projection_of_an_additive_model_is_the_model_without_the_term():
    # A full factorial of which training and stopping rows hold every cell equally often: no
    # column tells anything of another, in any sample.
    levels = np.linspace(-1, 1, 21)
    grid = np.array([(a, b) for a in levels for b in levels])
    X = np.repeat(grid, 4, axis=0)
    full = Given(lambda X: np.exp(X[:, 0]) + X[:, 1] ** 3)
    h = Projection().reduce(full, _data(X), (0,), seed=0).predict(X)
    left = h - X[:, 1] ** 3
    assert np.ptp(full.predict(X) - X[:, 1] ** 3) > 2
    assert np.ptp(left) < 1e-9
    assert left[0] == pytest.approx(np.exp(X[:, 0]).mean(), rel=1e-6)


def test_the_projection_of_a_linear_model_is_the_closed_form():
    X = _gaussian(4000)
    full = Given(lambda X: 2 * X[:, 0] + X[:, 1] + X[:, 2])
    h = Projection().reduce(full, _data(X), (0,), seed=0).predict(X)
    best = (2 * 0.6 + 1) * X[:, 1] + X[:, 2]
    # Var(2 x0 | x1) = 4 * 0.64; a line of two slopes and a mean from 3,000 rows misses by
    # 3 / 3000 of that in the mean, and by no more than 16 / 3000 in all but a few in a million.
    assert np.mean((h - best) ** 2) < 4 * 0.64 * 16 / 3000


def test_a_product_of_dependent_columns_is_projected_through_its_draws():
    X = _gaussian(4000)
    full = Given(lambda X: X[:, 0] * X[:, 2])
    h = Projection().reduce(full, _data(X), (0,), seed=0).predict(X)
    best = 0.6 * X[:, 1] * X[:, 2]
    assert np.mean((full.predict(X) - best) ** 2) > 0.6
    assert np.mean((h - best) ** 2) < 0.64 * 16 / 3000


def test_draws_from_a_gaussian_table_have_the_conditional_mean_and_variance():
    X = _gaussian(8000)
    regressions = _data(X).regressions
    rows = regressions.prepare(X)
    draws = [values[0] for _, values in ConditionalDraws(regressions, (0,)).weighted_values(rows)]
    mean, variance = np.mean(draws, axis=0), np.var(draws, axis=0)
    # The error of a slope from 6,000 rows is 0.8 / sqrt(6000) = 0.0103; 4 of them, at |x1| < 3.
    inner = np.abs(X[:, 1]) < 3
    assert np.abs(mean - 0.6 * X[:, 1])[inner].max() < 4 * 0.0103 * np.sqrt(1 + 9)
    # 2,000 residuals know their variance to 0.64 * sqrt(2 / 2000) = 0.02.
    assert np.abs(variance[inner] - 0.64).max() < 4 * 0.0203


def test_several_columns_are_drawn_together():
    X = _gaussian(4000)
    full = Given(lambda X: X[:, 0] * X[:, 1])
    h = Projection().reduce(full, _data(X), (0, 1), seed=0).predict(X)
    # E[x0 x1 | x2] = 0.6; independent draws of the two would average to 0.
    assert np.abs(h - 0.6).max() < 0.15


def test_a_level_is_drawn_with_its_probability():
    generator = np.random.default_rng(0)
    x = generator.normal(size=4000)
    is_b = generator.random(4000) < 1 / (1 + np.exp(-2 * x))
    X = pd.DataFrame({"x": x, "level": pd.Categorical(np.where(is_b, "b", "a"))})
    full = Given(lambda X: 3.0 * (X["level"] == "b").to_numpy())
    h = Projection().reduce(full, _data(X), (1,), seed=0).predict(X)
    best = 3 / (1 + np.exp(-2 * x))
    spread = np.var(full.predict(X) - best)
    assert spread > 1
    # Nine curves of x and some 20 leaves, learnt from 3,000 rows.
    assert np.mean((h - best) ** 2) < spread * 30 / 3000


def test_a_gap_is_a_value_like_others():
    generator = np.random.default_rng(0)
    x, gappy = generator.normal(size=(2, 2000))
    is_gap = x > 0.5
    X = np.column_stack([x, np.where(is_gap, np.nan, (gappy > 0).astype(float))])
    full = Given(lambda X: np.where(np.isnan(X[:, 1]), 5.0, 0.0))
    h = Projection().reduce(full, _data(X), (1,), seed=0).predict(X)
    assert np.abs(h - np.where(is_gap, 5.0, 0.0)).mean() < 0.25


def test_nothing_removed_is_the_full_model_itself():
    X = _gaussian(200)
    full = Given(lambda X: X[:, 0])
    assert Projection().reduce(full, _data(X), (), seed=0).predict == full.predict


def test_a_column_the_model_does_not_look_at_changes_nothing_and_points_where_y_does():
    X = _gaussian(2000)
    y = X[:, 1] + 0.5 * X[:, 2] + np.random.default_rng(1).normal(size=2000)
    full = Given(lambda X: X[:, 1])
    reduced = Projection().reduce(full, _data(X, y), (2,), seed=0)
    assert np.array_equal(reduced.predict(X), X[:, 1])
    slope = np.polyfit(X[:, 2], reduced.direction(X), 1)[0]
    assert slope == pytest.approx(0.5, abs=4 / np.sqrt(1500))
    assert Projection().reduce(full, _data(X, y), (1,), seed=0).direction is None


def test_projected_probabilities_are_probabilities():
    X = _gaussian(1000)

    def probabilities(X):
        raw = np.exp(np.column_stack([3 * X[:, 0], 2 * X[:, 1], X[:, 2]]))
        return raw / raw.sum(axis=1, keepdims=True)

    h = Projection().reduce(Given(probabilities, 3), _data(X), (0,), seed=0).predict(X)
    assert np.allclose(h.sum(axis=1), 1)
    assert h.min() > 0


def test_rows_without_any_to_stop_by_set_some_aside():
    X = _gaussian(400)
    rows = Rows(X, np.zeros(400))
    data = ReductionData(rows, Rows(X[:0], np.zeros(0)), Removal.learn(X))
    h = Projection().reduce(Given(lambda X: X[:, 0]), data, (0,), seed=0).predict(X)
    assert np.corrcoef(h, X[:, 1])[0, 1] > 0.9


def test_gaps_of_a_quantity_are_drawn_with_their_probability():
    generator = np.random.default_rng(0)
    x, quantity = generator.normal(size=(2, 2000))
    X = np.column_stack([x, np.where(x > 0.5, np.nan, quantity)])
    full = Given(lambda X: np.where(np.isnan(X[:, 1]), 5.0, 0.0))
    h = Projection().reduce(full, _data(X), (1,), seed=0).predict(X)
    assert np.abs(h - np.where(x > 0.5, 5.0, 0.0)).mean() < 0.25


@pytest.mark.parametrize(("weights", "recalls"), [("distance", True), ("uniform", False)])
def test_a_model_that_gives_its_rows_back_is_averaged_and_not_corrected_by_their_y(
    weights, recalls
):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(400, 3))
    y = X[:, 0] + X[:, 1] + generator.normal(size=400)
    data = _data(X, y)
    learner = from_model(KNeighborsRegressor(10, weights=weights), task=Task(), seed=0)
    learner.advance(X, y, 1)
    # Neighbours weighted by distance find each row itself.
    assert np.allclose(learner.predict(X), y) == recalls
    rows = generator.normal(size=(200, 3))
    reduced = Projection().reduce(learner, data, (1,), 0)
    draws = ConditionalDraws(data.regressions, (1,))
    average = draws.average(learner, data.regressions.prepare(rows))
    assert np.allclose(reduced.predict(rows), average) == recalls
