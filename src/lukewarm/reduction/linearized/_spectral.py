"""The linearised model in the eigenbasis of its kernel, where every regulariser is a filter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from lukewarm._typing import Matrix, Vector
from lukewarm.learners.kernel._basis import orthonormal_features, pivoted_cholesky


@dataclass(frozen=True, eq=False)
class LandmarkBasis:
    """An orthonormal basis of the functions that the landmarks span (Nystroem).

    Parameters
    ----------
    pivots : ndarray of shape (rank,)
        The landmarks kept; those the others already span are left out.
    factor : ndarray of shape (rank, rank)
        Lower Cholesky factor of the kernel between the landmarks kept.
    """

    pivots: np.ndarray
    factor: Matrix

    @classmethod
    def learn(cls, landmark_kernel: Matrix, precision: float) -> LandmarkBasis:
        """Return the basis; landmarks whose part of their own is below `precision` are left out.

        Examples
        --------
        >>> kernel = np.array([[2.0, 0.0, 2.0], [0.0, 1.0, 1.0], [2.0, 1.0, 3.0]])
        >>> len(LandmarkBasis.learn(kernel, 1e-12).pivots)
        2
        """
        # Computed in blocks, its two halves differ by rounding.
        symmetric = (landmark_kernel + landmark_kernel.T) / 2
        tolerance = precision * len(symmetric) * symmetric.diagonal().max()
        return cls(*pivoted_cholesky(symmetric, tolerance))

    def features(self, kernel: Matrix) -> Matrix:
        """Return the basis functions at n rows, (n, rank), from their kernel to all landmarks."""
        return orthonormal_features(kernel[:, self.pivots], self.factor)

    def landmark_weights(self, coefficients: Vector) -> Vector:
        """Return what each landmark kept weighs in the function with these coefficients."""
        return linalg.solve_triangular(self.factor, coefficients, lower=True, trans="T")


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The kernel's eigenvalues, and the residuals in its eigenbasis.

    Parameters
    ----------
    eigenvalues : ndarray of shape (rank,)
        Of the kernel divided by the number (or total weight) of rows; ascending.
    basis : ndarray of shape (rank, rank)
        Eigenvectors in coordinates of the features, one per column.
    moments : ndarray of shape (rank,)
        Mean of the residual times each eigenfeature.
    """

    eigenvalues: Vector
    basis: Matrix
    moments: Vector

    @classmethod
    def of_rows(cls, features: Matrix, residuals: Vector, weights: Vector | None) -> Spectrum:
        """Return the spectrum on these rows; `weights` sum to one, equal shares by default."""
        shares = np.full(len(features), 1 / len(features)) if weights is None else weights
        scaled = features * np.sqrt(shares)[:, None]
        eigenvalues, basis = linalg.eigh(
            scaled.T @ scaled, driver="evd", overwrite_a=True, check_finite=False
        )
        moments = basis.T @ (features.T @ (shares * residuals))
        # Rounding may leave the smallest ones below zero.
        return cls(np.maximum(eigenvalues, 0.0), basis, moments)

    def coefficients(self, filters: Matrix) -> Matrix:
        """Return feature coefficients (rank, n_filters) under each row of `filters`."""
        return self.basis @ (filters * self.moments).T


def flow_filter(eigenvalues: Vector, cumulative_step_sizes: Vector) -> Matrix:
    """Return (1 - exp(-eta lambda)) / lambda, shape (n_step_sizes, rank).

    Notes
    -----
    Gradient flow: the limit of many small steps whose sizes sum to eta.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = -np.expm1(-np.outer(cumulative_step_sizes, eigenvalues)) / eigenvalues
    # The limit where the eigenvalue is zero.
    return np.where(eigenvalues > 0, exact, np.asarray(cumulative_step_sizes)[:, None])


def steps_filter(eigenvalues: Vector, n_steps: np.ndarray, learning_rate: float) -> Matrix:
    """Return (1 - (1 - eps lambda)**n_steps) / lambda, shape (len(n_steps), rank).

    Notes
    -----
    The paper's update f <- (I - eps K) f + eps K Y itself, taken `n_steps` times.
    """
    limit = np.asarray(n_steps, dtype=float)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = (1 - (1 - learning_rate * eigenvalues) ** limit) / eigenvalues
    return np.where(eigenvalues > 0, exact, learning_rate * limit)


def ridge_filter(eigenvalues: Vector, penalties: Vector) -> Matrix:
    """Return 1 / (lambda + penalty), shape (n_penalties, rank)."""
    return 1 / (eigenvalues + np.asarray(penalties)[:, None])


def single_step_filter(eigenvalues: Vector, step_sizes: Vector) -> Matrix:
    """Return eta itself, shape (n_step_sizes, rank): one gradient step of that size."""
    return np.broadcast_to(np.asarray(step_sizes)[:, None], (len(step_sizes), len(eigenvalues)))
