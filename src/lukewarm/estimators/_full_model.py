"""Full models with the rows they may and may not have seen: one, or one per fold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from lukewarm._typing import FeatureSet
from lukewarm.data import Removal, Rows, RowSplit
from lukewarm.estimators._problem import Problem
from lukewarm.learners import BaseLearner, level_columns, train_for, train_until
from lukewarm.measures import Task
from lukewarm.reduction import ReducedModel, Reduction, ReductionData, constant_model
from lukewarm.results import TrainingTrace
from lukewarm.stopping import StoppingRule


@dataclass(frozen=True, eq=False)
class FullModel:
    """A trained full model, the rows for its reductions, and its evaluation rows.

    `learnt_from` are the rows that a model of the user's is held to have learnt from; None for a
    model that was trained here.
    """

    learner: BaseLearner
    trace: TrainingTrace
    seconds: float
    data: ReductionData
    evaluation: Rows
    n_features: int
    task: Task
    learnt_from: np.ndarray | None = None

    def reduce(self, reduction: Reduction, removed: FeatureSet, seed: int) -> ReducedModel:
        """Return the model without `removed`; the constant one when no feature is left."""
        if len(removed) == self.n_features:
            return self.constant()
        return reduction.reduce(self.learner, self.data, removed, seed)

    def constant(self) -> ReducedModel:
        """Return the constant that is best by the loss the model is trained on."""
        return constant_model(self.data, self.task, self.learner.measure)

    def for_retraining(self, problem: Problem) -> FullModel:
        """Return the full model with the rows on which models like it are trained anew.

        A fair opponent of a model of the user's has as many rows and steps, so none are held out
        to choose the steps.
        """
        if self.learnt_from is None:
            return self
        if self.learner.n_steps == 0:
            raise ValueError(
                "the trained model does not tell how many steps it was trained for, so models "
                "retrained without a feature would not compare with it. Leave prefit out: then "
                "the full model is trained here too, by the same rule; or use "
                "method='early_stopping', and no check()."
            )
        seen = problem.read_by(self.learner)
        train, stopping = seen.rows(self.learnt_from), seen.rows(self.learnt_from[:0])
        return replace(self, data=replace(self.data, train=train, stopping=stopping))


def check_folds(n_folds: int, problem: Problem, inference: str) -> None:
    """Raise when the folds are too small for a standard error."""
    least = 4 if inference == "split" else 2
    count, what = len(problem.y), "rows"
    if problem.clusters is not None:
        count, what = len(np.unique(problem.clusters)), "groups"
    if count // n_folds < least:
        most = count // least
        allowed = f"allow at most {most} folds" if most > 1 else "are too few for folds"
        raise ValueError(
            f"cv must leave at least {least} {what} in every fold, for a standard error; "
            f"{count} {what} {allowed}, got {n_folds}."
        )


def check_training_rows(problem: Problem, splits: Iterable[RowSplit], prefit: bool) -> None:
    """Raise when a class has no row to learn it from."""
    if problem.classes is None or prefit:
        return
    for split in splits:
        counts = np.bincount(problem.y[split.train].astype(int), minlength=len(problem.classes))
        if not counts.all():
            lacking = int(counts.argmin())
            label, n_rows = problem.classes.tolist()[lacking], int(np.sum(problem.y == lacking))
            which = "" if problem.weights is None else " of positive weight"
            raise ValueError(
                f"class {label!r} of y has {n_rows} of {len(problem.y)} rows{which}, "
                f"and none is among the {len(split.train)} rows that train one of the models. Add "
                "rows of it, drop them, or join it with another class; with groups, time or cv, "
                "choose parts of the rows that have some of every class."
            )


def train_full(
    problem: Problem,
    split: RowSplit,
    learner: BaseLearner,
    rule: StoppingRule,
    max_steps: int,
    fill: Any,
    *,
    keeps_table: bool = False,
    spares_stopping_rows: bool = True,
) -> FullModel:
    """Return the full model trained on the rows of `split`.

    Parameters
    ----------
    problem : Problem
    split : RowSplit
        What each row is for.
    learner : BaseLearner
        Untrained.
    rule, max_steps
        When training ends.
    fill
        What stands in removed columns, as the estimators take it.
    keeps_table : bool, default False
        Whether the rows must stay as they are after training; else a learner may keep them in a
        representation of its own.
    spares_stopping_rows : bool, default True
        Whether the model may only be chosen by the stopping rows, not learn from them.
    """
    started = perf_counter()
    if not spares_stopping_rows:
        learner.learn_stopping_rows()
    if not learner.traits.can_warm_start:
        split = split.without_stopping()
    parts = [problem.rows(chosen) for chosen in (split.train, split.stopping, split.evaluation)]
    removal = Removal.learn(parts[0].X, fill, level_columns(learner, parts[0].X))
    table = parts
    datasets = learner.datasets(*(part.X for part in parts))
    parts = [replace(part, X=X) for X, part in zip(datasets, parts, strict=True)]
    train, stopping, _ = parts
    if not learner.traits.can_warm_start:
        trained, trace = train_for(learner, train, 1)
    else:
        trained, trace = train_until(learner, train, stopping, rule, max_steps)
    train, stopping, evaluation = table if keeps_table else parts
    seconds = perf_counter() - started
    data = ReductionData(
        train,
        stopping,
        removal,
        fill == "conditional",
        trained.traits.trains_quickly,
        trained.traits.is_local,
    )
    return FullModel(
        trained,
        trace,
        seconds,
        data,
        evaluation,
        n_features=len(problem.index),
        task=problem.task,
    )


def trained_full(
    problem: Problem,
    split: RowSplit,
    learner: BaseLearner,
    fill: Any,
    set_aside: float,
    generator: np.random.Generator,
) -> FullModel:
    """Return a model the user has trained as the full model; `split` tells what each row is for.

    Parameters
    ----------
    problem : Problem
    split : RowSplit
    learner : BaseLearner
        In the state of the user's model.
    fill
        What stands in removed columns, as the estimators take it.
    set_aside : float
        The share of its rows that the model kept to stop itself by.
    generator : Generator
        Draws which rows those may have been.
    """
    learnt_from = split.without_stopping().train
    if not learner.traits.can_warm_start:
        split = split.without_stopping()  # and a new fit sets rows aside by itself
    elif set_aside:
        n_rows = max(round((1 - set_aside) * len(learnt_from)), 1)
        learnt_from = np.sort(generator.permutation(learnt_from)[:n_rows])
    train, stopping, evaluation = (
        problem.rows(chosen) for chosen in (split.train, split.stopping, split.evaluation)
    )
    learner.calibrate_scores(train.X, train.y, train.weights)
    return FullModel(
        learner,
        TrainingTrace.untrained(),
        0.0,
        ReductionData(
            train,
            stopping,
            Removal.learn(train.X, fill, level_columns(learner, train.X)),
            fill == "conditional",
            learner.traits.trains_quickly,
            learner.traits.is_local,
        ),
        evaluation,
        n_features=len(problem.index),
        task=problem.task,
        learnt_from=learnt_from,
    )
