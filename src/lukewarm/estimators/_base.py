"""What the estimators share: their checks and the way from a table to trained full models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from lukewarm._random import as_generator, draw_seeds
from lukewarm._typing import FeatureSet, Prediction
from lukewarm._validation import (
    check_choice,
    check_count,
    check_flag,
    check_fraction,
    check_n_jobs,
    check_number,
)
from lukewarm.data import as_feature_sets, as_groups
from lukewarm.estimators._folds import (
    FullModel,
    check_folds,
    check_training_rows,
    plan_splits,
    train_full,
    trained_full,
)
from lukewarm.estimators._problem import (
    Problem,
    as_problem,
    check_columns,
    fill_by_column,
    stack_rows,
    stack_weights,
    warn_seen_rows,
    without_weightless_rows,
)
from lukewarm.evaluation import INFERENCES, EvaluationPlan, check_parts
from lukewarm.learners import (
    Learner,
    as_learner,
    check_can_go_on,
    check_columns_seen,
    share_set_aside,
    weights_by_code,
)
from lukewarm.parallel import run_jobs
from lukewarm.reduction import (
    FoldedStopping,
    Reduction,
    Retrain,
    as_reduction,
    check_method,
    check_suits,
)
from lukewarm.results import TrainingTrace
from lukewarm.stopping import Patience, StoppingRule

_STOPPINGS = ("hold_out", "cross_validation")
_DEFAULT_PATIENCE = 10
_DEFAULT_MAX_STEPS = 1000


@dataclass(frozen=True, eq=False)
class Prepared:
    """A checked problem with its trained full models, one per fold, and the reduction to apply.

    Parameters
    ----------
    problem : Problem
    full_models : list of FullModel
    reduction : Reduction
    plan : EvaluationPlan
        Over the evaluation rows of all folds, laid end to end.
    numbers : ndarray of int
        The row of the table behind each evaluation row.
    symmetric : bool
    generator : numpy.random.Generator
        For the seeds of the jobs that follow.
    rule, max_steps
        By which the full models were trained.
    """

    problem: Problem
    full_models: list[FullModel]
    reduction: Reduction
    plan: EvaluationPlan
    numbers: np.ndarray
    symmetric: bool
    generator: np.random.Generator
    rule: StoppingRule
    max_steps: int

    def predict_without(
        self, fold: int, removed: FeatureSet, seed: int
    ) -> tuple[Prediction, TrainingTrace, float]:
        """Return what the fold's model without `removed` predicts for its evaluation rows."""
        full_model = self.full_models[fold]
        X = full_model.evaluation.X
        if not removed and not self.symmetric:
            return full_model.learner.predict(X), TrainingTrace.untrained(), 0.0
        reduced = full_model.reduce(self.reduction, removed, seed)
        return reduced.predict(X), reduced.trace, reduced.seconds


class ImportanceEstimator(BaseEstimator):
    """Parameters, checks and preparation common to the estimators; see VariableImportance."""

    def _check_parameters(self) -> None:
        check_method(self.method)
        check_choice("inference", self.inference, INFERENCES)
        check_choice("stopping", self.stopping, _STOPPINGS)
        check_flag("prefit", self.prefit)
        for name in ("symmetric", "verbose"):
            if getattr(self, name) is not None:
                check_flag(name, getattr(self, name))
        check_n_jobs(self.n_jobs)
        if self.stopping == "cross_validation" and self.method != "early_stopping":
            raise ValueError(
                "stopping='cross_validation' goes with method='early_stopping'; "
                f"got {self.method!r}."
            )
        check_fraction("train_fraction", self.train_fraction)
        check_fraction("level", self.level)
        check_number("min_delta", self.min_delta, minimum=0, finite=True)
        for name in ("patience", "max_steps"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name))
        if self.cross_fit is not None:
            check_count("cross_fit", self.cross_fit, minimum=2)
        if isinstance(self.fill, str):
            check_choice("fill", self.fill, ("mean", "zero"))
        elif not isinstance(self.fill, Mapping):
            check_number("fill", self.fill, finite=True)

    def _problem(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        X_eval: Any,
        y_eval: Any,
        sample_weight_eval: Any,
    ) -> Problem:
        """Return the checked problem with the evaluation rows the user named, if any."""
        self._check_parameters()
        if self.cross_fit is not None and (self.prefit or X_eval is not None):
            raise ValueError(
                "cross_fit trains on every row in turn; leave it out with prefit=True or X_eval."
            )
        if X_eval is None and y_eval is None:
            if self.prefit:
                warn_seen_rows()
            if sample_weight_eval is not None:
                raise ValueError(
                    "sample_weight_eval belongs to X_eval, which is missing; without it, "
                    "sample_weight is for all rows."
                )
            problem = without_weightless_rows(self._checked(X, y, sample_weight))
            if self.cross_fit is not None:
                check_folds(self.cross_fit, len(problem.y), self.inference)
            return problem
        table, target, n_evaluation = stack_rows(X, y, X_eval, y_eval)
        n_fit = len(target) - n_evaluation
        weights = stack_weights(sample_weight, sample_weight_eval, n_fit, n_evaluation)
        problem = self._checked(table, target, None)
        problem = replace(problem, weights=weights, n_evaluation=n_evaluation)
        return without_weightless_rows(problem)

    def _checked(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        problem = as_problem(X, y, sample_weight, self.model, self.measure, self.task)
        self.classes_ = problem.classes
        self.n_features_in_ = len(problem.index)
        self.feature_names_in_ = np.array(problem.index.names, dtype=object)
        return problem

    def _feature_sets(self, problem: Problem) -> dict[str, FeatureSet]:
        groups = as_groups(self.groups, problem.X, problem.index)
        return as_feature_sets(problem.index, self.features, groups)

    def _prepare(self, problem: Problem) -> Prepared:
        generator = as_generator(self.random_state)
        splits = plan_splits(problem, self.train_fraction, self.cross_fit, generator)
        model = weights_by_code(self.model, problem.classes)
        learners = [
            as_learner(model, n_classes=problem.n_classes, seed=seed, prefit=self.prefit)
            for seed in draw_seeds(generator, len(splits))
        ]
        if self.prefit:
            check_columns_seen(model, problem.index)
        problem = problem.measured_for(learners[0], is_asked=self.measure is not None)
        check_columns(problem, learners[0], self._model_name)
        patience = _or_default(self.patience, learners[0], "patience", _DEFAULT_PATIENCE)
        max_steps = _or_default(self.max_steps, learners[0], "max_steps", _DEFAULT_MAX_STEPS)
        rule = Patience(patience, self.min_delta)
        by_folds = self.stopping == "cross_validation"
        stride = getattr(learners[0], "stride", 1.0)
        reduction = (
            FoldedStopping(rule, max_steps)
            if by_folds
            else as_reduction(self.method, rule, max_steps, stride)
        )
        check_can_go_on(self.model, learners[0], reduction.name)
        check_suits(reduction, learners[0])
        numbers = np.concatenate([split.evaluation for split in splits])
        folds = np.repeat(np.arange(len(splits)), [len(split.evaluation) for split in splits])
        plan = self._plan(folds, problem.strata, numbers, generator)
        check_training_rows(problem, splits, self.prefit)
        weights = None if problem.weights is None else problem.weights[numbers]
        named = "sample_weight_eval" if problem.n_evaluation else "sample_weight"
        check_parts(plan, problem.y[numbers], problem.measures, weights, problem.n_classes, named)
        fill = fill_by_column(self.fill, problem)
        seen = problem.read_by(learners[0])
        if self.prefit:
            set_aside = share_set_aside(self.model)
            trained = trained_full(
                seen, splits[0], learners[0], fill, set_aside, generator.spawn(1)[0]
            )
            retrains = isinstance(reduction, Retrain)
            full_models = [trained.for_retraining(problem) if retrains else trained]
        else:
            full_models = run_jobs(
                lambda job: train_full(seen, *job, rule, max_steps, fill, binds=not by_folds),
                list(zip(splits, learners, strict=True)),
                n_jobs=self.n_jobs,
                verbose=self.verbose,
                description="full models",
            )
        return Prepared(
            problem,
            full_models,
            reduction,
            plan,
            numbers,
            not self.prefit if self.symmetric is None else self.symmetric,
            generator,
            rule,
            max_steps,
        )

    def _plan(
        self,
        folds: np.ndarray,
        strata: np.ndarray | None,
        numbers: np.ndarray,
        generator: np.random.Generator,
    ) -> EvaluationPlan:
        if self.inference == "paired":
            return EvaluationPlan.paired(folds)
        return EvaluationPlan.split(folds, generator, None if strata is None else strata[numbers])

    @property
    def _has_own_length(self) -> bool:
        """Whether the most steps of a training run are a setting of the user's estimator."""
        return self.max_steps is None and hasattr(self.model, "fit")

    @property
    def _model_name(self) -> str:
        return self.model if isinstance(self.model, str) else type(self.model).__name__


def _or_default(value: int | None, learner: Learner, attribute: str, default: int) -> int:
    return getattr(learner, attribute, default) if value is None else value
