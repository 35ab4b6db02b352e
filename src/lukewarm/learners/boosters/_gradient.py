"""scikit-learn's exact booster: ``warm_start``, from a margin given to it."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from lukewarm._typing import Features, Vector
from lukewarm.learners._fitted import as_seen
from lukewarm.learners.boosters._margins import BlockMarginLearner
from lukewarm.learners.boosters._segments import CalibratedTrees, Segment
from lukewarm.learners.sklearn._private import (
    check_fitted_names,
    check_private_names,
    first_margin,
    fit_on,
    set_generator,
)
from lukewarm.measures import REGRESSION, Task


class GradientBoostingLearner(BlockMarginLearner):
    """The exact booster of scikit-learn; it goes on by ``warm_start``, from a margin given to it.

    Parameters
    ----------
    estimator : GradientBoostingRegressor or GradientBoostingClassifier
        Its settings are read; the object itself is never changed or trained. ``n_estimators``
        becomes `max_steps`; its own early stopping gives way to the stopping rule.
    task : Task
    seed : int, default 0

    Examples
    --------
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> learner = GradientBoostingLearner(GradientBoostingRegressor(learning_rate=0.3))
    >>> learner.advance(X, X[:, 0], 20)
    >>> float(np.var(learner.predict(X) - X[:, 0])) < 0.2
    True
    """

    engine = "GradientBoosting"
    # Fastest of 5 to 40 on Friedman's data, 2,000 rows.
    first_block = 10
    # Its trees cost so much that retraining is slow in any case; shorter steps end nearer to it.
    largest_factor = 1.5
    _shared_traits = replace(
        BlockMarginLearner._shared_traits, accepts_missing=False, accepts_categories=False
    )

    def __init__(self, estimator: Any, *, task: Task = REGRESSION, seed: int = 0) -> None:
        super().__init__(estimator, task=task, seed=seed)
        check_private_names(type(estimator))
        self.max_steps = int(estimator.n_estimators)
        if getattr(estimator, "loss", None) == "exponential":
            raise ValueError(
                "model has loss='exponential', whose margins are not log-odds; use 'log_loss'."
            )

    def _fitted_trees(self) -> Segment:
        estimator = self.estimator
        return _StageTrees(estimator, 0, len(estimator.estimators_), estimator.learning_rate)

    def _grow(
        self,
        X: Features,
        y: Vector,
        n_steps: int,
        weights: Vector | None,
        baseline: np.ndarray | None,
    ) -> Segment:
        start = self.n_steps
        generator = np.random.RandomState((self.seed + start) % (2**31 - 1))
        if self._segments:
            model = copy(self._last_model)
            model.estimators_ = model.estimators_[:start]
            set_generator(model, generator)
        else:
            model = clone(self.estimator)
        learning_rate = self.estimator.learning_rate * self._step_length
        model.set_params(
            n_estimators=start + n_steps,
            learning_rate=learning_rate,
            warm_start=True,
            n_iter_no_change=None,
            random_state=generator,
            verbose=0,
        )
        fit_on(baseline, model, as_seen(model, X), y, weights)
        check_fitted_names(model)
        return _StageTrees(model, start, n_steps, learning_rate)

    @property
    def _last_model(self) -> Any:
        last: Any = self._segments[-1]
        while isinstance(last, CalibratedTrees):
            last = last.trees
        return last.model

    def _prepare(self, X: Features) -> Any:
        return np.asarray(X, dtype=np.float32, order="C")


@dataclass(frozen=True, eq=False)
class _StageTrees:
    """Stages start+1 .. start+n_trees of an exact booster."""

    model: Any
    start: int
    n_trees: int
    learning_rate: float

    def first(self, n_trees: int) -> _StageTrees:
        return replace(self, n_trees=n_trees)

    def margin(self, data: Any) -> np.ndarray:
        return self._stages(data, 0).sum(axis=0)

    def staged_margins(self, data: Any, start: int) -> np.ndarray:
        return np.cumsum(self._stages(data, start), axis=0)

    def _stages(self, X: np.ndarray, start: int) -> np.ndarray:
        stages = self.model.estimators_[self.start + start : self.start + self.n_trees]
        added = np.array([[tree.tree_.predict(X)[:, 0] for tree in stage] for stage in stages])
        added = self.learning_rate * np.moveaxis(added, 1, 2)
        if self.start == 0 and start == 0:
            added[0] += first_margin(self.model, X)
        return added
