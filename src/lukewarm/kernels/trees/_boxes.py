"""Oblivious trees by the boxes of bins that are their leaves.

A tree of depth d is a set of d distinct splits. Trees that split the same features, the same number
of times each, form a group: an array with one axis per feature, along which run the combinations of
that feature's borders. Their leaves are boxes, products of one interval of bins per feature, and an
interval is one of three kinds: below a border, above a border, between two. Everything asked of
all trees at once (scores, kernels) passes between the arrays over trees and those over boxes by
sparse incidence matrices along each axis, and never enumerates trees against rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product

import numpy as np
from scipy.sparse import csr_array

BELOW, ABOVE, BETWEEN = 0, 1, 2

Kinds = tuple[int, ...]


def active_sets(n_borders: Sequence[int], depth: int) -> Iterator[tuple[int, ...]]:
    """Yield the sets of features that a tree of this depth can split."""
    usable = [feature for feature, n in enumerate(n_borders) if n > 0]
    for size in range(1, min(depth, len(usable)) + 1):
        yield from combinations(usable, size)


def multiplicities(limits: Sequence[int], depth: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to share `depth` splits among features, at least one and at most its limit.

    Examples
    --------
    >>> list(multiplicities([1, 3], 3))
    [(1, 2)]
    """
    if len(limits) == 1:
        if 1 <= depth <= limits[0]:
            yield (depth,)
        return
    # The other features need a split each.
    for first in range(1, min(limits[0], depth - len(limits) + 1) + 1):
        for rest in multiplicities(limits[1:], depth - first):
            yield (first, *rest)


@lru_cache(maxsize=256)
def border_combinations(n_borders: int, n_chosen: int) -> np.ndarray:
    """Return the sets of `n_chosen` borders, shape (n_sets, n_chosen), each ascending."""
    return np.array(list(combinations(range(n_borders), n_chosen)), dtype=np.int64)


@lru_cache(maxsize=256)
def incidence(n_borders: int, n_chosen: int) -> dict[int, csr_array]:
    """Return, per kind, which intervals a set of borders cuts: shape (n_intervals, n_sets).

    Intervals below or above a border are numbered by it; those between ``low`` and ``high`` by
    ``low * n_borders + high``.
    """
    sets = border_combinations(n_borders, n_chosen)
    # The lowest border bounds the box below all of them, the highest the one above; neighbours
    # bound those between. Two borders (a, b) are numbered a * n_borders + b.
    matrices = {
        BELOW: _incidence(sets[:, :1], n_borders),
        ABOVE: _incidence(sets[:, -1:], n_borders),
    }
    if n_chosen > 1:
        matrices[BETWEEN] = _incidence(sets[:, :-1] * n_borders + sets[:, 1:], n_borders**2)
    return matrices


def _incidence(intervals: np.ndarray, n_intervals: int) -> csr_array:
    n_sets, per_set = intervals.shape
    sets = np.repeat(np.arange(n_sets), per_set)
    ones = np.ones(n_sets * per_set)
    return csr_array((ones, (intervals.reshape(-1), sets)), shape=(n_intervals, n_sets))


def kinds_of(matrices: Sequence[dict[int, csr_array]]) -> Iterator[Kinds]:
    """Yield the kinds of box that the trees of a group have as leaves."""
    yield from product(*(sorted(per_kind) for per_kind in matrices))


def along_axes(matrices: Sequence[csr_array], array: np.ndarray) -> np.ndarray:
    """Return `array` with one matrix applied along each of its axes."""
    for axis, matrix in enumerate(matrices):
        moved = np.moveaxis(array, axis, 0)
        flat = matrix @ moved.reshape(moved.shape[0], -1)
        array = np.moveaxis(flat.reshape(-1, *moved.shape[1:]), 0, axis)
    return array


def grid_sums(bins: np.ndarray, values: np.ndarray, n_borders: Sequence[int]) -> np.ndarray:
    """Return the sums of `values` in every bin of a grid; `bins` is (n_features, n)."""
    shape = tuple(n + 1 for n in n_borders)
    flat = np.ravel_multi_index(tuple(bins), shape)
    return np.bincount(flat, weights=values, minlength=int(np.prod(shape))).reshape(shape)


def box_sums(grid: np.ndarray, kinds: Kinds) -> np.ndarray:
    """Return the sums of a grid over all boxes of these kinds."""
    for axis, kind in enumerate(kinds):
        grid = _interval_sums(np.moveaxis(grid, axis, 0), kind)
        grid = np.moveaxis(grid, 0, axis)
    return grid


def _interval_sums(grid: np.ndarray, kind: int) -> np.ndarray:
    below = grid.cumsum(axis=0)[:-1]
    if kind == BELOW:
        return below
    if kind == ABOVE:
        # Summed from above: as the difference from the total, small sums would lose digits.
        return grid[::-1].cumsum(axis=0)[::-1][1:]
    # (a, b) with a >= b are no intervals; no set of borders has them, so what stands there is
    # unused.
    between = below[None, :] - below[:, None]
    return between.reshape(-1, *between.shape[2:])


def pair_table(weights: np.ndarray, kinds: Kinds, n_borders: Sequence[int]) -> np.ndarray:
    """Return, for two rows, the weight of all boxes of these kinds that hold both.

    An axis of the table runs over the larger bin of the two rows (below), the smaller (above), or
    ``smaller * (n_borders + 1) + larger`` (between).
    """
    for axis, (kind, n) in enumerate(zip(kinds, n_borders, strict=True)):
        weights = _pair_axis(np.moveaxis(weights, axis, 0), kind, n)
        weights = np.moveaxis(weights, 0, axis)
    return weights


def _pair_axis(weights: np.ndarray, kind: int, n_borders: int) -> np.ndarray:
    rest = weights.shape[1:]
    if kind == BELOW:
        return _borders_from(weights)
    if kind == ABOVE:
        return _borders_under(weights)
    # Both rows are between a and b where a is below the lower and b at or above the higher of their
    # bins: one sum along each of the two axes.
    square = _borders_under(weights.reshape(n_borders, n_borders, *rest))
    square = np.swapaxes(_borders_from(np.swapaxes(square, 0, 1)), 0, 1)
    return square.reshape(-1, *rest)


def _borders_from(weights: np.ndarray) -> np.ndarray:
    """Return the sums over borders >= b for every bin b."""
    table = np.zeros((len(weights) + 1, *weights.shape[1:]))
    table[:-1] = weights[::-1].cumsum(axis=0)[::-1]
    return table


def _borders_under(weights: np.ndarray) -> np.ndarray:
    """Return the sums over borders < b for every bin b."""
    table = np.zeros((len(weights) + 1, *weights.shape[1:]))
    table[1:] = weights.cumsum(axis=0)
    return table
