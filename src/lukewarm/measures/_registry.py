"""The names under which our measures are known."""

from __future__ import annotations

import re
from collections.abc import Callable

from lukewarm._validation import check_choice
from lukewarm.measures._base import Measure
from lukewarm.measures._classification import AUC, Accuracy, Deviance, NegLogLoss
from lukewarm.measures._deviances import GammaDeviance, PoissonDeviance, TweedieDeviance
from lukewarm.measures._regression import R2, Huber, NegMAE, NegMSE, Pinball

_PLAIN: dict[str, type[Measure]] = {
    kind.name: kind
    for kind in (
        *(NegMSE, R2, NegMAE, PoissonDeviance, GammaDeviance),
        *(Accuracy, AUC, Deviance, NegLogLoss),
    )
}
# Named with the number they need, as in "pinball(0.9)".
_WITH_NUMBER: dict[str, Callable[[float], Measure]] = {
    "pinball(quantile)": Pinball,
    "huber(delta)": Huber,
    "tweedie_deviance(power)": TweedieDeviance,
}
MEASURES = tuple(_PLAIN)


def as_measure(measure: str | Measure) -> Measure:
    """Return the measure of that name, or the measure itself.

    Examples
    --------
    >>> as_measure("r2").name, as_measure("pinball(0.9)").quantile
    ('r2', 0.9)
    """
    if isinstance(measure, type):
        raise TypeError(f"measure must be an object, not a class; pass {measure.__name__}(...).")
    if not isinstance(measure, str) and isinstance(measure, Measure):
        return measure
    if isinstance(measure, str):
        for form, kind in _WITH_NUMBER.items():
            stem = form.partition("(")[0]
            if re.fullmatch(rf"{stem}(\(.*\))?", measure):
                return _with_number(kind, measure, _number(measure, stem, form))
    return _PLAIN[check_choice("measure", measure, (*_PLAIN, *_WITH_NUMBER))]()


def needs_classes(measure: Measure) -> bool:
    """Return whether the measure is one of classes."""
    return bool(getattr(measure, "needs_classes", False))


def centres_classes(measure: Measure) -> bool:
    """Return whether the influence values have mean zero within each class, not only overall."""
    return bool(getattr(measure, "centres_classes", False))


def _with_number(kind: Callable[[float], Measure], measure: str, number: float) -> Measure:
    try:
        return kind(number)
    except ValueError as error:
        raise ValueError(f"measure is {measure!r}, but {error}") from None


def _number(measure: str, stem: str, form: str) -> float:
    try:
        return float(measure[len(stem) + 1 : -1])
    except ValueError:
        raise ValueError(
            f"measure must name its number, {form!r}, as in '{stem}(0.9)' or '{stem}(1.5)'; got "
            f"{measure!r}."
        ) from None
