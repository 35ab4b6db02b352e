"""Rows as bins of a grid: what a tree can see of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm._validation import check_count

Borders = Sequence[np.ndarray]
"""Per feature, the ascending thresholds; a split asks ``x > threshold``. Empty: no splits."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The distinct rows after binning.

    Parameters
    ----------
    bins : ndarray of shape (n_cells, p), int64
        Bin `b` of a feature holds the values that exceed `b` of its borders.
    cell_of_row : ndarray of shape (n,)
    counts : ndarray of shape (n_cells,)
        Rows in each cell.
    """

    bins: np.ndarray
    cell_of_row: np.ndarray
    counts: Vector

    def sums(self, values: Vector) -> Vector:
        """Return the sums of per-row `values` in each cell."""
        return np.bincount(self.cell_of_row, values, len(self.counts)).astype(float)


def to_cells(X: Matrix, borders: Borders) -> Cells:
    """Return the cells of the rows of `X`."""
    # Side "left": a value equal to a border fails ``x > border`` and stays below it.
    bins = np.column_stack(
        [np.searchsorted(edges, X[:, j], side="left") for j, edges in enumerate(borders)]
    )
    # Trees cannot tell rows of one cell apart, so every sum over pairs of rows is one over cells.
    distinct, cell_of_row, counts = np.unique(bins, axis=0, return_inverse=True, return_counts=True)
    return Cells(distinct, cell_of_row.reshape(-1), counts.astype(float))


def check_borders(borders: Borders, n_features: int) -> list[np.ndarray]:
    """Return the borders as ascending float arrays, one per feature."""
    if len(borders) != n_features:
        raise ValueError(
            f"borders must have one array per column of X; X has {n_features} columns, "
            f"borders {len(borders)}. Give an empty array for a column without splits."
        )
    checked = [np.asarray(edges, dtype=float).reshape(-1) for edges in borders]
    for feature, edges in enumerate(checked):
        if not (np.diff(edges) > 0).all() or np.isnan(edges).any():
            raise ValueError(f"borders[{feature}] must be strictly ascending; got {edges}.")
    return checked


def check_depth(depth: int, borders: Borders) -> int:
    """Return the depth if there are that many distinct splits."""
    check_count("depth", depth)
    n_splits = sum(len(edges) for edges in borders)
    if depth > n_splits:
        raise ValueError(
            f"depth must not exceed the number of splits, {n_splits}; got {depth}. "
            "A tree has distinct splits: lower the depth or give more borders."
        )
    return depth
