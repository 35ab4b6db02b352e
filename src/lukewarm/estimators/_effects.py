"""Effect curves of the full models, over the evaluation rows of all folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from lukewarm._typing import Matrix, Vector
from lukewarm.data import Rows, as_feature_sets, like_column
from lukewarm.estimators._prepared import Prepared
from lukewarm.learners import BaseLearner
from lukewarm.parallel import blas_for, run_jobs
from lukewarm.reduction import (
    ReductionData,
    changes_in_bins,
    changes_of_pairs,
    column_of,
    has_few_values,
)
from lukewarm.results import EffectCurve, EffectCurves

if TYPE_CHECKING:
    from lukewarm.estimators._base import ImportanceEstimator

# Bins of a column of numbers, of as many rows each: enough for a curve of several turns, and 25
# rows in each of a table of 500.
_N_BINS = 20
# Of each fold; a mean change in a bin is known to a few percent of its spread from as many.
_MOST_ROWS = 10_000


@dataclass(frozen=True, eq=False)
class _Fold:
    """A full model with the table rows that evaluate it."""

    learner: BaseLearner
    data: ReductionData
    rows: Rows
    given: pd.DataFrame | None

    @cached_property
    def weights(self) -> Vector:
        return np.ones(len(self.rows)) if self.rows.weights is None else self.rows.weights


def effect_columns(estimator: ImportanceEstimator, features: Any) -> dict[str, int]:
    """Return the columns to draw curves of, by the names shown."""
    index = estimator._prepared.problem.index
    if features is not None:
        sets = as_feature_sets(index, features)
        several = [name for name, columns in sets.items() if len(columns) > 1]
        if several:
            raise ValueError(
                f"features must name single columns for effect curves; {several} have several."
            )
        return {name: columns[0] for name, columns in sets.items()}
    result: Any = estimator.result_
    sets = getattr(result, "removed", None) or result.players
    alone = {
        name: columns[0]
        for name, columns in zip(result.names, sets, strict=True)
        if len(columns) == 1
    }
    if not alone:
        raise ValueError(
            "every feature set of the fit has several columns, and an effect curve is that of one; "
            "name columns in features."
        )
    return alone


def effect_curves(
    prepared: Prepared,
    columns: dict[str, int],
    model_name: str,
    *,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> EffectCurves:
    """Return how the full models' predictions move with each of the columns.

    Parameters
    ----------
    prepared : Prepared
    columns : dict from name to column number
    model_name : str
    n_jobs, verbose
        As for the estimators.
    """
    folds = list(_folds(prepared))
    with blas_for(len(prepared.problem.y)):
        curves = run_jobs(
            lambda item: _curve(folds, *item),
            list(columns.items()),
            n_jobs=n_jobs,
            verbose=verbose,
            description="effect curves",
        )
    n_outputs = curves[0].effect.shape[1]
    return EffectCurves(
        tuple(curves),
        prepared.problem.outputs or _output_names(prepared.problem.classes, n_outputs),
        prepared.described(model_name),
    )


def _folds(prepared: Prepared) -> Iterator[_Fold]:
    """Yield the model of each fold, with tables whatever form the learner trained on."""
    runs = prepared.runs
    keeps_table = prepared.reduction.traits.keeps_table
    for numbers, model in zip(runs.folds, runs.whole, strict=True):
        full, split = prepared.full_models[model], runs.splits[model]
        seen = prepared.problem.read_by(full.learner)
        data = full.data
        if not keeps_table:
            data = ReductionData(seen.rows(split.train), seen.rows(split.stopping), data.removal)
        every = -(-len(numbers) // _MOST_ROWS)
        yield _Fold(full.learner, data, seen.rows(numbers[::every]), prepared.problem.given)


def _curve(folds: list[_Fold], name: str, column: int) -> EffectCurve:
    if all(has_few_values(fold.data.train.X, column) for fold in folds):
        return _of_levels(folds, name, column)
    return _of_numbers(folds, name, column)


def _of_numbers(folds: list[_Fold], name: str, column: int) -> EffectCurve:
    values = [column_of(fold.rows.X, column) for fold in folds]
    numbers = np.concatenate(values)
    numbers = numbers[~np.isnan(numbers)]
    quantiles = np.quantile(numbers, np.linspace(0, 1, _N_BINS + 1)) if len(numbers) else numbers
    edges = np.unique(quantiles)
    parts = [
        changes_in_bins(fold.learner, fold.rows.X, fold.weights, column, each, edges)
        for fold, each in zip(folds, values, strict=True)
    ]
    changes, totals = (np.sum(each, axis=0) for each in zip(*parts, strict=True))
    changes = changes / np.where(totals > 0, totals, 1.0)[:, np.newaxis]
    curve = np.concatenate([np.zeros_like(changes[:1]), np.cumsum(changes, axis=0)])
    share = totals / totals.sum()
    centre = share @ (curve[1:] + curve[:-1]) / 2
    near = np.concatenate([share, [0.0]]) / 2 + np.concatenate([[0.0], share]) / 2
    return EffectCurve(name, _shown(folds[0].given, column, edges), curve - centre, near, edges)


def _of_levels(folds: list[_Fold], name: str, column: int) -> EffectCurve:
    parts = [
        changes_of_pairs(fold.learner, fold.data.regressions, fold.rows.X, fold.weights, column)
        for fold in folds
    ]
    # A rare level may be missing where one of the models was trained.
    keys = list(dict.fromkeys(_key(each) for values, *_ in parts for each in values))
    is_numeric = isinstance(column_of(folds[0].rows.X, column), np.ndarray)
    if is_numeric:
        keys.sort(key=lambda key: (key is None, key))
    n_outputs = parts[0][1].shape[2]
    differences = np.zeros((len(keys), len(keys), n_outputs))
    weights, totals = np.zeros((len(keys), len(keys))), np.zeros(len(keys))
    for values, change, weight, total in parts:
        places = [keys.index(_key(each)) for each in values]
        differences[np.ix_(places, places)] += change
        weights[np.ix_(places, places)] += weight
        totals[places] += total
    share = totals / totals.sum()
    effect = _fitted_to_pairs(differences, weights)
    effect = effect - share @ effect
    if not is_numeric:
        return EffectCurve(
            name, tuple("missing" if k is None else k for k in keys), effect, share, None
        )
    # Gaps have a place among levels, but none on an axis of numbers.
    with_key = [place for place, key in enumerate(keys) if key is not None]
    positions = np.array([keys[place] for place in with_key], dtype=float)
    shown = _shown(folds[0].given, column, positions)
    return EffectCurve(name, shown, effect[with_key], share[with_key], positions)


def _fitted_to_pairs(differences: Matrix, weights: Matrix) -> Matrix:
    """Return the effects (n_values, n_outputs) whose differences fit those of all pairs best.

    Least squares over pairs, each with its weight: a linear system with the Laplacian of the graph
    whose nodes are the values. One solution of all those that differ by a constant.
    """
    off_diagonal = weights - np.diag(np.diag(weights))
    laplacian = np.diag(off_diagonal.sum(axis=1)) - off_diagonal
    return np.linalg.lstsq(laplacian, differences.sum(axis=1), rcond=None)[0]


def _key(value: Any) -> Any:
    return None if pd.isna(value) else value


def _shown(given: pd.DataFrame | None, column: int, values: Vector) -> tuple[Any, ...]:
    """Return numbers as the user's column has them: dates are dates again."""
    if given is None:
        return tuple(values.tolist())
    return tuple(like_column(given.iloc[[0] * len(values), column], values))


def _output_names(classes: np.ndarray | None, n_outputs: int) -> tuple[str, ...]:
    if classes is None:
        return ("prediction",) if n_outputs == 1 else tuple(map(str, range(n_outputs)))
    shown = classes[1:] if n_outputs == 1 else classes
    return tuple(f"probability of {label}" for label in shown.tolist())
