"""The arc-cosine recursion for ReLU, carried by angles so that near-parallel rows stay exact.

A cosine near 1 fixes its angle only to 1e-8. Here a pair of rows is carried as its angle, and each
layer maps the angle through ``1 - cos``, which is formed without cancellation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lukewarm._typing import Matrix, Vector

# Beyond this cosine the angle is taken anew from the rows themselves.
_NEARLY_PARALLEL = 1 - 1e-3


class ReluMoments(NamedTuple):
    """One layer's moments, and the parts from which the next angle is formed."""

    product: Matrix
    slope: Matrix
    versine: Matrix


def unit_rows(X: Matrix) -> Matrix:
    """Return the rows of `X` at length 1; rows of zeros stay as they are."""
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return np.divide(X, norms, out=np.zeros_like(X), where=norms > 0)


def angles_between(units: Matrix, others: Matrix) -> Matrix:
    """Return the angles between unit rows; pi/2 where one of the two is a row of zeros.

    Where the cosine is near 1 or -1, by ``2 atan2(|u - v|, |u + v|)`` (Kahan), which is accurate
    there; exactly 0 for equal rows.
    """
    cosines = units @ others.T
    angles = np.arccos(np.clip(cosines, -1, 1))
    rows, columns = np.nonzero(np.abs(cosines) > _NEARLY_PARALLEL)
    difference, total = np.zeros(len(rows)), np.zeros(len(rows))
    for feature in range(units.shape[1]):
        left, right = units[rows, feature], others[columns, feature]
        difference += (left - right) ** 2
        total += (left + right) ** 2
    angles[rows, columns] = 2 * np.arctan2(np.sqrt(difference), np.sqrt(total))
    return angles


def relu_moments(angles: Matrix, row_std: Vector, column_std: Vector) -> ReluMoments:
    """Return the moments of ReLU for Gaussian pairs at these angles (Cho and Saul, 2009).

    ``E[phi phi] = s t (sin a + (pi - a) cos a) / (2 pi)`` and ``E[phi' phi'] = (pi - a) / (2 pi)``;
    `versine` is ``1 - E[phi phi] / (s t / 2)``, the versine of the angle after the layer.
    """
    half_sine = np.sin(angles / 2)
    squared = half_sine * half_sine
    sine = np.sqrt(np.maximum(1 - squared, 0))
    sine *= half_sine
    sine *= 2
    cosine = 1 - 2 * squared
    squared *= 2
    # sin a - a cos a = O(a**3): what is lost in this difference is far below 1 - cos a.
    squared -= (sine - angles * cosine) / np.pi
    slope = (np.pi - angles) / (2 * np.pi)
    product = (0.5 * row_std)[:, None] * column_std * (1 - squared)
    return ReluMoments(product, slope, squared)


def next_angles(
    versine: Matrix, row_std: Vector, column_std: Vector, weight_scale: float, bias_scale: float
) -> Matrix:
    """Return the angles of the next pre-activations.

    With ``q = weight_scale**2 k / 2`` and ``b = bias_scale**2`` the variances become ``q + b`` and
    ``1 - cos = (b (sqrt q - sqrt q')**2 / (sqrt((q + b)(q' + b)) + sqrt(q q') + b)
    + sqrt(q q') versine) / sqrt((q + b)(q' + b))``: a sum of terms that are not negative.
    """
    left, right = weight_scale / np.sqrt(2) * row_std, weight_scale / np.sqrt(2) * column_std
    bias = bias_scale**2
    if bias == 0:
        # Rows of zeros keep the angle pi / 2, that of their zero variance.
        alive = (left[:, None] > 0) & (right > 0)
        numerator = np.where(alive, versine, 1.0)
    else:
        means = left[:, None] * right
        roots = np.sqrt(left**2 + bias)[:, None] * np.sqrt(right**2 + bias)
        numerator = means * versine
        numerator += bias * (left[:, None] - right) ** 2 / (roots + means + bias)
        numerator /= roots
    numerator *= 0.5
    np.sqrt(numerator, out=numerator)
    np.arcsin(numerator, out=numerator)
    numerator *= 2
    return numerator
