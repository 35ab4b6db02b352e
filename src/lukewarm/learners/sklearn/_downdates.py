"""Inverses without some rows and columns, which cost no new inverse.

With O = H^-1, the inverse of H without the rows and columns I is O - O[:, I] O[I, I]^-1 O[I, :],
zero in I; and b - O[:, I] O[I, I]^-1 b[I] is where a parabola of Hessian H, least at b, is least
once b[I] is 0.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from lukewarm._typing import Features, Matrix, Vector

# Eight digits are left of the sixteen where the reciprocal condition is above.
_SINGULAR = 1e-7


def inverse_of(matrix: Matrix, removed: list[int] | None = None) -> Matrix | None:
    """Return the inverse, zero in the removed rows and columns; None where nearly singular."""
    kept = np.setdiff1d(np.arange(len(matrix)), removed or [])
    part = matrix[np.ix_(kept, kept)]
    scale = np.sqrt(np.diag(part))
    if not (scale > 0).all():
        return None
    scaled = part / np.outer(scale, scale)
    eigenvalues, vectors = linalg.eigh(scaled)
    if eigenvalues[0] < _SINGULAR * eigenvalues[-1]:
        return None
    inverse = np.zeros_like(matrix)
    inverse[np.ix_(kept, kept)] = (vectors / eigenvalues) @ vectors.T / np.outer(scale, scale)
    return inverse


def downdated(coefficients: Vector, inverse: Matrix, columns: list[int]) -> Vector:
    """Return the least point of the parabola once some coefficients are 0."""
    part = inverse[np.ix_(columns, columns)]
    slopes = coefficients - inverse[:, columns] @ linalg.solve(part, coefficients[columns])
    slopes[columns] = 0.0
    return slopes


def downdated_inverse(inverse: Matrix, columns: list[int]) -> Matrix:
    """Return the inverse without some rows and columns, zero in them."""
    part = inverse[np.ix_(columns, columns)]
    left = inverse - inverse[:, columns] @ linalg.solve(part, inverse[columns])
    left[columns], left[:, columns] = 0.0, 0.0
    return left


def as_matrix(X: Features) -> Matrix:
    """Return the features as numbers."""
    return np.asarray(X, dtype=float)
