"""Tree kernels and the law of trees against plain enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lukewarm.kernels import (
    expected_update,
    kernel_eigenvalues,
    sampled_tree_kernel,
    tree_distribution,
    tree_kernel,
    tree_kernel_at,
)

BORDERS = [np.array([-0.5, 0.0, 0.7]), np.array([-0.2]), np.array([-1.0, 0.0, 0.3])]
SPLITS = [(feature, border) for feature, edges in enumerate(BORDERS) for border in edges]


def rows(n: int = 40, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, 3))


def residuals_of(X: np.ndarray) -> np.ndarray:
    return X[:, 0] + 0.5 * X[:, 1] ** 2 - 0.3 * X[:, 2]


def leaves(X: np.ndarray, tree: tuple[int, ...]) -> np.ndarray:
    return np.array([[row[SPLITS[s][0]] > SPLITS[s][1] for s in tree] for row in X])


def kernel_of_tree(X: np.ndarray, Z: np.ndarray, tree: tuple[int, ...]) -> np.ndarray:
    own, others = leaves(X, tree), leaves(Z, tree)
    counts = (own[:, None] == own[None]).all(axis=2).sum(axis=1)
    return (own[:, None] == others[None]).all(axis=2) / counts[:, None]


def enumerated_kernel(X, Z, depth):
    trees = list(itertools.combinations(range(len(SPLITS)), depth))
    return sum(kernel_of_tree(X, Z, tree) for tree in trees) / len(trees)


def score(X, z, tree):
    codes = leaves(X, tree) @ (2 ** np.arange(len(tree)))
    return sum(z[codes == code].sum() ** 2 / (codes == code).sum() for code in set(codes)) / len(X)


def enumerated_law(X, z, depth, beta):
    """The paper's sum over permutations, term by term."""
    scores = {
        tree: score(X, z, tree)
        for size in range(1, depth + 1)
        for tree in itertools.combinations(range(len(SPLITS)), size)
    }
    law: dict[tuple[int, ...], float] = {}
    for order in itertools.permutations(range(len(SPLITS)), depth):
        chance = 1.0
        for size in range(depth):
            taken = order[:size]
            weights = {
                s: math.exp(scores[tuple(sorted((*taken, s)))] / beta)
                for s in range(len(SPLITS))
                if s not in taken
            }
            chance *= weights[order[size]] / sum(weights.values())
        tree = tuple(sorted(order))
        law[tree] = law.get(tree, 0.0) + chance
    return law


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 7])
def test_kernel_equals_the_mean_over_all_trees(depth):
    X, Z = rows(), rows(9, seed=1)
    assert_allclose(
        tree_kernel(X, borders=BORDERS, depth=depth), enumerated_kernel(X, X, depth), atol=1e-12
    )
    assert_allclose(
        tree_kernel(X, Z, borders=BORDERS, depth=depth), enumerated_kernel(X, Z, depth), atol=1e-12
    )


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_repeated_rows_and_constant_columns_are_counted(depth):
    X = np.round(rows(60))
    X[:, 1] = 0.1
    kernel = tree_kernel(X, borders=BORDERS, depth=depth)
    assert len(np.unique(X, axis=0)) < len(X) / 2
    assert_allclose(kernel, enumerated_kernel(X, X, depth), atol=1e-12)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_eigenvalues_lie_in_the_unit_interval_and_the_trace_below_two_to_the_depth(depth):
    X = rows(80)
    kernel = tree_kernel(X, borders=BORDERS, depth=depth)
    eigenvalues = kernel_eigenvalues(kernel)
    # Rows sum to one, so that the largest eigenvalue is 1.
    assert eigenvalues[0] == pytest.approx(1, abs=1e-12)
    assert_allclose(kernel.sum(axis=1), 1, atol=1e-12)
    assert 1 < np.trace(kernel) <= 2**depth


def test_a_border_at_a_value_sends_the_value_down():
    X = np.array([[0.0], [1.0], [2.0]])
    kernel = tree_kernel(X, borders=[[1.0]], depth=1)
    assert_allclose(kernel, [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]])


def test_a_feature_without_borders_is_never_split():
    X = rows()
    kernel = tree_kernel(X, borders=[[], *BORDERS[1:]], depth=2)
    changed = np.column_stack([X[::-1, 0], X[:, 1:]])
    assert_array_equal(kernel, tree_kernel(changed, borders=[[], *BORDERS[1:]], depth=2))


@pytest.mark.parametrize("with_others", [False, True])
def test_sampled_kernel_agrees_within_its_standard_errors(with_others):
    X, Z = rows(25), rows(6, seed=1) if with_others else None
    sampled = sampled_tree_kernel(X, Z, borders=BORDERS, depth=3, n_trees=3000, random_state=0)
    exact = tree_kernel(X, Z, borders=BORDERS, depth=3)
    assert sampled.standard_error.max() < 0.02
    # Where no sampled tree joined two rows, the standard error is 0 too; 5 covers 325 entries.
    distance = np.abs(sampled.kernel_matrix - exact)
    assert (distance <= 5 * sampled.standard_error + 1e-3).all()
    assert distance.max() > 0


def test_sampled_kernel_is_the_same_for_the_same_seed():
    first, second = (
        sampled_tree_kernel(rows(), borders=BORDERS, depth=5, n_trees=20, random_state=3)
        for _ in range(2)
    )
    assert_array_equal(first.kernel_matrix, second.kernel_matrix)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("beta", [0.05, 1.0])
def test_law_equals_the_sum_over_permutations(depth, beta):
    X = rows()
    law = tree_distribution(X, residuals_of(X), borders=BORDERS, depth=depth, random_strength=beta)
    expected = enumerated_law(X, residuals_of(X), depth, beta)
    assert len(expected) == len(law.splits)
    assert law.probabilities.sum() == pytest.approx(1, abs=1e-12)
    assert law.probabilities.max() > 1.3 * law.probabilities.min()
    for tree, chance in zip(law.splits, law.probabilities, strict=True):
        assert chance == pytest.approx(expected[tuple(tree)], abs=1e-12)


def test_law_names_the_splits():
    law = tree_distribution(
        rows(), residuals_of(rows()), borders=BORDERS, depth=2, random_strength=1.0
    )
    assert list(zip(law.split_features, law.split_borders, strict=True)) == SPLITS


def test_law_is_uniform_for_large_beta_and_greedy_for_small():
    X = rows()
    z = residuals_of(X)
    n_trees = math.comb(len(SPLITS), 2)
    arguments = {"borders": BORDERS, "depth": 2}
    for beta in (1e9, math.inf):
        uniform = tree_distribution(X, z, **arguments, random_strength=beta).probabilities
        assert_allclose(uniform, 1 / n_trees, rtol=1e-8)
    first = max(range(len(SPLITS)), key=lambda s: score(X, z, (s,)))
    second = max(
        (s for s in range(len(SPLITS)) if s != first), key=lambda s: score(X, z, (first, s))
    )
    for beta in (1e-5, 0.0):
        law = tree_distribution(X, z, **arguments, random_strength=beta)
        best = law.splits[np.argmax(law.probabilities)]
        assert sorted(best) == sorted((first, second))
        assert law.probabilities.max() == pytest.approx(1, abs=1e-9)


def test_ties_are_shared_when_greedy():
    X = np.array([[0.0, 0.0], [1.0, 1.0]])
    law = tree_distribution(
        X, np.array([-1.0, 1.0]), borders=[[0.5], [0.5]], depth=1, random_strength=0.0
    )
    assert_array_equal(law.probabilities, [0.5, 0.5])


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_kernel_at_a_step_is_the_mean_under_the_law(depth):
    X, Z, beta = rows(), rows(9, seed=1), 0.1
    z = residuals_of(X)
    law = enumerated_law(X, z, depth, beta)
    arguments = {"borders": BORDERS, "depth": depth, "random_strength": beta}
    for others, given in ((X, None), (Z, Z)):
        expected = sum(chance * kernel_of_tree(X, others, tree) for tree, chance in law.items())
        kernel = tree_kernel_at(X, z, given, **arguments)
        assert_allclose(kernel, expected, atol=1e-12)
    assert np.abs(kernel - tree_kernel(X, Z, borders=BORDERS, depth=depth)).max() > 1e-3


def test_kernel_distance_from_the_stationary_one_falls_as_one_over_beta():
    X = rows()
    stationary = tree_kernel(X, borders=BORDERS, depth=2)

    def distance(beta):
        kernel = tree_kernel_at(X, residuals_of(X), borders=BORDERS, depth=2, random_strength=beta)
        return np.linalg.norm(kernel - stationary)

    # p is analytic in 1 / beta, so the ratio is 10 up to a term of order 1 / beta.
    assert distance(100.0) / distance(1000.0) == pytest.approx(10, rel=0.02)


def test_expected_update_is_the_mean_of_one_boosting_step():
    X, beta = rows(), 0.1
    y, start = residuals_of(X), 0.2 * X[:, 1]
    after = expected_update(
        X, y, start, borders=BORDERS, depth=2, random_strength=beta, learning_rate=0.3
    )
    expected = np.zeros(len(X))
    for tree, chance in enumerated_law(X, y - start, 2, beta).items():
        codes = leaves(X, tree) @ (2 ** np.arange(2))
        means = [(y - start)[codes == code].mean() for code in codes]
        expected += chance * (start + 0.3 * np.array(means))
    assert_allclose(after, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"depth": 8}, "depth must not exceed the number of splits, 7; got 8"),
        ({"depth": 0}, "depth must be at least 1"),
        ({"borders": BORDERS[:2]}, "one array per column"),
        ({"borders": [[1.0, 0.0], [0.0], [0.0]]}, r"borders\[0\] must be strictly ascending"),
        ({"borders": [np.arange(300.0)] * 3, "depth": 4}, "use sampled_tree_kernel"),
    ],
)
def test_bad_arguments_are_named(change, message):
    arguments = {"borders": BORDERS, "depth": 2, **change}
    with pytest.raises(ValueError, match=message):
        tree_kernel(rows(), **arguments)


def test_negative_random_strength_is_refused():
    with pytest.raises(ValueError, match="random_strength must be at least 0"):
        tree_distribution(rows(), np.ones(40), borders=BORDERS, depth=2, random_strength=-1.0)
