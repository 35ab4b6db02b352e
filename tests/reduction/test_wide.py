"""Wide tables: guesses of all columns at once, trees that ask for few columns."""

import numpy as np
import pandas as pd
import pytest
from given import Given

from lukewarm.data import Removal, Rows
from lukewarm.learners.boosting import BinnedDataset, Borders
from lukewarm.reduction import Projection, ReductionData
from lukewarm.reduction.projection._column_values import column_of
from lukewarm.reduction.projection._conditional import ConditionalDraws
from lukewarm.reduction.projection._projection import _linear_direction
from lukewarm.reduction.projection._screening import Screening

N_COLUMNS = 120


def _wide(n_rows=600):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n_rows, N_COLUMNS))
    X[:, 1] += X[:, 0]
    X[:, 3] = np.cos(2 * X[:, 2]) + 0.1 * X[:, 3]
    # Everything tells a little of it, so that the regression on all columns is the best.
    X[:, 4] = X[:, 5:].sum(axis=1) + X[:, 4]
    return X


def _data(X):
    is_stopping = np.arange(len(X)) % 4 == 3
    y = np.zeros(len(X))
    train, stopping = (
        Rows(X.iloc[part] if isinstance(X, pd.DataFrame) else X[part], y[part])
        for part in (~is_stopping, is_stopping)
    )
    return ReductionData(train, stopping, Removal.learn(train.X))


def _with_levels_and_gaps(X):
    frame = pd.DataFrame(X)
    frame[7] = pd.Categorical(np.where(X[:, 0] > 0, "high", np.where(X[:, 8] > 0, "mid", "low")))
    frame.loc[::9, 6] = np.nan
    return frame


@pytest.mark.parametrize("table", [lambda X: X, _with_levels_and_gaps])
def test_guesses_of_all_columns_at_once_are_as_one_by_one(table):
    data = _data(table(_wide()))
    regressions = data.regressions
    n_slopes = {}
    for column in (0, 1, 2, 4, 50):
        target, held_out = (column_of(rows.X, column) for rows in (data.train, data.stopping))
        alone = regressions.fit(target, held_out, (column,), with_trees=False).base
        guess = regressions.line_guess(column)
        assert np.allclose(guess.coefficients, alone.coefficients, rtol=1e-7, atol=1e-9)
        assert guess.offset == pytest.approx(alone.offset, rel=1e-7, abs=1e-9)
        n_slopes[column] = np.count_nonzero(guess.coefficients)
    # Nothing known, some columns selected, all of them.
    assert n_slopes[2] == 0
    assert 0 < n_slopes[0] < 10
    assert n_slopes[4] > 100


def test_guesses_of_all_levels_at_once_are_as_one_by_one():
    data = _data(_with_levels_and_gaps(_wide()))
    known = data.regressions.level_guesses(7, ("mid", "high", "low", "unknown"))
    assert list(known) == ["mid", "high", "low"]
    for level, guess in known.items():
        target, held_out = (
            np.asarray(rows.X[7] == level, dtype=float) for rows in (data.train, data.stopping)
        )
        alone = data.regressions.fit(target, held_out, (7,), with_trees=False).base
        assert np.count_nonzero(alone.coefficients) > 0
        assert np.allclose(guess.coefficients, alone.coefficients, rtol=1e-7, atol=1e-9)
        assert guess.offset == pytest.approx(alone.offset, rel=1e-7, abs=1e-9)


def test_levels_and_columns_with_gaps_have_no_guess_by_lines():
    regressions = _data(_with_levels_and_gaps(_wide())).regressions
    assert regressions.line_guess(6) is None
    assert regressions.line_guess(7) is None


def test_narrow_tables_have_no_guesses_by_lines():
    assert _data(_wide()[:, :20]).regressions.line_guess(0) is None


def test_the_direction_of_a_column_the_model_does_not_look_at_is_that_of_its_draws():
    X = _wide()
    data = _data(X)
    object.__setattr__(data.train, "y", data.train.X[:, 0])
    full = Given(lambda X: X[:, 60])
    reduced = Projection().reduce(full, data, (0,), seed=0)
    draws = ConditionalDraws(data.regressions, (0,), with_trees=False)
    expected = _linear_direction(full, draws, data.regressions)(X)
    assert np.abs(expected).max() > 0.1
    assert np.allclose(reduced.direction(X), expected, rtol=1e-8, atol=1e-10)


def test_predictions_of_a_table_are_made_once_for_all_columns_the_model_does_not_look_at():
    X = _wide()
    calls = []
    full = Given(lambda table: calls.append(table is X) or table[:, 60])
    data = _data(X)
    first, second = (Projection().reduce(full, data, (column,), seed=0) for column in (0, 1))
    assert first.predict(X) is second.predict(X)
    assert sum(calls) == 1


def _rows(X):
    return BinnedDataset.encode(Borders.learn(X, 64), X)


@pytest.mark.parametrize("weighted", [False, True])
def test_no_column_counts_for_noise_and_a_curve_makes_its_column_count(weighted):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(1000, 200))
    weights = generator.uniform(0.5, 2, size=1000) if weighted else None
    rows = _rows(X)
    screening = Screening(rows, weights)
    noise = generator.normal(size=1000)
    assert len(screening.columns(noise, rows.candidates)) == 0
    curve = X[:, 7] ** 2 + noise
    found = screening.columns(curve, rows.candidates)
    assert 7 in found
    assert len(found) == 32
    assert 7 not in screening.columns(curve, np.delete(rows.candidates, 7))


def test_both_columns_of_a_product_count():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(1000, 200))
    rows = _rows(X)
    target = X[:, 7] * X[:, 11] + 0.5 * generator.normal(size=1000)
    assert {7, 11} <= set(Screening(rows, None).columns(target, rows.candidates))


def test_a_level_counts_by_itself_rather_than_by_its_place():
    generator = np.random.default_rng(0)
    levels = generator.integers(0, 5, size=1000)
    X = pd.DataFrame(generator.normal(size=(1000, 30)))
    X[3] = pd.Categorical(np.array(list("abcde"))[levels])
    rows = _rows(X)
    # The middle level alone differs: halves of the levels in any order would not show it as well.
    target = np.where(levels == 2, 0.4, 0.0) + generator.normal(size=1000)
    assert 3 in Screening(rows, None).columns(target, rows.candidates)


def test_trees_of_a_wide_table_still_find_a_curve():
    X = _wide(2000)
    regressions = _data(X).regressions
    draws = ConditionalDraws(regressions, (3,))
    left = draws.residuals(regressions.stopping_rows)
    # The curve has a variance of one half, what is beside it of a hundredth.
    assert left.var() < 0.1
