"""Measures of rows that are given as numbers instead of predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from lukewarm._typing import Vector
from lukewarm.measures._base import mean_of_rows
from lukewarm.results import MeasureValue


@runtime_checkable
class TakesSquaredErrors(Protocol):
    """A measure that falls in proportion to the mean squared error."""

    name: str

    def of_squared_errors(
        self, y: Vector, errors: Vector, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the value of predictions with these squared errors (n,)."""
        ...


@dataclass(frozen=True)
class OfSquaredErrors:
    """A measure that is given squared errors where others are given predictions.

    Parameters
    ----------
    measure : TakesSquaredErrors
        What the errors are measured by.
    """

    measure: TakesSquaredErrors

    @property
    def name(self) -> str:
        """That of the measure."""
        return self.measure.name

    def evaluate(
        self, y: Vector, prediction: Vector, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the value of predictions with these squared errors."""
        return self.measure.of_squared_errors(y, prediction, weights)


class MeanOfRows:
    """The mean of numbers that stand where predictions do."""

    name = "mean"

    def evaluate(
        self, y: Vector, prediction: Vector, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the mean."""
        return mean_of_rows(prediction, weights)
