"""Measures whose value follows from sums over rows, so that no row need be kept.

A mean over rows is its sum over their number. One minus a ratio of two means, as R2 is, follows
from both; the second depends on y alone, by a few statistics of each row.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Prediction, Vector
from lukewarm.measures._base import Measure, ratio_explained
from lukewarm.measures._classification import Accuracy, Deviance, NegLogLoss
from lukewarm.measures._losses import log_losses, squared_errors
from lukewarm.measures._mean_loss import MeanLoss
from lukewarm.measures._of_rows import BregmanLoss
from lukewarm.measures._regression import R2
from lukewarm.results import MeasureValue


class RowTerms(ABC):
    """What a measure needs of each row, and how its value follows from their means."""

    loss: BregmanLoss | None = None
    """The measure, where its best prediction is the mean of y."""

    @abstractmethod
    def errors(self, y: Vector, prediction: Prediction) -> Vector:
        """Return the error of each row."""

    def statistics(self, y: Vector) -> Matrix:
        """Return what is needed of the target of each row, shape (k, n); of most nothing."""
        return np.empty((0, len(y)))

    def scale(self, statistics: Sequence[MeasureValue]) -> MeasureValue | None:
        """Return what the mean error is divided by; None where it is a mean itself."""
        return None

    @abstractmethod
    def value(self, error: MeasureValue, statistics: Sequence[MeasureValue]) -> MeasureValue:
        """Return the measure, given the means of errors and statistics."""


@dataclass(frozen=True)
class _OfMean(RowTerms):
    """A measure that is a mean over rows."""

    measure: Measure

    @property
    def loss(self) -> BregmanLoss | None:  # type: ignore[override]
        return self.measure if isinstance(self.measure, BregmanLoss) else None

    def errors(self, y: Vector, prediction: Prediction) -> Vector:
        value = self.measure.evaluate(y, prediction)
        return -(value.value + value.influence)

    def value(self, error: MeasureValue, statistics: Sequence[MeasureValue]) -> MeasureValue:
        return MeasureValue(-error.value, -error.influence)


class _Explained(RowTerms):
    """One minus the mean error over its scale."""

    @abstractmethod
    def scale(self, statistics: Sequence[MeasureValue]) -> MeasureValue: ...

    def value(self, error: MeasureValue, statistics: Sequence[MeasureValue]) -> MeasureValue:
        return ratio_explained(error, self.scale(statistics))


@dataclass(frozen=True)
class _OfVariance(_Explained):
    """R2: one minus the mean squared error over the variance.

    `centre` is near the mean of y, so that squares do not cancel.
    """

    centre: float
    loss = R2()

    def errors(self, y: Vector, prediction: Prediction) -> Vector:
        return squared_errors(y, prediction)

    def statistics(self, y: Vector) -> Matrix:
        distance = y - self.centre
        return np.stack([distance, np.square(distance)])

    def scale(self, statistics: Sequence[MeasureValue]) -> MeasureValue:
        mean, square = statistics
        return MeasureValue(
            square.value - mean.value**2, square.influence - 2 * mean.value * mean.influence
        )


@dataclass(frozen=True)
class _OfEntropy(_Explained):
    """Deviance explained: one minus the cross-entropy over that of the class shares."""

    n_classes: int
    loss = Deviance()

    def errors(self, y: Vector, prediction: Prediction) -> Vector:
        return log_losses(y, prediction)

    def statistics(self, y: Vector) -> Matrix:
        return (y == np.arange(self.n_classes)[:, np.newaxis]).astype(float)

    def scale(self, statistics: Sequence[MeasureValue]) -> MeasureValue:
        # Entropy is minimal at the shares, so their own estimation does not enter.
        costs = [-np.log(share.value) if share.value > 0 else 0.0 for share in statistics]
        return MeasureValue(
            sum(cost * share.value for cost, share in zip(costs, statistics, strict=True)),
            np.sum(
                [cost * share.influence for cost, share in zip(costs, statistics, strict=True)],
                axis=0,
            ),
        )


def row_terms(measure: Measure, *, centre: float, n_classes: int | None) -> RowTerms:
    """Return what the measure needs of each row; a ValueError where sums do not suffice.

    Parameters
    ----------
    measure : Measure
    centre : float
        A value near the mean of y.
    n_classes : int, optional
    """
    if isinstance(measure, R2):
        return _OfVariance(centre)
    if isinstance(measure, Deviance) and n_classes is not None:
        return _OfEntropy(n_classes)
    if isinstance(measure, MeanLoss | Accuracy | NegLogLoss):
        return _OfMean(measure)
    raise ValueError(
        f"measure {measure.name!r} does not follow from sums over blocks of rows; use a mean over "
        "rows such as neg_mse, neg_log_loss or accuracy, r2 or deviance."
    )
