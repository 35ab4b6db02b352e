"""Predictions with other values in some columns, against a table of its own for each."""

import numpy as np
import pandas as pd
import pytest

from lukewarm.data import Rows, filled
from lukewarm.learners import (
    AutoLearner,
    BasedBoosting,
    ObliviousBoosting,
    as_learner,
    train_until,
)
from lukewarm.stopping import Patience


def _numbers(n_rows=200):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n_rows, 3))
    X[generator.random(n_rows) < 0.1, 1] = np.nan
    y = X[:, 0] ** 2 + X[:, 0] * X[:, 2] + np.isnan(X[:, 1]) + 0.1 * generator.normal(size=n_rows)
    fills = [{1: X[:, 0] + node} for node in (-1.0, 0.0, 1.0)]
    # A column of few values is drawn value by value, as objects.
    return X, y, [*fills, {1: np.full(n_rows, 1.0, dtype=object)}, {1: np.full(n_rows, np.nan)}]


def _levels(n_rows=200):
    X, y, _ = _numbers(n_rows)
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["d"] = pd.Categorical(np.resize(["u", "v", "w", "v"], n_rows))
    y = y + (frame["d"] == "u")
    levels = [np.full(n_rows, level, dtype=object) for level in ("u", "w")]
    return frame, y.to_numpy(), [{3: level, 0: X[:, 2]} for level in levels]


LEARNERS = {
    "trees": ObliviousBoosting,
    "none": lambda: BasedBoosting("none"),
    "linear": lambda: BasedBoosting("linear"),
    "additive": lambda: BasedBoosting("additive"),
}


@pytest.mark.parametrize("table", [_numbers, _levels])
@pytest.mark.parametrize("name", LEARNERS)
def test_trees_give_what_they_give_for_the_filled_table(name, table):
    X, y, fills = table()
    learner = LEARNERS[name]()
    learner.advance(X, y, 20)
    found = learner.predict_filled(X, fills)
    assert not np.array_equal(found[0], found[1])
    for prediction, fill in zip(found, fills, strict=True):
        # The trees' part is exact; the base's product may be summed in another order.
        np.testing.assert_allclose(
            prediction, learner.predict(filled(X, fill)), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_of_the_filled_table(n_classes):
    X, y, fills = _numbers()
    classes = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes)).astype(float)
    rows = Rows(X, classes)
    auto, _ = train_until(AutoLearner(n_classes=n_classes), rows, rows, Patience(5), 10)
    found = auto.predict_filled(X, fills)
    assert found[0].shape == auto.predict(X).shape
    for prediction, fill in zip(found, fills, strict=True):
        np.testing.assert_allclose(prediction, auto.predict(filled(X, fill)), atol=1e-9)


def test_a_learner_without_a_way_of_its_own_is_given_the_tables():
    class Sums:
        n_steps = 1

        def fresh(self, seed):
            return self

        def copy(self, seed=None):
            return self

        def advance(self, X, y, n_steps, weights=None):
            pass

        def predict(self, X):
            return X.sum(axis=1)

    X = np.arange(6.0).reshape(3, 2)
    found = as_learner(Sums()).predict_filled(X, [{0: np.zeros(3)}, {0: np.ones(3)}])
    assert np.array_equal(found, [X[:, 1], X[:, 1] + 1])
