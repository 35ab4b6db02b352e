"""VariableImportance: which features matter, and how sure are you."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from time import monotonic, perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from lukewarm._typing import FeatureSet, RandomState
from lukewarm._validation import check_choice, check_number
from lukewarm.estimators._budget import (
    ON_ERROR,
    Harvest,
    break_message,
    harvest,
    most_promising_first,
    not_reached_remark,
)
from lukewarm.estimators._follow_ups import FollowUps
from lukewarm.estimators._forecast import Forecast, forecast_of
from lukewarm.estimators._importance_results import importance_results, with_remark
from lukewarm.estimators._prepared import Prepared
from lukewarm.evaluation import (
    EvaluationPredictions,
    join_predictions,
)
from lukewarm.measures import Measure
from lukewarm.reduction import Reduction
from lukewarm.results import ImportanceResult, warn_of
from lukewarm.stopping import StoppingRule


class VariableImportance(FollowUps):
    """Importance of features as the predictive skill lost without them, with intervals.

    Parameters
    ----------
    model : str, estimator, torch.nn.Module or Learner, default "auto"
        What is explained: a name ("auto", "boosting", "kernel", "network", "catboost", "lightgbm",
        "xgboost", "random_forest", "linear"), an unfitted estimator of any kind, a module, or
        anything that follows the learner protocol. With `prefit` it may be anything that predicts,
        also a function of the rows. "auto" trains trees of two depths, on a linear or additive base
        where that helps, and kernel machines. It keeps the one that predicts held-out rows best, or
        the average of those that may be the best.
    method : str or Reduction, default "auto"
        How the model without a feature set is obtained: "projection" (the full model's own mean
        over what the features may be, given the others), "early_stopping" (go on training from the
        full model, stop early: the paper's Algorithm 1), "dropout" (no training), "retrain" (from
        the start); for networks also "kernel_flow" (early stopping in closed form), "lazy",
        "kernel_ridge" and "one_step". "auto" is "projection", except for models of quantiles and
        absolute errors, which are trained further or anew.
    measure : str, Measure or list of them, optional
        Predictive skill. By default that of the loss the model is trained on ("neg_mse" for
        squared error, "pinball(0.9)" for a quantile, "poisson_deviance", ...), and "deviance" for
        classes ("brier" where a model calls classes impossible, "accuracy" where it gives labels
        only). ``lukewarm.measures.available()`` lists them. With several, `result_`
        is that of the first and `results_` holds all.
    task : "auto", "regression" or "classification", default "auto"
        Whether `y` holds numbers or classes. "auto": text, flags, categories, a classifier or a
        measure of classes make them classes; numbers are numbers, and a `TaskWarning` says so
        where they are so few that they may be codes of classes.
    features : sequence, optional
        Columns, sets of columns, or groups to explain, by name; every column by default. Integers
        are positions, unless the frame names its columns by integers.
    groups : mapping from name to columns, "auto" or {"correlation": threshold}, optional
        Named sets of columns that are taken away together. "auto" finds one-hot columns by their
        names and values; a correlation threshold joins the columns whose rank correlations all
        reach it. `features`, if given, names every group of a mapping.
    inference : "auto", "learning_curve", "paired" or "split", default "auto"
        "learning_curve" also trains on two halves of the training rows. The estimate is
        extrapolated from them, its change when the rows doubled widens the interval, and the
        p-value is that of a test which keeps its level at zero. "paired" is the interval of the
        paper, for given models. "split" evaluates the full and the reduced models on different
        rows. "auto" is "learning_curve", and "paired" for a model that is already trained or for
        very few rows.
    cv : int, splitter or iterable, optional
        Folds: every row is evaluated by models that never saw it. A number of folds (at least 2
        rows to a fold, 4 with ``inference="split"``), a splitter of scikit-learn, or pairs
        (training rows, evaluation rows) or triples (training, stopping, evaluation) of row
        numbers. By default one split; three folds where "learning_curve" meets 10,000 rows or
        fewer.
    train_fraction : float, default 0.75
        Share of the rows for training, and of those for the gradient steps (the rest of them
        decide when to stop). With `cv`, the latter only. A model that is fitted in one go
        learns from all of them.
    fill : "mean", "zero", "conditional", number or mapping, default "mean"
        The value a removed column is held at; "mean" is that of the training rows. Columns of
        levels are held at their most frequent one. A mapping gives some columns another value.
        "conditional" fills each row with draws given its other columns: one draw in a row that is
        trained on, the mean over all draws where a model predicts. Projection draws in any case.
    stopping : "hold_out", "cross_validation" or StoppingRule, default "hold_out"
        Whether the steps of early stopping are chosen on the stopping rows, or by five folds of
        all training rows and then taken on all of them. A rule, such as
        ``lukewarm.stopping.Patience(10)``, stops all training on the stopping rows, as it is:
        that of full models, retraining and early stopping.
    patience : int, optional
        Steps without improvement on the stopping rows that end training. By default the model's
        own (20 trees, 5 epochs), and fewer after a warm start where steps are longer there.
    min_delta : float, default 0
        The fall in loss that counts as improvement.
    max_steps : int, optional
        Most steps of one training run; the model's own by default.
    symmetric : bool, optional
        Whether the full model is given the same further training as the reduced ones before they
        are compared. By default it is, except with `prefit`, where the user's model is compared
        as it is. False is the paper's literal Algorithm 1.
    prefit : bool, default False
        Whether `model` is already trained and explained as it is. `fit` then takes the rows it
        was trained on, and rows it has not seen as `X_eval`, `y_eval`. Reduced models that are
        retrained (by "retrain", or in `check`) learn from as many rows of `X` as the model did,
        for as many steps as it has.
    time_limit : float, optional
        Seconds after which no further feature set is begun. The most promising ones come first, by
        dropout on the rows that decide when to stop (the training rows of a model that is fitted
        in one go). The full models and one set are always measured. `not_reached_` and `health()`
        name the others; `fit_more` continues with them. No number depends on the limit.
    level : float, default 0.95
        Level of the intervals.
    random_state : None, int or Generator
    n_jobs : int, optional
        Feature sets worked on at once, at most as many as the machine has cores; never changes a
        number. By default what ``joblib.parallel_config`` says, else 1.
    verbose : bool, optional
        Whether to show a progress bar; by default in a terminal or a notebook.
    store : path, optional
        A folder that keeps what every finished model without a feature set predicts. A fit that
        was stopped or killed continues from there, and other feature sets and measures use what is
        there. Several processes may share a folder. If a table or setting that the numbers depend
        on has changed, an error names it.
    on_error : "raise" or "record", default "raise"
        What to do about a feature set whose models cannot be obtained: raise the error, or
        continue with the others. `not_reached_` then names the set and `health()` the reason.

    Attributes
    ----------
    result_ : ImportanceResult
    results_ : dict from measure name to ImportanceResult
    predictions_ : EvaluationPredictions
        Predictions on the evaluation rows, from which any other measure follows.
    not_reached_ : list of str
        Feature sets for which there was no time, or whose models failed.
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

    predictions_: EvaluationPredictions
    results_: dict[str, ImportanceResult]

    def __init__(
        self,
        model: Any = "auto",
        method: str | Reduction = "auto",
        measure: str | Measure | Sequence[str | Measure] | None = None,
        *,
        task: str = "auto",
        features: Sequence[Any] | None = None,
        groups: str | Mapping[str, Any] | None = None,
        inference: str = "auto",
        cv: Any = None,
        train_fraction: float = 0.75,
        fill: str | float | Mapping[Any, Any] = "mean",
        stopping: str | StoppingRule = "hold_out",
        patience: int | None = None,
        min_delta: float = 0.0,
        max_steps: int | None = None,
        symmetric: bool | None = None,
        prefit: bool = False,
        time_limit: float | None = None,
        level: float = 0.95,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
        store: str | PathLike[str] | None = None,
        on_error: str = "raise",
    ) -> None:
        self.model = model
        self.method = method
        self.measure = measure
        self.task = task
        self.features = features
        self.groups = groups
        self.inference = inference
        self.cv = cv
        self.train_fraction = train_fraction
        self.fill = fill
        self.stopping = stopping
        self.patience = patience
        self.min_delta = min_delta
        self.max_steps = max_steps
        self.symmetric = symmetric
        self.prefit = prefit
        self.time_limit = time_limit
        self.level = level
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.store = store
        self.on_error = on_error

    def fit(
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
    ) -> VariableImportance:
        """Measure the importances on this table.

        Parameters
        ----------
        X : DataFrame (pandas, polars or pyarrow), array-like or scipy.sparse, shape (n, p)
            Masked values count as missing; a sparse matrix is made dense, up to 2 GiB.
        y : array-like of shape (n,) or (n, n_outputs)
            Numbers no larger than 1e70 in size, or labels of classes. Several columns are numbers:
            `result_` is the mean over these outputs, and `results_` has each, as "r2 of NOX".
        sample_weight : array-like of shape (n,), optional
            Only their ratios matter; a row of weight zero is left out.
        X_eval, y_eval : like `X` and `y`, optional
            The rows to evaluate on; by default a part of `X` that no model is trained on.
        sample_weight_eval : array-like, optional
            Weights of the rows of `X_eval`.
        groups : array-like of shape (n,), optional
            Which rows belong together: the patient, the query or the day of each. Rows of one
            group are never parted by a split, and errors and tests count groups, not rows. (The
            parameter `groups` of the estimator joins columns.)
        groups_eval : array-like, optional
            The groups of the rows of `X_eval`, none of which is one of `X`.
        time : array-like of numbers or dates, shape (n,), optional
            When each row was seen. The first rows train, later ones decide when to stop, and the
            last evaluate; with a number of folds as `cv`, each block of time is evaluated by
            models of those before it.

        Returns
        -------
        VariableImportance
            Itself, with `result_` set.
        """
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, above=0)
        check_choice("on_error", self.on_error, ON_ERROR)
        deadline = self._deadline()
        problem = self._problem(
            X,
            y,
            sample_weight,
            X_eval=X_eval,
            y_eval=y_eval,
            sample_weight_eval=sample_weight_eval,
            groups=groups,
            groups_eval=groups_eval,
            time=time,
        )
        sets = self._feature_sets(problem)
        self._prepared = self._prepare(problem)
        self._asked: dict[str, FeatureSet] = {}
        self._reasons: dict[str, str] = {}
        return self._measure(sets, deadline, has_more=False)

    def forecast(self, X: Any, y: Any, sample_weight: Any = None, **others: Any) -> Forecast:
        """Return how many models a fit would need, and how many seconds it may take.

        One full model is trained and taken two feature sets from; nothing of it is kept.

        Parameters
        ----------
        X, y, sample_weight, **others
            Those of `fit`.

        Returns
        -------
        Forecast
            With `seconds`, the numbers of models, and a sentence when printed. Models of folds and
            halves are taken to cost in proportion to their rows; `time_limit` is left out of
            account.

        Examples
        --------
        >>> import lukewarm as lw
        >>> data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
        >>> forecast = lw.VariableImportance("boosting", cv=5).forecast(data.X, data.y)
        >>> forecast.n_full_models, forecast.n_reduced_models
        (15, 90)
        """
        from lukewarm.learners.boosting import compile_once  # loads numba

        # Nothing is read either: it is the models that are timed.
        estimator = clone(self, safe=False).set_params(store=None)
        problem = estimator._problem(X, y, sample_weight, **others)
        sets = estimator._feature_sets(problem)
        # What is compiled on first use is no part of what a fit takes.
        compile_once()
        started = perf_counter()
        prepared = estimator._prepare(problem, n_models=1)
        return forecast_of(prepared, list(sets.values()), started, self.n_jobs)

    def _deadline(self) -> float:
        return np.inf if self.time_limit is None else monotonic() + self.time_limit

    def _measure(
        self, sets: dict[str, FeatureSet], deadline: float, *, has_more: bool
    ) -> VariableImportance:
        """Measure the sets, as many as there is time for; there may be results to add them to."""
        self._asked |= sets
        order = list(sets) if deadline == np.inf else most_promising_first(self._prepared, sets)
        gathered, predictions, results = self._measured(
            self._prepared, {name: sets[name] for name in order}, deadline, self.on_error
        )
        if has_more:
            predictions = join_predictions([self.predictions_, predictions])
            results = {
                name: ImportanceResult.merge([self.results_[name], result])
                for name, result in results.items()
            }
        reached = next(iter(results.values())).names
        self.not_reached_ = [name for name in self._asked if name not in reached]
        self._reasons |= {
            name: gathered.failures[removed]
            for name, removed in sets.items()
            if removed in gathered.failures
        }
        remark = not_reached_remark(self.not_reached_, len(self._asked), self._reasons)
        self.predictions_ = predictions
        self.results_ = {name: with_remark(each, remark) for name, each in results.items()}
        self.result_ = self.results_[self._prepared.problem.measures[0].name]
        if gathered.interrupted:
            raise KeyboardInterrupt(break_message(self._prepared.store, has_result=True))
        warn_of(self.result_.health())
        return self

    def _measured(
        self,
        prepared: Prepared,
        sets: dict[str, FeatureSet],
        deadline: float = np.inf,
        on_error: str = "raise",
    ) -> tuple[Harvest, EvaluationPredictions, dict[str, ImportanceResult]]:
        """Return what was obtained, the predictions, and a result for each measure.

        The sets are worked on in their order; those reached by the deadline are in the results, in
        the order in which they were asked for.
        """
        gathered = harvest(
            prepared,
            list(sets.values()),
            deadline=deadline,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            on_error=on_error,
        )
        reached = [name for name in self._in_order(sets) if sets[name] in gathered.outcomes]
        predictions, results = importance_results(
            prepared,
            {name: sets[name] for name in reached},
            gathered.outcomes,
            model_name=self._model_name,
            level=self.level,
            has_own_length=self._has_own_length,
        )
        return gathered, predictions, results

    def _in_order(self, sets: dict[str, FeatureSet]) -> list[str]:
        """Return the names as the user asked for them, however the sets were worked on."""
        asked = {name: place for place, name in enumerate(self._asked)}
        return sorted(sets, key=lambda name: asked.get(name, len(asked)))
