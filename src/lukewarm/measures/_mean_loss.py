"""Measures that are minus the mean of a loss per row, which may also decide when to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from lukewarm._typing import Prediction, Vector
from lukewarm.measures._base import mean_of_rows
from lukewarm.measures._losses import ByLosses
from lukewarm.results import MeasureValue


class MeanLoss(ByLosses):
    """Minus the mean of `losses`, one per row; the influence of a row is its own term, centred."""

    def mean_loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the (weighted) mean loss, which may be infinite but raises nothing.

        Parameters
        ----------
        y, prediction : ndarrays of shape (n,)
        weights : ndarray of shape (n,), optional
        """
        return float(np.average(self.losses(y, prediction), weights=weights))

    def of_losses(self, y: Vector, losses: Vector, weights: Vector | None = None) -> MeasureValue:
        """Return the value of predictions with these losses."""
        return mean_of_rows(-losses, weights)

    def check_target(self, y: Vector) -> None:
        """Raise when the loss is not defined for values of the target; most are for all."""

    def best_constant(self, y: Vector, weights: Vector | None = None) -> float | Vector:
        """Return the constant prediction of least mean loss.

        Parameters
        ----------
        y : ndarray of shape (n,)
        weights : ndarray of shape (n,), optional
        """
        span = (float(y.min()), float(y.max()))
        return float(
            minimize_scalar(
                lambda value: self.mean_loss(y, np.full(len(y), value), weights),
                bounds=span,
                method="bounded",
                options={"xatol": 1e-8 * (span[1] - span[0])},
            ).x
        )


def check_values(name: str, values: Vector, is_allowed: np.ndarray, wanted: str) -> None:
    """Raise unless all values are allowed, saying what a measure wants and what came.

    Parameters
    ----------
    name : str
        Of the measure.
    values : ndarray of shape (n,)
    is_allowed : ndarray of bool of shape (n,)
    wanted : str
        What the measure needs, in words.
    """
    if not is_allowed.all():
        row = int(np.flatnonzero(~is_allowed)[0])
        raise ValueError(f"{name} needs {wanted}; row {row} has {values[row]:g}.")


def weighted_quantile(y: Vector, quantile: float, weights: Vector | None) -> float:
    """Return the least value with at least that share of the weight at or below it."""
    order = np.argsort(y, kind="stable")
    weight = np.ones(len(y)) if weights is None else weights[order]
    below = np.cumsum(weight)
    # Rounding of the sum must not push a share that is met exactly to the next value.
    met = below >= quantile * below[-1] * (1 - 1e-12)
    return float(y[order][met.argmax()])


@dataclass(frozen=True)
class NegMeanLoss(MeanLoss):
    """Minus the mean of a loss per row.

    Parameters
    ----------
    loss : callable (y, prediction) -> ndarray of shape (n,)
    name : str
    needs_classes : bool, default False
        Whether y holds class codes and predictions are probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> cubic = NegMeanLoss(lambda y, f: np.abs(y - f) ** 3, "cubic")
    >>> cubic.evaluate(np.array([1.0, 2.0]), np.array([0.0, 4.0])).value
    -4.5
    """

    loss: Callable[[Vector, Prediction], Vector]
    name: str
    needs_classes: bool = False

    def losses(self, y: Vector, prediction: Prediction) -> Vector:
        """Return the losses per row."""
        return self.loss(y, prediction)
