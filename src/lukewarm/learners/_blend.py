"""A convex combination of trained models, one of which can be trained further."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lukewarm._typing import Features, Matrix, Prediction, Vector
from lukewarm.learners._base import Learner, StagedLearner, TakesOver

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
    draws = generator.multivariate_normal(means, scaled @ scaled.T, _N_DRAWS, method="eigh")
    wins = np.bincount(draws.argmin(axis=1), minlength=len(means)) / _N_DRAWS
    wins[(wins < _LEAST_SHARE) & (wins < wins.max())] = 0.0
    return wins / wins.sum()


class Blend:
    """Predictions of trained models, averaged with weights of sum one.

    The first member is the one that `advance` trains further; the others stay as they are. A
    regression trains it towards what the others leave of y, so that the sum follows y; the
    probabilities of classes leave nothing that could be trained towards, and y itself is taken.

    Parameters
    ----------
    members : sequence of Learner
    weights : ndarray of shape (n_members,)
    n_classes : int, optional
        None for regression.
    """

    def __init__(
        self, members: Sequence[Learner], weights: Vector, n_classes: int | None = None
    ) -> None:
        self.members = tuple(members)
        self.weights = weights
        self.n_classes = n_classes
        self._target: tuple[Features, Vector, Vector] | None = None

    @property
    def n_steps(self) -> int:
        """Steps of the first member."""
        return self.members[0].n_steps

    def fresh(self, seed: int) -> Learner:
        """Return the first member, untrained."""
        return self.members[0].fresh(seed)

    def copy(self, seed: int | None = None) -> Blend:
        """Return an independent blend that stands where this one stands."""
        members = [each.copy(seed) for each in self.members]
        kind = StagedBlend if isinstance(members[0], StagedLearner) else Blend
        return kind(members, self.weights, self.n_classes)

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the first member's loss."""
        return self.members[0].loss(y, prediction, weights)  # type: ignore[attr-defined]

    def predict(self, X: Features) -> Prediction:
        """Return the weighted mean of the members' predictions."""
        return self.weights[0] * self.members[0].predict(X) + self._others(X)

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Take further steps with the first member."""
        if self.n_classes is not None:
            self.members[0].advance(X, y, n_steps, weights)
            return
        # The same object while the rows are the same: learners go by that to tell whether they are.
        if self._target is None or self._target[0] is not X or self._target[1] is not y:
            self._target = X, y, (y - self._others(X)) / self.weights[0]
        self.members[0].advance(X, self._target[2], n_steps, weights)

    def take_over(self, X: Features, before: Features, weights: Vector | None = None) -> None:
        """Let every member that can do without the columns removed from `X` as well as it can."""
        for member in self.members:
            if isinstance(member, TakesOver):
                member.take_over(X, before, weights)
        self._target = None

    def _others(self, X: Features) -> Prediction:
        parts = zip(self.weights[1:], self.members[1:], strict=True)
        return np.sum([weight * member.predict(X) for weight, member in parts], axis=0)


class StagedBlend(Blend):
    """A blend whose first member's earlier steps can still be seen."""

    @property
    def block_size(self) -> int:
        """Steps worth taking in one call."""
        return self._first.block_size

    def rewind(self, step: int) -> None:
        """Go back to the model after `step` steps, exactly."""
        self._first.rewind(step)

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`."""
        return self.weights[0] * self._first.staged_predict(X, first_step) + self._others(X)

    @property
    def _first(self) -> StagedLearner:
        first = self.members[0]
        assert isinstance(first, StagedLearner)
        return first
