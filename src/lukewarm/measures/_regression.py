"""Measures of a numeric target."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Prediction, Vector
from lukewarm.measures._base import counted_rows, mean_of_rows, ratio_explained
from lukewarm.measures._losses import squared_errors
from lukewarm.results import MeasureValue


class NegMSE:
    """Negative mean squared error; of class probabilities, the negative Brier score.

    Examples
    --------
    >>> NegMSE().evaluate(np.array([0.0, 1.0]), np.array([0.0, 3.0])).value
    -2.0
    """

    name = "neg_mse"

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return -mean((y - f)**2); the influence of a row is its own term, centred."""
        return mean_of_rows(-squared_errors(y, prediction), weights)


class NegMAE:
    """Negative mean absolute error.

    Examples
    --------
    >>> NegMAE().evaluate(np.array([0.0, 1.0]), np.array([0.0, 3.0])).value
    -1.0
    """

    name = "neg_mae"
    max_classes = 2

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return -mean(abs(y - f)); the influence of a row is its own term, centred."""
        return mean_of_rows(-np.abs(y - prediction), weights)


class R2:
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

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return 1 - MSE / Var(y) and its influence values."""
        self.check_target(counted_rows(y, weights))
        mean = np.average(y, weights=weights)
        error = mean_of_rows(squared_errors(y, prediction), weights)
        return ratio_explained(error, mean_of_rows(np.square(y - mean), weights))
