"""Projections for many feature sets of the same full model: what they share is computed once.

A Shapley value asks for the model without several columns, a hundred times over. Fitting a guess of
every removed column by itself, trees included, costs more than all the rest. Here

- only columns that the model looks at are drawn, and these are found once;
- guesses are ridge regressions on lines or curves, which share one inverse, without trees; what
  trees would find is left to the correction, which has them;
- what the full model predicts for the training and stopping rows is kept.

The rest is that of `Projection`: where trees help no guess, both give the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lukewarm._typing import Features, FeatureSet, Prediction, Vector
from lukewarm.learners import BaseLearner
from lukewarm.reduction._base import ReducedModel, ReductionData
from lukewarm.reduction._conditional import ConditionalDraws
from lukewarm.reduction._kernel_mean import closed_form_machine, kernel_mean
from lukewarm.reduction._projection import _average, _corrected, _looks_at, _outputs
from lukewarm.results import TrainingTrace

if TYPE_CHECKING:
    from lukewarm.reduction._regressions import PreparedRows, Regression, Regressions


@dataclass(frozen=True, eq=False)
class CoalitionProjection:
    """`Projection` of given full models, fast for many removed sets.

    Parameters
    ----------
    shared : tuple
        What the projections of each full model have in common.
    """

    shared: tuple[_Shared, ...]
    name: str = "projection"
    keeps_table = True

    @classmethod
    def of(cls, models: Iterable[tuple[BaseLearner, ReductionData]]) -> CoalitionProjection:
        """Return the projection of these full models on their own rows."""
        return cls(tuple(_Shared(full, data) for full, data in models))

    def reduce(
        self, full: BaseLearner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the full model's conditional mean given the columns that stay."""
        started = perf_counter()
        # By identity, which a worker process keeps: models and projection are sent together.
        shared = next(each for each in self.shared if each.full is full)
        drawn = tuple(column for column in removed if shared.is_used[column])
        if not drawn:
            return ReducedModel(full.predict, TrainingTrace.untrained(), perf_counter() - started)
        regressions = data.regressions
        draws = ConditionalDraws(cast("Regressions", _Guesses(regressions, removed)), drawn)
        rows = (regressions.train_rows, regressions.stopping_rows)
        targets = [
            prediction - _mean(full, draws, part)
            for prediction, part in zip(shared.predictions, rows, strict=True)
        ]
        corrections = [
            regressions.fit(target, held_out, removed)
            for target, held_out in zip(*(_outputs(each) for each in targets), strict=True)
        ]
        is_bounded = not full.task.is_regression

        def predict(X: Features) -> Prediction:
            rows = regressions.prepare(X)
            return _corrected(_mean(full, draws, rows), corrections, rows, is_bounded)

        trace = max((each.trace for each in corrections), key=lambda trace: trace.stopped_step)
        return ReducedModel(predict, trace, perf_counter() - started)


def _mean(full: BaseLearner, draws: ConditionalDraws, rows: PreparedRows) -> Prediction:
    """Return the full model's mean over the draws; that of its parts in closed form if known."""
    means = []
    for weight, part in full.parts:
        machine = closed_form_machine(part, draws.removed) if draws.has_moments else None
        mean = _average(part, draws, rows) if machine is None else kernel_mean(machine, draws, rows)
        means.append(weight * mean)
    return np.sum(means, axis=0)


class _Shared:
    """What all projections of one full model have in common."""

    def __init__(self, full: BaseLearner, data: ReductionData) -> None:
        self.full = full
        regressions = data.regressions
        columns = range(data.train.X.shape[1])
        self.is_used = [_looks_at(full, data, (column,)) for column in columns]
        self.predictions = regressions.predictions(full)[:2]


@dataclass(frozen=True, eq=False)
class _Guesses:
    """Stands in for `Regressions`: without trees, on all columns but `removed`.

    Columns that the model never looks at are removed without being drawn.
    """

    regressions: Regressions
    removed: FeatureSet

    def __getattr__(self, name: str) -> Any:
        return getattr(self.regressions, name)

    def fit(self, target: Vector, held_out: Vector, drawn: FeatureSet) -> Regression:
        return self.regressions.fit(target, held_out, self.removed, with_trees=False)
