"""The arc-cosine recursion for ReLU, carried by angles so that near-parallel rows stay exact.

A cosine near 1 fixes its angle only to 1e-8. Here a pair of rows is carried as its angle, and each
layer maps the angle through ``1 - cos``, which is formed without cancellation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lukewarm._typing import Matrix, Vector

# Beyond this cosine the angle is taken anew from the rows themselves. There, at an angle of 0.045,
# the arc cosine still has thirteen digits; towards 1 it loses half of them.
_NEARLY_PARALLEL = 1 - 1e-3


class Angles(NamedTuple):
    """Angles of pairs of rows, with the sines and cosines of half of them."""

    angle: Matrix
    half_sine: Matrix
    half_cosine: Matrix


class ReluMoments(NamedTuple):
    """One layer's moments, and the versine of the angle that the layer makes."""

    product: Matrix
    slope: Matrix
    versine: Matrix


def unit_rows(X: Matrix) -> Matrix:
    """Return the rows of `X` at length 1; rows of zeros stay as they are."""
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return np.divide(X, norms, out=np.zeros_like(X), where=norms > 0)


def angles_between(units: Matrix, others: Matrix) -> Angles:
    """Return the angles between unit rows; pi/2 where one of the two is a row of zeros.

    Where the cosine is near 1 or -1, by ``2 atan2(|u - v|, |u + v|)`` (Kahan), which is accurate
    there; exactly 0 for equal rows.
    """
    cosine = units @ others.T
    np.clip(cosine, -1, 1, out=cosine)
    angle = np.arccos(cosine)
    half_sine, half_cosine = np.sqrt((1 - cosine) / 2), np.sqrt((1 + cosine) / 2)
    rows, columns = np.nonzero(np.abs(cosine) > _NEARLY_PARALLEL)
    difference, total = np.zeros(len(rows)), np.zeros(len(rows))
    for feature in range(units.shape[1]):
        left, right = units[rows, feature], others[columns, feature]
        difference += (left - right) ** 2
        total += (left + right) ** 2
    half_sine[rows, columns] = np.minimum(np.sqrt(difference) / 2, 1)
    half_cosine[rows, columns] = np.minimum(np.sqrt(total) / 2, 1)
    angle[rows, columns] = 2 * np.arctan2(np.sqrt(difference), np.sqrt(total))
    return Angles(angle, half_sine, half_cosine)


def relu_moments(angles: Angles, row_std: Vector, column_std: Vector) -> ReluMoments:
    """Return the moments of ReLU for Gaussian pairs at these angles (Cho and Saul, 2009).

    ``E[phi phi] = s t (sin a + (pi - a) cos a) / (2 pi)`` and ``E[phi' phi'] = (pi - a) / (2 pi)``;
    `versine` is ``1 - E[phi phi] / (s t / 2)``, the versine of the angle after the layer.
    """
    angle, half_sine, half_cosine = angles
    # In place from here on: at 10,000 rows every matrix takes 800 MB.
    sine = half_sine * half_cosine
    sine *= 2
    versine = half_sine * half_sine
    versine *= 2
    # sin a - a cos a = O(a**3): what is lost in this difference is far below 1 - cos a.
    sine -= angle * (1 - versine)
    sine /= np.pi
    versine -= sine
    np.maximum(versine, 0, out=versine)
    slope = (np.pi - angle) / (2 * np.pi)
    product = (1 - versine) * column_std
    product *= (0.5 * row_std)[:, None]
    return ReluMoments(product, slope, versine)


def next_angles(
    versine: Matrix, row_std: Vector, column_std: Vector, weight_scale: float, bias_scale: float
) -> Angles:
    """Return the angles of the next pre-activations.

    With ``q = weight_scale**2 k / 2`` and ``b = bias_scale**2`` the variances become ``q + b`` and
    ``1 - cos = (b (sqrt q - sqrt q')**2 / (sqrt((q + b)(q' + b)) + sqrt(q q') + b)
    + sqrt(q q') versine) / sqrt((q + b)(q' + b))``: a sum of terms that are not negative.

    Parameters
    ----------
    versine : ndarray of shape (n, k)
        Of the angles after the activation.
    row_std, column_std : ndarrays of shape (n,) and (k,)
        Of the pre-activations before it.
    weight_scale, bias_scale : float
    """
    left, right = weight_scale / np.sqrt(2) * row_std, weight_scale / np.sqrt(2) * column_std
    bias = bias_scale**2
    if bias == 0:
        # Rows of zeros keep the angle pi / 2, that of their zero variance.
        half_sine = np.where((left[:, None] > 0) & (right > 0), versine, 1.0)
    else:
        means = left[:, None] * right
        roots = np.sqrt(left**2 + bias)[:, None] * np.sqrt(right**2 + bias)
        half_sine = (left[:, None] - right) ** 2
        half_sine *= bias
        half_sine /= roots + means + bias
        means *= versine
        half_sine += means
        half_sine /= roots
    half_sine *= 0.5
    half_cosine = np.sqrt(1 - half_sine)
    np.sqrt(half_sine, out=half_sine)
    angle = np.arcsin(half_sine)
    angle *= 2
    return Angles(angle, half_sine, half_cosine)
