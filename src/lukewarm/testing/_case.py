"""A learner under check, the rows it is trained on, and how two of its predictions compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from lukewarm._typing import Features, Prediction, Vector
from lukewarm.learners import BaseLearner
from lukewarm.measures import Task

# Rows of this weight count for next to nothing; zero would be left out by some engines.
_LIGHT = 1e-3
# Class probabilities are often kept in single precision, whose unit is 1e-7.
_SUM_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Case:
    """A learner and the rows it is checked on."""

    learner: BaseLearner
    X: Features
    y: Vector
    task: Task
    tolerance: float

    @property
    def weights(self) -> Vector:
        """Weights by which large values of the target are nearly all that counts."""
        return np.where(self.y > np.median(self.y), 1.0, _LIGHT)

    def trained(self, *n_steps: int, seed: int = 0) -> Any:
        """Return a fresh learner after so many steps, one call each."""
        learner = self.learner.fresh(seed)
        for each in n_steps:
            learner.advance(self.X, self.y, each)
        return learner

    def fail(self, what: str) -> NoReturn:
        """Raise the error that says which promise was broken."""
        raise AssertionError(f"{self.learner.model_type}: {what}.")

    def same(self, left: Prediction, right: Prediction, what: str, tolerance: float = 0.0) -> None:
        """Fail unless two predictions agree."""
        if left.shape != right.shape:
            self.fail(f"{what}: their shapes are {left.shape} and {right.shape}")
        apart = float(np.max(np.abs(left - right)))
        # A nan is no agreement.
        if not apart <= tolerance:
            self.fail(f"{what}: predictions are up to {apart:.2g} apart, allowed {tolerance:.2g}")

    def changed(self, before: Prediction, after: Prediction, what: str) -> None:
        """Fail where two predictions are the same to the tolerance."""
        if np.allclose(before, after, rtol=0, atol=self.tolerance):
            self.fail(what)

    def counted(self, learner: Any, n_steps: int, after: str) -> None:
        """Fail unless a learner has counted so many steps."""
        if learner.n_steps != n_steps:
            self.fail(f"n_steps must be {n_steps} after {after}; got {learner.n_steps}")

    def check_form(self, prediction: Prediction, when: str) -> None:
        """Fail unless a prediction has the shape and the range that the task asks for."""
        shape = self.task.prediction_shape(len(self.y))
        if np.shape(prediction) != shape:
            self.fail(
                f"predict must return shape {shape}; got {np.shape(prediction)} from the {when} "
                "learner"
            )
        if not np.isfinite(prediction).all():
            self.fail(f"predictions must be finite; those of the {when} learner are not")
        if self.task.is_regression:
            return
        if prediction.min() < 0 or prediction.max() > 1:
            self.fail(
                f"probabilities must be in [0, 1]; those of the {when} learner go from "
                f"{prediction.min():.4g} to {prediction.max():.4g}"
            )
        if self.task.is_multiclass:
            apart = float(np.abs(prediction.sum(axis=1) - 1).max())
            if apart > _SUM_TOLERANCE:
                self.fail(
                    f"probabilities of a row must sum to one; those of the {when} learner are up "
                    f"to {apart:.2g} off"
                )
