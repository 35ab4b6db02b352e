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
        factor, pivots, rank, _ = lapack.dpstrf(values, tol=tolerance, lower=1)
        rank = max(int(rank), 1)
        if factor[0, 0] <= 0:  # a kernel of constant columns only
            return cls(kernel, candidates[:0], np.zeros((0, 0)))
        return cls(kernel, candidates[pivots[:rank] - 1], np.tril(factor[:rank, :rank]))

    @property
    def rank(self) -> int:
        """The number of basis functions."""
        return len(self.landmarks)

    def features(self, rows: Matrix) -> Matrix:
        """Return the basis functions at coded rows, shape (n, rank)."""
        values = np.ascontiguousarray(self.kernel.matrix(rows, self.landmarks).T)
        if not self.rank:
            return values.T
        return linalg.solve_triangular(
            self.factor, values, lower=True, overwrite_b=True, check_finite=False
        ).T

    def blocks(self, n_rows: int) -> Iterator[slice]:
        """Yield slices of rows whose features fit into a block of memory."""
        yield from row_blocks(n_rows, max(self.rank, self.landmarks.shape[1]))


def row_blocks(n_rows: int, width: int) -> Iterator[slice]:
    """Yield slices of rows so that a block of `width` columns stays within bounds."""
    size = max(_BLOCK_NUMBERS // max(width, 1), 1)
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))
