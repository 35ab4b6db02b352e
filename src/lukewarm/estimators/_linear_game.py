"""The game of linear regression: a proxy that costs one small solve per coalition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from lukewarm._typing import Features, FeatureSet, Matrix, Vector
from lukewarm.shapley import Coalition, as_membership

# Of the systems solved at once: 32 MB.
_CHUNK_ENTRIES = 4_000_000
# Of a variance: lets copies of a column be solved for, and changes nothing else.
_RIDGE = 1e-6


class LinearGame:
    """Negative mean squared error of the least-squares fit on each coalition's columns.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    targets : ndarray of shape (n, k)
    is_evaluation : ndarray of shape (n,)
        The rows the error is taken on; the fit uses the others, or all when there are no others.
    players : sequence of FeatureSet

    Notes
    -----
    It knows how far features stand in for each other, which is most of what decides the values of
    coalitions of correlated features, and what plain dropout ignores.
    """

    def __init__(
        self, X: Matrix, targets: Matrix, is_evaluation: np.ndarray, players: Sequence[FeatureSet]
    ) -> None:
        used = ~is_evaluation if not is_evaluation.all() else is_evaluation
        spread = X[used].std(axis=0)
        design = (X - X[used].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        targets = targets - targets[used].mean(axis=0)
        self.n_players = len(players)
        self._player_of = np.full(X.shape[1], -1)
        for player, columns in enumerate(players):
            self._player_of[list(columns)] = player
        self._gram, self._cross, _ = _moments(design[used], targets[used])
        self._gram += _RIDGE * np.eye(X.shape[1])
        self._evaluated = _moments(design[is_evaluation], targets[is_evaluation])

    def values(self, coalitions: Sequence[Coalition]) -> Vector:
        """Return the value of each coalition."""
        membership = as_membership(coalitions, self.n_players)
        # One more column, always kept, stands for the columns that belong to no player (-1).
        kept = np.column_stack([membership, np.ones(len(membership), dtype=bool)])
        columns = kept[:, self._player_of]
        chunk = max(_CHUNK_ENTRIES // columns.shape[1] ** 2, 1)
        starts = range(0, len(columns), chunk)
        return np.concatenate([self._of_columns(columns[at : at + chunk]) for at in starts])

    def _of_columns(self, kept: np.ndarray) -> Vector:
        both = kept[:, :, np.newaxis] & kept[:, np.newaxis, :]
        # A removed column gets a unit row of its own, so that all systems have the same size.
        systems = np.where(both, self._gram, np.eye(kept.shape[1]))
        slopes = np.linalg.solve(systems, np.where(kept[:, :, np.newaxis], self._cross, 0.0))
        gram, cross, total = self._evaluated
        explained = 2 * (slopes * cross).sum(axis=(1, 2))
        return explained - np.einsum("sik,ij,sjk->s", slopes, gram, slopes, optimize=True) - total


def numeric_design(X: Features, y: Vector, is_evaluation: np.ndarray) -> Matrix:
    """Return the features as finite numbers: means for missing values and for categories.

    A level of a categorical column becomes the mean target of the rows that are not evaluated.

    Parameters
    ----------
    X : DataFrame or ndarray of shape (n, p)
    y : ndarray of shape (n,)
    is_evaluation : ndarray of bool of shape (n,)
        The rows that are evaluated, whose target must not enter.
    """
    if not isinstance(X, pd.DataFrame):
        return _filled(X)
    seen = y[~is_evaluation] if not is_evaluation.all() else y
    rows = ~is_evaluation if not is_evaluation.all() else is_evaluation
    columns = []
    for name in X.columns:
        column = X[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes = column.cat.codes.to_numpy()
            means = pd.Series(seen).groupby(codes[rows]).mean()
            columns.append(means.reindex(codes).to_numpy(dtype=float))
        else:
            columns.append(column.to_numpy(dtype=float))
    return _filled(np.column_stack(columns))


def _filled(matrix: Matrix) -> Matrix:
    missing = np.isnan(matrix)
    if not missing.any():
        return matrix
    count = np.maximum((~missing).sum(axis=0), 1)
    return np.where(missing, np.where(missing, 0.0, matrix).sum(axis=0) / count, matrix)


def _moments(design: Matrix, targets: Matrix) -> tuple[Matrix, Matrix, float]:
    n_rows = len(design)
    squares = float(np.square(targets).sum()) / n_rows
    return design.T @ design / n_rows, design.T @ targets / n_rows, squares
