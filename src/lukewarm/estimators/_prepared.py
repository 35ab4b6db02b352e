"""What a fit prepares: trained full models, and what they predict without feature sets."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lukewarm._random import derived_seed
from lukewarm._typing import FeatureSet, Prediction, Vector
from lukewarm.estimators._full_model import FullModel
from lukewarm.estimators._outcome import Outcome
from lukewarm.estimators._problem import Problem
from lukewarm.estimators._runs import RunPlan
from lukewarm.evaluation import (
    EvaluationPlan,
    EvaluationPredictions,
    ProductTerms,
    ScoredRows,
    own_squares,
)
from lukewarm.measures import BregmanLoss, MeanOverOutputs, Measure, OneOutput
from lukewarm.reduction import BaseReduction, ReducedModel
from lukewarm.results import Candidate, TrainingTrace
from lukewarm.stopping import StoppingRule
from lukewarm.store import Store, described

# How results show what a learner's class probabilities are made of.
_MADE_OF: dict[str | None, str] = {"scores": "probabilities from scores", "labels": "labels"}


@dataclass(frozen=True, eq=False)
class Prepared:
    """A checked problem with its trained full models and the reduction to apply.

    Parameters
    ----------
    problem : Problem
    full_models : list of FullModel
        Those of `runs`.
    reduction : BaseReduction
    runs : RunPlan
    plan : EvaluationPlan
        Over the evaluation rows of all folds, laid end to end.
    symmetric : bool
    root_seed : int
        From which the seed of every job is derived.
    rule, max_steps
        By which the full models were trained.
    inference : str
    n_learnt : tuple of int
        Rows that the model of each fold learnt from; none for a model that came fitted.
    clusters : ndarray of int, optional
        The group of each evaluation row, from 0 on.
    store : Store, optional
        Where outcomes are kept, and looked for first.
    """

    problem: Problem
    full_models: list[FullModel]
    reduction: BaseReduction
    runs: RunPlan
    plan: EvaluationPlan
    symmetric: bool
    root_seed: int
    rule: StoppingRule
    max_steps: int
    inference: str
    n_learnt: tuple[int, ...]
    clusters: np.ndarray | None = None
    store: Store | None = None

    @property
    def numbers(self) -> np.ndarray:
        """The row of the table behind each evaluation row."""
        return self.runs.numbers

    @property
    def weights(self) -> np.ndarray | None:
        """Weights of the evaluation rows."""
        weights = self.problem.weights
        return None if weights is None else weights[self.numbers]

    def described(self, model_name: str) -> str:
        """Return the model's name, with what it chose to be or makes its probabilities of."""
        learners = [self.full_models[model].learner for model in self.runs.whole]
        names = Counter(each.chosen_name for each in learners if each.chosen_name)
        names.update(_MADE_OF[each.output] for each in learners if each.output in _MADE_OF)
        return f"{model_name} ({names.most_common(1)[0][0]})" if names else model_name

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """What a model that chooses itself has tried, fold after fold."""
        learners = [self.full_models[model].learner for model in self.runs.whole]
        return tuple(
            replace(each, fold=fold)
            for fold, learner in enumerate(learners)
            for each in learner.candidates
        )

    def outcome(self, model: int, removed: FeatureSet) -> Outcome:
        """Return what a full model without `removed` predicts for its evaluation rows.

        The seed depends on the model and the set alone, so what else is asked for, and in which
        order, never changes a number. An outcome that the store holds is read; `ClaimedElsewhere`
        is raised while another process is at work on it.
        """
        if self.store is None:
            return self._obtained(model, removed)
        entry, is_kept = self.store.kept(
            self._job(model, removed), lambda: self._obtained(model, removed).to_entry()
        )
        return Outcome.from_entry(entry, is_kept=is_kept)

    def is_stored(self, model: int, removed: FeatureSet) -> bool:
        """Whether the store holds the outcome."""
        return self.store is not None and self._job(model, removed) in self.store

    def keep(self, model: int, removed: FeatureSet, outcome: Outcome) -> None:
        """Write an outcome to the store that the process which obtained it could not write."""
        if self.store is not None and not outcome.is_kept:
            self.store.write(self._job(model, removed), outcome.to_entry())

    def on_disk(self, array: np.ndarray) -> np.ndarray:
        """Return the array, out of the way of other memory where there is a store."""
        return array if self.store is None else self.store.disk.keep(array)

    def _job(self, model: int, removed: FeatureSet) -> list[Any]:
        """Return the name of the job in the store.

        The reduction is part of it, since `check` retrains the same sets.
        """
        kind = [described(self.reduction), self.symmetric]
        return ["outcome", *kind, model, [int(column) for column in removed]]

    def _obtained(self, model: int, removed: FeatureSet) -> Outcome:
        X, reduced = self.full_models[model].evaluation.X, self.reduced(model, removed)
        direction = None if reduced.direction is None else reduced.direction(X)
        return Outcome(reduced.predict(X), reduced.trace, reduced.seconds, direction)

    def reduced(self, model: int, removed: FeatureSet) -> ReducedModel:
        """Return a full model without `removed`, trained anew whatever the store holds."""
        full_model = self.full_models[model]
        if not removed and not self.symmetric:
            return ReducedModel(full_model.learner.predict, TrainingTrace.untrained(), 0.0)
        seed = derived_seed(self.root_seed, model, *removed)
        return full_model.reduce(self.reduction, removed, seed)

    def predictions(
        self,
        full: list[Outcome],
        reduced: list[list[Outcome]],
        *,
        plan: EvaluationPlan | None = None,
    ) -> EvaluationPredictions:
        """Return the predictions of the evaluation rows, those of halves beside them.

        Parameters
        ----------
        full : list of Outcome
            One per full model, with nothing removed.
        reduced : list of lists of Outcome
            The same for every feature set.
        plan : EvaluationPlan, optional
            Instead of the one prepared.
        """
        plan = self.plan if plan is None else plan
        sides = [[each.prediction for each in outcomes] for outcomes in (full, *reduced)]

        def of(models: tuple[int, ...], half: Any = None) -> EvaluationPredictions:
            first, *others = (self.on_disk(self.runs.stack(models, side)) for side in sides)
            y = self.problem.y[self.numbers]
            return EvaluationPredictions(
                y,
                first,
                tuple(others),
                plan,
                self.weights,
                half,
                clusters=self.clusters,
                keep=self.on_disk,
            )

        directions = tuple(self._directions(full, outcomes) for outcomes in reduced)
        halves = self.runs.halves
        pair = None if halves is None else (of(halves[0]), of(halves[1]))
        n_halves = self.runs.n_independent_halves
        is_projection = self.reduction.name == "projection"
        return replace(
            of(self.runs.whole, pair),
            directions=directions,
            n_halves=n_halves,
            rises=is_projection,
            twins=self.has_twins,
        )

    def scored_terms(
        self, full: list[Outcome], reduced: list[list[Outcome]], measure: Measure
    ) -> tuple[tuple[ProductTerms, ...], ...] | None:
        """Return the terms of the score of each feature set, for each output of the measure.

        Those of all measures of one output differ in their units alone. None where the test would
        not be valid.
        It needs reduced models that are projections of the full one: of models that were trained
        further the difference is not centred.
        """
        if self.reduction.name != "projection" or self.inference == "split":
            return None
        parts = measure.parts if isinstance(measure, MeanOverOutputs) else (measure,)
        # Units are the same for all sets: kept once.
        units: dict[int, Vector] = {}

        def terms(outcomes: list[Outcome], place: int) -> ProductTerms:
            found = self._scored_terms(full, outcomes, parts[place])
            if place not in units:
                units[place] = self.on_disk(found.units)
            return replace(
                found,
                products=self.on_disk(found.products),
                effects=self.on_disk(found.effects),
                units=units[place],
            )

        return tuple(
            tuple(terms(outcomes, place) for place in range(len(parts))) for outcomes in reduced
        )

    @property
    def has_twins(self) -> bool:
        """Whether two models of half the rows share none of them, and are projected."""
        halves = self.runs.halves
        is_projection = self.reduction.name == "projection"
        return is_projection and halves is not None and halves[0] != halves[1]

    @cached_property
    def variance_factor(self) -> float:
        """Of the product statistic."""
        return self.runs.variance_factor(self.problem.clusters)

    @property
    def scored(self) -> np.ndarray:
        """The evaluation row behind each term of the product statistic."""
        fold_of_row = self.runs.fold_of_row
        return np.concatenate([np.flatnonzero(fold_of_row == fold) for fold, _ in self.runs.tested])

    def _scored_terms(
        self, full: list[Outcome], reduced: list[Outcome], measure: Measure
    ) -> ProductTerms:
        runs, problem = self.runs, self.problem
        number = measure.number if isinstance(measure, OneOutput) else None
        loss = measure.measure if isinstance(measure, OneOutput) else measure
        parts = []
        for fold, model in runs.tested:
            one, other = full[model], reduced[model]
            direction = _added(one, other)
            rows = runs.folds[fold]
            y = _output(problem.y[rows], number)
            weights = None if problem.weights is None else problem.weights[rows]
            scored = ScoredRows(
                y,
                _output(runs.part(fold, model, other.prediction), number),
                _output(runs.part(fold, model, direction), number),
                weights,
                self._own_squares(full, reduced, fold, model, number),
                _units(loss, y, weights, self._n_columns),
            )
            parts.append(scored.terms)
        return ProductTerms.joined(parts)

    @property
    def _n_columns(self) -> int:
        """Columns of the predictions of one output."""
        task = self.problem.task
        return task.n_outputs if task.is_multiclass else 1

    def _own_squares(
        self, full: list[Outcome], reduced: list[Outcome], fold: int, model: int, number: int | None
    ) -> Vector | None:
        """Return the terms of the mean square of what a reduced model has learnt wrong by itself.

        None without halves that share no rows.
        """
        if not self.has_twins or self.runs.halves is None:
            return None
        pair = [each[fold] for each in self.runs.halves]
        with_all, without = (
            [_output(self.runs.part(fold, half, side[half].prediction), number) for half in pair]
            for side in (full, reduced)
        )
        return own_squares(with_all, without, self.runs.share_of_half(fold, model))

    def _directions(self, full: list[Outcome], reduced: list[Outcome]) -> Prediction | None:
        """Return what a feature set may add to each prediction; None where models look at it."""
        whole = self.runs.whole
        if all(reduced[model].direction is None for model in whole):
            return None
        added = [_added(one, other) for one, other in zip(full, reduced, strict=True)]
        return self.on_disk(self.runs.stack(whole, added))


def evaluation_clusters(problem: Problem, runs: RunPlan) -> np.ndarray | None:
    """Return the group of each evaluation row, from 0 on; None where rows are independent.

    A row that several folds evaluate is a group of its evaluations.
    """
    numbers = runs.numbers
    if problem.clusters is None and len(np.unique(numbers)) == len(numbers):
        return None
    labels = numbers if problem.clusters is None else problem.clusters[numbers]
    return np.unique(labels, return_inverse=True)[1]


def _added(full: Outcome, reduced: Outcome) -> Prediction:
    """Return what features add to the prediction without them, or could have added."""
    added = full.prediction - reduced.prediction
    if reduced.direction is None:
        return added
    return np.where(np.isnan(reduced.direction), added, reduced.direction)


def _output(values: np.ndarray, number: int | None) -> np.ndarray:
    """Return one of several outputs; all there is where there is one."""
    return values if number is None else values[:, number]


def _units(measure: Measure, y: Vector, weights: Vector | None, n_columns: int) -> Vector | None:
    """Return terms whose mean is the squared error that is worth one; None where it is one."""
    if not isinstance(measure, BregmanLoss):
        return None
    return measure.scale_terms(y, weights) / measure.least_curvature(n_columns)
