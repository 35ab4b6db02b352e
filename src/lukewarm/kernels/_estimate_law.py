"""The exact law of an estimated importance, for models that are linear in y.

A kernel machine at a fixed kernel and penalty (or after a fixed number of updates) predicts F y of
the training targets y, the one without some features H y. With Gaussian noise of standard deviation
s on training and evaluation rows, w the standard normal noise of both, the estimate

    T = (|y_e - H y|^2 - |y_e - F y|^2) / m

is a constant, a linear and a quadratic form of w. So it has a mean, a variance and a distribution
that can be computed: those of a sum of shifted chi-square variables and a normal one. The rows X
are held fixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg, optimize
from scipy.special import ndtri

from lukewarm._typing import Matrix, Vector
from lukewarm._validation import check_fraction, check_number, check_vector

# The distribution function is a sum over a grid, which folds back what lies beyond these standard
# deviations. The heaviest law there is, one chi-square variable, has e^-40 there.
_REACH = 60.0
# The sum ends where its terms have fallen to this; few squares and no line let them fall slowly.
_NEGLIGIBLE = 1e-11
# Worked out so many at a time, up to the second: by then a single chi-square variable, the slowest
# case, has quantiles right to 1e-6.
_BLOCK, _MOST_TERMS = 1024, 2**18
# Eigenvalues below this share of the standard deviation add nothing but their line.
_NO_SQUARE = 1e-9


@dataclass(frozen=True, eq=False)
class QuadraticForm:
    """constant + linear' w + w' matrix w, with w standard normal.

    Parameters
    ----------
    constant : float
    linear : ndarray of shape (k,)
    matrix : ndarray of shape (k, k)
        Symmetric.

    Notes
    -----
    In the eigenbasis of the matrix, with eigenvalues a and linear coefficients b, the
    characteristic function is exp(i t constant) times the product of
    exp(-t^2 b^2 / (2 (1 - 2 i t a))) / sqrt(1 - 2 i t a). The distribution function follows by the
    inversion formula of Gil-Pelaez, summed at the midpoints of a grid (Davies 1980): exact up to
    the mass that lies farther away than one over the step.

    Examples
    --------
    >>> square = QuadraticForm(0.0, np.zeros(1), np.eye(1))  # chi-square, one degree of freedom
    >>> square.mean, square.variance
    (1.0, 2.0)
    >>> round(square.quantile(0.95), 3)
    3.841
    """

    constant: float
    linear: Vector
    matrix: Matrix

    @property
    def mean(self) -> float:
        """The expectation."""
        return float(self.constant + np.trace(self.matrix))

    @property
    def variance(self) -> float:
        """The variance."""
        return float(self.linear @ self.linear + 2 * np.square(self.matrix).sum())

    @property
    def standard_deviation(self) -> float:
        """The root of the variance."""
        return float(np.sqrt(self.variance))

    @property
    def skewness(self) -> float:
        """The third standardised moment."""
        values, slopes = self._rotated
        third = 8 * np.sum(values**3) + 6 * np.sum(values * slopes**2)
        return float(third / self.variance**1.5) if self.variance > 0 else 0.0

    def cdf(self, x: float) -> float:
        """Return the probability of at most `x`."""
        spread = self.standard_deviation
        if spread == 0:
            return float(x >= self.mean)
        x = (check_number("x", x) - self.mean) / spread
        if abs(x) >= _REACH / 2:
            return float(x > 0)
        t, terms = self._inversion
        total = np.sum(np.imag(terms * np.exp(-1j * t * x)))
        return float(np.clip(0.5 - (t[1] - t[0]) / np.pi * total, 0.0, 1.0))

    def quantile(self, probability: float) -> float:
        """Return the value that is not exceeded with this probability."""
        check_fraction("probability", probability)
        spread = self.standard_deviation
        if spread == 0:
            return self.mean
        ends = self.mean - _REACH / 2 * spread, self.mean + _REACH / 2 * spread
        return float(
            optimize.brentq(lambda x: self.cdf(x) - probability, *ends, xtol=1e-10 * spread)
        )

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the two quantiles that leave out as much on either side."""
        check_fraction("level", level)
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    @cached_property
    def _rotated(self) -> tuple[Vector, Vector]:
        """Eigenvalues, and the linear coefficients in the eigenbasis."""
        values, vectors = linalg.eigh(self.matrix)
        return values, vectors.T @ self.linear

    @cached_property
    def _inversion(self) -> tuple[np.ndarray, np.ndarray]:
        """The grid, and the characteristic function of the standardised form over it."""
        values, slopes = (each / self.standard_deviation for each in self._rotated)
        is_square = np.abs(values) > _NO_SQUARE
        line = float(np.square(slopes[~is_square]).sum())
        step = 2 * np.pi / _REACH
        blocks: list[tuple[np.ndarray, np.ndarray]] = []
        for first in range(0, _MOST_TERMS, _BLOCK):
            t = step * (np.arange(first, first + _BLOCK) + 0.5)
            logs = -0.5 * line * np.square(t) + 0j
            for value, slope in zip(values[is_square], slopes[is_square], strict=True):
                room = 1 - 2j * t * value
                logs -= 0.5 * np.log(room) + 0.5 * np.square(t * slope) / room + 1j * t * value
            blocks.append((t, np.exp(logs) / t))
            if np.abs(blocks[-1][1][-1]) < _NEGLIGIBLE:
                break
        grid, terms = zip(*blocks, strict=True)
        return np.concatenate(grid), np.concatenate(terms)


@dataclass(frozen=True, eq=False)
class ImportanceLaw:
    """The law of an estimated importance, and what of it each source of noise does.

    Parameters
    ----------
    form : QuadraticForm
        Of the noise of training and evaluation rows.
    truth : float
        The importance of the true functions on the evaluation rows.
    given_training : float
        Mean over training noise of the variance that the evaluation rows add: what a standard error
        from influence values estimates.
    """

    form: QuadraticForm
    truth: float
    given_training: float

    @property
    def bias(self) -> float:
        """Mean of the estimate minus the truth."""
        return self.form.mean - self.truth

    @property
    def share_of_training(self) -> float:
        """Share of the variance that comes from the training rows: no evaluation row shows it."""
        variance = self.form.variance
        return 1 - self.given_training / variance if variance > 0 else 0.0

    def normal_coverage(self, level: float = 0.95) -> float:
        """Return how often a normal interval of the true standard deviation covers the truth."""
        reach = ndtri(0.5 + check_fraction("level", level) / 2) * self.form.standard_deviation
        return self.form.cdf(self.truth + reach) - self.form.cdf(self.truth - reach)


def importance_law(
    full: Matrix,
    reduced: Matrix,
    mean_train: Vector,
    mean_evaluation: Vector,
    best_reduced: Vector,
    noise_std: float,
) -> ImportanceLaw:
    """Return the law of the squared-error importance of two models that are linear in y.

    Parameters
    ----------
    full, reduced : ndarrays of shape (m, n)
        What the training targets y (n,) become on the evaluation rows: predictions are full @ y and
        reduced @ y.
    mean_train, mean_evaluation : ndarrays of shape (n,) and (m,)
        The best predictions with all features.
    best_reduced : ndarray of shape (m,)
        The best predictions for the evaluation rows without the features.
    noise_std : float

    Examples
    --------
    Nothing is learnt of y = 1 + noise, and the mean is what both models predict:

    >>> average = np.full((5, 10), 0.1)
    >>> law = importance_law(average, average, np.ones(10), np.ones(5), np.ones(5), 1.0)
    >>> law.form.mean, law.form.variance
    (0.0, 0.0)
    """
    mean_train = check_vector("mean_train", mean_train)
    mean_evaluation = check_vector("mean_evaluation", mean_evaluation)
    m, n = len(mean_evaluation), len(mean_train)
    for name, each in (("full", full), ("reduced", reduced)):
        if np.shape(each) != (m, n):
            raise ValueError(f"{name} must have the shape {(m, n)}; got {np.shape(each)}.")
    check_vector("best_reduced", best_reduced, n_rows=m)
    s = check_number("noise_std", noise_std, finite=True)
    errors = {name: mean_evaluation - each @ mean_train for name, each in _pair(full, reduced)}
    constant = (np.sum(errors["reduced"] ** 2) - np.sum(errors["full"] ** 2)) / m
    of_training = full.T @ errors["full"] - reduced.T @ errors["reduced"]
    of_evaluation = errors["reduced"] - errors["full"]
    linear = 2 * s / m * np.concatenate([of_training, of_evaluation])
    matrix = np.zeros((n + m, n + m))
    matrix[:n, :n] = reduced.T @ reduced - full.T @ full
    matrix[:n, n:] = (full - reduced).T
    matrix[n:, :n] = full - reduced
    form = QuadraticForm(float(constant), linear, s**2 / m * matrix)
    truth = np.mean(np.square(mean_evaluation - best_reduced))
    # Given the training rows, T varies with 2 (prediction of full - prediction of reduced)' noise.
    gap_variance = s**2 * np.square(full - reduced).sum(axis=1)
    given_training = 4 * s**2 / m**2 * np.sum(np.square(of_evaluation) + gap_variance)
    return ImportanceLaw(form, float(truth), float(given_training))


def _pair(full: Matrix, reduced: Matrix) -> tuple[tuple[str, Matrix], tuple[str, Matrix]]:
    return ("full", full), ("reduced", reduced)
