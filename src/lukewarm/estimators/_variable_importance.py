"""VariableImportance: which features matter, and how sure are you."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from lukewarm._random import draw_seeds
from lukewarm._typing import FeatureSet, Prediction, RandomState
from lukewarm._validation import check_choice, check_count
from lukewarm.estimators._base import ImportanceEstimator, Prepared
from lukewarm.estimators._quality import compare_with_retraining, note_on_gap, spread
from lukewarm.estimators._screening import screen_by_dropout
from lukewarm.evaluation import EvaluationPredictions, near_zero, warn_near_zero
from lukewarm.measures import Measure
from lukewarm.parallel import run_jobs
from lukewarm.reduction import Reduction
from lukewarm.results import ImportanceResult, TrainingTrace

_Outcome = tuple[Prediction, TrainingTrace, float]


class VariableImportance(ImportanceEstimator):
    """Importance of features as the predictive skill lost without them, with intervals.

    Parameters
    ----------
    model : str, estimator, torch.nn.Module or Learner, default "boosting"
        What is explained: a name ("boosting", "kernel", "network", "catboost"), an unfitted
        estimator of a supported library, a module, or anything that follows the learner protocol.
    method : str or Reduction, default "early_stopping"
        How the model without a feature set is obtained: "early_stopping" (go on training from the
        full model, stop early), "dropout" (no training), "retrain" (from the start); for networks
        also "kernel_flow" (early stopping in closed form), "lazy", "kernel_ridge" and "one_step".
    measure : str, Measure or list of them, optional
        Predictive skill; "neg_mse" by default, "deviance" for classes. With several, `result_` is
        that of the first and `results_` holds all.
    features : sequence, optional
        Columns, or sets of columns, to explain, by name or index; every column by default.
    groups : mapping from name to columns, "auto" or {"correlation": threshold}, optional
        Named sets of columns that are taken away together. "auto" finds one-hot columns by their
        names and values; a correlation threshold joins the columns whose rank correlations all
        reach it.
    inference : "paired" or "split", default "paired"
        Whether the full and the reduced models are evaluated on the same rows, or each on a half
        of its own: wider intervals that stay valid when the true importance is zero.
    swap_roles : bool, default False
        With "split", whether point estimates use each half in both roles.
    cross_fit : int, optional
        Number of folds: every row is evaluated once, by models that never saw it.
    train_fraction : float, default 0.75
        Share of the rows for training, and of those for the gradient steps (the rest of them
        decide when to stop). With `cross_fit`, the latter only.
    fill : "mean", "zero", number or mapping from columns to values, default "mean"
        The value a removed column is held at; "mean" is that of the training rows. Columns of
        levels are held at their most frequent one. A mapping gives some columns another value.
    stopping : "hold_out" or "cross_validation", default "hold_out"
        Whether the steps of early stopping are chosen on the stopping rows, or by five folds of
        all training rows and then taken on all of them.
    patience : int, optional
        Steps without improvement on the stopping rows that end training; the model's own by
        default (20 trees, 5 epochs).
    min_delta : float, default 0
        The fall in loss that counts as improvement.
    max_steps : int, optional
        Most steps of one training run; the model's own by default.
    symmetric : bool, default True
        Whether the full model is given the same further training as the reduced ones before they
        are compared; False is the paper's literal Algorithm 1.
    prefit : bool, default False
        Whether `model` is already trained and explained as it stands. `fit` then takes the rows it
        was trained on, and rows it has not seen as `X_eval`, `y_eval`.
    screen : "dropout", optional
        Rank all feature sets by dropout first, on the rows that decide when to stop, and go on
        with the `keep` first of them only.
    keep : int, default 20
        Feature sets that survive the screening.
    level : float, default 0.95
        Level of the intervals.
    random_state : None, int or Generator
    n_jobs : int, optional
        Feature sets worked on at once; never changes a number.
    verbose : bool, optional
        Whether to show a progress bar; by default in a terminal or a notebook.

    Attributes
    ----------
    result_ : ImportanceResult
    results_ : dict from measure name to ImportanceResult
    predictions_ : EvaluationPredictions
        Predictions on the evaluation rows, from which any other measure follows.
    screen_ : DataFrame
        Dropout importance of every feature set and whether it was kept, after a screening.
    feature_names_in_ : ndarray of str
    n_features_in_ : int
    classes_ : ndarray or None

    Examples
    --------
    >>> import lukewarm as lw
    >>> data = lw.datasets.make_correlated_linear(n_samples=500, random_state=0)
    >>> vi = lw.VariableImportance(features=["X1", "X3"], random_state=0).fit(data.X, data.y)
    >>> list(vi.result_.names)
    ['X1', 'X3']
    """

    def __init__(
        self,
        model: Any = "boosting",
        method: str | Reduction = "early_stopping",
        measure: str | Measure | Sequence[str | Measure] | None = None,
        *,
        features: Sequence[Any] | None = None,
        groups: str | Mapping[str, Any] | None = None,
        inference: str = "paired",
        swap_roles: bool = False,
        cross_fit: int | None = None,
        train_fraction: float = 0.75,
        fill: str | float | Mapping[Any, Any] = "mean",
        stopping: str = "hold_out",
        patience: int | None = None,
        min_delta: float = 0.0,
        max_steps: int | None = None,
        symmetric: bool = True,
        prefit: bool = False,
        screen: str | None = None,
        keep: int = 20,
        level: float = 0.95,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.model = model
        self.method = method
        self.measure = measure
        self.features = features
        self.groups = groups
        self.inference = inference
        self.swap_roles = swap_roles
        self.cross_fit = cross_fit
        self.train_fraction = train_fraction
        self.fill = fill
        self.stopping = stopping
        self.patience = patience
        self.min_delta = min_delta
        self.max_steps = max_steps
        self.symmetric = symmetric
        self.prefit = prefit
        self.screen = screen
        self.keep = keep
        self.level = level
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_eval: Any = None,
        y_eval: Any = None,
    ) -> VariableImportance:
        """Measure the importances on this table.

        Parameters
        ----------
        X : DataFrame (pandas, polars or pyarrow) or array-like of shape (n, p)
        y : array-like of shape (n,)
            Numbers, or labels of classes.
        sample_weight : array-like of shape (n,), optional
        X_eval, y_eval : like `X` and `y`, optional
            The rows to evaluate on; by default a part of `X` that no model is trained on.

        Returns
        -------
        VariableImportance
            Itself, with `result_` set.
        """
        if self.screen is not None:
            check_choice("screen", self.screen, ("dropout",))
        check_count("keep", self.keep)
        problem = self._problem(X, y, sample_weight, X_eval, y_eval)
        sets = self._feature_sets(problem)
        prepared = self._prepared = self._prepare(problem)
        if self.screen is not None:
            sets, self.screen_ = screen_by_dropout(prepared, sets, self.keep)
        compared: list[FeatureSet] = [(), *sets.values()]
        jobs = list(product(range(len(prepared.full_models)), compared))
        seeds = draw_seeds(prepared.generator, len(jobs))
        outcomes = run_jobs(
            lambda job: prepared.predict_without(*job),
            [(*job, seed) for job, seed in zip(jobs, seeds, strict=True)],
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            description="feature sets",
        )
        # One row per compared set, one column per fold.
        by_set = [outcomes[number :: len(compared)] for number in range(len(compared))]
        self.predictions_ = self._assemble(prepared, by_set)
        self.results_ = {
            measure.name: self._result(measure, sets, prepared, by_set[1:])
            for measure in problem.measures
        }
        self.result_ = self.results_[problem.measures[0].name]
        warn_near_zero(self.result_.names, near_zero(self.result_), self.inference)
        return self

    def check(self, n: int = 3) -> pd.DataFrame:
        """Retrain `n` feature sets and return how far off the warm starts are, and what they save.

        The sets are spread from the least to the most important. Where the gap exceeds the
        standard error, `result_` gets a note that says so.

        Parameters
        ----------
        n : int, default 3

        Returns
        -------
        DataFrame
            One row per set: both estimates, the gap, also in standard errors, and the seconds.

        Examples
        --------
        >>> import lukewarm as lw
        >>> data = lw.datasets.make_correlated_linear(n_samples=500, random_state=0)
        >>> vi = lw.VariableImportance(features=["X1", "X3"], random_state=0).fit(data.X, data.y)
        >>> vi.check(1)[["feature", "importance", "retrained"]].shape
        (1, 3)
        """
        check_is_fitted(self, "result_")
        numbers = spread(self.result_, check_count("n", n))
        table = compare_with_retraining(
            self._prepared, self.predictions_, self.result_, numbers, self.n_jobs
        )
        note = note_on_gap(table)
        self.result_ = replace(self.result_, notes=(note,) if note else ())
        self.results_ = {**self.results_, self.result_.measure: self.result_}
        return table

    def plot(self, **options: Any) -> Any:
        """Draw the importances as bars with intervals and return the matplotlib Axes.

        Parameters
        ----------
        **options
            Passed on to :func:`lukewarm.plot_importance`.
        """
        from lukewarm.plotting import plot_importance

        check_is_fitted(self, "result_")
        return plot_importance(self.result_, **options)

    def _assemble(self, prepared: Prepared, by_set: list[list[_Outcome]]) -> EvaluationPredictions:
        stacked = [
            np.concatenate([prediction for prediction, _, _ in outcomes]) for outcomes in by_set
        ]
        problem, numbers = prepared.problem, prepared.numbers
        return EvaluationPredictions(
            problem.y[numbers],
            stacked[0],
            tuple(stacked[1:]),
            prepared.plan,
            None if problem.weights is None else problem.weights[numbers],
            self.swap_roles and self.inference == "split",
        )

    def _result(
        self,
        measure: Measure,
        sets: dict[str, FeatureSet],
        prepared: Prepared,
        by_set: list[list[_Outcome]],
    ) -> ImportanceResult:
        full, reduced = self.predictions_.skills(measure)
        return ImportanceResult(
            names=tuple(sets),
            removed=tuple(sets.values()),
            full=full,
            reduced=reduced,
            traces=tuple(tuple(trace for _, trace, _ in outcomes) for outcomes in by_set),
            seconds=tuple(sum(seconds for _, _, seconds in outcomes) for outcomes in by_set),
            full_traces=tuple(model.trace for model in prepared.full_models),
            full_seconds=sum(model.seconds for model in prepared.full_models),
            measure=measure.name,
            method=prepared.reduction.name,
            model=self._model_name,
            inference=self.inference,
            level=self.level,
        )
