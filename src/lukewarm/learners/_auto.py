"""The model chosen on the stopping rows: trees with and without a base, a kernel machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from lukewarm._typing import Features, Prediction, Vector
from lukewarm.data import Rows
from lukewarm.learners._base import BindsRows, Learner
from lukewarm.learners._training import stopping_loss, train_until
from lukewarm.learners.boosting import BASES, BasedBoosting, ObliviousBoosting
from lukewarm.learners.kernel import KernelMachineClassifier, KernelMachineRegressor
from lukewarm.measures import mean_log_loss, mean_squared_error
from lukewarm.results import TrainingTrace
from lukewarm.stopping import StoppingRule

# Deep trees overfit small tables; the stopping rows decide between the two.
_DEPTHS = (3, 6)
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
        self._is_copy = False

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
        """Train the candidates and return the best of them as the full model."""
        found: list[tuple[Candidate, Learner, TrainingTrace]] = []

        def trial(name: str, make: Callable[[], Any]) -> float:
            started = perf_counter()
            learner = make()
            rows = (train, stopping)
            if isinstance(learner, BindsRows):
                bound = learner.bind(train.X, stopping.X)
                rows = tuple(  # type: ignore[assignment]
                    Rows(X, part.y, part.weights) for X, part in zip(bound, rows, strict=True)
                )
            trained, trace = train_until(learner, *rows, rule, max_steps)
            loss = stopping_loss(trained, rows[1], trained.predict(rows[1].X))
            found.append((Candidate(name, loss, perf_counter() - started), trained, trace))
            return loss

        n_bins = 32 if len(train) < 2000 else 64 if len(train) < 10000 else 128
        self._try_trees(trial, n_bins)
        self._try_kernel(trial)
        best = min(range(len(found)), key=lambda number: found[number][0].loss)
        self.chosen = found[best][1]
        self.candidates = tuple(candidate for candidate, _, _ in found)
        return self, found[best][2]

    def _try_trees(self, trial: Callable[[str, Callable[[], Any]], float], n_bins: int) -> None:
        """Try trees of both depths; for regression, on the base that suits shallow ones best."""
        shallow, deep = _DEPTHS
        settings: dict[str, Any] = {"n_bins": n_bins, "seed": self.seed}
        if self.n_classes is not None:
            for depth in _DEPTHS:
                trees = partial(ObliviousBoosting, depth, n_classes=self.n_classes, **settings)
                trial(f"trees of depth {depth}", trees)
            return
        losses = {
            base: trial(
                f"trees of depth {shallow}, base {base}",
                partial(BasedBoosting, base, depth=shallow, **settings),
            )
            for base in BASES
        }
        base = min(losses, key=lambda name: losses[name])
        based = partial(BasedBoosting, base, depth=deep, **settings)
        trial(f"trees of depth {deep}, base {base}", based)

    def _try_kernel(self, trial: Callable[[str, Callable[[], Any]], float]) -> None:
        trial("kernel machine", lambda: _KernelCandidate(self.n_classes, self.seed))


class _KernelCandidate:
    """A kernel machine that chooses its kernel on the training rows, then learns from all."""

    def __init__(self, n_classes: int | None, seed: int) -> None:
        kind = KernelMachineRegressor if n_classes is None else KernelMachineClassifier
        self._estimator: Any = kind(random_state=seed)
        self.n_classes = n_classes
        self.loss = mean_squared_error if n_classes is None else mean_log_loss
        self.n_steps = 0

    def choose(
        self, train: Rows, stopping: Rows, rule: StoppingRule, max_steps: int
    ) -> tuple[_KernelCandidate, TrainingTrace]:
        self._estimator.fit(train.X, train.y, train.weights)
        self.n_steps = 1
        return self, TrainingTrace.untrained()

    def predict(self, X: Features) -> Prediction:
        if self.n_classes is None:
            return self._estimator.predict(X)
        probabilities = self._estimator.predict_proba(X)
        return probabilities[:, 1] if self.n_classes == 2 else probabilities

    def copy(self, seed: int | None = None) -> _KernelCandidate:
        return self

    def fresh(self, seed: int) -> _KernelCandidate:
        return _KernelCandidate(self.n_classes, seed)

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        raise TypeError("a kernel machine of auto is not trained further.")
