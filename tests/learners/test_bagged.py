"""Forests averaged over draws, against as many predictions."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lukewarm.data import Removal, Rows
from lukewarm.learners import BaggedTreesLearner, PredictOnlyLearner, from_model
from lukewarm.learners.sklearn import _bagged
from lukewarm.measures import Task
from lukewarm.reduction import Projection, ReductionData

MODELS = {
    "forest": (RandomForestRegressor(12, random_state=0), None),
    "best first": (RandomForestRegressor(5, max_leaf_nodes=40, random_state=0), None),
    "extra trees": (ExtraTreesRegressor(12, random_state=0), None),
    "tree": (DecisionTreeRegressor(random_state=0), None),
    "two classes": (RandomForestClassifier(12, random_state=0), 2),
    "three classes": (RandomForestClassifier(12, random_state=0), 3),
    "bagged trees": (BaggingRegressor(n_estimators=12, random_state=0), None),
    "bagged trees of classes": (BaggingClassifier(n_estimators=12, random_state=0), 3),
    "tree of classes": (DecisionTreeClassifier(random_state=0), 3),
}


def rows(n_classes, n_rows=200):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n_rows, 4))
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * generator.normal(size=n_rows)
    if n_classes is not None:
        y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes)).astype(float)
    return Rows(X, y)


def trained(name):
    model, n_classes = MODELS[name]
    learner = from_model(model, task=Task(n_classes), seed=0)
    assert isinstance(learner, BaggedTreesLearner)
    data = rows(n_classes)
    learner.advance(data.X, data.y, 1)
    return learner, data


@pytest.mark.parametrize("columns", [(1,), (0, 2), (0, 1, 2, 3)])
@pytest.mark.parametrize("n_draws", [1, 8, 32])
@pytest.mark.parametrize("name", MODELS)
def test_few_trees_give_the_mean_of_the_predictions_of_all_draws(name, n_draws, columns):
    learner, data = trained(name)
    generator = np.random.default_rng(1)
    weights = generator.dirichlet(np.ones(n_draws), size=len(data))
    drawn = generator.normal(size=(n_draws, len(columns), len(data)))
    draws = [
        (weight, dict(zip(columns, each, strict=True)))
        for weight, each in zip(weights.T, drawn, strict=True)
    ]
    expected = 0.0
    for weight, values in draws:
        X = data.X.copy()
        for column, each in values.items():
            X[:, column] = each
        prediction = learner.predict(X)
        expected += (weight if prediction.ndim == 1 else weight[:, None]) * prediction
    assert np.abs(expected - learner.predict(data.X)).max() > 0.1
    # Sums of as many terms as there are trees and draws, in another order.
    np.testing.assert_allclose(learner.average_draws(data.X, draws), expected, rtol=0, atol=1e-12)


def test_all_outputs_of_a_forest_are_averaged_at_once():
    data = rows(None)
    y = np.column_stack([data.y, 10 * data.X[:, 3]])
    forest = RandomForestRegressor(12, random_state=0)
    learner = from_model(forest, task=Task(n_targets=2), seed=0)
    learner.advance(data.X, y, 1)
    moved = data.X.copy()
    moved[:, 3] = np.roll(moved[:, 3], 1)
    half = np.full(len(data), 0.5)
    draws = [(half, {3: each[:, 3]}) for each in (data.X, moved)]
    expected = (learner.predict(data.X) + learner.predict(moved)) / 2
    assert expected.shape == (200, 2)
    assert np.abs(expected - learner.predict(data.X)).max() > 1
    np.testing.assert_allclose(learner.average_draws(data.X, draws), expected, rtol=0, atol=1e-12)


def test_bagged_trees_that_know_some_columns_are_asked_for_each_draw():
    data = rows(None)
    model = BaggingRegressor(n_estimators=4, max_features=0.5, random_state=0)
    learner = from_model(model, task=Task(), seed=0)
    learner.advance(data.X, data.y, 1)
    assert learner.average_draws(data.X, [(np.ones(len(data)), {0: data.X[:, 0]})]) is None
    assert learner.thinned is learner


def test_a_bagged_tree_that_knows_some_classes_is_asked_for_each_draw():
    data = rows(3)
    model = BaggingClassifier(n_estimators=4, random_state=0).fit(data.X, data.y.astype(int))
    seen = data.y < 2
    # As from a bootstrap sample without a class.
    model.estimators_[0] = DecisionTreeClassifier().fit(data.X[seen], data.y[seen])
    learner = from_model(model, task=Task(3), seed=0, prefit=True)
    assert learner.average_draws(data.X, [(np.ones(len(data)), {0: data.X[:, 0]})]) is None


def test_fewer_bagged_trees_predict_as_a_smaller_ensemble():
    data = rows(None)
    learner = from_model(BaggingRegressor(n_estimators=450, random_state=0), task=Task(), seed=0)
    learner.advance(data.X, data.y, 1)
    few = learner.thinned
    trees = learner._model.estimators_[::3]
    expected = np.mean([each.predict(data.X) for each in trees], axis=0)
    np.testing.assert_allclose(few.predict(data.X), expected, rtol=0, atol=1e-12)
    assert len(learner._model.estimators_) == learner._model.n_estimators == 450


def test_values_on_a_threshold_go_the_way_of_scikit_learn():
    learner, _ = trained("forest")
    thresholds = np.concatenate([each.tree_.threshold for each in learner._model.estimators_])
    X = np.resize(np.r_[thresholds, thresholds.astype(np.float32)], (len(thresholds) // 2, 4))
    mean = learner.average_draws(X, [(np.ones(len(X)), {0: X[:, 0]})])
    np.testing.assert_allclose(mean, learner.predict(X), rtol=0, atol=1e-12)


@pytest.mark.parametrize("spoiled", ["row", "draw"])
def test_gaps_are_left_to_scikit_learn(spoiled):
    learner, data = trained("forest")
    X, drawn = data.X.copy(), data.X[:, 0].copy()
    (X if spoiled == "row" else drawn)[0] = np.nan
    assert learner.average_draws(X, [(np.ones(len(X)), {0: drawn})]) is None


@pytest.mark.parametrize("is_even", [True, False])
@pytest.mark.parametrize("n_trees", [300, 700])
def test_many_trees_share_the_draws_and_give_the_same_mean(n_trees, is_even):
    data = rows(None)
    forest = RandomForestRegressor(n_trees, max_depth=6, random_state=0)
    learner = from_model(forest, task=Task(), seed=0)
    learner.advance(data.X, data.y, 1)
    generator = np.random.default_rng(1)
    weights = np.full((8, 200), 1 / 8) if is_even else generator.dirichlet(np.ones(8), 200).T
    drawn = generator.normal(size=(8, 200))
    by_draw = []
    for each in drawn:
        X = data.X.copy()
        X[:, 0] = each
        by_draw.append([tree.predict(X) for tree in learner._model.estimators_])
    expected = np.einsum("mn,mtn->n", weights, by_draw) / n_trees
    mean = learner.average_draws(data.X, [(w, {0: x}) for w, x in zip(weights, drawn, strict=True)])
    # Over draws of one tree and one row; each tree takes one or two of the eight.
    spread = np.sqrt(np.einsum("mn,mtn->n", weights, np.square(by_draw)) / n_trees - expected**2)
    gap = np.sqrt(np.mean((mean - expected) ** 2))
    assert spread.mean() > 0.5
    assert 0 < gap < spread.mean() / np.sqrt(n_trees)


def test_every_draw_is_taken_by_as_many_trees_as_every_other():
    data = rows(None)
    learner = from_model(RandomForestRegressor(400, random_state=0), task=Task(), seed=0)
    learner.advance(data.X, data.y, 1)
    assert _bagged._WAYS < 400 * 8
    X = data.X.copy()
    X[:, 0] = 0.0
    even = np.full(200, 1 / 8)
    at_zero = [(even, {0: np.zeros(200)})] * 7
    far = learner.average_draws(data.X, [(even, {0: np.full(200, 9.0)}), *at_zero])
    # The trees that take the first draw are an eighth of all, so far as two draws for each go.
    X_far = data.X.copy()
    X_far[:, 0] = 9.0
    moved = learner.predict(X_far) - learner.predict(X)
    assert np.abs(moved).mean() > 0.5
    share = np.sum(moved * (far - learner.predict(X))) / np.sum(moved**2)
    # The trees of an eighth differ from the others by chance.
    assert share == pytest.approx(1 / 8, abs=0.01)


def test_a_forest_looks_at_the_columns_that_its_trees_split_on():
    data = rows(None)
    X = np.column_stack([data.X, np.zeros(len(data))])
    learner = from_model(RandomForestRegressor(5, random_state=0), task=Task(), seed=0)
    assert learner.looks_at((4,)) is None
    learner.advance(X, data.y, 1)
    assert learner.looks_at((0,)) is True
    assert learner.looks_at((4,)) is False
    assert learner.looks_at((0, 4)) is True


class Rounded(RandomForestRegressor):
    """A forest of a user's that does not predict the mean of its trees."""

    def predict(self, X):
        return np.round(super().predict(X))


def test_a_forest_that_predicts_otherwise_is_asked_for_each_draw():
    data = rows(None)
    learner = from_model(Rounded(120, random_state=0), task=Task(), seed=0)
    learner.advance(data.X, data.y, 1)
    assert isinstance(learner, BaggedTreesLearner)
    assert learner.average_draws(data.X, [(np.ones(200), {0: data.X[:, 0]})]) is None
    assert learner.thinned is learner


@pytest.mark.parametrize("name", ["forest", "three classes"])
@pytest.mark.parametrize("removed", [(0,), (1, 2)])
def test_the_projection_is_that_of_the_forest_as_a_black_box(name, removed, monkeypatch):
    # Neighbours are asked for forests alone.
    monkeypatch.setattr(
        BaggedTreesLearner, "traits", replace(BaggedTreesLearner.traits, is_local=False)
    )
    learner, data = trained(name)
    given = ReductionData(data, data.at(np.arange(0)), Removal.learn(data.X))
    quick, slow = (
        Projection().reduce(each, given, removed, 0).predict(data.X)
        for each in (learner, PredictOnlyLearner(learner.predict, task=learner.task))
    )
    assert np.abs(slow - learner.predict(data.X)).max() > 0.1
    np.testing.assert_allclose(quick, slow, rtol=0, atol=1e-9)


def test_some_trees_of_a_large_forest_predict_much_like_all():
    data = rows(None)
    learner = from_model(RandomForestRegressor(1000, random_state=0), task=Task(), seed=0)
    learner.advance(data.X, data.y, 1)
    few = learner.thinned.predict(data.X)
    by_tree = np.array([each.predict(data.X) for each in learner._model.estimators_])
    # Every fifth of the trees; their mean is off by the spread of trees over the root of 200.
    np.testing.assert_allclose(few, by_tree[::5].mean(axis=0), rtol=0, atol=1e-12)
    gap = np.sqrt(np.mean((few - learner.predict(data.X)) ** 2))
    assert 0 < gap < 2 * by_tree.std(axis=0).mean() / np.sqrt(200)
