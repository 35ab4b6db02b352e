"""Sets of distinct splits, numbered in colexicographic order.

The set ``s_1 < ... < s_d`` has number ``C(s_1, 1) + ... + C(s_d, d)``: a sum over its members, so
the numbers of a whole group of trees come from one broadcast sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lukewarm.kernels.trees._boxes import border_combinations


def binomial_table(n_splits: int, depth: int) -> np.ndarray:
    """Return ``C(s, k)`` for s < n_splits, k <= depth; shape (n_splits, depth + 1)."""
    return np.array(
        [[math.comb(s, k) for k in range(depth + 1)] for s in range(n_splits)], dtype=np.int64
    )


def split_sets(n_splits: int, depth: int) -> np.ndarray:
    """Return all sets of `depth` splits in order, shape (n_sets, depth), members ascending.

    Examples
    --------
    >>> split_sets(3, 2)
    array([[0, 1],
           [0, 2],
           [1, 2]])
    """
    binomials = binomial_table(n_splits, depth)
    remaining = np.arange(math.comb(n_splits, depth))
    sets = np.empty((len(remaining), depth), dtype=np.int64)
    # The greedy inversion: the largest member s has the largest C(s, place) that still fits.
    for place in range(depth, 0, -1):
        members = np.searchsorted(binomials[:, place], remaining, side="right") - 1
        sets[:, place - 1] = members
        remaining = remaining - binomials[members, place]
    return sets


def parents(sets: np.ndarray, binomials: np.ndarray) -> np.ndarray:
    """Return the numbers of the sets that lack one member, shape (n_sets, depth)."""
    depth = sets.shape[1]
    own = np.stack([binomials[sets[:, k], k + 1] for k in range(depth)], axis=1)
    shifted = np.stack([binomials[sets[:, k], k] for k in range(depth)], axis=1)
    # Without member k those below it keep their places and those above move down one, which turns
    # C(s, j + 1) into C(s, j).
    before = np.cumsum(own, axis=1) - own
    after = shifted.sum(axis=1, keepdims=True) - np.cumsum(shifted, axis=1)
    return before + after


def group_numbers(
    features: Sequence[int], chosen: Sequence[int], n_borders: Sequence[int], binomials: np.ndarray
) -> np.ndarray:
    """Return the numbers of the trees that split `features` these many times.

    One axis per feature, along it the combinations of its borders.

    Parameters
    ----------
    features, chosen : sequences of int
        The features, and how many of its borders each splits at.
    n_borders : sequence of int
        Of all features.
    binomials : ndarray
        See `binomial_table`.
    """
    first_split = np.concatenate([[0], np.cumsum(n_borders)])
    numbers: np.ndarray = np.zeros((1,) * len(features), dtype=np.int64)
    place = 0
    for axis, (feature, n_chosen) in enumerate(zip(features, chosen, strict=True)):
        splits = border_combinations(n_borders[feature], n_chosen) + first_split[feature]
        part = np.zeros(len(splits), dtype=np.int64)
        for k in range(n_chosen):
            # Features are numbered in order, so a feature's splits fill consecutive places of the
            # set.
            part += binomials[splits[:, k], place + k + 1]
        place += n_chosen
        shape = [1] * len(features)
        shape[axis] = len(splits)
        numbers = numbers + part.reshape(shape)
    return numbers
