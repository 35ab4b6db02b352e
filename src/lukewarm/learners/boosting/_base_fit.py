"""The regression below the trees: ridge for numbers, logistic or softmax for classes.

Both are linear in functions B (n, m) of single columns, and both can be had without some of them
in closed form. With P = (B'B + penalty I)^-1 and coefficients c, the regression without the
functions R has c_S - P_SR P_RR^-1 c_R (the inverse of a block). For numbers that is the ridge
regression on the others; for classes it is the best approximation of the log-odds by the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.learners.additive import RidgeFamily, without_functions
from lukewarm.learners.kernel._log_loss import ClassRows, fit_log_loss, indicators

# An eigendecomposition costs the cube of their number.
_MOST_ROTATED = 1000


@dataclass(frozen=True, eq=False)
class BaseFit:
    """offset + B @ coefficients, for every output.

    Parameters
    ----------
    offset : ndarray of shape (n_outputs,)
    coefficients : ndarray of shape (m, n_outputs)
    mean : ndarray of shape (m,)
        Of the functions on the training rows.
    inverse : ndarray of shape (m, m), optional
        P; without it coefficients of functions that go are dropped, and the others stay.
    """

    offset: Vector
    coefficients: Matrix
    mean: Vector
    inverse: Matrix | None

    @classmethod
    def ridge(cls, functions: Matrix, y: Vector, penalty: float, weights: Vector | None) -> BaseFit:
        """Return the ridge regression of `y` (n,); the penalty is in rows."""
        family = RidgeFamily(functions, (penalty,), weights)
        fit = family.fit(y, np.ones(functions.shape[1], dtype=bool), 0)
        return cls(
            np.array([fit.offset]), fit.coefficients[:, None], family.mean, family.inverse(0)
        )

    @classmethod
    def log_loss(
        cls, functions: Matrix, y: Vector, n_outputs: int, penalty: float, weights: Vector | None
    ) -> BaseFit:
        """Return the logistic (one output) or softmax regression of class codes `y` (n,).

        Parameters
        ----------
        functions : ndarray of shape (n, n_functions)
        y : ndarray of shape (n,)
        n_outputs : int
            One for two classes, else their number.
        penalty : float
            In rows: it counts as so many of them.
        weights : ndarray of shape (n,), optional
        """
        n_rows = len(functions)
        shares = np.full(n_rows, 1 / n_rows) if weights is None else weights / weights.sum()
        mean = shares @ functions
        centred = functions - mean
        vectors, inverse, eigenvalues = None, None, np.ones(functions.shape[1])
        if functions.shape[1] <= _MOST_ROTATED:
            # In the eigenbasis the curvature is nearly diagonal, which the steps are scaled by.
            eigenvalues, vectors = np.linalg.eigh((centred * shares[:, None]).T @ centred)
            eigenvalues = np.maximum(eigenvalues, 0.0)
            inverse = (vectors / (n_rows * eigenvalues + penalty)) @ vectors.T
            centred = centred @ vectors
        targets = indicators(y, n_outputs)
        rows = ClassRows(centred, targets, shares, np.zeros_like(targets))
        found = fit_log_loss(rows, eigenvalues, penalty / n_rows)
        coefficients = found[1:] if vectors is None else vectors @ found[1:]
        return cls(found[0] - mean @ coefficients, coefficients, mean, inverse)

    def outputs(self, functions: Matrix) -> Matrix:
        """Return the outputs of rows given by their functions (n, m), shape (n_outputs, n)."""
        used = np.flatnonzero(self.coefficients.any(axis=1))
        return self.offset[:, None] + (functions[:, used] @ self.coefficients[used]).T

    def without(self, is_gone: np.ndarray) -> BaseFit:
        """Return the regression on the functions that are left, in closed form."""
        gone = np.flatnonzero(is_gone)
        if not len(gone):
            return self
        if self.inverse is None:
            coefficients = np.where(is_gone[:, None], 0.0, self.coefficients)
        else:
            coefficients = without_functions(self.coefficients, self.inverse, gone)
        # The mean output stays where it was.
        offset = self.offset + self.mean @ (self.coefficients - coefficients)
        return replace(self, offset=offset, coefficients=coefficients)
