"""Compiled loops over pairs of rows. Imported when first used: numba takes its time to load."""

from __future__ import annotations

import numpy as np

from lukewarm.kernels.trees._boxes import ABOVE, BELOW
from lukewarm.learners.boosting._compiled import compiled


@compiled
def add_pairs(kernel, row_bins, column_bins, table, axes, is_symmetric):  # type: ignore[no-untyped-def]
    """Add ``table[...]`` of every pair of rows to `kernel`, above the diagonal if symmetric.

    Parameters
    ----------
    kernel : ndarray of shape (n, k)
    row_bins, column_bins : ndarrays of shape (n_axes, n) and (n_axes, k)
    table : ndarray
        Flat, its axes as in `pair_table`.
    axes : ndarray of shape (n_axes, 2)
        The number of bins and the kind of each.
    is_symmetric : bool
    """
    n_axes = len(axes)
    offsets = np.empty((n_axes, axes[:, 0].max()), np.int64)
    for row in range(row_bins.shape[1]):
        stride = 1
        for axis in range(n_axes - 1, -1, -1):
            stride = fill_offsets(row_bins[axis, row], axes[axis], stride, offsets[axis])
        first = row if is_symmetric else 0
        if n_axes == 1:
            for column in range(first, column_bins.shape[1]):
                kernel[row, column] += table[offsets[0, column_bins[0, column]]]
        elif n_axes == 2:
            for column in range(first, column_bins.shape[1]):
                place = offsets[0, column_bins[0, column]] + offsets[1, column_bins[1, column]]
                kernel[row, column] += table[place]
        else:
            for column in range(first, column_bins.shape[1]):
                place = offsets[0, column_bins[0, column]] + offsets[1, column_bins[1, column]]
                for axis in range(2, n_axes):
                    place += offsets[axis, column_bins[axis, column]]
                kernel[row, column] += table[place]


@compiled
def fill_offsets(own, axis, stride, offsets):  # type: ignore[no-untyped-def]
    """Set the steps along one axis from bin `own` to each other bin; return the next stride."""
    n_bins, kind = axis
    for other in range(n_bins):
        if kind == BELOW:
            place = max(own, other)
        elif kind == ABOVE:
            place = min(own, other)
        else:
            place = min(own, other) * n_bins + max(own, other)
        offsets[other] = place * stride
    return stride * n_bins if kind in (BELOW, ABOVE) else stride * n_bins * n_bins


@compiled
def add_tree(mean, square, row_leaves, column_order, column_starts, weights):  # type: ignore[no-untyped-def]
    """Add one tree's kernel to `mean` and its square to `square`.

    Parameters
    ----------
    mean, square : ndarrays of shape (n, k)
    row_leaves : ndarray of int of shape (n,)
    column_order, column_starts : ndarrays of int
        Columns sorted by leaf, and where each leaf begins.
    weights : ndarray of shape (n_leaves,)
    """
    for row in range(len(row_leaves)):
        leaf = row_leaves[row]
        weight = weights[leaf]
        for place in range(column_starts[leaf], column_starts[leaf + 1]):
            column = column_order[place]
            mean[row, column] += weight
            square[row, column] += weight * weight
