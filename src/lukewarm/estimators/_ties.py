"""Rows that belong together, as the user gives them with the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lukewarm._validation import shown
from lukewarm.data import RowUnits, as_codes
from lukewarm.estimators._problem import Problem


class Ties(NamedTuple):
    """What `fit` was told about rows that belong together; see `VariableImportance.fit`."""

    groups: Any = None
    groups_eval: Any = None


def tied(problem: Problem, ties: Ties) -> Problem:
    """Return the problem with its units, which no split parts, and the groups that errors know."""
    if ties.groups is None and ties.groups_eval is None:
        return problem
    n_fit = len(problem.y) - problem.n_evaluation
    clusters = _as_clusters(ties, n_fit, problem.n_evaluation)
    return replace(problem, units=RowUnits(clusters), clusters=clusters)


def _as_clusters(ties: Ties, n_fit: int, n_evaluation: int) -> np.ndarray:
    """Return the group of each row, first those of X, then those of X_eval."""
    if n_evaluation == 0 and ties.groups_eval is not None:
        raise ValueError(
            "groups_eval belongs to X_eval, which is missing; without it, groups is for all rows."
        )
    if n_evaluation and (ties.groups is None or ties.groups_eval is None):
        raise ValueError(
            "groups and groups_eval belong together where X_eval is given; pass both or neither."
        )
    codes, labels = as_codes("groups", ties.groups, n_fit)
    if n_evaluation == 0:
        return codes
    more, other_labels = as_codes("groups_eval", ties.groups_eval, n_evaluation)
    shared = set(labels.tolist()) & set(other_labels.tolist())
    if shared:
        raise ValueError(
            "groups_eval must name other groups than groups, or models are judged by rows of "
            f"groups they have learnt; both have {shown(sorted(shared, key=str)[0])}."
        )
    return np.concatenate([codes, more + len(labels)])
