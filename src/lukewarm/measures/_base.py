"""What a measure is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from lukewarm._typing import Prediction, Vector
from lukewarm.results import MeasureValue


@runtime_checkable
class Measure(Protocol):
    """Predictive skill of a prediction, with its influence values.

    ``evaluate(y, prediction, weights)`` returns the value (larger is better) and one influence
    value per row, with mean zero. The importance of a feature set is a difference of two values,
    its standard error that of the difference of their influence values.

    A measure may have ``needs_classes = True`` (y holds class codes, predictions are
    probabilities), ``max_classes``, ``centres_classes = True`` (influence values have mean zero
    within each class) and ``check_target(y)``, which raises ValueError where it has no value.
    """

    @property
    def name(self) -> str:
        """The name under which results show the measure."""
        ...

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the skill of `prediction` on the rows with target `y`.

        Parameters
        ----------
        y : ndarray of shape (n,)
        prediction : ndarray of shape (n,) or (n, n_classes)
        weights : ndarray of shape (n,), optional
        """
        ...


def counted_rows(y: Vector, weights: Vector | None) -> Vector:
    """Return the targets of the rows with positive weight."""
    return y if weights is None else y[weights > 0]


def mean_of_rows(terms: Vector, weights: Vector | None) -> MeasureValue:
    """Return the (weighted) mean of one term per row, with its influence values."""
    value = float(np.average(terms, weights=weights))
    influence = terms - value
    if weights is not None:
        influence = influence * (weights / np.mean(weights))
    return MeasureValue(value, influence)


def ratio_of_means(above: Vector, below: Vector, weights: Vector | None) -> MeasureValue:
    """Return mean(above) / mean(below) of one term per row, its influence by the delta method."""
    numerator, denominator = mean_of_rows(above, weights), mean_of_rows(below, weights)
    ratio = numerator.value / denominator.value
    influence = (numerator.influence - ratio * denominator.influence) / denominator.value
    return MeasureValue(ratio, influence)


def ratio_explained(error: MeasureValue, total: MeasureValue) -> MeasureValue:
    """Return 1 - error / total, the influence values by the delta method."""
    ratio = error.value / total.value
    influence = -(error.influence - ratio * total.influence) / total.value
    return MeasureValue(1 - ratio, influence)
