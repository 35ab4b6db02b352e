"""What an estimator adds to the report of its results: settings, columns, simple baselines."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from lukewarm._validation import shown
from lukewarm.estimators._baselines import constant_skill, linear_skill
from lukewarm.estimators._correlated import correlated_clusters
from lukewarm.estimators._prepared import Prepared
from lukewarm.measures import Measure
from lukewarm.reporting import Correlated, Details, Subject
from lukewarm.results import ImportanceResult

if TYPE_CHECKING:
    from lukewarm.estimators._base import ImportanceEstimator


def report_subjects(estimator: ImportanceEstimator) -> list[Subject]:
    """Return the results of a fitted estimator, each with what only the estimator knows."""
    prepared = estimator._prepared
    details = Details(
        settings=_settings(estimator),
        columns=tuple(map(str, estimator.feature_names_in_)),
        n_rows=len(prepared.problem.y),
        target=prepared.problem.target,
    )
    # The models without a cluster serve all measures.
    correlated = cache(lambda: correlated_clusters(estimator))
    measures = {measure.name: measure for measure in prepared.problem.measures}
    return [
        Subject(
            result,
            details,
            _baseline(result, prepared, measures[name]),
            linear_skill(prepared, measures[name]),
            partial(_under, correlated, name),
        )
        for name, result in estimator.results_.items()
    ]


def _under(find: Callable[[], dict[str, Correlated]], measure: str) -> Correlated:
    return find()[measure]


def _baseline(result: Any, prepared: Prepared, measure: Measure) -> float | None:
    """Return the skill of a constant guess; Shapley values have it as their empty coalition."""
    is_importance = isinstance(result, ImportanceResult)
    return constant_skill(prepared, measure) if is_importance else None


def _settings(estimator: BaseEstimator) -> dict[str, str]:
    """Return the parameters that differ from their defaults, and the seed whatever it is."""
    defaults = type(estimator)().get_params(deep=False)
    given = estimator.get_params(deep=False)
    changed = {name: value for name, value in given.items() if not _is_same(value, defaults[name])}
    return {
        name: _said(value)
        for name, value in {"random_state": given["random_state"], **changed}.items()
    }


def _is_same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(np.all(value == default)))


def _said(value: Any) -> str:
    """Return a setting as text; of an object its class, for it may hold data."""
    plain = (str, int, float, bool, type(None), list, tuple, dict)
    return shown(value) if isinstance(value, plain) else type(value).__name__
