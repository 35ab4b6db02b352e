"""Predictions with other values in some columns, against a table of its own for each."""

import pickle

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
from lukewarm.learners._predict_only import PredictOnlyLearner
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


def test_a_learner_without_a_way_of_its_own_is_given_the_tables(gradient_descent):
    gradient_descent.coefficients = np.ones(2)
    X = np.arange(6.0).reshape(3, 2)
    found = as_learner(gradient_descent).predict_filled(X, [{0: np.zeros(3)}, {0: np.ones(3)}])
    assert np.array_equal(found, [X[:, 1], X[:, 1] + 1])


def test_small_frames_are_predicted_in_few_calls_with_the_dtypes_of_one():
    frame, _, fills = _levels(4000)
    frame["when"] = pd.Timestamp("2020-01-01")
    frame["word"] = pd.Series("plain", index=frame.index, dtype=object)
    frame["many"] = np.arange(len(frame), dtype="int32")
    calls = []

    def model(rows):
        calls.append(rows)
        return rows["a"] + 2.0 * (rows["d"] == "u")

    found = PredictOnlyLearner(model).predict_filled(frame, [*fills, *fills, *fills])
    # Six tables of 4,000 rows, two in each call of at most 10,000.
    assert [len(rows) for rows in calls] == [8000, 8000, 8000]
    assert all(rows.dtypes.equals(frame.dtypes) and rows.index.is_unique for rows in calls)
    for prediction, fill in zip(found, fills * 3, strict=True):
        assert np.array_equal(prediction, fill[0] + 2.0 * (fill[3] == "u"))


@pytest.mark.parametrize("settings", [{}, {"depth": 7}, {"shrinkage": 50.0}, {"n_classes": 3}])
def test_trees_with_drawn_values_are_those_of_the_filled_table_to_the_last_bit(settings):
    # More rows than are worked on at a time.
    X, y, fills = _levels(5000)
    learner = ObliviousBoosting(**settings)
    learner.advance(X, np.digitize(y, [0, 1]) if "n_classes" in settings else y, 15)
    found = learner.predict_filled(X, fills)
    assert not np.array_equal(found[0], found[1])
    for prediction, fill in zip(found, fills, strict=True):
        assert np.array_equal(prediction, learner.predict(filled(X, fill)))


def test_a_value_for_all_rows_is_read_once_and_gives_the_same():
    X, y, fills = _levels()
    learner = ObliviousBoosting()
    learner.advance(X, y, 10)
    repeated = [{3: np.broadcast_to(fill[3][:1], len(X))} for fill in fills]
    spelled_out = [{3: fill[3]} for fill in fills]
    for one, other in zip(
        learner.predict_filled(X, repeated), learner.predict_filled(X, spelled_out), strict=True
    ):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("name", LEARNERS)
def test_trees_know_which_columns_they_never_ask_for(name):
    generator = np.random.default_rng(0)
    X = np.column_stack([generator.normal(size=(300, 2)), np.ones(300)])
    learner = LEARNERS[name]()
    learner.advance(X, X[:, 0], 5)
    # Only predictions can tell of columns that are asked for; a constant is none of them.
    assert learner.looks_at((0,)) is None
    assert learner.looks_at((2,)) is False


def test_a_model_is_sent_without_the_tables_it_has_met():
    X, y, fills = _numbers(5000)
    learner = ObliviousBoosting()
    learner.advance(X, y, 5)
    before = len(pickle.dumps(learner))
    learner.predict_filled(X, fills)
    assert len(pickle.dumps(learner)) == before
