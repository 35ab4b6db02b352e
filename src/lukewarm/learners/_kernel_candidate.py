"""A kernel machine among the models that `auto` chooses from."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from lukewarm._typing import Features, Prediction, Vector
from lukewarm.data import Rows
from lukewarm.learners._base import BaseLearner
from lukewarm.learners._traits import LearnerTraits
from lukewarm.learners.kernel import (
    HasMachine,
    HasOwnFunctions,
    KernelMachine,
    KernelMachineClassifier,
    KernelMachineRegressor,
    Machine,
    OwnFunctions,
    filled_outputs,
    probabilities,
)
from lukewarm.measures import Task
from lukewarm.results import TrainingTrace
from lukewarm.stopping import StoppingRule

KERNEL_MACHINE, RANKED_MACHINE = "kernel machine", "kernel machine on ranks"


class KernelCandidate(BaseLearner, HasMachine, HasOwnFunctions):
    """A kernel machine that is fitted in one go, and can be trained further as a copy."""

    n_steps = 0
    chosen_name = KERNEL_MACHINE
    traits = LearnerTraits(chooses_model=True)

    def __init__(self, name: str, task: Task, seed: int) -> None:
        kind = KernelMachineRegressor if task.is_regression else KernelMachineClassifier
        self._estimator: Any = kind(random_state=seed, by_rank=name == RANKED_MACHINE)
        self.chosen_name = name
        self._seed = seed
        self.task = task

    def choose(
        self, train: Rows, stopping: Rows, rule: StoppingRule, max_steps: int
    ) -> tuple[KernelCandidate, TrainingTrace]:
        self._estimator.fit(train.X, train.y, train.weights)
        self.n_steps = 1
        return self, TrainingTrace.untrained()

    @property
    def machine(self) -> Machine | None:
        """The fitted machine of a regression."""
        return self._estimator.machine_ if self.task.is_regression else None

    @property
    def own_functions(self) -> OwnFunctions | None:
        """What the fitted machine is made of; None before."""
        if not self.n_steps:
            return None
        return OwnFunctions.of(self._estimator.machine_, self._estimator.penalty_)

    def predict(self, X: Features) -> Prediction:
        return self._predictions(self._estimator.machine_.outputs(X))

    def predict_filled(self, X: Features, fills: Sequence[dict[int, Any]]) -> list[Prediction]:
        outputs = filled_outputs(self._estimator.machine_, X, fills)
        return [self._predictions(each) for each in outputs]

    def on(self, rows: Rows) -> KernelCandidate:
        """Return the machine with the same kernel on other rows."""
        other = copy(self)
        other._estimator = self._estimator.refitted(rows.X, rows.y, rows.weights)
        return other

    def _predictions(self, outputs: np.ndarray) -> Prediction:
        return outputs[:, 0] if self.task.is_regression else probabilities(outputs)

    def copy(self, seed: int | None = None) -> BaseLearner:
        # The learner of the same machine, which can be trained further without some columns.
        own_seed = self._seed if seed is None else seed
        return KernelMachine.from_fitted(self._estimator, task=self.task, seed=own_seed)

    def fresh(self, seed: int) -> KernelCandidate:
        return KernelCandidate(self.chosen_name, self.task, seed)

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        raise TypeError("a kernel machine is trained further as a copy; call copy first.")
