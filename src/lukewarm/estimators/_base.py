"""What the estimators share: their checks and the way from a table to trained full models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from lukewarm._random import as_generator, derived_seed, draw_seeds
from lukewarm._typing import FeatureSet
from lukewarm.data import as_feature_sets, as_groups, target_name
from lukewarm.estimators._class_measure import measure_of_classes
from lukewarm.estimators._evaluation_rows import stack_rows, stack_weights
from lukewarm.estimators._full_model import (
    FullModel,
    check_folds,
    check_training_rows,
    train_full,
    trained_full,
)
from lukewarm.estimators._parameters import (
    Training,
    asked_reduction,
    check_parameters,
    stops_by_folds,
)
from lukewarm.estimators._prepared import Prepared, evaluation_clusters
from lukewarm.estimators._problem import (
    Problem,
    as_problem,
    check_columns,
    fill_by_column,
    warn_seen_rows,
    without_weightless_rows,
)
from lukewarm.estimators._runs import RunPlan, plan_of_splits, plan_runs
from lukewarm.estimators._stored import check_full_models, open_store, random_state_of
from lukewarm.estimators._ties import Ties, tied
from lukewarm.estimators._user_splits import is_user_cv, user_splits
from lukewarm.evaluation import EvaluationPlan, check_parts
from lukewarm.learners import (
    BaseLearner,
    check_columns_seen,
    from_model,
    share_set_aside,
    weights_by_code,
)
from lukewarm.parallel import blas_for, run_jobs
from lukewarm.reduction import BaseReduction, Retrain

if TYPE_CHECKING:
    from lukewarm.reporting import Subject
    from lukewarm.results import EffectCurves

# Thirds of these leave fifteen rows to train on; below that a half has nothing to say.
_LEAST_HALVED = 60
# One in each of three thirds' training and stopping rows, and some to spare for chance.
_LEAST_HALVED_PER_CLASS = 12


class ImportanceEstimator(BaseEstimator):
    """Parameters, checks and preparation common to the estimators; see VariableImportance."""

    # Whether all rows of a small table are evaluated, in thirds, at twice the number of models.
    _rotates = True

    def _problem(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_eval: Any = None,
        y_eval: Any = None,
        sample_weight_eval: Any = None,
        groups: Any = None,
        groups_eval: Any = None,
        time: Any = None,
    ) -> Problem:
        """Return the checked problem with the evaluation rows the user named, if any.

        The arguments are those of `fit`.
        """
        check_parameters(self)
        ties = Ties(groups, groups_eval, time)
        if self.cv is not None and (self.prefit or X_eval is not None):
            raise ValueError(
                "cv names the rows to evaluate on; leave it out with prefit=True or X_eval."
            )
        if X_eval is None and y_eval is None:
            if self.prefit:
                warn_seen_rows()
            if sample_weight_eval is not None:
                raise ValueError(
                    "sample_weight_eval belongs to X_eval, which is missing; without it, "
                    "sample_weight is for all rows."
                )
            problem = tied(self._checked(X, y, sample_weight), ties)
            problem = without_weightless_rows(problem)
            if self.cv is not None and not is_user_cv(self.cv):
                check_folds(self.cv, problem, self.inference)
            return problem
        table, target, n_evaluation = stack_rows(X, y, X_eval, y_eval)
        n_fit = len(target) - n_evaluation
        weights = stack_weights(sample_weight, sample_weight_eval, n_fit, n_evaluation)
        problem = replace(self._checked(table, target, None), target=target_name(y))
        problem = replace(problem, weights=weights, n_evaluation=n_evaluation)
        return without_weightless_rows(tied(problem, ties))

    def _checked(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        problem = as_problem(X, y, sample_weight, self.model, self.measure, self.task)
        self.classes_ = problem.classes
        self.n_features_in_ = len(problem.index)
        self.feature_names_in_ = np.array(problem.index.names, dtype=object)
        return problem

    def _feature_sets(self, problem: Problem) -> dict[str, FeatureSet]:
        groups = as_groups(self.groups, problem.X, problem.index)
        sets = as_feature_sets(problem.index, self.features, groups)
        # Groups that the table gave have names which nobody can know before.
        if self.features is not None and groups is not None and groups is self.groups:
            unnamed = [name for name in map(str, groups) if name not in sets]
            if unnamed:
                raise ValueError(
                    f"features does not name {unnamed} of groups, so they would not be explained; "
                    "add them to features, or leave them out of groups."
                )
        return sets

    def _prepare(self, problem: Problem, n_models: int | None = None) -> Prepared:
        """Return the problem with its trained full models, or the first of them."""
        if problem.units is not None and stops_by_folds(self):
            raise ValueError(
                "stopping='cross_validation' draws folds of single rows; with "
                f"{problem.units.name} use 'hold_out'."
            )
        store = open_store(self, problem)
        generator = as_generator(random_state_of(self, store))
        inference = self._inference_for(problem)
        runs = self._runs(problem, inference, generator)
        clusters = evaluation_clusters(problem, runs)
        root_seed = draw_seeds(generator, 1)[0]
        learners = self._learners(problem, root_seed, len(runs.splits))
        problem = problem.measured_for(learners[0], is_asked=self.measure is not None)
        check_columns(problem, learners[0], self._model_name)
        training = Training.asked(self, learners[0])
        reduction = asked_reduction(self, learners[0], training)
        plan = self._plan(inference, runs, problem.strata, generator, clusters)
        self._check_rows(problem, runs, plan, clusters)
        full_models = (
            [self._users_model(problem, runs, learners[0], reduction, generator)]
            if self.prefit
            else self._trained_models(problem, runs, learners, reduction, training, n_models)
        )
        if store is not None:
            check_full_models(store, full_models, runs.splits)
        if self.measure is None and problem.classes is not None:
            problem = replace(problem, measures=(measure_of_classes(full_models),))
        return Prepared(
            problem,
            full_models,
            reduction,
            runs,
            plan,
            not self.prefit if self.symmetric is None else self.symmetric,
            root_seed,
            training.rule,
            training.max_steps,
            inference,
            () if self.prefit else runs.n_learnt,
            clusters,
            store,
        )

    def _learners(self, problem: Problem, root_seed: int, n_models: int) -> list[BaseLearner]:
        """Return a learner for each full model, with a seed of its own; with `prefit` trained."""
        # Loads encoders of scikit-learn.
        from lukewarm.learners.sklearn._encoded import suited_to_table

        model = suited_to_table(self.model, problem.X, problem.task)
        model = weights_by_code(model, problem.classes)
        learners = [
            from_model(
                model,
                task=problem.task,
                seed=derived_seed(root_seed, number),
                prefit=self.prefit,
            )
            for number in range(n_models)
        ]
        if self.prefit:
            check_columns_seen(model, problem.index)
        return learners

    def _check_rows(
        self, problem: Problem, runs: RunPlan, plan: EvaluationPlan, clusters: np.ndarray | None
    ) -> None:
        """Raise where rows are too few to train a class on, or to evaluate a measure."""
        check_training_rows(problem, runs.splits, self.prefit)
        numbers = runs.numbers
        weights = None if problem.weights is None else problem.weights[numbers]
        named = "sample_weight_eval" if problem.n_evaluation else "sample_weight"
        check_parts(
            plan, problem.y[numbers], problem.measures, weights, problem.task, named, clusters
        )

    def _users_model(
        self,
        problem: Problem,
        runs: RunPlan,
        learner: BaseLearner,
        reduction: BaseReduction,
        generator: np.random.Generator,
    ) -> FullModel:
        """Return the model that the user has trained, with the rows it may have learnt from."""
        trained = trained_full(
            problem.read_by(learner),
            runs.splits[0],
            learner,
            fill_by_column(self.fill, problem),
            share_set_aside(self.model),
            generator.spawn(1)[0],
        )
        return trained.for_retraining(problem) if isinstance(reduction, Retrain) else trained

    def _trained_models(
        self,
        problem: Problem,
        runs: RunPlan,
        learners: list[BaseLearner],
        reduction: BaseReduction,
        training: Training,
        n_models: int | None,
    ) -> list[FullModel]:
        """Return the full models, or the first `n_models` of them, trained.

        Parameters
        ----------
        problem : Problem
        runs : RunPlan
            The rows of each model.
        learners : list of BaseLearner
            Untrained, one for each.
        reduction : BaseReduction
            Says in which form rows are kept, and whether the stopping rows may be learnt from.
        training : Training
            When a model stops.
        n_models : int, optional
        """
        fill = fill_by_column(self.fill, problem)
        seen = problem.read_by(learners[0])

        def train(number: int) -> FullModel:
            with blas_for(len(seen.y)):
                return train_full(
                    seen,
                    runs.splits[number],
                    learners[number],
                    training.rule,
                    training.max_steps,
                    fill,
                    # Draws are made in the columns of the table itself.
                    keeps_table=reduction.traits.keeps_table or fill == "conditional",
                    spares_stopping_rows=reduction.traits.spares_stopping_rows,
                )

        return run_jobs(
            train,
            range(len(learners))[:n_models],
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            description="full models",
        )

    def _runs(self, problem: Problem, inference: str, generator: np.random.Generator) -> RunPlan:
        with_halves = inference == "learning_curve"
        if is_user_cv(self.cv):
            splits, units = user_splits(self.cv, problem, self.train_fraction, generator)
            return plan_of_splits(
                splits, generator, problem.strata, with_halves=with_halves, units=units
            )
        return plan_runs(
            len(problem.y),
            problem.n_evaluation,
            self.train_fraction,
            self.cv,
            generator,
            problem.strata,
            with_halves=with_halves,
            rotates=self._rotates,
            units=problem.units,
        )

    def _inference_for(self, problem: Problem) -> str:
        """Return the kind of interval that "auto" stands for.

        A model that is already trained has no halves; rows, or groups of rows, that are too few to
        leave some of every class in each part of every half allow none.
        """
        if self.inference != "auto":
            return self.inference
        if self.prefit:
            return "paired"
        strata = problem.strata
        rarest = np.inf if strata is None else np.unique(strata, return_counts=True)[1].min()
        n_rows = len(problem.y) - problem.n_evaluation
        is_enough = n_rows >= _LEAST_HALVED and rarest >= _LEAST_HALVED_PER_CLASS
        if problem.units is not None:
            is_enough &= problem.units.n_units >= _LEAST_HALVED_PER_CLASS
        return "learning_curve" if is_enough else "paired"

    def _plan(
        self,
        inference: str,
        runs: RunPlan,
        strata: np.ndarray | None,
        generator: np.random.Generator,
        clusters: np.ndarray | None,
    ) -> EvaluationPlan:
        if inference != "split":
            return EvaluationPlan.paired(runs.fold_of_row)
        numbers = runs.numbers
        return EvaluationPlan.split(
            runs.fold_of_row, generator, None if strata is None else strata[numbers], clusters
        )

    def effects(self, features: Sequence[Any] | None = None) -> EffectCurves:
        """Return how the prediction of the full model moves with each feature.

        Parameters
        ----------
        features : sequence, optional
            Columns by name or position; by default those that are feature sets of their own.

        Returns
        -------
        EffectCurves
            With `to_frame()`, `directions()`, and what they are in its notes;
            :func:`lukewarm.plot_effects` draws them.
        """
        from lukewarm.estimators._effects import effect_columns, effect_curves

        check_is_fitted(self, "result_")
        return effect_curves(
            self._prepared,
            effect_columns(self, features),
            self._model_name,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def report(
        self, path: str | PathLike[str] = "report.html", *, title: str | None = None, **more: Any
    ) -> Path:
        """Write the results as one self-contained HTML page and return its path.

        Parameters
        ----------
        path : path, default "report.html"
            A file that is there is replaced.
        title : str, optional
            The heading of the page.
        **more
            `effects`, `interactions` and `segments` of :func:`lukewarm.report`, sections that are
            computed on request.

        See Also
        --------
        lukewarm.report : Several estimators or results on one page.
        """
        from lukewarm.reporting import report

        return report(self, path, title=title, **more)

    def _report_subjects(self) -> list[Subject]:
        from lukewarm.estimators._report import report_subjects

        check_is_fitted(self, "result_")
        return report_subjects(self)

    @property
    def _has_own_length(self) -> bool:
        """Whether the most steps of a training run are a setting of the user's estimator."""
        return self.max_steps is None and hasattr(self.model, "fit")

    @property
    def _model_name(self) -> str:
        return self.model if isinstance(self.model, str) else type(self.model).__name__
