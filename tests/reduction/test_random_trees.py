"""Averages among neighbours, and when a regression takes them in."""

import numpy as np
import pytest

from lukewarm.data import Removal, Rows
from lukewarm.reduction.projection._random_trees import RandomTrees
from lukewarm.reduction.projection._regressions import Regressions

N_ROWS = 2400


def chequers(codes):
    """Return a chequered function, whose single columns say nothing and depth four little."""
    return np.where((codes[:, 0] // 16 + codes[:, 1] // 16) % 2 == 0, 1.0, -1.0)


def some_codes(n_rows=N_ROWS):
    return np.random.default_rng(0).integers(0, 128, (n_rows, 3)).astype(np.uint8)


def test_trees_learn_what_neighbours_share():
    codes = some_codes()
    trees = RandomTrees.fit(codes, chequers(codes), n_trees=20)
    others = np.random.default_rng(1).integers(0, 128, (500, 3)).astype(np.uint8)
    # Without neighbours a half would be right.
    assert np.mean(np.sign(trees.predict(others)) == chequers(others)) > 0.75


def test_rows_of_no_weight_change_no_value():
    codes, target = some_codes(200), np.random.default_rng(2).normal(size=200)
    weights = np.ones(200)
    weights[::4] = 0.0
    spoiled = np.where(weights == 0, 1e6, target)
    plain, other = (
        RandomTrees.fit(codes, each, weights, n_trees=5).predict(codes)
        for each in (target, spoiled)
    )
    np.testing.assert_allclose(plain, other, rtol=1e-12)


def test_one_code_in_all_rows_gives_the_mean():
    codes, target = np.full((30, 3), 7, np.uint8), np.arange(30.0)
    trees = RandomTrees.fit(codes, target, n_trees=3)
    np.testing.assert_allclose(trees.predict(codes), 14.5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("is_fine", [False, True])
def test_a_regression_asks_neighbours_only_where_held_out_rows_gain(is_fine, weighted):
    codes = some_codes()
    generator = np.random.default_rng(3)
    weights = generator.uniform(0.5, 1.5, N_ROWS) if weighted else None
    target = chequers(codes) if is_fine else generator.normal(size=N_ROWS)
    X = codes.astype(float)
    rows = Rows(X, target, weights)
    stopping = np.arange(0, N_ROWS, 4)
    train = np.setdiff1d(np.arange(N_ROWS), stopping)
    regressions = Regressions(rows.at(train), rows.at(stopping), Removal.learn(X))
    fit = regressions.fit(target[train], target[stopping], (2,), with_neighbours=True)
    assert (fit.neighbours is not None) == is_fine
    if is_fine:
        smooth = regressions.fit(target[train], target[stopping], (2,))
        new = np.random.default_rng(4).integers(0, 128, (500, 3))
        prepared = regressions.prepare(new.astype(float))
        errors = [np.mean((each.predict(prepared) - chequers(new)) ** 2) for each in (smooth, fit)]
        assert errors[1] < errors[0]


def test_neighbours_do_not_see_removed_columns():
    codes = some_codes()
    X = codes.astype(float)
    rows = Rows(X, chequers(codes))
    stopping = np.arange(0, N_ROWS, 4)
    train = np.setdiff1d(np.arange(N_ROWS), stopping)
    regressions = Regressions(rows.at(train), rows.at(stopping), Removal.learn(X))
    fit = regressions.fit(rows.y[train], rows.y[stopping], (2,), with_neighbours=True)
    moved = X.copy()
    moved[:, 2] = np.roll(moved[:, 2], 1)
    first, second = (fit.predict(regressions.prepare(each)) for each in (X, moved))
    assert fit.neighbours is not None
    np.testing.assert_array_equal(first, second)
