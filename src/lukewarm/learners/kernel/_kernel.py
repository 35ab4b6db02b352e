"""Kernels of coded rows: a shape with one length scale per column, and a linear part.

k(x, z) = shape(s * x, s * z) + (b * x)'(b * z), with inverse length scales s and slopes b, both
of shape (q,). The shapes:

    rbf          exp(-|u - v|**2 / 2)          a product over columns
    laplace      exp(-sum |u_j - v_j|)         a product over columns
    polynomial   (1 + u'v)**2
    none         0: the linear part alone

Both rbf and laplace are exp(-distance), and a distance is a sum over columns. The kernel without
a column is therefore the kernel divided by that column's factor, which is the same as the kernel
with s_j = b_j = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.distance import cdist

from lukewarm._typing import Matrix, Vector

SHAPES = ("rbf", "laplace", "polynomial", "none")


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel of coded rows.

    Parameters
    ----------
    shape : {"rbf", "laplace", "polynomial", "none"}
    inverse_scales : ndarray of shape (q,)
        0 leaves a column out.
    slopes : ndarray of shape (q,)
        Prior standard deviation of each column's slope in the linear part; 0 for none.

    Examples
    --------
    >>> kernel = Kernel("rbf", np.array([1.0, 2.0]), np.zeros(2))
    >>> kernel.matrix(np.eye(2), np.zeros((1, 2))).round(3)
    array([[0.607],
           [0.135]])
    """

    shape: str
    inverse_scales: Vector
    slopes: Vector

    def matrix(self, A: Matrix, B: Matrix) -> Matrix:
        """Return the kernel between the rows of A (n, q) and of B (m, q), shape (n, m)."""
        values = self.shape_matrix(A, B)
        used = self.slopes != 0
        if used.any():
            slopes = self.slopes[used]
            values += (A[:, used] * slopes) @ (B[:, used] * slopes).T
        return values

    def diagonal(self, A: Matrix) -> Vector:
        """Return k(a, a) for the rows of A, shape (n,)."""
        linear = np.square(A * self.slopes).sum(axis=1)
        if self.shape == "polynomial":
            return linear + np.square(1 + np.square(A * self.inverse_scales).sum(axis=1))
        return linear + (self.shape != "none")

    def without(self, is_removed: np.ndarray) -> Kernel:
        """Return the kernel that does not see the coded columns of the mask."""
        return replace(
            self,
            inverse_scales=np.where(is_removed, 0.0, self.inverse_scales),
            slopes=np.where(is_removed, 0.0, self.slopes),
        )

    def shape_matrix(self, A: Matrix, B: Matrix) -> Matrix:
        """Return the kernel without its linear part, shape (n, m)."""
        if self.shape == "none":
            return np.zeros((len(A), len(B)))
        used = self.inverse_scales != 0
        scales = self.inverse_scales[used]
        A, B = A[:, used] * scales, B[:, used] * scales
        if self.shape == "polynomial":
            return np.square(1 + A @ B.T)
        if self.shape == "laplace":
            values = cdist(A, B, "cityblock")
            return np.exp(np.negative(values, out=values), out=values)
        return rbf_matrix(A, B)


def rbf_matrix(A: Matrix, B: Matrix, out: Matrix | None = None) -> Matrix:
    """Return exp(-|a - b|**2 / 2) for all pairs of rows, shape (n, m); in `out` where given."""
    values = half_squared_distances(A, B, out)
    return np.exp(np.negative(values, out=values), out=values)


def half_squared_distances(A: Matrix, B: Matrix, out: Matrix | None = None) -> Matrix:
    """Return |a - b|**2 / 2 for all pairs of rows, shape (n, m); in `out` where given."""
    # The squares are two more columns of one product: passes over (n, m) cost more than it.
    left, right = np.square(A).sum(axis=1) / 2, np.square(B).sum(axis=1) / 2
    values = np.matmul(
        np.column_stack([-A, left, np.ones(len(A))]),
        np.column_stack([B, np.ones(len(B)), right]).T,
        out=out,
    )
    return np.maximum(values, 0.0, out=values)
