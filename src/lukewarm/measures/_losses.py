"""Losses per row and their means, smaller is better."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import xlogy

from lukewarm._typing import Prediction, Vector
from lukewarm.results import MeasureValue

_LEAST_PREDICTION = 1e-12  # where a logarithm is taken
# Of a class, in the curvature of log-loss. Rows that a model is all but sure of would outweigh all
# others; 0.02 and 0.1 gave importances that differ by a percent of them.
_LEAST_SHARE = 0.05


def residuals(y: Vector, prediction: Prediction) -> Prediction:
    """Return y - prediction; of several classes, the indicator of each minus its probability."""
    if prediction.ndim == 1:
        return y - prediction
    hit = np.zeros(prediction.shape)
    hit[np.arange(len(y)), y.astype(int)] = 1.0
    return hit - prediction


def over_classes(terms: Prediction) -> Vector:
    """Return one number per row: the sum over classes where there are several."""
    return terms if terms.ndim == 1 else terms.sum(axis=1)


def squared_errors(y: Vector, prediction: Prediction) -> Vector:
    """Return (y - prediction)**2; for class probabilities the Brier score, summed over classes."""
    return over_classes(np.square(residuals(y, prediction)))


class ByLosses(ABC):
    """A measure whose value follows from one loss per row."""

    @abstractmethod
    def losses(self, y: Vector, prediction: Prediction) -> Vector:
        """Return one loss per row, smaller is better.

        Parameters
        ----------
        y : ndarray of shape (n,)
        prediction : ndarray of shape (n,)
        """

    @abstractmethod
    def of_losses(self, y: Vector, losses: Vector, weights: Vector | None = None) -> MeasureValue:
        """Return the value of predictions with these losses."""

    def scale_terms(self, y: Vector, weights: Vector | None = None) -> Vector:
        """Return terms of rows whose mean the mean loss is divided by: ones."""
        return np.ones(len(y))

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the value and its influence values."""
        return self.of_losses(y, self.losses(y, prediction), weights)


class SquaredErrors(ByLosses):
    """The loss of measures that fall with the mean squared error (see `BregmanLoss`)."""

    def losses(self, y: Vector, prediction: Prediction) -> Vector:
        """Return the squared errors."""
        return squared_errors(y, prediction)

    def curvature(self, prediction: Prediction) -> Prediction:
        """Return one: a squared error is its own parabola."""
        return np.ones_like(prediction)

    def least_curvature(self, n_columns: int) -> float:
        """Return one, whatever the columns."""
        return 1.0


class LogLosses(ByLosses):
    """The loss of measures that fall with the mean cross-entropy (see `BregmanLoss`)."""

    def losses(self, y: Vector, prediction: Prediction) -> Vector:
        """Return -log of the probability given to the class that came."""
        return log_losses(y, prediction)

    def curvature(self, prediction: Prediction) -> Prediction:
        """Return half of one over each probability; of one of two classes, of both."""
        half = 0.5 / np.maximum(prediction, _LEAST_SHARE)
        if prediction.ndim == 1:
            half += 0.5 / np.maximum(1 - prediction, _LEAST_SHARE)
        return half

    def least_curvature(self, n_columns: int) -> float:
        """Return what a divergence is at least, over the squared difference of probabilities.

        By Pinsker's inequality it is at least half the squared sum of absolute differences. Of two
        classes, of which one probability is given, that is twice its squared difference. Of more,
        where differences sum to zero, it is at least the sum of squares.
        """
        return 2.0 if n_columns == 1 else 1.0


def log_losses(y: Vector, prediction: Prediction) -> Vector:
    """Return -log of the probability given to the class that came."""
    if prediction.ndim == 1:
        chosen = np.where(y == 1, prediction, 1 - prediction)
    else:
        chosen = prediction[np.arange(len(y)), y.astype(int)]
    return -np.log(np.maximum(chosen, np.finfo(float).eps))


def absolute_errors(y: Vector, prediction: Vector) -> Vector:
    """Return abs(y - prediction)."""
    return np.abs(y - prediction)


def pinball_losses(y: Vector, prediction: Vector, quantile: float) -> Vector:
    """Return quantile * (y - f) above the prediction, (1 - quantile) * (f - y) below it."""
    above = y - prediction
    return np.maximum(quantile * above, (quantile - 1) * above)


def expectile_losses(y: Vector, prediction: Vector, level: float) -> Vector:
    """Return the squared error, times `level` above the prediction and 1 - `level` below it."""
    above = y - prediction
    return np.where(above > 0, level, 1 - level) * np.square(above)


def power_errors(y: Vector, prediction: Vector, power: float) -> Vector:
    """Return abs(y - prediction)**power."""
    return np.abs(y - prediction) ** power


def huber_losses(y: Vector, prediction: Vector, delta: float) -> Vector:
    """Return half the squared error up to `delta`, from there on a line of slope `delta`."""
    size = np.abs(y - prediction)
    within = np.minimum(size, delta)
    return within * (size - within / 2)


def pseudo_huber_losses(y: Vector, prediction: Vector, slope: float) -> Vector:
    """Return slope**2 * (sqrt(1 + (error / slope)**2) - 1)."""
    return slope**2 * (np.hypot(1.0, (y - prediction) / slope) - 1)


def fair_losses(y: Vector, prediction: Vector, scale: float) -> Vector:
    """Return scale**2 * (size - log(1 + size)), size = abs(error) / scale."""
    size = np.abs(y - prediction) / scale
    return scale**2 * (size - np.log1p(size))


def log_cosh_losses(y: Vector, prediction: Vector) -> Vector:
    """Return log(cosh(error)), which grows like the absolute error."""
    size = np.abs(y - prediction)
    return size + np.log1p(np.exp(-2 * size)) - np.log(2)


def percentage_errors(y: Vector, prediction: Vector) -> Vector:
    """Return abs(y - prediction) / max(1, abs(y)), as the boosters define it."""
    return np.abs(y - prediction) / np.maximum(1.0, np.abs(y))


def squared_log_errors(y: Vector, prediction: Vector) -> Vector:
    """Return half the squared difference of log(1 + y) and log(1 + prediction)."""
    bounded = np.maximum(prediction, _LEAST_PREDICTION - 1)
    return np.square(np.log1p(y) - np.log1p(bounded)) / 2


def insensitive_losses(y: Vector, prediction: Vector, margin: float, power: float) -> Vector:
    """Return max(0, abs(y - prediction) - margin)**power."""
    return np.maximum(np.abs(y - prediction) - margin, 0.0) ** power


def cross_entropies(y: Vector, prediction: Vector) -> Vector:
    """Return -y log(p) - (1 - y) log(1 - p) for shares y in [0, 1]."""
    return -xlogy(y, np.maximum(prediction, _LEAST_PREDICTION)) - xlogy(
        1 - y, np.maximum(1 - prediction, _LEAST_PREDICTION)
    )


def tweedie_deviances(y: Vector, prediction: Vector, power: float) -> Vector:
    """Return the unit deviance of variance f**power: 1 is Poisson, 2 gamma, between them both."""
    f = np.maximum(prediction, _LEAST_PREDICTION)
    if power == 1:
        return 2 * (xlogy(y, y / f) - y + f)
    if power == 2:
        return 2 * (np.log(f / y) + y / f - 1)
    return 2 * (
        y ** (2 - power) / ((1 - power) * (2 - power))
        - y * f ** (1 - power) / (1 - power)
        + f ** (2 - power) / (2 - power)
    )


def mean_squared_error(y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
    """Return the (weighted) mean of (y - prediction)**2.

    Examples
    --------
    >>> mean_squared_error(np.array([0.0, 1.0]), np.array([0.0, 3.0]))
    2.0
    """
    return float(np.average(squared_errors(y, prediction), weights=weights))


def mean_log_loss(y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
    """Return the (weighted) mean of -log p(y) for class codes `y`.

    Examples
    --------
    >>> round(mean_log_loss(np.array([0.0, 1.0]), np.array([0.5, 0.5])), 4)
    0.6931
    """
    return float(np.average(log_losses(y, prediction), weights=weights))
