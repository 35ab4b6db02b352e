"""The kernel machine as a learner, which can be trained further without some features."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from lukewarm._typing import Features, Matrix, Prediction, Vector
from lukewarm._validation import check_count
from lukewarm.learners._base import BaseLearner
from lukewarm.learners._fitted import check_fitted
from lukewarm.learners._imputation import Moments
from lukewarm.learners._task import check_task
from lukewarm.learners._traits import LearnerTraits
from lukewarm.learners.kernel._choice import Training
from lukewarm.learners.kernel._class_search import all_eigenfeatures
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._estimator import KernelMachineEstimator
from lukewarm.learners.kernel._ground import Ground, are_same
from lukewarm.learners.kernel._log_loss import ClassRows, indicators
from lukewarm.learners.kernel._own_functions import HasOwnFunctions, OwnFunctions
from lukewarm.learners.kernel._segments import ClassSegment, FittedSegment, Segment, UpdateSegment
from lukewarm.measures import Task


class KernelMachine(BaseLearner, HasOwnFunctions):
    """A kernel machine that is trained step by step.

    The first step chooses kernel, length scales and landmarks on its rows, by leaving rows out.
    From there on the kernel is fixed and training is the paper's update f <- f + eps K (y - f) in
    closed form. After step 1, 2, 3, ... there have been 1, 2, 3, 4, 6, 8, 12, 16, ... updates:
    two steps double the cumulative step size. Classifiers minimise penalised log-loss instead,
    with a penalty of one over the cumulative step size. On other rows, such as those without some
    features, the updates begin anew from the function learnt so far.

    Parameters
    ----------
    settings : KernelMachineEstimator, optional
        Kernel, length scale, ard and landmarks; the penalty has no part, steps take its place.
    n_classes : int, optional
        None for regression.
    seed : int, default 0

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> learner = KernelMachine()
    >>> learner.advance(X, X[:, 0] * X[:, 1], n_steps=30)
    >>> bool(np.mean((learner.predict(X) - X[:, 0] * X[:, 1]) ** 2) < 0.01)
    True
    """

    traits = LearnerTraits(
        # Two steps double the number of updates (`n_updates`): for classes the rule waits for eight
        # times as many, and 2**35 are the most. Both are judgement.
        patience=6,
        max_steps=70,
        accepts_missing=True,
        accepts_categories=True,
        is_staged=True,
        imputes=True,
    )

    def __init__(
        self,
        settings: KernelMachineEstimator | None = None,
        n_classes: int | None = None,
        seed: int = 0,
    ) -> None:
        self.settings = KernelMachineEstimator() if settings is None else settings
        self.settings.settings()
        self.task = Task(n_classes)
        if self.task.is_regression:
            # The whole path costs as much as one step, and a product of two columns is learnt late
            # on it, after slopes that do not help: the best of all steps is taken.
            self.traits = replace(self.traits, patience=self.traits.max_steps)
        self.seed = check_count("seed", seed, minimum=0)
        self._ground: Ground | None = None
        self._segments: tuple[Segment, ...] = ()
        self._rows: tuple[Features, Vector, Vector | None] | None = None

    @classmethod
    def from_model(
        cls, model: KernelMachineEstimator, *, task: Task, seed: int, prefit: bool
    ) -> KernelMachine:
        """Return a learner with an estimator's settings, or in its state; steps are its penalty."""
        if prefit:
            check_fitted(model, task)
            return cls.from_fitted(model, task=task, seed=seed)
        check_task(model, task)
        return cls(clone(model), n_classes=task.n_classes, seed=seed)

    @classmethod
    def from_fitted(cls, estimator: Any, *, task: Task, seed: int) -> KernelMachine:
        """Return a learner in the state of a fitted estimator of this room."""
        learner = cls(estimator, task.n_classes, seed)
        machine = estimator.machine_
        learner._ground = Ground(machine.coding, machine.kernel, estimator.n_landmarks_)
        learner._segments = (FittedSegment(machine, estimator.penalty_),)
        return learner

    @property
    def n_steps(self) -> int:
        """Steps taken so far."""
        return sum(segment.n_steps for segment in self._segments)

    @property
    def block_size(self) -> int:
        """Steps worth taking in one call."""
        # The whole path of a regression costs as much as one step; each step for classes is a fit.
        return self.traits.max_steps if self.task.is_regression else 8

    @property
    def own_functions(self) -> OwnFunctions | None:
        """What the function learnt first is made of; None before any step."""
        if self._ground is None or not self.n_steps:
            return None
        first, ground = self._segments[0], self._ground
        return OwnFunctions(ground.coding, ground.kernel, first.landmarks, first.penalty)

    def fresh(self, seed: int) -> KernelMachine:
        """Return an untrained learner with the same settings."""
        copied = type(self)(self.settings, self.n_classes, seed)
        copied.traits = self.traits
        return copied

    def for_classes(self, n_classes: int) -> KernelMachine:
        """Return an untrained classifier with the same settings."""
        return type(self)(self.settings, n_classes, self.seed)

    def copy(self, seed: int | None = None) -> KernelMachine:
        """Return an independent learner in the same state; segments are shared."""
        copied = self.fresh(self.seed if seed is None else seed)
        copied._ground, copied._segments = self._ground, self._segments
        copied._rows = self._rows
        return copied

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Take `n_steps` further steps on these rows."""
        if n_steps == 0:
            return
        rows = (X, y, weights)
        if not self._segments or self._rows is None or not are_same(rows, self._rows):
            self._segments = (*self._segments, self._begin(X, y, weights))
            self._rows = rows
        self._segments = (*self._segments[:-1], self._segments[-1].extended(n_steps))

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row; class probabilities for a classifier."""
        return self._predictions(self._outputs(X, self._segments))

    def rewind(self, step: int) -> None:
        """Go back to the model after `step` steps, exactly."""
        check_count("step", step, minimum=0, maximum=self.n_steps)
        kept: list[Segment] = []
        for segment in self._segments:
            if step > 0:
                kept.append(segment.truncated(min(step, segment.n_steps)))
                step -= kept[-1].n_steps
        if len(kept) < len(self._segments):
            self._rows = None
        self._segments = tuple(kept)
        if not kept:
            self._ground = None

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`."""
        check_count("first_step", first_step, minimum=0, maximum=self.n_steps)
        before = self.n_steps - (self._segments[-1].n_steps if self._segments else 0)
        stages: list[np.ndarray] = []
        for step in range(first_step, min(before, self.n_steps) + 1):
            copied = self.copy()
            copied.rewind(step)
            stages.append(copied.predict(X))
        steps = range(max(first_step, before + 1) - before, self.n_steps - before + 1)
        if steps:
            base = self._outputs(X, self._segments[:-1])
            added = self._segments[-1].outputs(self._code(X), steps)
            stages += [self._predictions(base + each) for each in added]
        return np.stack(stages)

    def impute_conditionally(
        self, X: Features, before: Features, weights: Vector | None = None
    ) -> None:
        """Replace the columns removed from `X` by their best linear guess from the others."""
        if self._ground is None:
            return
        coding = replace(self._ground.coding, imputation=None)
        coded, whole = coding.code(X), coding.code(before)
        is_removed = (np.ptp(coded, axis=0) == 0) & (np.ptp(whole, axis=0) > 0)
        imputation = Moments.learn(whole, weights).imputation(is_removed)
        self._ground = replace(self._ground, coding=replace(coding, imputation=imputation))

    def kernel_matrix(self, X: Features) -> Matrix:
        """Return the kernel of the updates between rows, (n, n), divided by n; constant included.

        Notes
        -----
        ``f <- f + learning_rate * kernel_matrix @ (y - f)`` is one update on these rows, with the
        kernel as centred there and all rows as landmarks. The constant has an eigenvalue of one
        over the learning rate.
        """
        if self._ground is None:
            raise ValueError("The learner has no kernel yet; call advance first.")
        return self._ground.kernel_matrix(self._code(X))

    @property
    def learning_rate(self) -> float:
        """Of the updates on the rows trained on last, min(1, 1 / the largest eigenvalue)."""
        if not self._segments or not isinstance(self._segments[-1], UpdateSegment):
            raise ValueError("Only a machine for regression has updates; call advance first.")
        return self._segments[-1].learning_rate

    def _begin(self, X: Features, y: Vector, weights: Vector | None) -> Segment:
        """Return a segment without steps, from the function learnt so far."""
        shares = np.ones(len(y)) if weights is None else weights / weights.mean()
        is_used = shares > 0
        if not is_used.all():
            X = X.iloc[is_used] if isinstance(X, pd.DataFrame) else X[is_used]
            y, shares = y[is_used], shares[is_used]
        base = self._outputs(X, self._segments)
        by_rank = self.settings.by_rank
        coding = (
            Coding.learn(X, shares, by_rank=by_rank)
            if self._ground is None
            else self._ground.coding
        )
        order = np.random.default_rng(self.seed).permutation(len(y))
        rows = coding.code(X)
        targets = y[:, None] if self.task.is_regression else indicators(y, self.task.n_outputs)
        training = Training(rows[order], targets[order], shares[order])
        if self._ground is None:
            self._ground = Ground.choose(training, coding, self.settings, self.task)
        residuals = targets - (base if self.task.is_regression else 0)
        training = Training(rows[order], residuals[order], shares[order])
        path = training.path(self._ground.kernel, self._ground.n_landmarks)
        if self.task.is_regression:
            return UpdateSegment(path)
        features = all_eigenfeatures(path, training.rows)
        return ClassSegment(path, ClassRows(features, training.y, training.shares, base[order]))

    def _code(self, X: Features) -> Matrix:
        assert self._ground is not None
        return self._ground.coding.code(X)

    def _outputs(self, X: Features, segments: tuple[Segment, ...]) -> Matrix:
        outputs = np.zeros((len(X), self.task.n_outputs))
        if segments:
            rows = self._code(X)
            for segment in segments:
                if segment.n_steps:
                    outputs += segment.outputs(rows, [segment.n_steps])[0]
        return outputs

    def _predictions(self, outputs: Matrix) -> Prediction:
        return self.task.link(outputs)
