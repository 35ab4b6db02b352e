"""What a report is about: results, with what only the estimator that made them knows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from lukewarm._validation import shown
from lukewarm.results import ImportanceResult, ShapleyResult

Result = ImportanceResult | ShapleyResult


@dataclass(frozen=True)
class Details:
    """What a result does not keep and a reader wants to know.

    Parameters
    ----------
    settings : mapping from str to str
        Parameters of the estimator that differ from their defaults, as text.
    columns : tuple of str
        Names of the table's columns, for sets of several of them.
    n_rows : int, optional
        Rows of the table.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    n_rows: int | None = None


@dataclass(frozen=True, eq=False)
class Subject:
    """One result on a page.

    Parameters
    ----------
    result : ImportanceResult or ShapleyResult
    details : Details
    baseline : float, optional
        Skill of always predicting the same, under the result's measure.
    linear : float, optional
        Skill of a linear model of the same columns; nan where there is none.
    """

    result: Result
    details: Details = Details()
    baseline: float | None = None
    linear: float = math.nan


@runtime_checkable
class _Estimator(Protocol):
    def _report_subjects(self) -> list[Subject]: ...


def as_subjects(name: str, values: Any) -> list[Subject]:
    """Return the subjects of results and fitted estimators, one of them or a list."""
    listed = values if isinstance(values, list | tuple) else [values]
    subjects: list[Subject] = []
    for each in listed:
        if isinstance(each, _Estimator) and not isinstance(each, type):
            subjects.extend(each._report_subjects())
        elif isinstance(each, ImportanceResult | ShapleyResult):
            subjects.append(Subject(each))
        else:
            raise TypeError(
                f"{name} must be fitted estimators or their results; got {shown(each)}."
            )
    if not subjects:
        raise ValueError(f"{name} is empty; pass at least one result.")
    if any(len(subject.result) == 0 for subject in subjects):
        raise ValueError(f"{name} holds a result without a feature set; there is nothing to show.")
    return subjects
