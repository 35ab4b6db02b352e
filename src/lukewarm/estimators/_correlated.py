"""Clusters of correlated columns: which there are, and what each is worth as a whole."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from lukewarm._typing import FeatureSet
from lukewarm.data import FeatureIndex, correlation_groups
from lukewarm.estimators._budget import most_promising_first
from lukewarm.estimators._follow_ups import FollowUps
from lukewarm.estimators._problem import Problem
from lukewarm.reporting import Correlated

if TYPE_CHECKING:
    from lukewarm.estimators._base import ImportanceEstimator

# Ranks that share half of their variance; from there on one column can do much of another's work.
_THRESHOLD = 0.7
# A rank correlation is known to 0.02 from as many rows.
_MOST_ROWS = 2_000
# All pairs are compared: the cost grows with the square.
_MOST_COLUMNS = 1_000
# More would not be read, and a page should not be waited for.
_MOST_CLUSTERS, _MOST_SECONDS = 8, 10.0


def correlated_clusters(estimator: ImportanceEstimator) -> dict[str, Correlated]:
    """Return the clusters of correlated columns under each measure, measured where that is quick.

    The joint importances are those of `fit_more`. A cluster is left out where none of its columns
    is a feature set of its own, and where it was asked for as a whole. Shapley values need no
    models without clusters: those of the members add up.
    """
    problem, result = estimator._prepared.problem, estimator.result_
    sets = result.removed if isinstance(estimator, FollowUps) else result.players
    clusters = _clusters(problem, sets)
    joint = {}
    if clusters and isinstance(estimator, FollowUps):
        # The models are obtained for the page alone, so a store need not know of them.
        prepared = replace(estimator._prepared, store=None)
        # What is still to come costs about what was measured has cost.
        n_quick = int(_MOST_SECONDS / max(float(np.mean(result.seconds)), 1e-3))
        n_measured = min(n_quick, _MOST_CLUSTERS)
        if n_measured:
            # To rank one takes a prediction or two, an eighth of measuring it.
            ranked = {name: clusters[name] for name in list(clusters)[: 8 * n_quick]}
            chosen = most_promising_first(prepared, ranked)[:n_measured]
            _, _, joint = estimator._measured(
                prepared,
                {name: clusters[name] for name in chosen},
                monotonic() + _MOST_SECONDS,
                "record",
            )
    return {
        measure: Correlated(_THRESHOLD, tuple(clusters.values()), joint.get(measure))
        for measure in estimator.results_
    }


def _clusters(problem: Problem, sets: tuple[FeatureSet, ...]) -> dict[str, FeatureSet]:
    alone = [removed[0] for removed in sets if len(removed) == 1]
    columns = sorted(list(dict.fromkeys([*alone, *range(len(problem.index))]))[:_MOST_COLUMNS])
    n_rows = len(problem.y)
    # Evenly from all of them, since a table may be in some order.
    table = problem.rows(np.arange(0, n_rows, -(-n_rows // _MOST_ROWS))).X
    table = table[:, columns] if isinstance(table, np.ndarray) else table.iloc[:, columns]
    names = tuple(problem.index.names[column] for column in columns)
    groups = correlation_groups(table, FeatureIndex(names), _THRESHOLD)
    column_of = dict(zip(names, columns, strict=True))
    clusters = {
        name: tuple(sorted(column_of[member] for member in members))
        for name, members in groups.items()
    }
    return {
        name: members
        for name, members in clusters.items()
        if not set(members).isdisjoint(alone) and members not in sets
    }
