"""What decides between kernels and penalties: left-out training rows, or rows held out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.learners.kernel._basis import row_blocks
from lukewarm.learners.kernel._path import EigenPath, ridge_filters


@dataclass(frozen=True, eq=False)
class ValidationRows:
    """Rows that say how well a machine predicts.

    Parameters
    ----------
    rows, y : ndarrays of shape (n, q) and (n, n_outputs)
    weights : ndarray of shape (n,)
    shares : ndarray of shape (n,), optional
        What each weighs among all the training rows, if these are training rows: each is then
        predicted by the machine without it. None: rows that were held out.
    first : int, default 0
        Number of the first of them among the training rows.
    """

    rows: Matrix
    y: Matrix
    weights: Vector
    shares: Vector | None
    first: int = 0

    @property
    def variance(self) -> float:
        """Of y, summed over outputs."""
        shares = self.weights / self.weights.sum()
        return float((shares @ np.square(self.y - shares @ self.y)).sum())

    def row_losses(self, path: EigenPath, penalties: Vector) -> Matrix:
        """Return the squared errors (n, n_penalties), summed over outputs, weighted by mean one."""
        filters = ridge_filters(path.eigenvalues, penalties)
        losses = []
        for block in row_blocks(len(self.rows), max(path.basis.rank, len(penalties))):
            y = self.y[block]
            features = self._eigenfeatures(path, block)
            if self.shares is None:
                residuals = y.T[:, :, None] - path.outputs(features, filters)
            else:
                residuals = path.leave_one_out_residuals(features, y, self.shares[block], filters)
            losses.append(np.square(residuals).sum(axis=0))
        return np.concatenate(losses) * (self.weights / self.weights.mean())[:, None]

    def _eigenfeatures(self, path: EigenPath, block: slice) -> Matrix:
        if self.shares is not None and path.training_features is not None:
            return path.training_features[self.first :][block]
        return path.eigenfeatures(self.rows[block])
