"""What a report is about: results, with what only the estimator that made them knows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

from lukewarm._typing import FeatureSet
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
    target : str, optional
        The name of what is predicted.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    n_rows: int | None = None
    target: str | None = None


@dataclass(frozen=True, eq=False)
class Correlated:
    """Columns that tell much of each other.

    Parameters
    ----------
    threshold : float
        All rank correlations within a cluster are at least so large.
    clusters : tuple of FeatureSet
    joint : ImportanceResult, optional
        The importances of clusters as a whole, of those that were measured.
    """

    threshold: float
    clusters: tuple[FeatureSet, ...]
    joint: ImportanceResult | None = None


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
    find_correlated : callable, optional
        Looks for correlated columns; not every page asks for them.
    """

    result: Result
    details: Details = Details()
    baseline: float | None = None
    linear: float = math.nan
    find_correlated: Callable[[], Correlated] | None = None

    @cached_property
    def correlated(self) -> Correlated | None:
        """Clusters of correlated columns; None where none are known."""
        clusters = None if self.find_correlated is None else self.find_correlated()
        return clusters if clusters is not None and clusters.clusters else None


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
