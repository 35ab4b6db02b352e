"""Trees that read a guess where a feature is gone."""

import numpy as np
import pandas as pd
import pytest

from lukewarm.learners import ObliviousBoosting
from lukewarm.learners._imputation import Moments

FIRST = np.array([True, False, False, False])


@pytest.mark.parametrize("bound", [False, True])
def test_trees_read_the_guess_in_place_of_the_removed_column(dependent_rows, bound):
    X = dependent_rows(2000)
    X[::50, 3] = np.nan
    learner = ObliviousBoosting(n_bins=32)
    (rows,) = learner.datasets(X)
    learner.advance(rows, X[:, 0] + X[:, 1] ** 2, 60)
    fills = (0.0, 0.0, 0.0, 0.0)
    without = rows.without((0,), fills)
    copied = learner.copy()
    copied.impute_conditionally(without, rows)
    # The same by hand: every column by the middle of its bin, the guess put into bins again.
    values = np.column_stack(
        [column.values_of_codes[rows.codes[k]] for k, column in enumerate(rows.borders.columns)]
    )
    found = Moments.learn(values).imputation(FIRST)
    guessed = X.copy()
    guessed[:, 0] = (found.offset + values[:, 1:] @ found.slopes)[:, 0]
    for step in (60, 20):
        copied.rewind(step)
        learner.rewind(step)
        asked = without if bound else np.where(FIRST, fills, X)
        np.testing.assert_array_equal(copied.predict(asked), learner.predict(guessed))
    np.testing.assert_array_equal(copied.staged_predict(without, 1)[-1], learner.predict(guessed))


def test_deep_trees_and_several_outputs_read_it_too(dependent_rows):
    X = dependent_rows(1000)
    y = (X[:, 0] > np.median(X[:, 0])).astype(float) + (X[:, 3] > 0)
    learner = ObliviousBoosting(depth=9, n_classes=3)
    (rows,) = learner.datasets(X)
    learner.advance(rows, y, 5)
    without = rows.without((0,), (0.0,) * 4)
    copied = learner.copy()
    copied.impute_conditionally(without, rows)
    # Stored leaves and a walk down the trees give the same, another than without surrogates.
    walked = copied.staged_predict(without, 1)[-1]
    np.testing.assert_allclose(copied.predict(without), walked, rtol=1e-12)
    assert np.abs(walked - learner.predict(without)).max() > 0.01


def test_large_tables_are_read_in_part(dependent_rows, generator, monkeypatch):
    X = dependent_rows(3000)
    (rows,) = ObliviousBoosting().datasets(X)
    monkeypatch.setattr("lukewarm.learners.boosting._dataset._MOST_ROWS_READ", 1000)
    weights = generator.random(3000)
    assert rows.moments(None).n_rows == 1000
    every_third = rows._values(rows.codes[:, ::3])
    np.testing.assert_array_equal(
        rows.moments(weights).correlations, Moments.learn(every_third, weights[::3]).correlations
    )


def test_levels_and_unbound_rows_have_no_part(generator):
    frame = pd.DataFrame(
        {"level": pd.Categorical(list("ab") * 50), "x": generator.normal(size=100)}
    )
    frame["copy"] = frame["x"]
    learner = ObliviousBoosting()
    (rows,) = learner.datasets(frame)
    learner.advance(rows, frame["x"].to_numpy(), 5)
    for removed in ((0,), (0, 1)):
        copied, without = learner.copy(), rows.without(removed, ("a", 0.0, 0.0))
        copied.impute_conditionally(without, rows)
        changes = np.abs(copied.predict(without) - learner.predict(without)).max()
        assert (changes > 0.1) == (removed == (0, 1))
    copied = learner.copy()
    copied.impute_conditionally(frame.assign(x=0.0), frame)
    np.testing.assert_array_equal(copied.predict(rows), learner.predict(rows))
