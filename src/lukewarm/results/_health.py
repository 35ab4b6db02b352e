"""Remarks on a result: what a reader should know before relying on its numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from lukewarm._typing import Vector
from lukewarm._warnings import warn_user
from lukewarm.exceptions import HealthWarning, NearZeroWarning, UnderfitWarning, UntrainedWarning
from lukewarm.results._records import MeasureValue

if TYPE_CHECKING:
    from lukewarm.results._importance import ImportanceResult
    from lukewarm.results._shapley import ShapleyResult

SEVERITIES = ("warning", "note")
# Wald intervals lean on the normal law of a mean, of which 30 rows are the usual least number.
_FEW_ROWS = 30
# Two trainings of one model differ by about this share of the error of its skill.
_NEGLIGIBLE = 0.1
# A gain without a feature is worth a warning from this share of the largest importance.
_MATERIAL = 0.05
# A warning is read in a terminal; what is cut is counted.
_MOST_LINES = 10
_MOST_NAMES = 5


@dataclass(frozen=True)
class Remark:
    """One thing to know about a result.

    Parameters
    ----------
    name : str
        What kind of remark it is, such as "few_rows" or "near_zero".
    severity : "warning" or "note"
        Whether a fit warns of it, or only keeps it.
    feature : str
        The feature set or the column it is about; empty when it is about the whole.
    message : str
        What was found and what to do.

    Examples
    --------
    >>> Remark("constant", "note", "site", "holds one value only.").feature
    'site'
    """

    name: str
    severity: str
    feature: str
    message: str


def remarks_on_estimates(
    result: ImportanceResult | ShapleyResult, estimate: Vector, full: MeasureValue
) -> tuple[Remark, ...]:
    """Return what estimates with intervals show by themselves; `full` is the full model's skill."""
    return (
        *_few_rows(result, len(full.influence)),
        *_better_without(result, estimate),
        *_near_zero(result, estimate, full.standard_error),
    )


def health_frame(remarks: Iterable[Remark]) -> pd.DataFrame:
    """Return one row per remark, warnings first."""
    ordered = sorted(remarks, key=lambda remark: SEVERITIES.index(remark.severity))
    columns = ["severity", "name", "feature", "message"]
    return pd.DataFrame(
        [[getattr(remark, column) for column in columns] for remark in ordered], columns=columns
    )


def health_line(remarks: Iterable[Remark]) -> str:
    """Return the remarks in one line: how many of which kind; empty when there are none.

    Examples
    --------
    >>> health_line([Remark("few_rows", "warning", "", "only 12 rows.")])
    'Health: 1 warning (few_rows); see health().'
    """
    all_remarks = list(remarks)
    parts = []
    for severity in SEVERITIES:
        names = [remark.name for remark in all_remarks if remark.severity == severity]
        if names:
            plural = "s" if len(names) > 1 else ""
            parts.append(f"{len(names)} {severity}{plural} ({', '.join(dict.fromkeys(names))})")
    return f"Health: {', '.join(parts)}; see health()." if parts else ""


def warn_of(health: pd.DataFrame) -> None:
    """Raise one warning that lists the remarks of severity "warning", if there are any."""
    rows = health[health["severity"] == "warning"].to_dict("records")
    serious = [Remark(**{str(key): value for key, value in row.items()}) for row in rows]
    if not serious:
        return
    names = {remark.name for remark in serious}
    category: type[HealthWarning] = HealthWarning
    if "untrained" in names:
        category = UntrainedWarning
    elif "underfit" in names:
        category = UnderfitWarning
    elif names == {"near_zero"}:
        category = NearZeroWarning
    warn_user(_listed(serious), category)


def _listed(remarks: list[Remark]) -> str:
    """Return one line per message; features about which the same is said share a line."""
    features: dict[str, list[str]] = {}
    for remark in remarks:
        features.setdefault(remark.message, []).append(remark.feature)
    lines = [
        f"{_enumerated(named)}: {message}" if any(named) else message
        for message, named in features.items()
    ]
    if len(lines) == 1:
        return lines[0]
    shown = [f"- {line}" for line in lines[:_MOST_LINES]]
    if len(lines) > _MOST_LINES:
        shown.append(f"- and {len(lines) - _MOST_LINES} more.")
    head = "there is more to know about these results, see also result_.health():"
    return "\n".join([head, *shown])


def _enumerated(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def rows_text(n_rows: int, clusters: np.ndarray | None) -> str:
    """Return how many rows there are, and in how many groups.

    Examples
    --------
    >>> rows_text(3, np.array([0, 1, 0]))
    '3 rows in 2 groups'
    """
    return f"{n_rows} rows" if clusters is None else f"{n_rows} rows in {clusters.max() + 1} groups"


def _few_rows(result: ImportanceResult | ShapleyResult, n_units: int) -> list[Remark]:
    n_evaluating = n_units // 2 if result.inference == "split" else n_units
    if n_evaluating >= _FEW_ROWS:
        return []
    units = "rows" if result.clusters is None else "groups of rows"
    message = (
        f"only {n_evaluating} {units} evaluate each model; intervals and p-values need some "
        f"{_FEW_ROWS} or more to be near their level. Use cv to evaluate every row, or more "
        f"{units}."
    )
    return [Remark("few_rows", "warning", "", message)]


def _better_without(result: ImportanceResult | ShapleyResult, estimate: Vector) -> list[Remark]:
    low, high = result.interval()
    largest = max(float(estimate.max()), 0.0)
    return [
        Remark(
            "better_without",
            "warning" if -estimate[number] > _MATERIAL * largest else "note",
            result.names[number],
            f"the models are better without it, by {-estimate[number]:.3g} "
            f"[{-high[number]:.3g}, {-low[number]:.3g}] of {result.measure}; it adds noise, or the "
            "full model needs more rows or shrinkage. Consider leaving it out.",
        )
        for number in (high < 0).nonzero()[0]
    ]


def _near_zero(
    result: ImportanceResult | ShapleyResult, estimate: Vector, full_error: float
) -> list[Remark]:
    """Return remarks on paired estimates near zero, where the theory of paired intervals ends.

    At zero both models are one function, and the difference has hardly any spread. That is taken
    to be so where an estimate is below a tenth of the error with which the skill of the full model
    itself is known. It matters where a test would find the feature important all the same.
    """
    if result.inference != "paired" or getattr(result, "scores", None) is not None:
        return []
    low, high = result.interval()
    is_alike = estimate < _NEGLIGIBLE * full_error
    is_claimed = is_alike & (result.p_value() < 1 - result.level)
    remarks = []
    for number, name in enumerate(result.names):
        if is_claimed[number]:
            message = (
                "the models with and without it are all but alike, and there a paired p-value "
                'comes out too small; use inference="split" to test whether it matters.'
            )
            remarks.append(Remark("near_zero", "warning", name, message))
        elif high[number] >= 0 and (is_alike[number] or low[number] <= 0):
            message = (
                "its paired interval reaches zero or lies next to it, where such intervals are "
                'too narrow; inference="split" tests whether it is zero.'
            )
            remarks.append(Remark("near_zero", "note", name, message))
    return remarks
