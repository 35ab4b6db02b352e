"""The law of the next tree, and the kernel and the mean step that follow from it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm._validation import check_number, check_rows, check_vector
from lukewarm.kernels.trees._boxes import (
    active_sets,
    along_axes,
    box_sums,
    grid_sums,
    incidence,
    kinds_of,
    multiplicities,
)
from lukewarm.kernels.trees._cells import Borders, Cells, check_borders, check_depth, to_cells
from lukewarm.kernels.trees._kernel import check_n_trees, kernel_of_trees
from lukewarm.kernels.trees._split_sets import binomial_table, group_numbers, parents, split_sets

# Scores closer than this share of the largest are ties: they differ by round-off.
_TIE = 1e-12


@dataclass(frozen=True, eq=False)
class TreeDistribution:
    """The probability of every tree structure.

    Parameters
    ----------
    splits : ndarray of shape (n_trees, depth)
        Each tree as a set of distinct splits, ascending.
    probabilities : ndarray of shape (n_trees,)
    split_features, split_borders : ndarrays of shape (n_splits,)
        What split number s asks: is ``x[split_features[s]] > split_borders[s]``?
    """

    splits: np.ndarray
    probabilities: Vector
    split_features: np.ndarray
    split_borders: Vector


def tree_distribution(
    X: Matrix, residuals: Vector, *, borders: Borders, depth: int, random_strength: float
) -> TreeDistribution:
    """Return p(nu | f, beta): how likely SampleTree grows each set of splits.

    Parameters
    ----------
    X : array of shape (n, p)
    residuals : array of shape (n,)
        ``y - f(X)``; f enters only through them.
    borders, depth
        As for :func:`tree_kernel`.
    random_strength : float
        beta. 0 is the greedy limit, in which exact ties are drawn with equal chances.

    Notes
    -----
    SampleTree adds splits one by one, each by the largest of score - beta log(-log u), that is,
    with probabilities softmax(D / beta) over the splits not yet taken. The score of a set does not
    depend on the order, so the sum over permutations (appendix B.2 of the paper) is a recursion
    over sets: ``p(S) = sum_s p(S - s) exp(D(S)/beta) / sum_t exp(D(S - s + t)/beta)``.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> law = tree_distribution(
    ...     X, X[:, 0] - 0.5, borders=[[0.5], [0.5]], depth=1, random_strength=0.1
    ... )
    >>> law.probabilities.round(3)  # the first feature explains all: D = 0.25 against 0
    array([0.924, 0.076])
    """
    X, _ = check_rows(X)
    residuals = check_vector("residuals", residuals, n_rows=len(X))
    borders = check_borders(borders, X.shape[1])
    check_depth(depth, borders)
    check_n_trees(borders, depth)
    strength = check_number("random_strength", random_strength, minimum=0)
    cells = to_cells(X, borders)
    probabilities = _law(cells, cells.sums(residuals), borders, depth, strength)
    n_borders = [len(edges) for edges in borders]
    return TreeDistribution(
        split_sets(sum(n_borders), depth),
        probabilities,
        np.repeat(np.arange(len(borders)), n_borders),
        np.concatenate(borders),
    )


def tree_kernel_at(
    X: Matrix,
    residuals: Vector,
    Z: Matrix | None = None,
    *,
    borders: Borders,
    depth: int,
    random_strength: float,
) -> Matrix:
    """Return K_tau, the kernel matrix of the next tree given the residuals, divided by N.

    Parameters
    ----------
    X, Z, borders, depth
        As for :func:`tree_kernel`.
    residuals, random_strength
        As for :func:`tree_distribution`.

    Notes
    -----
    ``K_tau = sum_nu p(nu | f_tau, beta) k_nu / N``; it tends to :func:`tree_kernel` as beta grows.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> X = generator.normal(size=(30, 2))
    >>> borders = [np.array([-0.5, 0.5])] * 2
    >>> near = tree_kernel_at(X, X[:, 0], borders=borders, depth=2, random_strength=1e6)
    >>> from lukewarm.kernels import tree_kernel
    >>> bool(np.allclose(near, tree_kernel(X, borders=borders, depth=2), atol=1e-5))
    True
    """
    law = tree_distribution(
        X, residuals, borders=borders, depth=depth, random_strength=random_strength
    )
    X, Z = check_rows(X, Z)
    borders = check_borders(borders, X.shape[1])
    n_borders = [len(edges) for edges in borders]
    binomials = binomial_table(sum(n_borders), depth)

    def group(features: tuple[int, ...], chosen: tuple[int, ...]) -> np.ndarray:
        return law.probabilities[group_numbers(features, chosen, n_borders, binomials)]

    return kernel_of_trees(X, Z, borders, depth, group)


def expected_update(
    X: Matrix,
    y: Vector,
    predictions: Vector,
    *,
    borders: Borders,
    depth: int,
    random_strength: float,
    learning_rate: float,
) -> Vector:
    """Return the mean over the next tree of the predictions after it.

    Parameters
    ----------
    X, borders, depth, random_strength
        As for :func:`tree_distribution`.
    y, predictions : arrays of shape (n,)
    learning_rate : float

    Notes
    -----
    ``E f_{tau+1} = f_tau + eps K_tau (y - f_tau)``, given f_tau.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> expected_update(
    ...     X, np.array([0.0, 3.0, 6.0]), np.zeros(3),
    ...     borders=[[0.5]], depth=1, random_strength=1.0, learning_rate=0.1,
    ... )
    array([0.  , 0.45, 0.45])
    """
    y = check_vector("y", y, n_rows=len(X))
    predictions = check_vector("predictions", predictions, n_rows=len(X))
    rate = check_number("learning_rate", learning_rate, above=0)
    residuals = y - predictions
    kernel = tree_kernel_at(
        X, residuals, borders=borders, depth=depth, random_strength=random_strength
    )
    return predictions + rate * (kernel @ residuals)


def _law(cells: Cells, sums: Vector, borders: Borders, depth: int, strength: float) -> Vector:
    """Return the probability of every set of `depth` splits, in the order of `split_sets`.

    Parameters
    ----------
    cells : Cells
    sums : ndarray of shape (n_cells,)
        Of the residuals.
    borders : list of ndarray
    depth : int
    strength : float
        beta, the size of the noise of scores.
    """
    n_splits = sum(len(edges) for edges in borders)
    binomials = binomial_table(n_splits, depth)
    probabilities = np.ones(1)
    # The recursion of `tree_distribution`: sets of one more split from the sets before it.
    for size in range(1, depth + 1):
        scores = _scores(cells, sums, borders, size, binomials)
        before = parents(split_sets(n_splits, size), binomials)
        shares = _choice_shares(scores, before, len(probabilities), strength)
        probabilities = (probabilities[before] * shares).sum(axis=1)
    return probabilities


def _scores(
    cells: Cells, sums: Vector, borders: Borders, size: int, binomials: np.ndarray
) -> Vector:
    """Return D(nu, z) = (1/N) sum over leaves of (sum of z)**2 / rows, of all sets of `size`."""
    n_borders = [len(edges) for edges in borders]
    n_rows = cells.counts.sum()
    scores = np.empty(math.comb(sum(n_borders), size))
    for features in active_sets(n_borders, size):
        limits = [n_borders[feature] for feature in features]
        bins = cells.bins[:, features].T
        counts, totals = grid_sums(bins, cells.counts, limits), grid_sums(bins, sums, limits)
        for chosen in multiplicities(limits, size):
            matrices = [incidence(n, m) for n, m in zip(limits, chosen, strict=True)]
            score: np.ndarray | float = 0.0
            # Leaves are boxes; those of one kind are summed for all sets of borders at once.
            for kinds in kinds_of(matrices):
                along = [per_kind[kind].T for per_kind, kind in zip(matrices, kinds, strict=True)]
                score = score + along_axes(along, _box_scores(counts, totals, kinds))
            numbers = group_numbers(features, chosen, n_borders, binomials)
            scores[numbers] = score / n_rows
    return scores


def _box_scores(counts: np.ndarray, totals: np.ndarray, kinds: tuple[int, ...]) -> np.ndarray:
    rows, sums = box_sums(counts, kinds), box_sums(totals, kinds)
    # An empty box is the leaf of no row.
    return np.divide(sums**2, rows, out=np.zeros_like(rows), where=rows > 0)


def _choice_shares(
    scores: Vector, before: np.ndarray, n_before: int, strength: float
) -> np.ndarray:
    """Return the chance that a set is reached from each of its parents, shape of `before`."""
    best = np.full(n_before, -np.inf)
    # A split competes with all others that may follow the same parent, so shares are normalised by
    # parent.
    np.maximum.at(best, before, scores[:, None])
    weights = choice_weights(scores[:, None], best[before], strength)
    totals = np.bincount(before.reshape(-1), weights=weights.reshape(-1), minlength=n_before)
    return weights / totals[before]


def choice_weights(scores: np.ndarray, best: np.ndarray, strength: float) -> np.ndarray:
    """Return what chances are proportional to, one for the best; at no noise only for ties."""
    # Relative to the best choice of the same kind: no exponential exceeds 1.
    below = scores - best
    if strength == 0:
        return (below >= -_TIE * np.abs(best)).astype(float)
    return np.exp(below / strength)
