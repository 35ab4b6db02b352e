"""Measures of rows whose losses are given as numbers instead of predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from lukewarm._typing import Prediction, Vector
from lukewarm.measures._base import mean_of_rows
from lukewarm.results import MeasureValue


@runtime_checkable
class BregmanLoss(Protocol):
    """A measure that falls with the mean of a loss whose best prediction is the mean of y.

    Squared error and log-loss are such losses. A prediction f beside the best one, f0, is expected
    to lose a Bregman divergence of the two more than f0 (Banerjee, Guo and Wang 2005), and where
    they are close that is curvature(f) (f - f0)^2.
    """

    name: str

    def losses(self, y: Vector, prediction: Prediction) -> Vector:
        """Return one loss per row, smaller is better."""
        ...

    def curvature(self, prediction: Prediction) -> Prediction:
        """Return half the second derivative of the loss, of the shape of the prediction."""
        ...

    def least_curvature(self, n_columns: int) -> float:
        """Return what f is expected to lose more than f0 at least, over the squares of f - f0.

        Predictions have so many columns.
        """
        ...

    def scale_terms(self, y: Vector, weights: Vector | None = None) -> Vector:
        """Return terms of rows, (n,), whose mean the mean loss is divided by."""
        ...

    def of_losses(self, y: Vector, losses: Vector, weights: Vector | None = None) -> MeasureValue:
        """Return the value of predictions with these losses (n,)."""
        ...


@dataclass(frozen=True)
class OfLosses:
    """A measure that is given losses where others are given predictions.

    Parameters
    ----------
    measure : BregmanLoss
        What the losses are measured by.
    """

    measure: BregmanLoss

    @property
    def name(self) -> str:
        """That of the measure."""
        return self.measure.name

    def evaluate(
        self, y: Vector, prediction: Vector, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the value of predictions with these losses."""
        return self.measure.of_losses(y, prediction, weights)


class MeanOfRows:
    """The mean of numbers that stand where predictions do."""

    name = "mean"

    def evaluate(
        self, y: Vector, prediction: Vector, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the mean."""
        return mean_of_rows(prediction, weights)
