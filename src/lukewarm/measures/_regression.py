"""Measures of a numeric target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Prediction, Vector
from lukewarm._validation import check_fraction, check_number
from lukewarm.measures._base import counted_rows, mean_of_rows, ratio_explained
from lukewarm.measures._losses import (
    SquaredErrors,
    absolute_errors,
    huber_losses,
    pinball_losses,
)
from lukewarm.measures._mean_loss import MeanLoss, weighted_quantile
from lukewarm.results import MeasureValue


class NegMSE(SquaredErrors, MeanLoss):
    """Negative mean squared error; of class probabilities, the negative Brier score.

    Examples
    --------
    >>> NegMSE().evaluate(np.array([0.0, 1.0]), np.array([0.0, 3.0])).value
    -2.0
    """

    name = "neg_mse"

    def best_constant(self, y: Vector, weights: Vector | None = None) -> float:
        """Return the mean."""
        return float(np.average(y, weights=weights))


class RMSE(SquaredErrors):
    """Negative root of the mean squared error: an error in the unit of y.

    Notes
    -----
    By the delta method, the influence of a row is -(e_i - m) / (2 sqrt(m)), e_i its squared error
    and m their mean; without any error it is zero.

    Examples
    --------
    >>> round(RMSE().evaluate(np.array([0.0, 1.0]), np.array([0.0, 3.0])).value, 4)
    -1.4142
    """

    name = "rmse"
    max_classes = 2

    def of_losses(self, y: Vector, losses: Vector, weights: Vector | None = None) -> MeasureValue:
        """Return the value of predictions with these squared errors."""
        error = mean_of_rows(losses, weights)
        root = np.sqrt(error.value)
        return MeasureValue(
            -float(root), -error.influence / (2 * root) if root else error.influence
        )


class NegMAE(MeanLoss):
    """Negative mean absolute error.

    Examples
    --------
    >>> NegMAE().evaluate(np.array([0.0, 1.0]), np.array([0.0, 3.0])).value
    -1.0
    """

    name = "neg_mae"
    max_classes = 2

    def losses(self, y: Vector, prediction: Prediction) -> Vector:
        """Return the absolute errors."""
        return absolute_errors(y, prediction)

    def best_constant(self, y: Vector, weights: Vector | None = None) -> float:
        """Return the median."""
        return weighted_quantile(y, 0.5, weights)


@dataclass(frozen=True)
class Pinball(MeanLoss):
    """Negative mean pinball loss: the skill of a prediction of a quantile.

    Parameters
    ----------
    quantile : float in (0, 1)

    Examples
    --------
    >>> Pinball(0.9).name
    'pinball(0.9)'
    >>> Pinball(0.9).evaluate(np.array([1.0, 2.0]), np.array([0.0, 3.0])).value
    -0.5
    """

    quantile: float

    max_classes = 2

    def __post_init__(self) -> None:
        check_fraction("quantile", self.quantile)

    @property
    def name(self) -> str:
        """The name with its quantile."""
        return f"pinball({self.quantile:.12g})"

    def losses(self, y: Vector, prediction: Prediction) -> Vector:
        """Return the pinball losses."""
        return pinball_losses(y, prediction, self.quantile)

    def best_constant(self, y: Vector, weights: Vector | None = None) -> float:
        """Return the quantile."""
        return weighted_quantile(y, self.quantile, weights)


@dataclass(frozen=True)
class Huber(MeanLoss):
    """Negative mean Huber loss: half the squared error of small errors, linear in large ones.

    Parameters
    ----------
    delta : float
        The error from which on the loss is linear, on the scale of y.

    Examples
    --------
    >>> Huber(1.0).evaluate(np.array([0.0, 0.0]), np.array([1.0, 3.0])).value
    -1.5
    """

    delta: float

    max_classes = 2

    def __post_init__(self) -> None:
        check_number("delta", self.delta, above=0)

    @property
    def name(self) -> str:
        """The name with its delta."""
        return f"huber({self.delta:.12g})"

    def losses(self, y: Vector, prediction: Prediction) -> Vector:
        """Return the Huber losses."""
        return huber_losses(y, prediction, self.delta)


class R2(SquaredErrors):
    """Share of the variance of y that is explained.

    Notes
    -----
    1 - m / v with m the mean squared error and v the variance of y on the same rows; by the delta
    method the influence of row i is -[(e_i - m) / v - m (d_i - v) / v**2], where e_i is its
    squared error and d_i its squared distance from mean(y).

    Examples
    --------
    >>> R2().evaluate(np.array([0.0, 2.0]), np.array([0.5, 1.5])).value
    0.75
    """

    name = "r2"
    max_classes = 2

    def check_target(self, y: Vector) -> None:
        """Raise where y does not vary."""
        if np.ptp(y) == 0:
            raise ValueError(
                f"measure 'r2' needs rows on which y varies; y is {y[0]:g} on all {len(y)} rows of "
                "a part. Use more rows, fewer folds or neg_mse."
            )

    def of_losses(self, y: Vector, losses: Vector, weights: Vector | None = None) -> MeasureValue:
        """Return the value of predictions with these squared errors."""
        self.check_target(counted_rows(y, weights))
        variance = mean_of_rows(self.scale_terms(y, weights), weights)
        return ratio_explained(mean_of_rows(losses, weights), variance)

    def scale_terms(self, y: Vector, weights: Vector | None = None) -> Vector:
        """Return the squared distances from the mean."""
        return np.square(y - np.average(y, weights=weights))
