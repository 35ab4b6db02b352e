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
from typing import TYPE_CHECKING

import numpy as np

from lukewarm._typing import FeatureSet, Prediction
from lukewarm.learners import BaseLearner
from lukewarm.reduction._base import BaseReduction, ReducedModel, ReductionData, ReductionTraits
from lukewarm.reduction.projection._conditional import ConditionalDraws
from lukewarm.reduction.projection._projection import distilled, looks_at
from lukewarm.results import TrainingTrace

if TYPE_CHECKING:
    from lukewarm.reduction.projection._prepared_rows import PreparedRows


@dataclass(frozen=True, eq=False)
class CoalitionProjection(BaseReduction):
    """`Projection` of given full models, fast for many removed sets.

    Parameters
    ----------
    shared : tuple
        What the projections of each full model have in common.
    """

    shared: tuple[_Shared, ...]
    name: str = "projection"

    @property
    def traits(self) -> ReductionTraits:
        """Draws are made in the columns of the table itself."""
        return ReductionTraits(keeps_table=True, spares_stopping_rows=False)

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
        # The model does not look at what is gone: it is its own projection.
        if not drawn:
            return ReducedModel(full.predict, TrainingTrace.untrained(), perf_counter() - started)
        regressions = data.regressions
        draws = ConditionalDraws(regressions, drawn, given_without=removed, with_trees=False)
        predict, trace = distilled(
            full, regressions, removed, lambda model, rows: _mean(model, draws, rows)
        )
        return ReducedModel(predict, trace, perf_counter() - started)


def _mean(full: BaseLearner, draws: ConditionalDraws, rows: PreparedRows) -> Prediction:
    """Return the full model's mean over the draws; that of its parts in closed form if known."""
    # Loads the kernel machines, which most fits with a model of the user's never need.
    from lukewarm.reduction.projection._kernel_mean import closed_form_machine, kernel_mean

    means = []
    for weight, part in full.parts:
        machine = closed_form_machine(part, draws.removed) if draws.has_moments else None
        mean = draws.average(part, rows) if machine is None else kernel_mean(machine, draws, rows)
        means.append(weight * mean)
    return np.sum(means, axis=0)


class _Shared:
    """What all projections of one full model have in common."""

    def __init__(self, full: BaseLearner, data: ReductionData) -> None:
        self.full = full
        columns = range(data.train.X.shape[1])
        self.is_used = [looks_at(full, data, (column,)) for column in columns]
