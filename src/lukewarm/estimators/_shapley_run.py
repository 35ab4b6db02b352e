"""From trained full models to Shapley values: the game, how many coalitions, the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lukewarm._typing import FeatureSet, Vector
from lukewarm._warnings import warn_user
from lukewarm.estimators._budget import break_message, outcome_of
from lukewarm.estimators._linear_game import LinearGame, numeric_design
from lukewarm.estimators._model_game import FittedCoalition, ModelGame
from lukewarm.estimators._outcome import Outcome
from lukewarm.estimators._prepared import Prepared
from lukewarm.evaluation import EvaluationPlan
from lukewarm.exceptions import PrecisionWarning
from lukewarm.parallel import blas_for, iterate_jobs, with_bar
from lukewarm.reduction import CoalitionProjection, Projection
from lukewarm.shapley import (
    ProxyGame,
    Solution,
    as_proxy,
    is_exhaustive,
    least_coalitions,
    solve,
)

# The forecast of how many more fits are needed is rough: never more than twice as many at once,
# and never so few that solving again costs more than they bring.
_MOST_GROWTH = 2.0
_LEAST_GROWTH = 1.25
# Thousands of least-squares problems with more columns would cost more than they bring.
_MOST_PROXY_COLUMNS = 200
# Enough points for a curve of convergence, evenly spaced on a logarithmic axis.
_HISTORY_POINTS = 8
_HISTORY_RATIO = 0.7


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Shapley values, and their sampling errors, after a number of fits."""

    n_fits: int
    values: Vector
    errors: Vector

    @property
    def relative_error(self) -> float:
        """Largest sampling error over the range of the Shapley values."""
        return float(self.errors.max() / spread_of(self.values))


class ShapleyRun:
    """The models of one fit and the coalitions evaluated so far.

    Parameters
    ----------
    prepared : Prepared
    players : sequence of FeatureSet
    solver : str
    n_jobs, verbose
        As for the estimators.
    """

    def __init__(
        self,
        prepared: Prepared,
        players: Sequence[FeatureSet],
        solver: str,
        n_jobs: int | None,
        verbose: bool | None,
    ) -> None:
        self.solver = solver
        self.n_coalitions = 0
        self._prepared = _with_shared_work(prepared)
        self._n_jobs, self._verbose = n_jobs, verbose
        self._sampling_seed = prepared.root_seed
        # Each fold's rows, whichever half they belong to.
        self._plan = EvaluationPlan.paired(prepared.runs.fold_of_row)
        self._expected = ""
        self.game = ModelGame(players, self._run)
        self._proxies = self._make_proxies() if solver == "regression_adjusted" else []

    def grow(self, n_coalitions: int) -> Solution:
        """Fit what `n_coalitions` coalitions need beyond those known, and solve."""
        self.n_coalitions = n_coalitions
        return self._solve(n_coalitions)

    def grow_until(self, tolerance: float) -> Solution:
        """Fit coalitions until the sampling error is below `tolerance` times the range."""
        n_players = self.game.n_players
        asked = self.n_coalitions or max(self._least, 2 * n_players + 10)
        while True:
            solution = self.grow(asked)
            reached = self._checkpoint(solution).relative_error
            if reached <= tolerance or is_exhaustive(n_players, asked):
                return solution
            # Errors fall as one over the root of the number of coalitions, or faster.
            forecast = asked * (reached / tolerance) ** 2
            if np.isfinite(forecast):
                most = min(forecast, 2**n_players - 2)
                self._expected = f", about {most - asked:.0f} to go"
            asked = int(np.clip(forecast, _LEAST_GROWTH * asked, _MOST_GROWTH * asked))

    def solution_of(self, number: int) -> Solution:
        """Return the solution for another measure, from the same coalitions."""
        return self._solve(self.n_coalitions, number)

    def history(self) -> list[Checkpoint]:
        """Return what was known after fewer fits: the same solver on the first coalitions."""
        sizes = [self.n_coalitions]
        while len(sizes) < _HISTORY_POINTS and _HISTORY_RATIO * sizes[0] >= self._least:
            sizes.insert(0, int(_HISTORY_RATIO * sizes[0]))
        if self.solver == "exact" or is_exhaustive(self.game.n_players, self.n_coalitions):
            sizes = [self.n_coalitions]
        return [self._checkpoint(self._solve(size)) for size in sizes]

    @property
    def _least(self) -> int:
        """Coalitions below which errors are so wide that no run should begin or end there."""
        return least_coalitions(self.solver, self.game.n_players)

    def _solve(self, n_coalitions: int, number: int = 0) -> Solution:
        game = self.game.of_measure(number)
        return solve(game, self.solver, n_coalitions, self._sampling_seed, self._proxies)

    def _checkpoint(self, solution: Solution) -> Checkpoint:
        values = solution.shapley_of(self.game.of_measure(0).values(solution.coalitions))
        return Checkpoint(len(solution.coalitions) - 2, values, solution.standard_error)

    def _run(self, removed: Sequence[FeatureSet]) -> list[FittedCoalition]:
        try:
            jobs = _CoalitionJob(self._prepared, self._plan)
            results = iterate_jobs(jobs, removed, n_jobs=self._n_jobs, prefer="threads")
            fitted: dict[int, FittedCoalition] = {}
            for number, (each, unkept) in with_bar(
                results,
                len(removed),
                verbose=self._verbose,
                description=f"coalitions{self._expected}",
            ):
                fitted[number] = each.kept_by(self._prepared.on_disk)
                for model, outcome in unkept.items():
                    self._prepared.keep(model, removed[number], outcome)
        except KeyboardInterrupt:
            store = self._prepared.store
            raise KeyboardInterrupt(break_message(store, has_result=False)) from None
        return [fitted[number] for number in range(len(removed))]

    def _make_proxies(self) -> list[ProxyGame]:
        problem = self._prepared.problem
        if len(problem.index) > _MOST_PROXY_COLUMNS:
            return []
        is_evaluation = np.zeros(len(problem.y), dtype=bool)
        is_evaluation[self._prepared.numbers] = True
        y, targets = problem.y, problem.y[:, np.newaxis]
        if problem.task.is_multiclass:
            targets = targets == np.arange(problem.task.n_outputs)
        if problem.outputs:
            targets = (y - y.mean(axis=0)) / y.std(axis=0)
            y = targets.mean(axis=1)
        design = numeric_design(problem.X, y, is_evaluation)
        game = LinearGame(design, targets.astype(float), is_evaluation, self.game.players)
        return [as_proxy(game, self._sampling_seed)]


@dataclass(frozen=True, eq=False)
class _CoalitionJob:
    """The work on coalitions; it is sent to worker processes once, a job is the columns removed.

    A job gives what the coalition is worth, and the outcomes that should be in the store but could
    not be written where they were obtained.
    """

    prepared: Prepared
    plan: EvaluationPlan

    def __call__(self, removed: FeatureSet) -> tuple[FittedCoalition, dict[int, Outcome]]:
        prepared = self.prepared
        models = range(len(prepared.full_models))
        outcomes = [outcome_of(prepared, model, removed) for model in models]
        with blas_for(len(prepared.problem.y)):
            predictions = prepared.predictions(outcomes, [], plan=self.plan)
            skills = tuple(predictions.skills(measure)[0] for measure in prepared.problem.measures)
        n_steps = sum(outcomes[model].trace.n_steps_kept for model in prepared.runs.whole)
        seconds = sum(each.seconds for each in outcomes)
        unkept = {model: each for model, each in enumerate(outcomes) if not each.is_kept}
        return FittedCoalition(
            skills, n_steps, seconds
        ), unkept if prepared.store is not None else {}


def _with_shared_work(prepared: Prepared) -> Prepared:
    """Return the same with a projection that computes once what coalitions share."""
    if not isinstance(prepared.reduction, Projection):
        return prepared
    with blas_for(len(prepared.problem.y)):
        reduction = CoalitionProjection.of(
            (model.learner, model.data) for model in prepared.full_models
        )
    return replace(prepared, reduction=reduction)


def spread_of(values: Vector) -> float:
    """Return the range of the Shapley values; the size of the only one when there is one."""
    spread = np.ptp(values) if len(values) > 1 else np.abs(values).max()
    return max(float(spread), np.finfo(float).tiny)


def warn_imprecise(data_error: Vector, values: Vector, tolerance: float) -> None:
    """Warn when the evaluation rows leave more error than `tolerance` times the range."""
    allowed = tolerance * spread_of(values)
    if data_error.max() > allowed:
        warn_user(
            f"the evaluation rows leave standard errors up to {data_error.max():.3g} where the "
            f"tolerance allows {allowed:.3g}; more coalitions cannot lower them. Use more rows, "
            "or cv to evaluate every row.",
            PrecisionWarning,
        )
