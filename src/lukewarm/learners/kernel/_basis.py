"""The functions that a kernel's landmarks span (Nystroem), in an orthonormal basis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from lukewarm._typing import Matrix
from lukewarm.learners.kernel._kernel import Kernel

# Landmarks whose part of their own is below this share of the largest are spanned by the others.
_PRECISION = 1e-10
# Numbers of a block of features: 32 MB.
_BLOCK_NUMBERS = 4_000_000


@dataclass(frozen=True, eq=False)
class LandmarkBasis:
    """An orthonormal basis of the functions k(., landmark).

    Parameters
    ----------
    kernel : Kernel
    landmarks : ndarray of shape (rank, q)
        Coded rows; with all training rows as landmarks the machine is exact.
    factor : ndarray of shape (rank, rank)
        Lower Cholesky factor of the kernel between them.
    """

    kernel: Kernel
    landmarks: Matrix
    factor: Matrix

    @classmethod
    def learn(cls, kernel: Kernel, candidates: Matrix) -> LandmarkBasis:
        """Return the basis; candidates that the others already span are left out.

        Examples
        --------
        >>> line = Kernel("none", np.zeros(1), np.ones(1))
        >>> LandmarkBasis.learn(line, np.array([[1.0], [2.0], [3.0]])).rank
        1
        """
        values = kernel.matrix(candidates, candidates)
        tolerance = _PRECISION * max(values.diagonal().max(), 1e-300)
        pivots, factor = pivoted_cholesky(values, tolerance)
        return cls(kernel, candidates[pivots], factor)

    @property
    def rank(self) -> int:
        """The number of basis functions."""
        return len(self.landmarks)

    def features(self, rows: Matrix) -> Matrix:
        """Return the basis functions at coded rows, shape (n, rank)."""
        return orthonormal_features(self.kernel.matrix(rows, self.landmarks), self.factor)

    def blocks(self, n_rows: int) -> Iterator[slice]:
        """Yield slices of rows whose features fit into a block of memory."""
        yield from row_blocks(n_rows, max(self.rank, self.landmarks.shape[1]))


def pivoted_cholesky(kernel_matrix: Matrix, tolerance: float) -> tuple[np.ndarray, Matrix]:
    """Return which landmarks the others do not span, and the lower factor of their kernel.

    Landmarks whose part of their own is at most `tolerance` are left out; of a kernel that is zero
    none is kept.
    """
    factor, pivots, rank, _ = lapack.dpstrf(kernel_matrix, tol=tolerance, lower=1)
    # LAPACK counts from 1, and leaves the upper half as it came.
    return pivots[:rank] - 1, np.tril(factor[:rank, :rank])


def orthonormal_features(kernel_matrix: Matrix, factor: Matrix) -> Matrix:
    """Return the basis functions at n rows, (n, rank), from their kernel to the landmarks kept.

    The kernel may be overwritten.
    """
    columns = np.ascontiguousarray(kernel_matrix.T)
    if not len(factor):
        return columns.T
    return linalg.solve_triangular(
        factor, columns, lower=True, overwrite_b=True, check_finite=False
    ).T


def row_blocks(n_rows: int, width: int) -> Iterator[slice]:
    """Yield slices of rows so that a block of `width` columns stays within bounds."""
    size = max(_BLOCK_NUMBERS // max(width, 1), 1)
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))
