"""Full models with the rows they may and may not have seen: one, or one per fold."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

from lukewarm._typing import FeatureSet
from lukewarm.data import Removal, Rows, RowSplit
from lukewarm.estimators._problem import Problem
from lukewarm.learners import BindsRows, Learner, train_until
from lukewarm.reduction import ReducedModel, Reduction, ReductionData, constant_model
from lukewarm.results import TrainingTrace
from lukewarm.stopping import StoppingRule


@dataclass(frozen=True, eq=False)
class FullModel:
    """A trained full model, the rows for its reductions, and its evaluation rows."""

    learner: Learner
    trace: TrainingTrace
    seconds: float
    data: ReductionData
    evaluation: Rows
    n_features: int
    n_classes: int | None

    def reduce(self, reduction: Reduction, removed: FeatureSet, seed: int) -> ReducedModel:
        """Return the model without `removed`; the constant one when no feature is left."""
        if len(removed) == self.n_features:
            return constant_model(self.data, self.n_classes)
        return reduction.reduce(self.learner, self.data, removed, seed)


def train_full(
    problem: Problem,
    split: RowSplit,
    learner: Learner,
    rule: StoppingRule,
    max_steps: int,
    fill: Any,
    *,
    keeps_table: bool = False,
) -> FullModel:
    """Return the full model trained on the rows of `split`.

    `keeps_table` tells whether the rows must stay as they are after training; else a learner may
    keep them in a representation of its own.
    """
    started = perf_counter()
    parts = [problem.rows(chosen) for chosen in (split.train, split.stopping, split.evaluation)]
    removal = Removal.learn(parts[0].X, fill)
    table = parts
    if isinstance(learner, BindsRows):
        bound = learner.bind(*(part.X for part in parts))
        parts = [Rows(X, part.y, part.weights) for X, part in zip(bound, parts, strict=True)]
    trained, trace = train_until(learner, parts[0], parts[1], rule, max_steps)
    train, stopping, evaluation = table if keeps_table else parts
    seconds = perf_counter() - started
    data = ReductionData(train, stopping, removal)
    return _full_model(problem, trained, trace, seconds, data, evaluation)


def trained_full(problem: Problem, split: RowSplit, learner: Learner, fill: Any) -> FullModel:
    """Return a model the user has trained as the full model; `split` tells what each row is for."""
    train, stopping, evaluation = (
        problem.rows(chosen) for chosen in (split.train, split.stopping, split.evaluation)
    )
    data = ReductionData(train, stopping, Removal.learn(train.X, fill))
    return _full_model(problem, learner, TrainingTrace.untrained(), 0.0, data, evaluation)


def _full_model(
    problem: Problem,
    learner: Learner,
    trace: TrainingTrace,
    seconds: float,
    data: ReductionData,
    evaluation: Rows,
) -> FullModel:
    return FullModel(
        learner,
        trace,
        seconds,
        data,
        evaluation,
        len(problem.index),
        problem.n_classes,
    )
