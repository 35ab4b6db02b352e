"""What a measure is, and the names under which ours are known."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from lukewarm._typing import Prediction, Vector
from lukewarm._validation import check_choice
from lukewarm.results import MeasureValue


@runtime_checkable
class Measure(Protocol):
    """Predictive skill of a prediction, with its influence values.

    ``evaluate(y, prediction, weights)`` returns the value (larger is better) and one influence
    value per row, with mean zero. The importance of a feature set is a difference of two values,
    its standard error that of the difference of their influence values.
    """

    name: str

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the skill of `prediction` on the rows with target `y`."""
        ...


def as_measure(measure: str | Measure) -> Measure:
    """Return the measure of that name, or the measure itself.

    Examples
    --------
    >>> as_measure("r2").name
    'r2'
    """
    from lukewarm.measures._regression import R2, NegMSE

    known: dict[str, type] = {kind.name: kind for kind in (NegMSE, R2)}
    if not isinstance(measure, str) and isinstance(measure, Measure):
        return measure
    return known[check_choice("measure", measure, known)]()
