import numpy as np
import pandas as pd
import pytest

from lukewarm.data import Rows
from lukewarm.learners import BasedBoosting, ObliviousBoosting, train_until
from lukewarm.learners.additive import AdditiveBasis, RidgeFamily
from lukewarm.stopping import Patience


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
