"""All penalties of a kernel machine at once, in the eigenbasis of its kernel.

The machine minimises mean w (y - a - f)**2 + penalty |f|**2 over functions f of the kernel's
space and a free constant a. In the orthonormal basis of its landmarks, centred, this is ridge
regression: with the eigenvalues e and eigenvectors V of the features' covariance and the moments
m = V' mean(w feature (y - mean)), the coefficients are V (filter * m), where the filter is
1 / (e + penalty) for ridge regression. Other filters are other ways to regularise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from lukewarm._typing import Matrix, Vector
from lukewarm.learners.kernel._basis import LandmarkBasis

# A row that its model follows wholly tells nothing of other rows; it must not divide by zero.
_LEAST_ROOM = 1e-10


@dataclass(frozen=True, eq=False)
class EigenPath:
    """A kernel on training rows, ready for any filter.

    Parameters
    ----------
    basis : LandmarkBasis
    centre : ndarray of shape (rank,)
        Mean of the features over the training rows.
    eigenvalues : ndarray of shape (rank,)
        Of the centred kernel divided by the number of rows; ascending.
    vectors : ndarray of shape (rank, rank)
    moments : ndarray of shape (rank, n_outputs)
    mean : ndarray of shape (n_outputs,)
        Of the targets.
    n_rows : int
        Trained on.
    training_features : ndarray of shape (n, rank), optional
        Centred features of the training rows in the eigenbasis, where they fit into one block.
    """

    basis: LandmarkBasis
    centre: Vector
    eigenvalues: Vector
    vectors: Matrix
    moments: Matrix
    mean: Vector
    n_rows: int
    training_features: Matrix | None = None

    @classmethod
    def learn(cls, basis: LandmarkBasis, rows: Matrix, y: Matrix, shares: Vector) -> EigenPath:
        """Return the path for coded rows (n, q), targets (n, n_outputs), shares (n,) of sum one.

        Parameters
        ----------
        basis : LandmarkBasis
        rows : ndarray of shape (n, q)
            Coded.
        y : ndarray of shape (n, n_outputs)
        shares : ndarray of shape (n,)
            Weights of sum one.
        """
        mean = shares @ y
        centre = np.zeros(basis.rank)
        second = np.zeros((basis.rank, basis.rank))
        products = np.zeros((basis.rank, y.shape[1]))
        features = np.zeros((0, basis.rank))
        blocks = list(basis.blocks(len(rows)))
        for block in blocks:
            features = basis.features(rows[block])
            roots = np.sqrt(shares[block])
            # A matrix times itself is symmetric, which numpy knows and computes in half the time.
            weighted = features * roots[:, None]
            centre += roots @ weighted
            second += weighted.T @ weighted
            products += weighted.T @ (roots[:, None] * (y[block] - mean))
        second -= np.outer(centre, centre)
        eigenvalues, vectors = linalg.eigh(
            second, driver="evd", overwrite_a=True, check_finite=False
        )
        kept = (features - centre) @ vectors if len(blocks) == 1 else None
        moments = vectors.T @ products
        eigenvalues = np.maximum(eigenvalues, 0.0)
        return cls(basis, centre, eigenvalues, vectors, moments, mean, len(rows), kept)

    def eigenfeatures(self, rows: Matrix) -> Matrix:
        """Return the centred features in the eigenbasis, shape (n, rank)."""
        return (self.basis.features(rows) - self.centre) @ self.vectors

    def outputs(self, eigenfeatures: Matrix, filters: Matrix) -> np.ndarray:
        """Return predictions (n_outputs, n, n_filters) under each row of `filters`."""
        coefficients = filters.T * self.moments.T[:, :, None]
        return self.mean[:, None, None] + eigenfeatures @ coefficients

    def leverages(self, eigenfeatures: Matrix, filters: Matrix, shares: Vector) -> Matrix:
        """Return how far each training row pulls its own prediction, shape (n, n_filters)."""
        return shares[:, None] * (1 + np.square(eigenfeatures) @ filters.T)

    def leave_one_out_residuals(
        self, eigenfeatures: Matrix, y: Matrix, shares: Vector, filters: Matrix
    ) -> np.ndarray:
        """Return y minus what each row's model without it predicts, as `outputs` are laid out.

        Parameters
        ----------
        eigenfeatures : ndarray of shape (n, rank)
            Of the training rows.
        y : ndarray of shape (n, n_outputs)
        shares : ndarray of shape (n,)
            Weights of sum one.
        filters : ndarray of shape (n_filters, rank)

        Notes
        -----
        r_i / (1 - S_ii) with the smoother S of the ridge filter; exact, the constant included.
        The landmarks stay.
        """
        residuals = y.T[:, :, None] - self.outputs(eigenfeatures, filters)
        room = 1 - self.leverages(eigenfeatures, filters, shares)
        return residuals / np.maximum(room, _LEAST_ROOM)

    def coefficients(self, filters: Vector) -> Matrix:
        """Return the weights of the centred features, (rank, n_outputs), under one filter."""
        return self.vectors @ (filters[:, None] * self.moments)


def ridge_filters(eigenvalues: Vector, penalties: Vector) -> Matrix:
    """Return 1 / (eigenvalue + penalty), shape (n_penalties, rank)."""
    return 1 / (eigenvalues + np.asarray(penalties, dtype=float)[:, None])
