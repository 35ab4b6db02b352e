"""Gaussian moments of activation functions: what one layer of infinite width does to a kernel.

For (u, v) centred Gaussian with variances k, l and covariance c, every activation here gives
``E[phi(u) phi(v)]`` and ``E[phi'(u) phi'(v)]``. ReLU has a file of its own, `_relu.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.exceptions import KernelWarning


class Activation(Protocol):
    """The moments of an activation, in two parts: per row, then per pair of rows."""

    def prepare(self, variances: Vector) -> Any:
        """Return what the moments need of the rows, from their pre-activation variances."""
        ...

    def second_moments(self, prepared: Any) -> Vector:
        """Return ``E[phi(u)**2]`` of every row."""
        ...

    def part(self, prepared: Any, rows: slice) -> Any:
        """Return the part of `prepared` that belongs to `rows`."""
        ...

    def moments(self, covariance: Matrix, rows: Any, columns: Any) -> tuple[Matrix, Matrix]:
        """Return ``E[phi(u) phi(v)]`` and ``E[phi'(u) phi'(v)]`` of every pair.

        Parameters
        ----------
        covariance : ndarray of shape (n, k)
            Of u and v.
        rows, columns
            What `prepare` made of the variances of u, and of v.
        """
        ...


class Erf:
    """``phi = erf``: closed forms of Williams (1997)."""

    def prepare(self, variances: Vector) -> Vector:
        """Return ``1 + 2 k`` of every row."""
        return 1 + 2 * variances

    def second_moments(self, prepared: Vector) -> Vector:
        """Return ``2/pi asin(2k / (1 + 2k))``."""
        return 2 / np.pi * np.arcsin((prepared - 1) / prepared)

    def part(self, prepared: Vector, rows: slice) -> Vector:
        """Return the entries of `rows`."""
        return prepared[rows]

    def moments(self, covariance: Matrix, rows: Vector, columns: Vector) -> tuple[Matrix, Matrix]:
        """Return ``2/pi asin(2c / s)`` and ``4/pi / sqrt(s**2 - 4 c**2)``."""
        squared = rows[:, None] * columns
        twice = 2 * covariance
        product = 2 / np.pi * np.arcsin(twice / np.sqrt(squared))
        return product, 4 / np.pi / np.sqrt(squared - twice**2)


# The coefficients of the series are integrals over the line, taken by the trapezoidal rule: for
# an analytic integrand its error falls exponentially in 1 / step.
_STEP = 0.02
# The Gaussian weight is 2e-37 of its largest value there, below all rounding.
_REACH = 13.0
# Smooth activations need some dozens; those that need more get a warning.
_MOST_TERMS = 512
# Terms below rounding are left out; a series whose last terms are above the second is cut off.
_NEGLIGIBLE = 1e-15
_TOLERATED = 1e-10


class Series:
    """Any activation, through its Hermite coefficients at the variance of each row.

    With ``a_n(k) = E[phi(sqrt(k) z) h_n(z)]`` and `h_n` the orthonormal Hermite polynomials,
    Mehler's formula gives ``E[phi(u) phi(v)] = sum_n a_n(k) a_n(l) rho**n``; its derivative in the
    covariance is ``E[phi'(u) phi'(v)]``, so that phi' itself is not needed.
    """

    def __init__(self, function: Callable[[np.ndarray], np.ndarray]) -> None:
        self.function = function
        self.nodes = np.arange(-_REACH, _REACH + _STEP / 2, _STEP)
        self.weighted_basis = _weighted_hermite(self.nodes, _MOST_TERMS)

    def prepare(self, variances: Vector) -> tuple[Matrix, Vector]:
        """Return the coefficients (n, n_terms) and the standard deviations (n,)."""
        # A floor keeps a_n / sqrt(k) meaningful for rows whose pre-activation is zero.
        deviations = np.sqrt(np.maximum(variances, 1e-10))
        values = np.asarray(self.function(deviations[:, None] * self.nodes), dtype=float)
        coefficients = values @ self.weighted_basis
        # E[phi'**2] k = sum n a_n**2 converges last, so it says how many terms are needed.
        energy = (coefficients**2 * np.arange(1, _MOST_TERMS + 1)).max(axis=0)
        scale = energy.max()
        if scale > 0 and energy[-8:].sum() > _TOLERATED * scale:
            warnings.warn(
                f"{_MOST_TERMS} terms do not resolve this activation at variance "
                f"{variances.max():.3g}: the last add {energy[-8:].sum() / scale:.1g} of the "
                "largest. A kink needs its closed form: use activation='relu'.",
                KernelWarning,
                stacklevel=2,
            )
        n_terms = int(np.flatnonzero(energy > _NEGLIGIBLE * scale).max(initial=0)) + 1
        return coefficients[:, :n_terms], deviations

    def second_moments(self, prepared: tuple[Matrix, Vector]) -> Vector:
        """Return ``sum_n a_n**2``."""
        return (prepared[0] ** 2).sum(axis=1)

    def part(self, prepared: tuple[Matrix, Vector], rows: slice) -> tuple[Matrix, Vector]:
        """Return the entries of `rows`."""
        return prepared[0][rows], prepared[1][rows]

    def moments(
        self, covariance: Matrix, rows: tuple[Matrix, Vector], columns: tuple[Matrix, Vector]
    ) -> tuple[Matrix, Matrix]:
        """Return both sums by Horner's rule."""
        (left, left_std), (right, right_std) = rows, columns
        scale = left_std[:, None] * right_std
        correlation = np.clip(covariance / scale, -1, 1)
        product, slope = np.zeros_like(covariance), np.zeros_like(covariance)
        for term in range(min(left.shape[1], right.shape[1]) - 1, -1, -1):
            slope *= correlation
            slope += product
            product *= correlation
            product += left[:, term, None] * right[:, term]
        return product, slope / scale


def _weighted_hermite(nodes: Vector, n_terms: int) -> Matrix:
    """Return ``h_n(z) * normal_density(z) * step`` at the nodes, shape (n_nodes, n_terms).

    The recursion runs over ``h_n * sqrt(density)``, which stays bounded where `h_n` overflows.
    """
    root_density = np.exp(-(nodes**2) / 4) / (2 * np.pi) ** 0.25
    basis = np.empty((n_terms, len(nodes)))
    basis[0] = root_density
    basis[1] = nodes * root_density
    for n in range(1, n_terms - 1):
        basis[n + 1] = (nodes * basis[n] - np.sqrt(n) * basis[n - 1]) / np.sqrt(n + 1)
    return (basis * root_density * _STEP).T
