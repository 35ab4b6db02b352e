"""Conditional imputation: removed columns by their best linear guess from the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve

from lukewarm._typing import Matrix, Vector
from lukewarm.learners._scaling import Scaling

# Of a column's variance. Columns that are copies of each other share what they know.
_RIDGE = 1e-6
# Keeps a quotient of variances finite where nothing is explained.
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class LinearImputation:
    """columns[:, removed] = offset + columns[:, kept] @ slopes, the best linear guess.

    Parameters
    ----------
    kept, removed : ndarray of int
    slopes : ndarray of shape (n_kept, n_removed)
    offset : ndarray of shape (n_removed,)
    """

    kept: np.ndarray
    removed: np.ndarray
    slopes: Matrix
    offset: Vector


@dataclass(frozen=True, eq=False)
class Moments:
    """What linear guesses of some columns from others rest on.

    Parameters
    ----------
    scaling : Scaling
    correlations : ndarray of shape (p, p), or None
        Rows and columns of constants are zero. None where they would take more room than the
        columns do.
    scaled : ndarray of shape (n, p), or None
        In their place: ``scaled.T @ scaled`` are the correlations, of which a guess needs few.
    varies : ndarray of shape (p,), bool
        False for a constant.
    n_rows : float
        As many rows of equal weight would tell as much.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=500)
    >>> moments = Moments.learn(np.column_stack([x, 2 * x]))
    >>> moments.imputation(np.array([True, False])).slopes.round(3)
    array([[0.5]])
    """

    scaling: Scaling
    correlations: Matrix | None
    scaled: Matrix | None
    varies: np.ndarray
    n_rows: float

    @classmethod
    def learn(cls, columns: Matrix, weights: Vector | None = None) -> Moments:
        """Return the moments of columns (n, p)."""
        scaling = Scaling.learn(columns, weights)
        scaled = scaling.scale(columns)
        if weights is None:
            weights = np.ones(len(scaled))
        shares = (weights / weights.sum())[:, np.newaxis]
        n_rows = float(weights.sum() ** 2 / np.square(weights).sum())
        varies = np.sum(shares * np.square(scaled), axis=0) > 0.5  # 1, or 0 for a constant
        if columns.shape[1] >= len(columns):
            return cls(scaling, None, np.sqrt(shares) * scaled, varies, n_rows)
        return cls(scaling, (shares * scaled).T @ scaled, None, varies, n_rows)

    def imputation(self, is_removed: np.ndarray) -> LinearImputation | None:
        """Return how to guess the columns of the mask; None where nothing can be foretold.

        Least squares, shrunk by the adjusted share of variance explained over the plain one:
        columns that tell nothing of each other are left alone rather than joined by chance.
        """
        kept = np.flatnonzero(~is_removed & self.varies)
        removed = np.flatnonzero(is_removed & self.varies)
        n_free = self.n_rows - 1 - len(kept)
        if not len(removed) or not len(kept) or n_free <= 0:
            return None
        across = self._correlations_of(kept, removed)
        within = self._correlations_of(kept, kept) + _RIDGE * np.eye(len(kept))
        slopes = solve(within, across, assume_a="pos")
        explained = np.sum(slopes * across, axis=0)
        adjusted = 1 - (1 - explained) * (self.n_rows - 1) / n_free
        slopes *= np.maximum(adjusted, 0) / np.maximum(explained, _NOTHING)
        if not slopes.any():
            return None
        centre, spread = self.scaling.centre, self.scaling.spread
        slopes *= spread[removed] / spread[kept][:, np.newaxis]
        return LinearImputation(kept, removed, slopes, centre[removed] - centre[kept] @ slopes)

    def _correlations_of(self, some: np.ndarray, others: np.ndarray) -> Matrix:
        if self.correlations is not None:
            return self.correlations[np.ix_(some, others)]
        assert self.scaled is not None
        return self.scaled[:, some].T @ self.scaled[:, others]
