"""The stationary kernel of boosted oblivious trees: the mean over all trees of a given depth."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lukewarm._random import as_generator
from lukewarm._typing import Matrix, RandomState
from lukewarm._validation import check_count, check_rows
from lukewarm.kernels.trees._boxes import (
    active_sets,
    along_axes,
    box_sums,
    grid_sums,
    incidence,
    kinds_of,
    multiplicities,
    pair_table,
)
from lukewarm.kernels.trees._cells import Borders, Cells, check_borders, check_depth, to_cells

# The sum goes over every one; beyond, trees are drawn (`sampled_tree_kernel`).
_MOST_TREES = 20_000_000

GroupWeights = Callable[[tuple[int, ...], tuple[int, ...]], np.ndarray]
"""Features and how often each is split -> the probabilities of those trees."""


class SampledKernel(NamedTuple):
    """A Monte-Carlo kernel matrix and the standard error of each entry."""

    kernel_matrix: Matrix
    standard_error: Matrix


def tree_kernel(X: Matrix, Z: Matrix | None = None, *, borders: Borders, depth: int) -> Matrix:
    """Return the stationary kernel matrix of oblivious trees, divided by N.

    Parameters
    ----------
    X : array of shape (n, p)
        The rows that are counted in the leaves.
    Z : array of shape (k, p), optional
        Further rows; `X` where missing.
    borders : sequence of p arrays
        Each feature's thresholds, ascending; a split asks ``x > threshold``. An empty array takes a
        feature out of the trees.
    depth : int
        Distinct splits per tree.

    Returns
    -------
    array of shape (n, k)

    Notes
    -----
    The mean over all sets nu of `depth` distinct splits of
    ``1{x and z in one leaf} / N_leaf``, with N_leaf the rows of X there (section 4.4 of the paper,
    divided by N). Its eigenvalues lie in [0, 1] and its trace is at most 2**depth. The sum over
    trees is taken as a sum over boxes of bins, whose cost does not depend on the rows; then every
    pair of rows looks up one number per set of features.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> tree_kernel(X, borders=[[0.5, 1.5]], depth=2)
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    X, Z = check_rows(X, Z)
    borders = check_borders(borders, X.shape[1])
    check_depth(depth, borders)
    n_trees = check_n_trees(borders, depth)

    def uniform(features: tuple[int, ...], chosen: tuple[int, ...]) -> np.ndarray:
        sizes = [math.comb(len(borders[j]), m) for j, m in zip(features, chosen, strict=True)]
        return np.broadcast_to(1 / n_trees, sizes)

    return kernel_of_trees(X, Z, borders, depth, uniform)


def check_n_trees(borders: Borders, depth: int) -> int:
    """Return the number of trees if they can be summed exactly."""
    n_splits = sum(len(edges) for edges in borders)
    n_trees = math.comb(n_splits, depth)
    if n_trees > _MOST_TREES:
        raise ValueError(
            f"{n_splits} splits at depth {depth} make {n_trees:.3g} trees, too many to sum "
            f"exactly (limit {_MOST_TREES:.0e}); use sampled_tree_kernel, or fewer borders."
        )
    return n_trees


def kernel_of_trees(
    X: Matrix, Z: Matrix | None, borders: Borders, depth: int, weights: GroupWeights
) -> Matrix:
    """Return the kernel matrix of trees that have these probabilities.

    Parameters
    ----------
    X, Z : ndarrays of shape (n, p) and (k, p)
        Z may be None, for X.
    borders : list of ndarray
    depth : int
    weights : GroupWeights
        The probabilities of the trees of a group.
    """
    from lukewarm.kernels.trees._lookups import add_pairs

    cells = to_cells(X, borders)
    others = cells if Z is None else to_cells(Z, borders)
    kernel = np.zeros((len(cells.counts), len(others.counts)))
    n_borders = [len(edges) for edges in borders]
    for features in active_sets(n_borders, depth):
        sizes = [n_borders[feature] for feature in features]
        row_bins = np.ascontiguousarray(cells.bins[:, features].T)
        column_bins = np.ascontiguousarray(others.bins[:, features].T)
        grid = grid_sums(row_bins, cells.counts, sizes)
        for kinds, total in _box_weights(features, sizes, depth, weights).items():
            # k_nu(i, j) is 1 / rows in the leaf where both are in it: probabilities over counts,
            # then added up over the boxes that hold both.
            counts = box_sums(grid, kinds)
            share = np.divide(total, counts, out=np.zeros_like(counts), where=counts > 0)
            table = np.ascontiguousarray(pair_table(share, kinds, sizes)).reshape(-1)
            axes = np.array([(n + 1, kind) for n, kind in zip(sizes, kinds, strict=True)])
            add_pairs(kernel, row_bins, column_bins, table, axes, others is cells)
    if others is cells:
        # `add_pairs` fills the upper half only.
        kernel += np.triu(kernel, 1).T
    return kernel[np.ix_(cells.cell_of_row, others.cell_of_row)]


def _box_weights(
    features: tuple[int, ...], sizes: list[int], depth: int, weights: GroupWeights
) -> dict[tuple[int, ...], np.ndarray]:
    """Return, per kind, the probability that a tree on exactly these features has each box."""
    totals: dict[tuple[int, ...], np.ndarray] = {}
    for chosen in multiplicities(sizes, depth):
        matrices = [incidence(n, m) for n, m in zip(sizes, chosen, strict=True)]
        probabilities = weights(features, chosen)
        for kinds in kinds_of(matrices):
            along = [per_kind[kind] for per_kind, kind in zip(matrices, kinds, strict=True)]
            total = along_axes(along, probabilities)
            # A box is a leaf of trees that split its features elsewhere more often, too.
            totals[kinds] = totals[kinds] + total if kinds in totals else total
    return totals


def sampled_tree_kernel(
    X: Matrix,
    Z: Matrix | None = None,
    *,
    borders: Borders,
    depth: int,
    n_trees: int,
    random_state: RandomState = None,
) -> SampledKernel:
    """Return the stationary kernel matrix from random trees, with its standard errors.

    For trees too deep for :func:`tree_kernel`; the parameters are the same.

    Parameters
    ----------
    X, Z, borders, depth
        As for :func:`tree_kernel`.
    n_trees : int
        Trees drawn, at least 2.
    random_state : int, Generator or None

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> borders = [np.linspace(-1, 1, 5)] * 2
    >>> sampled = sampled_tree_kernel(X, borders=borders, depth=3, n_trees=400, random_state=0)
    >>> exact = tree_kernel(X, borders=borders, depth=3)
    >>> bool(np.abs(sampled.kernel_matrix - exact).max() < 6 * sampled.standard_error.max())
    True
    """
    X, Z = check_rows(X, Z)
    borders = check_borders(borders, X.shape[1])
    check_depth(depth, borders)
    check_count("n_trees", n_trees, minimum=2)
    generator = as_generator(random_state)
    cells = to_cells(X, borders)
    others = cells if Z is None else to_cells(Z, borders)
    n_splits = sum(len(edges) for edges in borders)
    splits = [generator.choice(n_splits, size=depth, replace=False) for _ in range(n_trees)]
    mean, square = _sum_of_trees(cells, others, borders, splits)
    mean /= n_trees
    square /= n_trees
    # Rounding may make a variance of zero negative.
    error = np.sqrt(np.maximum(square - mean**2, 0) / (n_trees - 1))
    pairs = np.ix_(cells.cell_of_row, others.cell_of_row)
    return SampledKernel(mean[pairs], error[pairs])


def _sum_of_trees(
    cells: Cells, others: Cells, borders: Borders, splits: list[np.ndarray]
) -> tuple[Matrix, Matrix]:
    from lukewarm.kernels.trees._lookups import add_tree

    features = np.repeat(np.arange(len(borders)), [len(edges) for edges in borders])
    thresholds = np.concatenate([np.arange(len(edges)) for edges in borders])
    mean = np.zeros((len(cells.counts), len(others.counts)))
    square = np.zeros_like(mean)
    bins = np.vstack([cells.bins, others.bins])
    for chosen in splits:
        # Leaves that are reached, numbered without gaps: 2**depth may not fit in memory.
        path = np.packbits(bins[:, features[chosen]] > thresholds[chosen], axis=1)
        leaves = np.unique(path, axis=0, return_inverse=True)[1].reshape(-1)
        row_leaves, column_leaves = leaves[: len(mean)], leaves[len(mean) :]
        n_leaves = int(leaves.max()) + 1
        counts = np.bincount(row_leaves, weights=cells.counts, minlength=n_leaves)
        order = np.argsort(column_leaves, kind="stable")
        starts = np.searchsorted(column_leaves[order], np.arange(n_leaves + 1))
        add_tree(mean, square, row_leaves, order, starts, 1 / np.maximum(counts, 1))
    return mean, square
