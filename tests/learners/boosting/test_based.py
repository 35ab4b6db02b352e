from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from lukewarm.data import Removal, Rows
from lukewarm.learners import BasedBoosting, ObliviousBoosting, train_until
from lukewarm.learners.additive import AdditiveBasis, RidgeFamily
from lukewarm.reduction import EarlyStopping
from lukewarm.reduction._base import ReductionData
from lukewarm.stopping import Patience
from lukewarm.testing import check_learner


@pytest.fixture
def rows(generator):
    X = generator.normal(size=(300, 3))
    return Rows(X, 2 * X[:, 0] + X[:, 1] ** 2 + 0.1 * generator.normal(size=300))


def test_without_a_base_it_is_the_trees_alone(rows):
    based, trees = BasedBoosting("none", depth=2), ObliviousBoosting(depth=2)
    for learner in (based, trees):
        learner.advance(rows.X, rows.y, 12)
    assert np.array_equal(based.predict(rows.X), trees.predict(rows.X))


@pytest.mark.parametrize("base", ["linear", "additive"])
def test_the_base_is_the_ridge_regression_below_the_trees(rows, base):
    learner = BasedBoosting(base, depth=2)
    learner.advance(rows.X, rows.y, 5)
    basis = AdditiveBasis.learn(rows.X, curved=base == "additive")
    functions = basis.transform(rows.X)
    penalty = {"linear": 1.0, "additive": 10.0}[base]
    kept = np.ones(functions.shape[1], dtype=bool)
    ridge = RidgeFamily(functions, (penalty,)).fit(rows.y, kept, 0).predict(functions)
    trees = ObliviousBoosting(depth=2)
    trees.advance(rows.X, rows.y - ridge, 5)
    assert np.allclose(learner.predict(rows.X), ridge + trees.predict(rows.X), atol=1e-10)


@pytest.mark.parametrize("base", ["none", "linear", "additive"])
def test_stages_rewind_and_bound_rows_agree(rows, base):
    learner = BasedBoosting(base, depth=2)
    (bound,) = learner.datasets(rows.X)
    learner.advance(bound, rows.y, 8)
    stages = learner.staged_predict(rows.X, 0)
    assert np.array_equal(stages[0], np.zeros(300))
    assert np.allclose(stages[-1], learner.predict(rows.X))
    assert np.allclose(learner.predict(bound), learner.predict(rows.X))
    learner.rewind(3)
    assert np.allclose(learner.predict(rows.X), stages[3])


def test_a_line_is_followed_beyond_the_training_rows(generator):
    X = generator.normal(size=(400, 1))
    train, stopping = Rows(X[:300], 3 * X[:300, 0]), Rows(X[300:], 3 * X[300:, 0])
    far = np.array([[5.0]])
    plain, _ = train_until(ObliviousBoosting(), train, stopping, Patience(20), 500)
    based, _ = train_until(BasedBoosting("linear"), train, stopping, Patience(20), 500)
    assert plain.predict(far)[0] < 11
    assert based.predict(far)[0] == pytest.approx(15, abs=0.5)


def test_levels_and_gaps_are_taken(generator):
    X = pd.DataFrame(
        {
            "kind": pd.Categorical(generator.choice(["a", "b"], 200)),
            "size": np.where(generator.random(200) < 0.1, np.nan, generator.normal(size=200)),
        }
    )
    y = 2.0 * (X["kind"] == "a").to_numpy() + np.nan_to_num(X["size"].to_numpy())
    learner = BasedBoosting("additive")
    learner.advance(X, y, 20)
    assert np.mean((learner.predict(X) - y) ** 2) < 0.05 * y.var()


@pytest.mark.parametrize("fill", [0.0, 2.5])
def test_bound_and_plain_rows_predict_the_same_without_a_column(rows, fill):
    learner = BasedBoosting("additive", depth=2)
    (bound,) = learner.datasets(rows.X)
    learner.advance(bound, rows.y, 8)
    removal = Removal((0.0, fill, 0.0))
    plain = learner.predict(removal.apply(rows.X, (1,)))
    assert np.abs(plain - learner.predict(rows.X)).max() > 0.5
    assert np.allclose(learner.predict(removal.apply(bound, (1,))), plain, rtol=0, atol=1e-12)


def test_levels_and_gaps_are_held_at_their_fill_values_in_bound_rows(generator):
    X = pd.DataFrame(
        {
            "kind": pd.Categorical(generator.choice(["a", "b", "c"], 200)),
            "size": np.where(generator.random(200) < 0.1, np.nan, generator.normal(size=200)),
        }
    )
    y = 2.0 * (X["kind"] == "a").to_numpy() + np.nan_to_num(X["size"].to_numpy())
    learner = BasedBoosting("additive")
    (bound,) = learner.datasets(X)
    learner.advance(bound, y, 20)
    removal = Removal.learn(X)
    for column in (0, 1):
        plain = learner.predict(removal.apply(X, (column,)))
        assert np.allclose(learner.predict(removal.apply(bound, (column,))), plain, atol=1e-12)


@pytest.mark.parametrize("is_bound", [True, False])
@pytest.mark.parametrize("base", ["linear", "additive"])
def test_a_base_refitted_without_a_column_is_the_ridge_regression_without_it(rows, base, is_bound):
    # Steps this small leave the base alone, beside the mean of what it leaves.
    learner = BasedBoosting(base, depth=2, learning_rate=1e-12)
    X = learner.datasets(rows.X)[0] if is_bound else rows.X
    learner.advance(X, rows.y, 1)
    removal = Removal.learn(rows.X)
    learner.impute_conditionally(removal.apply(X, (0,)), X)
    basis = AdditiveBasis.learn(rows.X[:, 1:], curved=base == "additive")
    functions = basis.transform(rows.X[:, 1:])
    family = RidgeFamily(functions, ({"linear": 1.0, "additive": 10.0}[base],))
    ridge = family.fit(rows.y, np.ones(functions.shape[1], dtype=bool), 0).predict(functions)
    assert np.allclose(learner.predict(rows.X), ridge, rtol=0, atol=1e-9)


def test_bound_and_plain_rows_are_trained_alike_under_early_stopping(rows):
    train, stopping = rows.at(np.arange(200)), rows.at(np.arange(200, 300))
    removal = Removal.learn(train.X)
    learner = BasedBoosting("additive", depth=2)
    learner, _ = train_until(learner, train, stopping, Patience(10), 100)
    bound = [
        Rows(X, part.y)
        for X, part in zip(learner.datasets(train.X, stopping.X), (train, stopping), strict=True)
    ]
    reduce = EarlyStopping(Patience(10), 50, conditional_imputation=False).reduce
    predictions = [
        reduce(learner, ReductionData(*parts, removal), (1,), 0).predict(stopping.X)
        for parts in ((train, stopping), bound)
    ]
    assert np.allclose(*predictions, rtol=0, atol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("base", ["none", "linear", "additive"])
def test_a_classifier_on_a_base_keeps_the_contract(generator, n_classes, base):
    X = generator.normal(size=(240, 3))
    y = np.digitize(X[:, 0] + 0.5 * generator.normal(size=240), [0.4, 1.2][: n_classes - 1])
    learner = BasedBoosting(base, depth=2, n_classes=n_classes)
    check_learner(learner, X, y.astype(float), n_classes=n_classes, tolerance=1e-9)


def test_without_a_base_a_classifier_is_the_trees_alone(rows):
    y = (rows.y > 1).astype(float)
    based, trees = (
        kind(depth=2, n_classes=2) for kind in (partial(BasedBoosting, "none"), ObliviousBoosting)
    )
    for learner in (based, trees):
        learner.advance(rows.X, y, 12)
    assert np.array_equal(based.predict(rows.X), trees.predict(rows.X))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_linear_base_of_classes_is_logistic_regression(generator, n_classes):
    X = generator.normal(size=(300, 3))
    y = np.digitize(X[:, 0] + 0.5 * generator.normal(size=300), [0.0, 0.8][: n_classes - 1])
    learner = BasedBoosting("linear", n_classes=n_classes, learning_rate=1e-12)
    learner.advance(X, y.astype(float), 1)
    # sum of log-losses + |c|^2 / 2, on standardised columns.
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    other = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(standardised, y)
    chances = other.predict_proba(standardised)
    found = learner.predict(X)
    # Steps end where log-losses agree to 1e-6, which leaves chances uncertain to a thousandth.
    assert np.allclose(found, chances[:, 1] if n_classes == 2 else chances, atol=2e-3)


def test_classes_along_a_line_are_learnt_better_on_a_base(generator):
    X = generator.normal(size=(1200, 6))
    chances = 1 / (1 + np.exp(-X @ [1.0, 1, 1, 1, 0, 0]))
    y = (generator.random(1200) < chances).astype(float)
    train, stopping = Rows(X[:600], y[:600]), Rows(X[600:900], y[600:900])
    errors = []
    for base in ("none", "linear"):
        learner, _ = train_until(
            BasedBoosting(base, n_classes=2), train, stopping, Patience(20), 300
        )
        errors.append(np.mean((learner.predict(X[900:]) - chances[900:]) ** 2))
    assert errors[1] < 0.5 * errors[0]
