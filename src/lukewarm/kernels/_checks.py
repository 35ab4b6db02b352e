"""Checks at this room's door: kernel matrices, eigenvalues, step sizes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm._validation import check_matrix, check_number, check_vector
from lukewarm.exceptions import KernelWarning

# Round-off of a symmetric eigensolver, in units of machine epsilon times the largest eigenvalue.
_ROUND_OFF_PER_ROW = 16


def check_kernel_matrix(name: str, values: Any) -> Matrix:
    """Return `values` as a symmetric float matrix (n, n)."""
    precision = np.finfo(getattr(values, "dtype", float)).eps if _is_floating(values) else 2e-16
    matrix = check_matrix(name, values)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name} must be square; got shape {matrix.shape}.")
    gap = float(np.abs(matrix - matrix.T).max())
    if gap > _ROUND_OFF_PER_ROW * len(matrix) * precision * np.abs(matrix).max():
        raise ValueError(
            f"{name} must be symmetric; entries differ from their mirror images by up to {gap:.3g}."
        )
    return matrix


def check_eigenvalues(name: str, values: Any, precision: float | None = None) -> Vector:
    """Return eigenvalues in descending order, with negative round-off set to 0."""
    eigenvalues = np.sort(check_vector(name, values))[::-1]
    if len(eigenvalues) == 0:
        raise ValueError(f"{name} must not be empty.")
    if precision is None:
        precision = float(np.finfo(float).eps)
    largest = np.abs(eigenvalues).max()
    if eigenvalues[-1] < -_ROUND_OFF_PER_ROW * len(eigenvalues) * precision * largest:
        raise ValueError(
            f"{name} must not be negative beyond round-off; the smallest is {eigenvalues[-1]:.3g}, "
            f"the largest {eigenvalues[0]:.3g}. The matrix is not a kernel's."
        )
    return np.maximum(eigenvalues, 0)


def precision_of(values: Any) -> float:
    """Return the machine epsilon of the dtype in which `values` was computed."""
    return float(np.finfo(values.dtype if _is_floating(values) else float).eps)


def _is_floating(values: Any) -> bool:
    return isinstance(values, np.ndarray) and np.issubdtype(values.dtype, np.floating)


def check_learning_rate(learning_rate: Any, largest_eigenvalue: float) -> float:
    """Return the step size, with a warning when it exceeds min(1, 1 / lambda_1)."""
    rate = check_number("learning_rate", learning_rate, above=0)
    limit = min(1.0, 1 / largest_eigenvalue) if largest_eigenvalue > 0 else 1.0
    # Kernels of trees have lambda_1 = 1 up to round-off.
    if rate > limit * (1 + 1e-9):
        warnings.warn(
            f"learning_rate {rate:g} exceeds {limit:.4g} = min(1, 1 / largest eigenvalue); "
            "the theory's bounds do not cover such steps.",
            KernelWarning,
            stacklevel=3,
        )
    return rate
