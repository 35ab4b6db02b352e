"""Spectra of kernel matrices, and the distance of two functions in the kernel's space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm._validation import check_vector
from lukewarm.kernels._checks import check_eigenvalues, check_kernel_matrix, precision_of


class Spectrum(NamedTuple):
    """Eigenvalues, descending, with their eigenvectors as columns."""

    eigenvalues: Vector
    eigenvectors: Matrix
    precision: float

    @property
    def rank(self) -> int:
        """Eigenvalues that stand out of round-off."""
        least = self.eigenvalues[0] * len(self.eigenvalues) * self.precision
        return int((self.eigenvalues > least).sum())


def spectrum(kernel_matrix: Matrix) -> Spectrum:
    """Return the eigendecomposition of a kernel matrix, ``K = U diag(eigenvalues) U'``.

    Raises ValueError where the matrix is not symmetric or has negative eigenvalues beyond
    round-off.

    Examples
    --------
    >>> spectrum(np.diag([1.0, 3.0])).eigenvalues
    array([3., 1.])
    """
    precision = precision_of(kernel_matrix)
    matrix = check_kernel_matrix("kernel_matrix", kernel_matrix)
    values, vectors = np.linalg.eigh(matrix)
    eigenvalues = check_eigenvalues("the eigenvalues of kernel_matrix", values, precision)
    return Spectrum(eigenvalues, vectors[:, ::-1], precision)


def kernel_eigenvalues(kernel_matrix: Matrix) -> Vector:
    """Return the eigenvalues of a kernel matrix, descending, negative round-off set to 0.

    Examples
    --------
    >>> kernel_eigenvalues(np.ones((2, 2)) / 2)
    array([1., 0.])
    """
    precision = precision_of(kernel_matrix)
    values = np.linalg.eigvalsh(check_kernel_matrix("kernel_matrix", kernel_matrix))
    return check_eigenvalues("the eigenvalues of kernel_matrix", values, precision)


def rkhs_gap_norm(kernel_matrix: Matrix, gap: Vector) -> float:
    """Return C_H, the norm in the kernel's space of the step from the start to the target.

    Parameters
    ----------
    kernel_matrix : array of shape (n, n)
        Divided by N.
    gap : array of shape (n,)
        ``f_full(X) - f_target(X)`` on the rows with the features removed.

    Notes
    -----
    ``C_H = sqrt(gap' K^+ gap / N)`` with the pseudo-inverse: not squared (the paper's appendix
    C.3 gives the square). Parts of the gap outside the kernel's range are passed over.

    Examples
    --------
    >>> rkhs_gap_norm(np.diag([0.5, 0.0]), np.array([1.0, 7.0]))
    1.0
    """
    decomposed = spectrum(kernel_matrix)
    gap = check_vector("gap", gap, n_rows=len(decomposed.eigenvalues))
    return gap_norm_in(decomposed, decomposed.eigenvectors.T @ gap)


def gap_norm_in(decomposed: Spectrum, rotated_gap: Vector) -> float:
    """Return C_H of a gap that stands in the eigenbasis."""
    rank = decomposed.rank
    parts = rotated_gap[:rank] ** 2 / decomposed.eigenvalues[:rank]
    return float(np.sqrt(parts.sum() / len(rotated_gap)))
