"""The names under which our measures are known."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches

import pandas as pd

from lukewarm._validation import shown
from lukewarm._warnings import warn_user
from lukewarm.measures._base import Measure
from lukewarm.measures._classification import AUC, Accuracy, Deviance, NegLogLoss
from lukewarm.measures._decisions import (
    F1,
    AveragePrecision,
    BalancedAccuracy,
    Brier,
    MacroAUC,
)
from lukewarm.measures._deviances import GammaDeviance, PoissonDeviance, TweedieDeviance
from lukewarm.measures._regression import R2, RMSE, Huber, NegMAE, NegMSE, Pinball
from lukewarm.measures._scorer import (
    ScorerMeasure,
    is_smooth,
    scorer_names,
    why_unfit,
)
from lukewarm.results import ImportanceWarning

_PLAIN: dict[str, type[Measure]] = {
    kind.name: kind
    for kind in (
        *(NegMSE, R2, RMSE, NegMAE, PoissonDeviance, GammaDeviance),
        *(Accuracy, BalancedAccuracy, F1, AUC, MacroAUC, AveragePrecision),
        *(Deviance, NegLogLoss, Brier),
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
    """Return the measure of that name, or the measure itself; see `available`.

    A name that is not ours may be that of a scorer of scikit-learn; one whose interval is not to be
    relied on warns.

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
        if measure in _PLAIN:
            return _PLAIN[measure]()
        if measure in scorer_names():
            return _of_scorer(measure)
    raise ValueError(_unknown(measure))


def _of_scorer(name: str) -> Measure:
    if not is_smooth(name):
        warn_user(
            f"measure {name!r} hangs on one row or two, so a jackknife does not know its standard "
            "error: importances hold, but not their intervals. 'neg_mae', 'rmse' and "
            "'pinball(quantile)' have intervals.",
            ImportanceWarning,
        )
    return ScorerMeasure.named(name)


def _unknown(measure: object) -> str:
    ours = (*_PLAIN, *_WITH_NUMBER)
    listed = ", ".join(map(repr, ours))
    message = (
        f"measure must be one of {listed}, or a scorer of scikit-learn, which "
        f"lukewarm.measures.available() lists; got {shown(measure)}"
    )
    if not isinstance(measure, str):
        return f"{message}."
    reason = why_unfit(measure)
    if reason is not None:
        return f"{message}, which {reason}."
    names = (*ours, *scorer_names())
    # A loss is known by its negative, since larger is better.
    negative = f"neg_{measure}"
    close = [negative] if negative in names else get_close_matches(measure, names, n=1)
    return f"{message}. Did you mean {close[0]!r}?" if close else f"{message}."


def own_names(*, of_classes: bool) -> tuple[str, ...]:
    """Return the names of our own measures for class codes, or of those for numbers.

    Examples
    --------
    >>> "r2" in own_names(of_classes=False), "auc" in own_names(of_classes=True)
    (True, True)
    """
    plain = tuple(
        name for name, kind in _PLAIN.items() if (_target_of(kind) != "numbers") == of_classes
    )
    return plain if of_classes else (*plain, *_WITH_NUMBER)


def available() -> pd.DataFrame:
    """Return every measure that has a name, what it is for, and what its interval rests on.

    Returns
    -------
    DataFrame
        `measure`; `target`, "numbers", "two classes" or "classes"; `interval`, "influence values"
        (exact derivatives), "jackknife" (scorers of scikit-learn, some 200 calls per model) or "not
        valid" (a jackknife of a maximum or a median).

    Examples
    --------
    >>> table = available().set_index("measure")
    >>> table.loc["rmse", "interval"], table.loc["jaccard", "interval"]
    ('influence values', 'jackknife')
    """
    rows: list[tuple[str, str, str]] = [
        (name, _target_of(kind), "influence values") for name, kind in _PLAIN.items()
    ]
    rows += [(form, "numbers", "influence values") for form in _WITH_NUMBER]
    rows += [
        (
            name,
            _target_of(ScorerMeasure.named(name)),
            "jackknife" if is_smooth(name) else "not valid",
        )
        for name in scorer_names()
        if name not in _PLAIN
    ]
    return pd.DataFrame(rows, columns=["measure", "target", "interval"])


def _target_of(measure: object) -> str:
    if not getattr(measure, "needs_classes", False):
        return "numbers"
    return "two classes" if getattr(measure, "max_classes", None) == 2 else "classes"


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
