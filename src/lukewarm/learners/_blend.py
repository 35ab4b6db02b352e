"""A weighted sum of trained models, one of which can be trained further."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lukewarm._typing import Features, FeatureSet, Matrix, Prediction, Vector
from lukewarm.data import RowCache
from lukewarm.learners._base import BaseLearner
from lukewarm.learners._traits import LearnerTraits

# Losses drawn to see which model wins how often; its share is then known to a hundredth or two.
_N_DRAWS = 1000
# A model that wins less often costs every prediction more than it adds.
_LEAST_SHARE = 0.15


def shares_of_wins(row_losses: Matrix, seed: int, weights: Vector | None = None) -> Vector:
    """Return how often each model has the lowest loss when the rows are drawn anew.

    The mean losses of the models are drawn from the normal distribution they have over samples of
    rows, with what the models' losses share of a row's luck. A clear winner gets everything; models
    that the rows cannot tell apart divide it. Small shares go to the others.

    Parameters
    ----------
    row_losses : ndarray of shape (n_models, n)
        Of held-out rows.
    seed : int
    weights : ndarray of shape (n,), optional

    Examples
    --------
    >>> losses = np.random.default_rng(0).normal(size=(1, 400)) ** 2 + np.array([[0], [0], [9]])
    >>> losses[:2] += 0.1 * np.random.default_rng(1).normal(size=(2, 400))
    >>> shares = shares_of_wins(losses, seed=0)
    >>> bool(shares[:2].min() > 0.1), float(shares[2])
    (True, 0.0)
    """
    n_rows = row_losses.shape[1]
    shares = np.full(n_rows, 1 / n_rows) if weights is None else weights / weights.sum()
    means = row_losses @ shares
    scaled = (row_losses - means[:, None]) * shares
    generator = np.random.default_rng(seed)
    # Losses of one candidate may be many orders of magnitude above the others'; rounding of its
    # variance is then negative variance of theirs, which numpy would warn the user of.
    draws = generator.multivariate_normal(
        means, scaled @ scaled.T, _N_DRAWS, method="eigh", check_valid="ignore"
    )
    wins = np.bincount(draws.argmin(axis=1), minlength=len(means)) / _N_DRAWS
    wins[(wins < _LEAST_SHARE) & (wins < wins.max())] = 0.0
    return wins / wins.sum()


class Blend(BaseLearner):
    """A weighted sum of the predictions of trained models: an average, or stages that add up.

    The first member is the one that `advance` trains further; the others stay as they are. A
    regression trains it towards what the others leave of y, so that the sum follows y; the
    probabilities of classes leave nothing that could be trained towards, and y itself is taken.

    Parameters
    ----------
    members : sequence of BaseLearner
    weights : ndarray of shape (n_members,)
    """

    def __init__(self, members: Sequence[BaseLearner], weights: Vector) -> None:
        self.members = tuple(members)
        self.weights = weights
        self.task, self.measure = members[0].task, members[0].measure
        self._target: RowCache[Vector] = RowCache()

    @property
    def traits(self) -> LearnerTraits:
        """Those of the first member; the columns that others read are imputed, too."""
        first = self.members[0].traits
        imputes = any(each.traits.imputes for each in self.members)
        return replace(first, imputes=imputes, chooses_model=False)

    @property
    def n_steps(self) -> int:
        """Steps of the first member."""
        return self.members[0].n_steps

    @property
    def block_size(self) -> int:
        """Steps worth taking in one call."""
        return self.members[0].block_size

    @property
    def parts(self) -> tuple[tuple[float, BaseLearner], ...]:
        """Those of the members, with their weights."""
        return tuple(
            (weight * share, part)
            for weight, member in zip(self.weights.tolist(), self.members, strict=True)
            for share, part in member.parts
        )

    def fresh(self, seed: int) -> BaseLearner:
        """Return the first member, untrained."""
        return self.members[0].fresh(seed)

    def copy(self, seed: int | None = None) -> Blend:
        """Return an independent blend in the same state."""
        return Blend([each.copy(seed) for each in self.members], self.weights)

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the first member's loss."""
        return self.members[0].loss(y, prediction, weights)

    def predict(self, X: Features) -> Prediction:
        """Return the weighted sum of the members' predictions."""
        return self.weights[0] * self.members[0].predict(X) + self._others(X)

    def predict_filled(self, X: Features, fills: Sequence[dict[int, Any]]) -> list[Prediction]:
        """Return the weighted sums of the members' predictions for `X` with each fill."""
        parts = [each.predict_filled(X, fills) for each in self.members]
        return [
            np.sum([weight * one for weight, one in zip(self.weights, each, strict=True)], axis=0)
            for each in zip(*parts, strict=True)
        ]

    def predict_changed(self, X: Features, values: dict[int, Any]) -> Prediction:
        """Return the weighted sum of what members predict with other values in some columns."""
        first, *others = (
            weight * each.predict_changed(X, values)
            for weight, each in zip(self.weights, self.members, strict=True)
        )
        return first + np.sum(others, axis=0)  # summed as `predict` does

    def looks_at(self, columns: FeatureSet) -> bool | None:
        """Return False where no member can depend on the columns; None else."""
        answers = [each.looks_at(columns) for each in self.members]
        return None if any(each is not False for each in answers) else False

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Take further steps with the first member."""
        if not self.task.is_regression:
            self.members[0].advance(X, y, n_steps, weights)
            return
        # The same object while the rows are the same: learners go by that to tell whether they are.
        target = self._target.recall(X, y)
        if target is None:
            target = self._target.keep((y - self._others(X)) / self.weights[0], X, y)
        self.members[0].advance(X, target, n_steps, weights)

    def impute_conditionally(
        self, X: Features, before: Features, weights: Vector | None = None
    ) -> None:
        """Let every member that can do without the columns removed from `X` as well as it can."""
        for member in self.members:
            if member.traits.imputes:
                member.impute_conditionally(X, before, weights)
        self._target.forget()

    def scale_learning_rate(self, factor: float) -> None:
        """Multiply the learning rate of the first member's further steps."""
        self.members[0].scale_learning_rate(factor)

    def rewind(self, step: int) -> None:
        """Go back to the model after `step` steps, exactly."""
        self.members[0].rewind(step)

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`."""
        stages = self.members[0].staged_predict(X, first_step)
        return self.weights[0] * stages + self._others(X)

    def _others(self, X: Features) -> Prediction:
        parts = zip(self.weights[1:], self.members[1:], strict=True)
        return np.sum([weight * member.predict(X) for weight, member in parts], axis=0)
