"""The names under which our measures are known."""

from __future__ import annotations

from lukewarm._validation import check_choice
from lukewarm.measures._base import Measure
from lukewarm.measures._classification import AUC, Accuracy, Deviance, NegLogLoss
from lukewarm.measures._regression import R2, NegMAE, NegMSE

_KNOWN: dict[str, type[Measure]] = {
    kind.name: kind for kind in (NegMSE, R2, NegMAE, Accuracy, AUC, Deviance, NegLogLoss)
}
MEASURES = tuple(_KNOWN)


def as_measure(measure: str | Measure) -> Measure:
    """Return the measure of that name, or the measure itself.

    Examples
    --------
    >>> as_measure("r2").name
    'r2'
    """
    if isinstance(measure, type):
        raise TypeError(f"measure must be an object, not a class; pass {measure.__name__}(...).")
    if not isinstance(measure, str) and isinstance(measure, Measure):
        return measure
    return _KNOWN[check_choice("measure", measure, _KNOWN)]()


def needs_classes(measure: Measure) -> bool:
    """Return whether the measure is one of classes."""
    return bool(getattr(measure, "needs_classes", False))
