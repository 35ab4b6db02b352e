"""VariableImportance: which features matter, and how sure are you."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from lukewarm._typing import FeatureSet, RandomState
from lukewarm._validation import check_count, check_number
from lukewarm.data import as_feature_sets, as_groups
from lukewarm.estimators._base import ImportanceEstimator
from lukewarm.estimators._budget import harvest, most_promising_first, not_reached_remark
from lukewarm.estimators._health import fit_remarks, with_importance_remarks
from lukewarm.estimators._interactions import interaction_frame, leading_pairs, unions
from lukewarm.estimators._prepared import Outcome, Prepared
from lukewarm.estimators._quality import compare_with_retraining, note_on_gap, spread
from lukewarm.estimators._ties import Ties
from lukewarm.evaluation import (
    EvaluationPredictions,
    PredictionEvidence,
    clustered_score,
    join_predictions,
)
from lukewarm.measures import Measure
from lukewarm.reduction import Reduction
from lukewarm.results import ImportanceResult, MeasureValue, Remark, warn_of


class VariableImportance(ImportanceEstimator):
    """Importance of features as the predictive skill lost without them, with intervals.

    Parameters
    ----------
    model : str, estimator, torch.nn.Module or Learner, default "auto"
        What is explained: a name ("auto", "boosting", "kernel", "network", "catboost"), an
        unfitted estimator of any kind, a module, or anything that follows the learner protocol;
        with `prefit` whatever predicts, also a function of the rows. "auto" trains trees of two
        depths, on a linear or additive base where that helps, and a kernel machine, and keeps the
        one that predicts held-out rows best, or the average of those that may be the best.
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
        Columns, or sets of columns, to explain, by name; every column by default. Integers are
        positions, unless the frame names its columns by integers.
    groups : mapping from name to columns, "auto" or {"correlation": threshold}, optional
        Named sets of columns that are taken away together. "auto" finds one-hot columns by their
        names and values; a correlation threshold joins the columns whose rank correlations all
        reach it.
    inference : "auto", "learning_curve", "paired" or "split", default "auto"
        "learning_curve" also trains on two halves of the training rows: the estimate is taken to
        where it is heading, what it moved when the rows doubled widens the interval, and the
        p-value is that of a test which keeps its level at zero. "paired" is the interval of the
        paper, for given models; "split" evaluates the full and the reduced models on different
        rows. "auto" is "learning_curve", and "paired" for a model that is already trained.
    cv : int, splitter or iterable, optional
        Folds: every row is evaluated by models that never saw it. A number of folds (at least 2
        rows to a fold, 4 with ``inference="split"``), a splitter of scikit-learn, or pairs
        (training rows, evaluation rows) or triples (training, stopping, evaluation) of row
        numbers. By default one split; three folds where "learning_curve" meets 2,000 rows or
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
    stopping : "hold_out" or "cross_validation", default "hold_out"
        Whether the steps of early stopping are chosen on the stopping rows, or by five folds of
        all training rows and then taken on all of them.
    patience : int, optional
        Steps without improvement on the stopping rows that end training. By default the model's
        own (20 trees, 5 epochs); where steps after a warm start are longer, fewer of them there.
    min_delta : float, default 0
        The fall in loss that counts as improvement.
    max_steps : int, optional
        Most steps of one training run; the model's own by default.
    symmetric : bool, optional
        Whether the full model is given the same further training as the reduced ones before they
        are compared. By default it is, except with `prefit`: then the full model is the user's,
        as it stands. False is the paper's literal Algorithm 1.
    prefit : bool, default False
        Whether `model` is already trained and explained as it stands. `fit` then takes the rows it
        was trained on, and rows it has not seen as `X_eval`, `y_eval`. Reduced models that are
        retrained (by "retrain", or in `check`) learn from as many rows of `X` as the model did,
        for as many steps as it has.
    time_limit : float, optional
        Seconds after which no further feature set is begun. The most promising ones come first, by
        dropout on the rows that decide when to stop (the training rows of a model that is fitted
        in one go). The full models and one set are always done. What was not reached is in
        `not_reached_` and in `health()`; `fit_more` goes on. Numbers do not depend on it.
    level : float, default 0.95
        Level of the intervals.
    random_state : None, int or Generator
    n_jobs : int, optional
        Feature sets worked on at once, at most as many as the machine has cores; never changes a
        number. By default what ``joblib.parallel_config`` says, else 1.
    verbose : bool, optional
        Whether to show a progress bar; by default in a terminal or a notebook.

    Attributes
    ----------
    result_ : ImportanceResult
    results_ : dict from measure name to ImportanceResult
    predictions_ : EvaluationPredictions
        Predictions on the evaluation rows, from which any other measure follows.
    not_reached_ : list of str
        Feature sets for which there was no time.
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
        stopping: str = "hold_out",
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
        y : array-like of shape (n,)
            Numbers no larger than 1e70 in size, or labels of classes.
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
        deadline = self._deadline()
        ties = Ties(groups, groups_eval, time)
        problem = self._problem(X, y, sample_weight, X_eval, y_eval, sample_weight_eval, ties)
        sets = self._feature_sets(problem)
        self._prepared = self._prepare(problem)
        self._asked: dict[str, FeatureSet] = {}
        return self._measure(sets, deadline, has_more=False)

    def fit_more(self, features: Sequence[Any] | None = None) -> VariableImportance:
        """Measure further feature sets with the full models of the fit.

        Parameters
        ----------
        features : sequence, optional
            Like the parameter of the estimator; by default those that were not reached before the
            end of `time_limit`, which counts anew, or before a break. Sets that are known already
            are left out.

        Returns
        -------
        VariableImportance
            Itself, with `result_` renewed: the same numbers as one fit for all sets.

        Examples
        --------
        >>> import lukewarm as lw
        >>> data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
        >>> vi = lw.VariableImportance("boosting", features=["X1"], random_state=0)
        >>> vi = vi.fit(data.X, data.y).fit_more(["X2", "X3"])
        >>> vi.result_.names
        ('X1', 'X2', 'X3')
        """
        check_is_fitted(self, "result_")
        deadline = self._deadline()
        if features is None:
            sets = {name: self._asked[name] for name in self.not_reached_}
        else:
            problem = self._prepared.problem
            groups = as_groups(self.groups, problem.X, problem.index)
            sets = as_feature_sets(problem.index, features, groups)
        sets = {name: each for name, each in sets.items() if name not in self.result_.names}
        return self._measure(sets, deadline, has_more=True) if sets else self

    def _deadline(self) -> float:
        return np.inf if self.time_limit is None else monotonic() + self.time_limit

    def _measure(
        self, sets: dict[str, FeatureSet], deadline: float, *, has_more: bool
    ) -> VariableImportance:
        """Measure the sets, as many as there is time for; there may be results to add them to."""
        self._asked |= sets
        order = list(sets) if deadline == np.inf else most_promising_first(self._prepared, sets)
        interrupted, predictions, results = self._measured(
            self._prepared, {name: sets[name] for name in order}, deadline
        )
        if has_more:
            predictions = join_predictions([self.predictions_, predictions])
            results = {
                name: ImportanceResult.merge([self.results_[name], result])
                for name, result in results.items()
            }
        reached = next(iter(results.values())).names
        self.not_reached_ = [name for name in self._asked if name not in reached]
        remark = not_reached_remark(self.not_reached_, len(self._asked))
        self.predictions_ = predictions
        self.results_ = {name: _with_remark(each, remark) for name, each in results.items()}
        self.result_ = self.results_[self._prepared.problem.measures[0].name]
        if interrupted:
            raise KeyboardInterrupt("the feature sets that were done are in result_.")
        warn_of(self.result_.health())
        return self

    def _measured(
        self, prepared: Prepared, sets: dict[str, FeatureSet], deadline: float = np.inf
    ) -> tuple[bool, EvaluationPredictions, dict[str, ImportanceResult]]:
        """Return whether the user broke off, the predictions, and a result for each measure.

        The sets are worked on in their order; those reached by the deadline are in the results, in
        the order in which they were asked for.
        """
        gathered = harvest(
            prepared,
            list(sets.values()),
            deadline=deadline,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        outcomes = gathered.outcomes
        reached = {name: sets[name] for name in self._in_order(sets) if sets[name] in outcomes}
        by_set = [outcomes[()], *(outcomes[removed] for removed in reached.values())]
        predictions = prepared.predictions(by_set[0], by_set[1:])
        scores = prepared.scores(by_set[0], by_set[1:])
        remarks = fit_remarks(prepared, reached.values(), has_own_length=self._has_own_length)
        return (
            gathered.interrupted,
            predictions,
            {
                measure.name: with_importance_remarks(
                    self._result(measure, reached, prepared, predictions, by_set[1:], scores),
                    prepared,
                    remarks,
                )
                for measure in prepared.problem.measures
            },
        )

    def _in_order(self, sets: dict[str, FeatureSet]) -> list[str]:
        """Return the names as the user asked for them, however the sets were worked on."""
        asked = {name: place for place, name in enumerate(self._asked)}
        return sorted(sets, key=lambda name: asked.get(name, len(asked)))

    def interactions(self, top: int = 5) -> pd.DataFrame:
        """Return how much pairs of the most important feature sets are worth together.

        The models without both of a pair are obtained from the full models of the fit.

        Parameters
        ----------
        top : int, default 5
            Pairs of so many feature sets: 10 pairs of 5.

        Returns
        -------
        DataFrame
            One row per pair, the largest first: the importance of both together, and the
            interaction VI_j + VI_k - VI_jk with its standard error, interval and two-sided
            p-value. Positive where the features need each other, as in a product; negative where
            each can stand for the other; 0 where their effects add up and they know nothing of
            each other.

        Notes
        -----
        The measure of pairs of LOCO scores (iLOCO; Little, Zheng and Allen 2025). Pairs of feature
        sets that share a column are left out.

        Examples
        --------
        >>> import lukewarm as lw
        >>> data = lw.datasets.make_correlated_linear(n_samples=500, random_state=0)
        >>> vi = lw.VariableImportance("boosting", inference="paired", random_state=0)
        >>> frame = vi.fit(data.X[["X1", "X2", "X3"]], data.y).interactions(top=2)
        >>> frame[["first", "second"]]
          first second
        0    X1     X2
        """
        check_is_fitted(self, "result_")
        pairs = leading_pairs(self.result_, check_count("top", top, minimum=2))
        if not pairs:
            return interaction_frame(self.result_, None, pairs)
        _, _, results = self._measured(self._prepared, unions(self.result_, pairs))
        return interaction_frame(self.result_, results[self.result_.measure], pairs)

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
        table = compare_with_retraining(self._prepared, self.result_, numbers, self.n_jobs)
        note = note_on_gap(table)
        self.result_ = replace(self.result_, notes=(note,) if note else ())
        self.results_ = {**self.results_, self.result_.measure: self.result_}
        return table

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importance of each column, none below 0, shape ``(n_features_in_,)``.

        For scikit-learn's `SelectFromModel` and `RFE`, which take the size of a number for its
        worth; a true importance is not negative. Only where every column is a feature set of its
        own. `ImportanceSelector` selects by tests instead.
        """
        check_is_fitted(self, "result_")
        columns = [column for removed in self.result_.removed for column in removed]
        if sorted(columns) != list(range(self.n_features_in_)) or len(self.result_) < len(columns):
            raise AttributeError(
                "feature_importances_ has one number per column, and this fit was asked for other "
                "feature sets; see result_, or fit without features, groups and time_limit."
            )
        importances = np.empty(self.n_features_in_)
        importances[columns] = np.maximum(self.result_.importance, 0.0)
        return importances

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

    def _result(
        self,
        measure: Measure,
        sets: dict[str, FeatureSet],
        prepared: Prepared,
        predictions: EvaluationPredictions,
        by_set: list[list[Outcome]],
        scores: tuple[MeasureValue, ...] | None,
    ) -> ImportanceResult:
        full, reduced = predictions.skills(measure)
        is_projection = prepared.reduction.name == "projection"
        places = prepared.problem.evaluated(prepared.numbers)
        scored, clusters = prepared.scored, prepared.clusters
        of_scored = None if clusters is None else clusters[scored]
        return ImportanceResult(
            names=tuple(sets),
            removed=tuple(sets.values()),
            full=full,
            reduced=reduced,
            traces=tuple(
                tuple(outcomes[model].trace for model in prepared.runs.whole) for outcomes in by_set
            ),
            seconds=tuple(sum(each.seconds for each in outcomes) for outcomes in by_set),
            full_traces=tuple(prepared.full_models[model].trace for model in prepared.runs.whole),
            full_seconds=sum(model.seconds for model in prepared.full_models),
            measure=measure.name,
            method=prepared.reduction.name,
            model=prepared.described(self._model_name),
            inference=prepared.inference,
            level=self.level,
            scores=None
            if scores is None
            else tuple(clustered_score(each, of_scored) for each in scores),
            missed=predictions.missed(measure, self.level) if is_projection else None,
            clusters=clusters,
            rows=places.rows,
            evidence=PredictionEvidence(
                predictions,
                measure,
                places.n_table_rows,
                scores,
                scored,
                prepared.runs.variance_factor,
            ),
            candidates=prepared.candidates,
        )


def _with_remark(result: ImportanceResult, remark: tuple[Remark, ...]) -> ImportanceResult:
    """Return the result with what is said now of feature sets that were not reached."""
    others = tuple(each for each in result.remarks if each.name != "not_reached")
    return replace(result, remarks=(*remark, *others))
