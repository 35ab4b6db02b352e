"""What the boosters of other libraries have in common: margins that grow segment by segment.

A warm start never re-evaluates old trees inside the engine: new trees are trained on top of a given
margin (baseline, init_score, base_margin), and a model is the sum of the segments so trained.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from lukewarm._typing import Draw, Features, FeatureSet, Prediction, Vector
from lukewarm.data import RowCache
from lukewarm.learners._calibration import calibration
from lukewarm.learners._class_weights import ClassWeights
from lukewarm.learners._fitted import check_fitted
from lukewarm.learners._model_wrapper import ModelWrapper
from lukewarm.learners._objectives import Objective, objective_of
from lukewarm.learners._traits import LearnerTraits
from lukewarm.learners.boosters._drawn import DrawnMargins, ReadableSegment, ReadForest
from lukewarm.learners.boosters._segments import CalibratedTrees, Segment
from lukewarm.measures import REGRESSION, Task

# Longest leaf of a classifier after a warm start, in log-odds before the learning rate. Where a
# model is sure and wrong a Newton step has next to no curvature to divide by: with one case in a
# hundred its leaves are some hundred log-odds long, and every first tree makes things worse. Leaves
# of a model that starts from balanced classes stay within 2.
LONGEST_LEAF = 4.0
# No factor after a warm start raises a learning rate beyond this: 2.5 times the usual 0.1.
_LARGEST_RATE = 0.25


class MarginLearner(ModelWrapper):
    """A booster as a sum of segments of trees.

    Parameters
    ----------
    estimator : the library's scikit-learn style estimator
        Its settings are read; the object itself is never changed or trained.
    task : Task
    seed : int, default 0
    """

    # Whose losses are meant, in the tables of `objective_of`.
    engine: str

    # What all models of a kind have in common; see `traits`.
    _shared_traits = LearnerTraits(
        # As of our own boosting, where it was measured; LightGBM loses nothing against 50 either.
        patience=20,
        accepts_missing=True,
        accepts_categories=True,
        is_staged=True,
        has_learning_rate=True,
        trains_quickly=True,
    )
    # A warm start makes up for a feature with about half the trees of the full model.
    largest_factor = 2.5
    max_steps: int

    def __init__(self, estimator: Any, *, task: Task = REGRESSION, seed: int = 0) -> None:
        super().__init__(estimator, task=task, seed=seed)
        settings = estimator.get_params()
        self.seed = seed
        self._loss_name = self._named_loss(settings)
        self._objective = self._own_objective(settings) if task.is_regression else Objective(None)
        self.measure = self._objective.measure
        self._class_weights = ClassWeights(settings)
        self._segments: tuple[Segment, ...] = ()
        self._first_step = 0
        self._step_length = 1.0
        self._longest_leaf = np.inf
        self._margins = _no_margins()
        self._read: RowCache[tuple[DrawnMargins | None]] = RowCache()

    @classmethod
    def from_fitted(cls, estimator: Any, *, task: Task, seed: int) -> Self:
        """Return a learner in the state of the fitted estimator."""
        check_fitted(estimator, task)
        learner = cls(estimator, task=task, seed=seed)
        learner._segments = (learner._fitted_trees(),)
        return learner

    @abstractmethod
    def _fitted_trees(self) -> Segment:
        """Return the trees of the estimator, which the user has trained."""

    @property
    def n_steps(self) -> int:
        """Trees grown so far."""
        return sum(segment.n_trees for segment in self._segments)

    @property
    def traits(self) -> LearnerTraits:
        """Those of the engine, with the steps and the learning rate of the user's model."""
        rate, factor = self._rate, self.largest_factor
        if rate is not None:
            factor = min(max(_LARGEST_RATE / rate, 1.0), factor)
        return replace(self._shared_traits, max_steps=self.max_steps, learning_rate_factor=factor)

    @property
    def _rate(self) -> float | None:
        """The learning rate of the user's model; None where the engine chooses one."""
        return float(self.estimator.learning_rate)

    @property
    def steps_taken(self) -> int:
        """Trees grown since this learner was made or copied."""
        return self.n_steps - self._first_step

    def copy(self, seed: int | None = None) -> MarginLearner:
        """Return an independent learner in the same state."""
        copied = copy(self)
        copied.seed = self.seed if seed is None else seed
        copied._first_step = self.n_steps
        copied._margins = _no_margins()
        copied._read = RowCache()
        return copied

    def __getstate__(self) -> dict[str, Any]:
        # Trees are read again where they are asked for.
        return {**self.__dict__, "_read": RowCache()}

    def scale_learning_rate(self, factor: float) -> None:
        """Make every further tree count `factor` times as much."""
        self._step_length *= factor

    def match_calibration(
        self, X: Features, before: Features, y: Vector, weights: Vector | None = None
    ) -> None:
        """Make a classifier's margins for `X` as confident as they were `before`, given y.

        A leaf's value is a sum of gradients over a sum of curvatures. Where a model is sure and
        wrong there is next to no curvature, and the first trees after a warm start overshoot. So
        leaves have a longest length from here on, too.
        """
        if self.task.is_regression or not self._segments:
            return
        self._longest_leaf = LONGEST_LEAF
        weights = self._class_weights.of_rows(y, weights)
        margin = self._margin_at(X, self.n_steps)
        full_margin = self._sum(self._prepare(before), self._segments, len(before))
        scaling = calibration(margin, full_margin, y, weights)
        if scaling is None:
            return
        first, *others = self._segments
        none = np.zeros_like(scaling.offset)
        self._segments = (
            CalibratedTrees(first, scaling.scale, scaling.offset),
            *(CalibratedTrees(segment, scaling.scale, none) for segment in others),
        )
        self._margins.forget()
        self._margins.keep((self.n_steps, scaling.offset + scaling.scale * margin), X)

    @abstractmethod
    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Grow `n_steps` further trees on top of the margin reached."""

    def predict(self, X: Features) -> Prediction:
        """Return predicted values, or class probabilities."""
        if self.steps_taken == 0:
            # The first thing a training loop asks for is the prediction of the stopping rows.
            return self._link(self._margin_at(X, self.n_steps))
        read = self._read.recall(self._segments)
        known = None if read is None or read[0] is None else read[0].known_margin(X)
        if known is None:
            known = self._sum(self._prepare(X), self._segments, len(X))
        return self._link(known)

    def predict_filled(self, X: Features, fills: Sequence[dict[int, Any]]) -> list[Prediction]:
        """Return the predictions for `X` with the values of each fill, by one pass where it can."""
        drawn = self._drawn()
        margins = None if drawn is None else drawn.margins(X, fills, None)
        return super().predict_filled(X, fills) if margins is None else list(self._link(margins[0]))

    def average_draws(self, X: Features, draws: Sequence[Draw]) -> Prediction | None:
        """Return the mean prediction over draws; None where the trees cannot be read."""
        average = self._average(X, draws, with_leaves=False)
        return None if average is None else average[0]

    def average_with_leaves(
        self, X: Features, draws: Sequence[Draw]
    ) -> tuple[Prediction, list[np.ndarray]] | None:
        """Return the mean prediction, and the leaves of the last draw; None as `average_draws`."""
        return self._average(X, draws, with_leaves=True)

    def _average(
        self, X: Features, draws: Sequence[Draw], *, with_leaves: bool
    ) -> tuple[Prediction, list[np.ndarray]] | None:
        drawn = self._drawn()
        if drawn is None:
            return None
        weights = np.array([weight for weight, _ in draws])
        fills = [fill for _, fill in draws]
        is_linear = self.task.is_regression and self._objective.link is None
        found = drawn.margins(X, fills, weights if is_linear else None, with_leaves=with_leaves)
        if found is None:
            return None
        margins, leaves = found
        predictions = self._link(margins)
        if is_linear:
            return predictions[0], leaves
        return np.einsum("mn,mn...->n...", weights, predictions), leaves

    def looks_at(self, columns: FeatureSet) -> bool | None:
        """Return whether some tree splits on one of the columns; None where that is not known."""
        drawn = self._drawn()
        return None if drawn is None else any(drawn.uses(column) for column in columns)

    def _drawn(self) -> DrawnMargins | None:
        """Return the margins by the trees as they are read; None where they cannot be."""
        kept = self._read.recall(self._segments)
        if kept is None:
            kept = self._read.keep((self._read_trees(),), self._segments)
        return kept[0]

    def _read_trees(self) -> DrawnMargins | None:
        segments = self._segments
        readable = [each for each in segments if isinstance(each, ReadableSegment)]
        if not segments or len(readable) < len(segments):
            return None
        forests: list[ReadForest] = []
        for segment in readable:
            forest = segment.read()
            if forest is None:
                return None
            forests.append(forest)
        return DrawnMargins(
            forests,
            lambda X: np.sum([each.own_margin(self._prepare(X)) for each in readable], axis=0),
            lambda rows: np.sum([each.read_margin(rows) for each in readable], axis=0),
            self._tree_rows,
            self._tree_column,
        )

    def _tree_rows(self, X: Features) -> Any:
        """Return the rows as trees that are read compare them; None where they cannot be."""
        return None

    def _tree_column(self, column: int) -> int:
        """Return the number that the trees have for a column."""
        return column

    def rewind(self, step: int) -> None:
        """Go back to the model of the first `step` trees."""
        self._segments = self._segments_until(step)
        self._margins.forget()

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`."""
        cached_step, margin = self._recalled(X, first_step)
        if margin is None:
            cached_step, margin = first_step, self._margin_at(X, first_step)
        stages = [margin[np.newaxis]]
        data, done = self._prepare(X), 0
        for segment in self._segments:
            start = max(cached_step - done, 0)
            if start < segment.n_trees:
                stages.append(stages[-1][-1] + segment.staged_margins(data, start))
            done += segment.n_trees
        self._margins.keep((self.n_steps, stages[-1][-1]), X)
        return self._link(np.concatenate(stages)[first_step - cached_step :])

    def _named_loss(self, settings: Mapping[str, Any]) -> Any:
        """Return what the engine is told to minimise, in its own words."""
        return settings.get("loss")

    def _own_objective(self, settings: Mapping[str, Any]) -> Objective:
        """Return what a regression is trained on."""
        return objective_of(self.engine, self._loss_name, settings)

    @property
    def _n_margins(self) -> int:
        """Margins of a row: one, or one for each of several classes."""
        return self.task.n_outputs

    def _prepare(self, X: Features) -> Any:
        """Return the rows in the form the engine predicts from."""
        return X

    def _link(self, margin: np.ndarray) -> Prediction:
        """Return predictions (..., n) or (..., n, k) of margins (..., n, d)."""
        prediction = self.task.link(margin)
        return self._objective.prediction(prediction) if self.task.is_regression else prediction

    def _segments_until(self, step: int) -> tuple[Segment, ...]:
        kept: list[Segment] = []
        for segment in self._segments:
            n_trees = min(step, segment.n_trees)
            if n_trees:
                kept.append(segment if n_trees == segment.n_trees else segment.first(n_trees))
            step -= n_trees
        return tuple(kept)

    def _recalled(self, X: Features, step: int) -> tuple[int, np.ndarray | None]:
        """Return the last margin of these rows, and its step, if that is not after `step`."""
        kept = self._margins.recall(X)
        return (0, None) if kept is None or kept[0] > step else kept

    def _margin_at(self, X: Features, step: int) -> np.ndarray:
        """Return the margin (n, d) after `step` trees, going on from the last one asked for."""
        cached_step, cached = self._recalled(X, step)
        data = self._prepare(X)
        if cached is None:
            margin = self._sum(data, self._segments_until(step), len(X))
        elif cached_step == step:
            margin = cached
        else:
            margin = cached + self._between(data, cached_step, step)
        self._margins.keep((step, margin), X)
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


def _no_margins() -> RowCache[tuple[int, np.ndarray]]:
    """Return a cache for the last margins, with their steps, of training and stopping rows."""
    return RowCache(2)


class BlockMarginLearner(MarginLearner):
    """A booster that needs a fit of its own for every block of trees.

    Blocks grow with the steps taken, so that the cost of setting a fit up stays a small share
    while a short continuation overshoots little.
    """

    # With CatBoost 10 and 20 were the fastest of 5 to 40 on Friedman's data, 2,000 rows.
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
