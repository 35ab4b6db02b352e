"""ShapleyImportance: predictive skill shared out fairly among correlated features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lukewarm._typing import RandomState
from lukewarm._validation import check_choice, check_count, check_number
from lukewarm.data import check_disjoint
from lukewarm.estimators._base import ImportanceEstimator
from lukewarm.estimators._health import fit_remarks, left_over, with_shapley_remarks
from lukewarm.estimators._prepared import Prepared
from lukewarm.estimators._remainder import left_by_full_models
from lukewarm.estimators._shapley_run import ShapleyRun, warn_imprecise
from lukewarm.measures import Measure
from lukewarm.reduction import Reduction
from lukewarm.results import ShapleyResult, warn_of
from lukewarm.shapley import (
    SOLVERS,
    Solution,
    check_enough_coalitions,
    check_exact_is_feasible,
)
from lukewarm.stopping import StoppingRule

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# 14 reduced models, or 1,022.
_EXACT_BY_DEFAULT = 4
_EXACT_IF_CHEAP = 10
# Of the range of the values: a sampling error that hardly shows in a bar chart.
_DEFAULT_TOLERANCE = 0.025


class ShapleyImportance(ImportanceEstimator):
    """Shapley values of features: each one's fair share of the model's predictive skill.

    Parameters
    ----------
    model, method, measure, task
        As for :class:`VariableImportance`.
    solver : str, default "auto"
        How values of coalitions become Shapley values: "exact" (every coalition),
        "regression_adjusted", "kernel", "permutation", "marginal" (the paper's scheme). "auto" is
        exact for up to 4 players (up to 10 with ``model="boosting", method="early_stopping"``),
        else "regression_adjusted".
    n_coalitions : int, optional
        Most reduced models to fit; at least four per player, for the solvers "permutation" and
        "marginal" six.
    tolerance : float, optional
        Instead of `n_coalitions`: fit until the standard error of the sampling of coalitions is
        below this share of the range of the Shapley values. 0.025 by default.
    features : sequence, optional
        The players, by name or position; every column by default. Columns that are in no player are
        always kept.
    groups : mapping from name to columns, "auto" or {"correlation": threshold}, optional
        Columns that form one player.
    inference, cv, train_fraction, fill, stopping, patience, min_delta, max_steps
        As for :class:`VariableImportance`.
    symmetric, prefit
        As for :class:`VariableImportance`.
    level : float, default 0.95
        Level of the intervals.
    random_state : None, int or Generator
    n_jobs : int, optional
        Coalitions worked on at once; never changes a number.
    verbose : bool, optional
        Whether to show a progress bar; by default in a terminal or a notebook.
    store : path, optional
        A folder in which every finished model of a coalition is kept; see
        :class:`VariableImportance`. More coalitions, another solver and other measures use what is
        there.

    Attributes
    ----------
    result_ : ShapleyResult
    results_ : dict from measure name to ShapleyResult
    feature_names_in_ : ndarray of str
    n_features_in_ : int
    classes_ : ndarray or None

    Examples
    --------
    >>> import lukewarm as lw
    >>> data = lw.datasets.make_correlated_linear(n_samples=500, random_state=0)
    >>> sv = lw.ShapleyImportance(n_coalitions=30, random_state=0).fit(data.X, data.y)
    >>> sv.result_.n_fits
    30
    >>> gain = sv.result_.value_of(data.X).value - sv.result_.value_of([]).value
    >>> bool(np.isclose(sv.result_.shapley_value.sum(), gain))
    True
    """

    # Every coalition is a model for each run; thirds would double them.
    _rotates = False

    def __init__(
        self,
        model: Any = "auto",
        method: str | Reduction = "auto",
        measure: str | Measure | Sequence[str | Measure] | None = None,
        *,
        task: str = "auto",
        solver: str = "auto",
        n_coalitions: int | None = None,
        tolerance: float | None = None,
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
        level: float = 0.95,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool | None = None,
        store: str | PathLike[str] | None = None,
    ) -> None:
        self.model = model
        self.method = method
        self.measure = measure
        self.task = task
        self.solver = solver
        self.n_coalitions = n_coalitions
        self.tolerance = tolerance
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
        self.level = level
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.store = store

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
    ) -> ShapleyImportance:
        """Measure the Shapley values on this table.

        Parameters
        ----------
        X, y, sample_weight, X_eval, y_eval, sample_weight_eval, groups, groups_eval, time
            As for :meth:`VariableImportance.fit`.

        Returns
        -------
        ShapleyImportance
            Itself, with `result_` set.
        """
        self._check_work()
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
        players = self._feature_sets(problem)
        check_disjoint(players, "players")
        solver = self._chosen_solver(len(players))
        if self.n_coalitions is not None:
            check_enough_coalitions(solver, len(players), self.n_coalitions)
        self._prepared = self._prepare(problem)
        self._players = players
        self._remarks = (
            *fit_remarks(self._prepared, players.values(), has_own_length=self._has_own_length),
            *left_over(left_by_full_models(self._prepared)),
        )
        self._run = ShapleyRun(
            self._prepared, list(players.values()), solver, self.n_jobs, self.verbose
        )
        if solver == "exact":
            solution = self._run.grow(2 ** len(players) - 2)
        elif self.n_coalitions is not None:
            solution = self._run.grow(self.n_coalitions)
        else:
            solution = self._run.grow_until(self._tolerance)
        self._record(solution)
        warn_of(self.result_.health())
        if solver != "exact" and self.n_coalitions is None:
            warn_imprecise(self.result_.data_error, self.result_.shapley_value, self._tolerance)
        return self

    def fit_more(self, n_coalitions: int) -> ShapleyImportance:
        """Fit up to `n_coalitions` further reduced models; the same as one longer run.

        Parameters
        ----------
        n_coalitions : int

        Returns
        -------
        ShapleyImportance
            Itself, with `result_` renewed.
        """
        check_is_fitted(self, "result_")
        check_count("n_coalitions", n_coalitions)
        self._record(self._run.grow(self._run.n_coalitions + n_coalitions))
        warn_of(self.result_.health())
        return self

    def plot(self, **options: Any) -> Axes:
        """Draw the Shapley values as bars with intervals and return the matplotlib Axes.

        Parameters
        ----------
        **options
            Passed on to :func:`lukewarm.plot_shapley`.
        """
        from lukewarm.plotting import plot_shapley

        check_is_fitted(self, "result_")
        return plot_shapley(self.result_, **options)

    @property
    def _tolerance(self) -> float:
        return _DEFAULT_TOLERANCE if self.tolerance is None else self.tolerance

    def _check_work(self) -> None:
        check_choice("solver", self.solver, ("auto", *SOLVERS))
        if self.n_coalitions is not None:
            check_count("n_coalitions", self.n_coalitions)
        if self.tolerance is not None:
            check_number("tolerance", self.tolerance, above=0, finite=True)
        given = [name for name in ("n_coalitions", "tolerance") if getattr(self, name) is not None]
        if len(given) == 2:
            raise ValueError("give n_coalitions or tolerance, not both.")
        if given and self.solver == "exact":
            raise ValueError(f"solver 'exact' fits every coalition; leave out {given[0]}.")

    def _chosen_solver(self, n_players: int) -> str:
        if self.solver == "exact":
            check_exact_is_feasible(n_players)
        if self.solver != "auto":
            return self.solver
        asked_for_less = self.n_coalitions is not None or self.tolerance is not None
        # Warm starts of our trees cost a fraction of a projection.
        is_cheap = self._is_boosting and self.method == "early_stopping"
        most = _EXACT_IF_CHEAP if is_cheap else _EXACT_BY_DEFAULT
        return "regression_adjusted" if n_players > most or asked_for_less else "exact"

    @property
    def _is_boosting(self) -> bool:
        if isinstance(self.model, str):
            return self.model == "boosting"
        from lukewarm.learners import ObliviousBoosting

        return isinstance(self.model, ObliviousBoosting)

    def _record(self, solution: Solution) -> None:
        measures = self._prepared.problem.measures
        solutions = [solution] + [self._run.solution_of(n) for n in range(1, len(measures))]
        self.results_ = {
            measure.name: with_shapley_remarks(
                self._result(number, measure, each), self._prepared, self._remarks
            )
            for number, (measure, each) in enumerate(zip(measures, solutions, strict=True))
        }
        self.result_ = self.results_[measures[0].name]

    def _result(self, number: int, measure: Measure, solution: Solution) -> ShapleyResult:
        fitted = self._run.game.fit(solution.coalitions)
        history = self._run.history() if number == 0 else []
        n_players = len(self._players)
        skills = [each.skills[number] for each in fitted]
        has_halves = self._prepared.runs.halves is not None
        return ShapleyResult(
            names=tuple(self._players),
            players=tuple(self._players.values()),
            coalitions=solution.coalitions,
            values=np.array([each.value for each in skills]),
            influence=self._influence([each.influence for each in skills]),
            weights=solution.weights,
            covariance=solution.covariance,
            steps=np.array([each.n_steps for each in fitted]),
            seconds=np.array([each.seconds for each in fitted]),
            history_sizes=np.array([point.n_fits for point in history], dtype=int),
            history_values=np.array([point.values for point in history]).reshape(-1, n_players),
            history_errors=np.array([point.errors for point in history]).reshape(-1, n_players),
            full_seconds=sum(model.seconds for model in self._prepared.full_models),
            measure=measure.name,
            method=self._prepared.reduction.name,
            model=self._prepared.described(self._model_name),
            solver=self._run.solver,
            inference=self._prepared.inference,
            level=self.level,
            with_rows=_with_rows(self._prepared) if self.inference == "split" else None,
            shifts=np.array([each.shift for each in skills]) if has_halves else None,
            disagreements=np.stack([each.disagreement for each in skills]) if has_halves else None,
            candidates=self._prepared.candidates,
            clusters=self._prepared.clusters,
        )

    def _influence(self, rows: list[np.ndarray]) -> np.ndarray:
        """Return the influence values of all coalitions as one matrix.

        Half the memory: the standard errors need no more than single precision.
        """
        store, shape = self._prepared.store, (len(rows), len(rows[0]))
        matrix = (
            np.empty(shape, np.float32) if store is None else store.disk.empty(shape, np.float32)
        )
        for place, row in enumerate(rows):
            matrix[place] = row
        return matrix


def _with_rows(prepared: Prepared) -> np.ndarray:
    """Return the rows, or groups of rows, that evaluate the models which have a feature."""
    rows, clusters = np.concatenate(prepared.plan.full_parts), prepared.clusters
    n_units = len(prepared.numbers) if clusters is None else clusters.max() + 1
    chosen = np.zeros(n_units, dtype=bool)
    chosen[rows if clusters is None else clusters[rows]] = True
    return chosen
