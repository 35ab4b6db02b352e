"""The model chosen on the stopping rows: trees with and without a base, a kernel machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from lukewarm._typing import Features, Prediction, Vector
from lukewarm.data import Rows
from lukewarm.learners._base import BindsRows, Learner
from lukewarm.learners._training import stopping_loss, train_until
from lukewarm.learners.boosting import BASES, BasedBoosting, ObliviousBoosting
from lukewarm.learners.kernel import (
    KernelMachine,
    KernelMachineClassifier,
    KernelMachineRegressor,
    Machine,
)
from lukewarm.measures import mean_log_loss, mean_squared_error
from lukewarm.results import TrainingTrace
from lukewarm.stopping import StoppingRule

# Deep trees overfit small tables; the stopping rows decide between the two depths.
_SHALLOW, _DEEP = "trees of depth 3", "trees of depth 6"
_BINS = ((2_000, 32), (10_000, 64), (np.inf, 128))
# Enough to tell models apart that differ by a few percent.
_RACED_ROWS = 10_000
# Columns up to which curves, nine functions of each, stand under the trees.
_MOST_CURVED = 100
# Columns up to which a kernel machine can learn a length scale for each in a few seconds.
_MOST_SCALED = 300
_PATIENCE = 50
_MOST_TREES = 2000


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model that was tried: its name, its loss on the stopping rows and what it cost."""

    name: str
    loss: float
    seconds: float


class AutoLearner:
    """Several kinds of models are trained; the one with the lowest stopping loss is kept.

    Trees of two depths, on what a ridge regression leaves where that is better, and a kernel
    machine.

    Parameters
    ----------
    n_classes : int, optional
        None for regression.
    seed : int, default 0
    """

    patience = _PATIENCE
    max_steps = _MOST_TREES
    accepts_missing = True
    accepts_categories = True

    def __init__(self, *, n_classes: int | None = None, seed: int = 0) -> None:
        self.n_classes = n_classes
        self.seed = seed
        self.loss = mean_squared_error if n_classes is None else mean_log_loss
        self.chosen: Learner | None = None
        self.candidates: tuple[Candidate, ...] = ()
        self.chosen_name = ""

    @property
    def n_steps(self) -> int:
        """Steps of the chosen model."""
        return 0 if self.chosen is None else self.chosen.n_steps

    def fresh(self, seed: int) -> AutoLearner:
        """Return a learner that has chosen nothing yet."""
        return AutoLearner(n_classes=self.n_classes, seed=seed)

    def copy(self, seed: int | None = None) -> Learner:
        """Return the chosen model's copy."""
        return self.fresh(self.seed) if self.chosen is None else self.chosen.copy(seed)

    def predict(self, X: Features) -> Prediction:
        """Return the chosen model's predictions."""
        if self.chosen is None:
            shape = (len(X),) if (self.n_classes or 2) == 2 else (len(X), self.n_classes or 0)
            return np.full(shape, 0.0 if self.n_classes is None else 1 / self.n_classes)
        return self.chosen.predict(X)

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Take further steps with the chosen model."""
        if self.chosen is None:
            raise TypeError("nothing is chosen yet; train with train_until.")
        self.chosen.advance(X, y, n_steps, weights)

    def choose(
        self, train: Rows, stopping: Rows, rule: StoppingRule, max_steps: int
    ) -> tuple[Learner, TrainingTrace]:
        """Train the candidates and return the best of them as the full model.

        With many rows a race on some of them comes first, and only the two best go on.
        """
        names = None
        if len(train) > _RACED_ROWS:
            few = _Contest(self, _some(train), _some(stopping), rule, max_steps)
            few.run(None)
            names = [entry.candidate.name for entry in few.ranking[:2]]
            self.candidates = tuple(entry.candidate for entry in few.entries)
        contest = _Contest(self, train, stopping, rule, max_steps)
        contest.run(names)
        best = contest.ranking[0]
        self.chosen, self.chosen_name = best.learner, best.candidate.name
        self.candidates += tuple(entry.candidate for entry in contest.entries)
        return self, best.trace


@dataclass(frozen=True, eq=False)
class _Entry:
    candidate: Candidate
    learner: Learner
    trace: TrainingTrace


class _Contest:
    """Candidates trained on the same rows."""

    def __init__(
        self,
        settings: AutoLearner,
        train: Rows,
        stopping: Rows,
        rule: StoppingRule,
        max_steps: int,
    ) -> None:
        self.entries: list[_Entry] = []
        self._settings = settings
        self._train, self._stopping = train, stopping
        self._rule, self._max_steps = rule, max_steps

    @property
    def ranking(self) -> list[_Entry]:
        """The entries, lowest stopping loss first."""
        return sorted(self.entries, key=lambda entry: entry.candidate.loss)

    def run(self, names: list[str] | None) -> None:
        """Train the candidates of these names; by default all that are worth trying.

        Of trees for a regression those of the deeper kind are tried on one base only, the one
        that suits shallow ones best.
        """
        candidates = self._candidates()
        if names is not None:
            for name in names:
                self._try(name, candidates[name])
            return
        for name, make in candidates.items():
            if not name.startswith(_DEEP) or self._settings.n_classes is not None:
                self._try(name, make)
        if self._settings.n_classes is None:
            shallow = next(
                entry.candidate.name
                for entry in self.ranking
                if entry.candidate.name.startswith(_SHALLOW)
            )
            name = shallow.replace(_SHALLOW, _DEEP)
            self._try(name, candidates[name])

    def _candidates(self) -> dict[str, Callable[[], Any]]:
        settings, n_columns = self._settings, self._train.X.shape[1]
        # As many bins as rows can fill; more cost time and find the same splits.
        n_bins = next(bins for most, bins in _BINS if len(self._train) <= most)
        shared: dict[str, Any] = {"n_bins": n_bins, "seed": settings.seed}
        found: dict[str, Callable[[], Any]] = {}
        for kind, depth in ((_SHALLOW, 3), (_DEEP, 6)):
            if settings.n_classes is not None:
                found[kind] = partial(
                    ObliviousBoosting, depth, n_classes=settings.n_classes, **shared
                )
                continue
            for base in BASES if n_columns <= _MOST_CURVED else BASES[:2]:
                found[f"{kind}, base {base}"] = partial(BasedBoosting, base, depth=depth, **shared)
        if n_columns <= _MOST_SCALED:
            found["kernel machine"] = partial(_KernelCandidate, settings.n_classes, settings.seed)
        return found

    def _try(self, name: str, make: Callable[[], Any]) -> None:
        started = perf_counter()
        learner = make()
        train, stopping = self._train, self._stopping
        if isinstance(learner, BindsRows):
            X_train, X_stopping = learner.bind(train.X, stopping.X)
            train, stopping = replace(train, X=X_train), replace(stopping, X=X_stopping)
        trained, trace = train_until(learner, train, stopping, self._rule, self._max_steps)
        loss = stopping_loss(trained, stopping, trained.predict(stopping.X))
        candidate = Candidate(name, loss, perf_counter() - started)
        self.entries.append(_Entry(candidate, trained, trace))


def _some(rows: Rows) -> Rows:
    """Return at most as many rows as a race is run on, evenly spaced."""
    numbers = np.arange(len(rows))[:: -(-len(rows) // _RACED_ROWS)]
    return rows.at(numbers)


class _KernelCandidate:
    """A kernel machine that is fitted in one go, and can be trained further as a copy."""

    def __init__(self, n_classes: int | None, seed: int) -> None:
        kind = KernelMachineRegressor if n_classes is None else KernelMachineClassifier
        self._estimator: Any = kind(random_state=seed)
        self._seed = seed
        self.n_classes = n_classes
        self.loss = mean_squared_error if n_classes is None else mean_log_loss
        self.n_steps = 0
        self.chosen_name = "kernel machine"

    def choose(
        self, train: Rows, stopping: Rows, rule: StoppingRule, max_steps: int
    ) -> tuple[_KernelCandidate, TrainingTrace]:
        self._estimator.fit(train.X, train.y, train.weights)
        self.n_steps = 1
        return self, TrainingTrace.untrained()

    @property
    def machine(self) -> Machine | None:
        """The fitted machine of a regression."""
        return self._estimator.machine_ if self.n_classes is None else None

    def predict(self, X: Features) -> Prediction:
        if self.n_classes is None:
            return self._estimator.predict(X)
        probabilities = self._estimator.predict_proba(X)
        return probabilities[:, 1] if self.n_classes == 2 else probabilities

    def copy(self, seed: int | None = None) -> Learner:
        # The learner of the same machine, which can be trained further without some columns.
        known = self._seed if seed is None else seed
        return KernelMachine.from_fitted(self._estimator, n_classes=self.n_classes, seed=known)

    def fresh(self, seed: int) -> _KernelCandidate:
        return _KernelCandidate(self.n_classes, seed)

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        raise TypeError("a kernel machine is trained further as a copy; call copy first.")
