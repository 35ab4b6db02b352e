"""The marginal likelihood of length scales and slopes, one of each per column.

Each output is taken as y ~ N(0, a (K + B) + noise), with the RBF kernel K at inverse length scales
s and the linear part B at slopes b. With C the covariance and M = sum C^-1 y y' C^-1 - C^-1 over
outputs, the log-likelihood changes by trace(M dC) / 2. A pair's squared distance is a sum over
columns, so all the derivatives come from one product of (M * K) with the rows: no loop over
columns, and one Cholesky factorisation per step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import blas, lapack

from lukewarm._typing import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Negative log-likelihood per row as a function of the logarithms of all parameters.

    Parameters
    ----------
    rows : ndarray of shape (n, q)
    y : ndarray of shape (n, n_outputs)
        At mean zero and unit spread.
    spread : ndarray of shape (n,)
        Noise variance of each row, in units of the common one: 1 / weight.
    block : ndarray of int of shape (q,)
        Columns of one block share their parameters.

    Notes
    -----
    All calls work in the same two (n, n) arrays, of which LAPACK reads and writes one triangle: new
    memory and copies for every call took as long as the factorisations. So one thread at a time.
    """

    rows: Matrix
    y: Matrix
    spread: Vector
    block: np.ndarray

    @cached_property
    def _work(self) -> tuple[Matrix, Matrix]:
        """Places for the RBF part and the covariance, laid out as LAPACK wants them."""
        n_rows = len(self.rows)
        return np.empty((n_rows, n_rows), order="F"), np.empty((n_rows, n_rows), order="F")

    def __call__(self, parameters: Vector) -> tuple[float, Vector]:
        """Return the value and the gradient.

        Parameters
        ----------
        parameters : ndarray of shape (2 n_blocks + 2,)
            Logarithms of inverse scales, slopes, amplitude and noise variance.
        """
        value, solved = self._factorised(parameters)
        if solved is None:
            return value, np.zeros_like(parameters)
        return value, -self._gradient(self._pull(solved), parameters) / len(self.y)

    def value(self, parameters: Vector) -> float:
        """Return the value alone, in a third of the time."""
        return self._factorised(parameters)[0]

    def _factorised(self, parameters: Vector) -> tuple[float, Matrix | None]:
        """Return the value and C^-1 y; infinity and None where C is singular.

        Leaves the RBF part and, in its upper triangle, the Cholesky factor of C in `_work`.
        """
        scales, slopes, amplitude, noise = self.unpack(parameters)
        shape, covariance = self._work
        shaped, linear = self.rows * scales, self.rows * slopes
        # The logarithm of the RBF part in one product: passes over (n, n) cost more than it.
        halves, ones = np.square(shaped).sum(axis=1) / 2, np.ones(len(shaped))
        left = np.column_stack([shaped, np.log(amplitude) - halves, ones])
        np.matmul(np.column_stack([shaped, ones, -halves]), left.T, out=shape.T)
        np.exp(shape, out=shape)
        np.copyto(covariance, shape)
        blas.dsyrk(amplitude, linear.T, 1.0, covariance, trans=1, overwrite_c=1)
        np.einsum("ii->i", covariance)[:] += noise * self.spread
        _, failed = lapack.dpotrf(covariance, clean=0, overwrite_a=1)
        if failed:
            return np.inf, None
        solved, _ = lapack.dpotrs(covariance, self.y)
        n_outputs = self.y.shape[1]
        value = np.sum(self.y * solved) / 2 + n_outputs * np.log(covariance.diagonal()).sum()
        return value / len(self.y), solved

    def growths(self, parameters: Vector) -> Vector:
        """Return how the log-likelihood grows with the squared inverse scales, (n_blocks,).

        Unlike the gradient it says something of columns whose scale is zero.
        """
        _, solved = self._factorised(parameters)
        n_blocks = int(self.block.max()) + 1
        if solved is None:
            return np.zeros(n_blocks)
        shape, _ = self._work
        shape *= self._pull(solved)
        growth, _ = self._pulled_apart(shape)
        return np.asarray(np.bincount(self.block, growth / 2, n_blocks), dtype=float)

    def _pull(self, solved: Matrix) -> Matrix:
        """Return M, in its upper triangle, from the factor in `_work`, which it overwrites."""
        _, covariance = self._work
        inverse, _ = lapack.dpotri(covariance, overwrite_c=1)
        return blas.dsyrk(1.0, solved, -float(self.y.shape[1]), inverse, overwrite_c=1)

    def _pulled_apart(self, weights: Matrix) -> tuple[Vector, float]:
        """Return minus half the pairs' weighted squared distances, (q,), and the sum of weights.

        Parameters
        ----------
        weights : ndarray of shape (n, n)
            Symmetric, in its upper triangle.
        """
        with_one = np.column_stack([self.rows, np.ones(len(self.rows))])
        products = blas.dsymm(1.0, weights, with_one)
        totals = products[:, -1]
        crossed = np.einsum("ij,ij->j", self.rows, products[:, :-1])
        return crossed - totals @ np.square(self.rows), float(totals.sum())

    def _gradient(self, pull: Matrix, parameters: Vector) -> Vector:
        """Return the derivatives of the log-likelihood by all parameters.

        Parameters
        ----------
        pull : ndarray of shape (n, n)
            M, in its upper triangle.
        parameters : ndarray of shape (2 n_blocks + 2,)
            Those at which the RBF part in `_work` was made; it is overwritten.
        """
        scales, slopes, amplitude, noise = self.unpack(parameters)
        linear = self.rows * slopes
        pulled_linear = amplitude * np.einsum("ij,ij->j", linear, blas.dsymm(1.0, pull, linear))
        by_noise = noise * (pull.diagonal() @ self.spread) / 2
        shape, _ = self._work
        shape *= pull
        growth, total = self._pulled_apart(shape)
        n_blocks = int(self.block.max()) + 1
        return np.concatenate(
            [
                np.bincount(self.block, np.square(scales) * growth, n_blocks),
                np.bincount(self.block, pulled_linear, n_blocks),
                [(total + pulled_linear.sum()) / 2, by_noise],
            ]
        )

    def unpack(self, parameters: Vector) -> tuple[Vector, Vector, float, float]:
        """Return inverse scales (q,), slopes (q,), amplitude and noise variance."""
        values = np.exp(parameters)
        n_blocks = (len(parameters) - 2) // 2
        return (
            values[:n_blocks][self.block],
            values[n_blocks : 2 * n_blocks][self.block],
            float(values[-2]),
            float(values[-1]),
        )
