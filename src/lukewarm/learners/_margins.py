"""What the boosters of other libraries have in common: margins that grow segment by segment.

A warm start never re-evaluates old trees inside the engine: new trees are trained on top of a given
margin (baseline, init_score, base_margin), and a model is the sum of the segments so trained.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, Protocol

import numpy as np
from scipy.special import expit, softmax

from lukewarm._typing import Features, Prediction, Vector
from lukewarm.learners._class_weights import ClassWeights
from lukewarm.learners._objectives import Objective
from lukewarm.learners._recalibration import RecalibratedTrees, recalibration
from lukewarm.measures import mean_squared_error

# Longest leaf of a classifier after a warm start, in log-odds before the learning rate. Where a
# model is sure and wrong a Newton step has next to no curvature to divide by: with one case in a
# hundred its leaves are some hundred log-odds long, and every first tree makes things worse. Leaves
# of a model that starts from balanced classes stay within 2.
LONGEST_LEAF = 4.0
_LONGEST_RATE = 0.25  # a stride lengthens no learning rate beyond this


class Segment(Protocol):
    """Trees trained in one go; margins have shape (n, d), d > 1 for several classes."""

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        ...

    def first(self, n_trees: int) -> Segment:
        """Return the segment of the first `n_trees` trees."""
        ...

    def margin(self, data: Any) -> np.ndarray:
        """Return what all the trees add, (n, d)."""
        ...

    def staged_margins(self, data: Any, start: int) -> np.ndarray:
        """Return what trees start+1 .. t add, for every t > start: (n_trees - start, n, d)."""
        ...


class MarginLearner(ABC):
    """A booster as a sum of segments of trees.

    Parameters
    ----------
    estimator : the library's scikit-learn style estimator
        Its settings are read; the object itself is never changed or trained.
    n_classes : int, optional
        None for regression.
    seed : int, default 0
    objective : Objective, optional
        What a regression is trained on.
    """

    patience = 20
    # A warm start makes up for a feature with about half the trees of the full model.
    longest_stride = 2.5
    accepts_missing = True
    accepts_categories = True
    max_steps: int

    def __init__(
        self,
        estimator: Any,
        *,
        n_classes: int | None = None,
        seed: int = 0,
        objective: Objective | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_classes = n_classes
        self.seed = seed
        self._objective = objective or Objective(None)
        self.measure = self._objective.measure
        own = mean_squared_error if self.measure is None else self.measure.mean_loss
        self._class_weights = ClassWeights(estimator.get_params())
        self.loss = own if n_classes is None else self._class_weights.mean_log_loss
        self._segments: tuple[Segment, ...] = ()
        self._first_step = 0
        self._step_length = 1.0
        self._longest_leaf = np.inf
        self._margins = _MarginMemory()

    @property
    def n_steps(self) -> int:
        """Trees grown so far."""
        return sum(segment.n_trees for segment in self._segments)

    @property
    def stride(self) -> float:
        """How many times as large steps are after a warm start."""
        rate = self._rate
        if rate is None:
            return self.longest_stride
        return min(max(_LONGEST_RATE / rate, 1.0), self.longest_stride)

    @property
    def _rate(self) -> float | None:
        """The learning rate of the user's model; None where the engine chooses one."""
        return float(self.estimator.learning_rate)

    @property
    def steps_taken(self) -> int:
        """Trees grown since this learner was made or copied."""
        return self.n_steps - self._first_step

    def fresh(self, seed: int) -> MarginLearner:
        """Return an untrained learner with the same settings."""
        return type(self)(self.estimator, n_classes=self.n_classes, seed=seed)

    def for_classes(self, n_classes: int) -> MarginLearner:
        """Return an untrained classifier with the same settings."""
        return type(self)(self.estimator, n_classes=n_classes, seed=self.seed)

    def copy(self, seed: int | None = None) -> MarginLearner:
        """Return an independent learner that stands where this one stands."""
        twin = copy(self)
        twin.seed = self.seed if seed is None else seed
        twin._first_step = self.n_steps
        twin._margins = _MarginMemory()
        return twin

    def lengthen_steps(self, factor: float) -> None:
        """Make every further tree count `factor` times as much."""
        self._step_length *= factor

    def recalibrate(
        self, X: Features, before: Features, y: Vector, weights: Vector | None = None
    ) -> None:
        """Make a classifier's margins for `X` as confident as they were `before`, given y.

        A leaf's value is a sum of gradients over a sum of curvatures. Where a model is sure and
        wrong there is next to no curvature, and the first trees after a warm start overshoot. So
        leaves have a longest length from here on, too.
        """
        if self.n_classes is None or not self._segments:
            return
        self._longest_leaf = LONGEST_LEAF
        weights = self._class_weights.of_rows(y, weights)
        margin = self._margin_at(X, self.n_steps)
        full_margin = self._sum(self._prepare(before), self._segments, len(before))
        to = recalibration(margin, full_margin, y, weights)
        if to is None:
            return
        first, *others = self._segments
        none = np.zeros_like(to.offset)
        self._segments = (
            RecalibratedTrees(first, to.scale, to.offset),
            *(RecalibratedTrees(segment, to.scale, none) for segment in others),
        )
        self._margins.forget()
        self._margins.keep(X, self.n_steps, to.offset + to.scale * margin)

    @abstractmethod
    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Grow `n_steps` further trees on top of the margin reached."""

    def predict(self, X: Features) -> Prediction:
        """Return predicted values, or class probabilities."""
        if self.steps_taken == 0:
            # The first thing a training loop asks for is where the stopping rows stand.
            return self._link(self._margin_at(X, self.n_steps))
        return self._link(self._sum(self._prepare(X), self._segments, len(X)))

    def rewind(self, step: int) -> None:
        """Go back to the model of the first `step` trees."""
        self._segments = self._segments_until(step)
        self._margins.forget()

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`."""
        known_step, margin = self._margins.recall(X, first_step)
        if margin is None:
            known_step, margin = first_step, self._margin_at(X, first_step)
        stages = [margin[np.newaxis]]
        data, done = self._prepare(X), 0
        for segment in self._segments:
            start = max(known_step - done, 0)
            if start < segment.n_trees:
                stages.append(stages[-1][-1] + segment.staged_margins(data, start))
            done += segment.n_trees
        self._margins.keep(X, self.n_steps, stages[-1][-1])
        return self._link(np.concatenate(stages)[first_step - known_step :])

    @property
    def _n_margins(self) -> int:
        """Margins of a row: one, or one for each of several classes."""
        return self.n_classes if self.n_classes is not None and self.n_classes > 2 else 1

    def _prepare(self, X: Features) -> Any:
        """Return the rows in the form the engine predicts from."""
        return X

    def _link(self, margin: np.ndarray) -> Prediction:
        """Return predictions (..., n) or (..., n, k) of margins (..., n, d)."""
        if self.n_classes is None:
            return self._objective.prediction(margin[..., 0])
        if margin.shape[-1] == 1:
            return expit(margin[..., 0])
        probability = softmax(margin, axis=-1)
        return probability[..., 1] if self.n_classes == 2 else probability

    def _segments_until(self, step: int) -> tuple[Segment, ...]:
        kept: list[Segment] = []
        for segment in self._segments:
            n_trees = min(step, segment.n_trees)
            if n_trees:
                kept.append(segment if n_trees == segment.n_trees else segment.first(n_trees))
            step -= n_trees
        return tuple(kept)

    def _margin_at(self, X: Features, step: int) -> np.ndarray:
        """Return the margin (n, d) after `step` trees, going on from the last one asked for."""
        known_step, known = self._margins.recall(X, step)
        data = self._prepare(X)
        if known is None:
            margin = self._sum(data, self._segments_until(step), len(X))
        elif known_step == step:
            margin = known
        else:
            margin = known + self._between(data, known_step, step)
        self._margins.keep(X, step, margin)
        return margin

    def _between(self, data: Any, first_step: int, last_step: int) -> np.ndarray:
        total: Any = 0.0
        done = 0
        for segment in self._segments_until(last_step):
            start = max(first_step - done, 0)
            if start < segment.n_trees:
                added = segment.margin(data) if start == 0 else segment.staged_margins(data, start)
                total = total + (added if start == 0 else added[-1])
            done += segment.n_trees
        return total

    def _sum(self, data: Any, segments: tuple[Segment, ...], n_rows: int) -> np.ndarray:
        if not segments:
            return np.zeros((n_rows, self._n_margins))
        return np.sum([segment.margin(data) for segment in segments], axis=0)


class BlockMarginLearner(MarginLearner):
    """A booster that needs a fit of its own for every block of trees.

    Blocks grow with the steps taken, so that the cost of setting a fit up stays a small share
    while a short continuation overshoots little.
    """

    first_block = 20

    @property
    def block_size(self) -> int:
        """Trees worth growing in one fit."""
        return max(self.first_block, self.steps_taken // 4)

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Grow `n_steps` further trees on top of the margin reached."""
        if n_steps == 0:
            return
        baseline = self._margin_at(X, self.n_steps) if self._segments else None
        segment = self._grow(X, y, n_steps, weights, baseline)
        self._segments = (*self._segments, segment)

    @abstractmethod
    def _grow(
        self,
        X: Features,
        y: Vector,
        n_steps: int,
        weights: Vector | None,
        baseline: np.ndarray | None,
    ) -> Segment:
        """Return `n_steps` trees trained on top of `baseline` (n, d)."""


class _MarginMemory:
    """The last margin of the two matrices a training loop asks about: training and stopping rows.

    Matrices are told apart by identity; nothing inside the library writes to one after use.
    """

    def __init__(self) -> None:
        self._entries: list[tuple[Any, int, np.ndarray]] = []

    def recall(self, X: Features, step: int) -> tuple[int, np.ndarray | None]:
        for matrix, known_step, margin in self._entries:
            if matrix is X and known_step <= step:
                return known_step, margin
        return 0, None

    def keep(self, X: Features, step: int, margin: np.ndarray) -> None:
        others = [entry for entry in self._entries if entry[0] is not X]
        self._entries = [*others[-1:], (X, step, margin)]

    def forget(self) -> None:
        self._entries = []
