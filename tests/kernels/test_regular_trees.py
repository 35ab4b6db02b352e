"""The kernel of regular trees against every tree, one by one, and against scikit-learn's."""

from itertools import product

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.tree import DecisionTreeRegressor

from lukewarm.kernels import (
    forest_kernel,
    kernel_eigenvalues,
    regular_tree_kernel,
    regular_tree_kernel_at,
    tree_kernel,
)

BORDERS = [np.array([-0.6, 0.0, 0.7]), np.array([-0.3, 0.4])]


@pytest.fixture(name="X")
def _rows(generator):
    return generator.normal(size=(25, 2))


@pytest.fixture(name="residuals")
def _residuals(X, generator):
    return X[:, 0] * X[:, 1] + X[:, 1] + 0.3 * generator.normal(size=25)


def every_tree(rows, X, residuals, depth, strength):
    """Yield (probability, leaves) of every tree below these rows; leaves are lists of rows."""
    halves = []
    for feature, borders in enumerate(BORDERS):
        for border in borders:
            above = X[rows, feature] > border
            if 0 < above.sum() < len(rows):
                halves.append((rows[~above], rows[above]))
    if depth == 0 or not halves:
        yield 1.0, [rows]
        return
    scores = [
        sum(residuals[half].sum() ** 2 / len(half) for half in pair) / len(X) for pair in halves
    ]
    chances = np.exp((np.array(scores) - max(scores)) / strength)
    for chance, pair in zip(chances / chances.sum(), halves, strict=True):
        below = [list(every_tree(half, X, residuals, depth - 1, strength)) for half in pair]
        for (p, left), (q, right) in product(*below):
            yield chance * p * q, left + right


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("strength", [0.05, 1.0, np.inf])
def test_the_kernel_is_the_mean_over_every_tree(X, residuals, depth, strength):
    expected, total = np.zeros((25, 25)), 0.0
    for chance, leaves in every_tree(np.arange(25), X, residuals, depth, strength):
        total += chance
        for leaf in leaves:
            expected[np.ix_(leaf, leaf)] += chance / len(leaf)
    assert total == pytest.approx(1.0)
    kernel = regular_tree_kernel_at(
        X, residuals, borders=BORDERS, depth=depth, random_strength=strength
    )
    np.testing.assert_allclose(kernel, expected, atol=1e-12)
    if strength == np.inf:
        stationary = regular_tree_kernel(X, borders=BORDERS, depth=depth)
        np.testing.assert_allclose(stationary, expected, atol=1e-12)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_greedy_limit_is_the_tree_of_scikit_learn(X, residuals, depth):
    borders = [np.sort(column)[:-1] + np.diff(np.sort(column)) / 2 for column in X.T]
    tree = DecisionTreeRegressor(max_depth=depth).fit(X, residuals)
    kernel = regular_tree_kernel_at(X, residuals, borders=borders, depth=depth, random_strength=0)
    np.testing.assert_allclose(kernel, forest_kernel(tree, X), atol=1e-12)


def test_every_step_of_a_booster_is_the_update_with_the_kernel_of_its_tree(X, residuals):
    booster = GradientBoostingRegressor(max_depth=2, learning_rate=0.3, n_estimators=20)
    booster.fit(X, residuals)
    position = np.full(25, residuals.mean())
    for tree, after in zip(booster.estimators_[:, 0], booster.staged_predict(X), strict=True):
        kernel = forest_kernel(tree, X)
        position = position + 0.3 * kernel @ (residuals - position)
        np.testing.assert_allclose(position, after, atol=1e-12)
    assert np.abs(after - residuals.mean()).max() > 0.5


def test_stumps_are_oblivious(X):
    stumps = regular_tree_kernel(X, borders=BORDERS, depth=1)
    np.testing.assert_allclose(stumps, tree_kernel(X, borders=BORDERS, depth=1), atol=1e-12)


@pytest.mark.parametrize("depth", [2, 3])
def test_rows_sum_to_one_and_the_trace_counts_leaves(X, residuals, depth):
    kernel = regular_tree_kernel_at(X, residuals, borders=BORDERS, depth=depth, random_strength=0.1)
    eigenvalues = kernel_eigenvalues(kernel)
    np.testing.assert_allclose(kernel.sum(axis=1), 1, atol=1e-12)
    assert eigenvalues[0] == pytest.approx(1)
    assert 2 < eigenvalues.sum() <= 2**depth


def test_the_distance_from_the_stationary_kernel_falls_as_one_over_the_strength(X, residuals):
    settings = {"borders": BORDERS, "depth": 2}
    stationary = regular_tree_kernel(X, **settings)
    near, far = (
        np.linalg.norm(
            regular_tree_kernel_at(X, residuals, random_strength=strength, **settings) - stationary
        )
        for strength in (1e4, 1e2)
    )
    assert far > 1e-5
    # The next term of the expansion is of the order of scores / strength, below 1 / 100.
    assert far / near == pytest.approx(100, rel=0.02)


def test_new_rows_meet_the_old_ones_as_they_meet_each_other(X):
    across = regular_tree_kernel(X, X[::-1], borders=BORDERS, depth=2)
    within = regular_tree_kernel(X, borders=BORDERS, depth=2)
    np.testing.assert_allclose(across, within[:, ::-1], atol=1e-12)


def test_a_column_without_borders_is_never_split(X):
    kernel = regular_tree_kernel(X, borders=[np.empty(0), BORDERS[1]], depth=2)
    moved = X + np.array([5.0, 0.0])
    same = regular_tree_kernel(moved, borders=[np.empty(0), BORDERS[1]], depth=2)
    np.testing.assert_array_equal(kernel, same)
