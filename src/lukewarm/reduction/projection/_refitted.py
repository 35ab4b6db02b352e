"""A correction by the full model's own trees, whose leaves take new values.

What a mean over draws gets wrong varies along the columns that the full model cares about, and its
trees are cut along these already. So no tree is grown: a row goes through the model's trees with
its removed columns at their guess, which is a function of the columns that stay, and tree after
tree each leaf takes the shrunken mean of what is still left of the target there,

    value = learning_rate * sum_of_rest / (weight + penalty),

until the stopping rows gain no more. The price is one lookup for a row and a tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lukewarm._typing import Draw, Features, Matrix, Prediction, Vector
from lukewarm.learners import BaseLearner
from lukewarm.learners.boosting._compiled import compiled
from lukewarm.reduction.projection._conditional import ConditionalDraws
from lukewarm.reduction.projection._correction import corrected, outputs_of
from lukewarm.reduction.projection._refitted_classes import (
    RefittedClasses,
    add_leaves,
    mean_one_weights,
)
from lukewarm.results import TrainingTrace

if TYPE_CHECKING:
    from lukewarm.reduction.projection._prepared_rows import PreparedRows
    from lukewarm.reduction.projection._regressions import Regressions

_Targets = tuple[Vector, Vector]
# Targets hold no noise of y, so steps may be long; the penalty, in rows, holds small leaves back.
_LEARNING_RATE = 0.3
_PENALTY = 30.0
_PATIENCE = 30


@dataclass(frozen=True, eq=False)
class RefittedLeaves:
    """New values of the leaves of one output's trees.

    Parameters
    ----------
    values : ndarray of shape (n_kept_trees, n_leaves)
    trace : TrainingTrace
    """

    values: Matrix
    trace: TrainingTrace

    @classmethod
    def fit(
        cls, regressions: Regressions, leaves: tuple[np.ndarray, np.ndarray], targets: _Targets
    ) -> RefittedLeaves:
        """Return the leaves refitted to a target, as far as the stopping rows show that it helps.

        Parameters
        ----------
        regressions : Regressions
        leaves, targets : pairs of ndarray of shape (n_trees, n) and (n,)
            Of the training and the stopping rows that regressions read.
        """
        weights = [mean_one_weights(rows) for rows in (regressions.train, regressions.stopping)]
        n_leaves = int(max(each.max(initial=0) for each in leaves)) + 1
        values, losses = _refit(
            *(leaves[0], targets[0], weights[0], leaves[1], targets[1], weights[1]), n_leaves
        )
        best = int(np.argmin(losses))
        rest = targets[1].copy()
        add_leaves(leaves[1], -values[:best], rest)
        # As with every guess: a gain within the noise of the stopping rows is none.
        if not regressions.helps(targets[1], rest):
            best = 0
        return cls(values[:best], TrainingTrace(losses, best))

    def predict(self, leaves: np.ndarray) -> Vector:
        """Return the values at the leaves (n_trees, n) of some rows, shape (n,)."""
        total = np.zeros(leaves.shape[1])
        add_leaves(leaves, self.values, total)
        return total


def quickly_distilled(
    full: BaseLearner, regressions: Regressions, draws: ConditionalDraws
) -> tuple[Callable[[Features], Prediction], TrainingTrace] | None:
    """Return the model's mean over draws, corrected by its own trees; None where it has none."""
    refit = _refitted_numbers if full.task.is_regression else _refitted_classes
    correction = refit(full, regressions, draws)
    if correction is None:
        return None
    correct, trace = correction

    def predict(X: Features) -> Prediction:
        rows = regressions.prepare(X)
        if trace.stopped_step == 0:  # nothing to correct: the leaves are not asked for
            return draws.average(full, rows)
        average = _average(full, draws, rows, list(draws.weighted_values(rows)))
        assert average is not None
        return correct(*average)

    return predict, trace


_Correction = tuple[Callable[[Prediction, list[np.ndarray]], Prediction], TrainingTrace]


def _refitted_numbers(
    full: BaseLearner, regressions: Regressions, draws: ConditionalDraws
) -> _Correction | None:
    """Return the correction of a regression's mean.

    What the mean gets wrong is seen over two draws of each row: they add noise to a target that has
    the model's own variation given the other columns in it anyway, one and a half times as much as
    with all draws.
    """
    both = (regressions.train_rows, regressions.stopping_rows)
    train, stopping = (_average(full, draws, rows, draws.few_values(rows, 2)) for rows in both)
    if train is None or stopping is None:
        return None
    predictions = regressions.predictions(full)
    targets = zip(
        outputs_of(predictions[0] - train[0]), outputs_of(predictions[1] - stopping[0]), strict=True
    )
    fits = [
        RefittedLeaves.fit(regressions, reached, target)
        for reached, target in zip(zip(train[1], stopping[1], strict=True), targets, strict=True)
    ]

    def correct(mean: Prediction, leaves: list[np.ndarray]) -> Prediction:
        shift = [fit.predict(each) for fit, each in zip(fits, leaves, strict=True)]
        return corrected(mean, np.stack(shift, axis=-1), is_bounded=False)

    return correct, max((each.trace for each in fits), key=lambda trace: trace.stopped_step)


def _refitted_classes(
    full: BaseLearner, regressions: Regressions, draws: ConditionalDraws
) -> _Correction | None:
    """Return the correction of mean probabilities, whose logarithms two draws would not tell."""
    both = (regressions.train_rows, regressions.stopping_rows)
    train, stopping = (_average(full, draws, rows, draws.few_values(rows, 4)) for rows in both)
    if train is None or stopping is None:
        return None
    fit = RefittedClasses.fit(
        regressions,
        (train[0], stopping[0]),
        (train[1], stopping[1]),
        regressions.predictions(full)[:2],
    )
    return fit.predict, fit.trace


def _average(
    full: BaseLearner, draws: ConditionalDraws, rows: PreparedRows, weighted: list[Draw]
) -> tuple[Prediction, list[np.ndarray]] | None:
    """Return the mean over draws, and the leaves that rows reach with the guess itself."""
    # With weight zero: the guess is asked for its leaves only, in the same pass.
    guess = (np.zeros(len(rows)), draws.central_values(rows))
    return full.average_with_leaves(rows.X, [*weighted, guess])


@compiled
def _refit(
    leaves: np.ndarray,
    target: np.ndarray,
    weights: np.ndarray,
    other_leaves: np.ndarray,
    held_out: np.ndarray,
    other_weights: np.ndarray,
    n_leaves: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the values (n_trees, n_leaves) and the stopping loss before and after each tree.

    Parameters
    ----------
    leaves, target, weights
        Of the training rows: (n_trees, n), (n,) and (n,).
    other_leaves, held_out, other_weights
        The same of the stopping rows.
    n_leaves : int
        Of the tree with the most.
    """
    n_trees = len(leaves)
    values = np.zeros((n_trees, n_leaves))
    losses = np.empty(n_trees + 1)
    # What is left of the target on training and stopping rows; each tree takes its part off both.
    rest, other = target.copy(), held_out.copy()
    losses[0] = np.sum(other_weights * other**2) / len(other)
    best = 0
    own = np.zeros(n_leaves)
    for tree in range(n_trees):
        sums, masses = np.zeros(n_leaves), np.full(n_leaves, _PENALTY)
        # What the tree before takes off the rest goes off in the same pass; of the first, nothing.
        before = leaves[max(tree - 1, 0)]
        for row in range(len(rest)):
            rest[row] -= own[before[row]]
            leaf = leaves[tree, row]
            sums[leaf] += weights[row] * rest[row]
            masses[leaf] += weights[row]
        own = _LEARNING_RATE * sums / masses
        values[tree] = own
        loss = 0.0
        for row in range(len(other)):
            other[row] -= own[other_leaves[tree, row]]
            loss += other_weights[row] * other[row] ** 2
        losses[tree + 1] = loss / len(other)
        if losses[tree + 1] < losses[best]:
            best = tree + 1
        elif tree + 1 - best >= _PATIENCE:
            return values[: tree + 1], losses[: tree + 2]
    return values, losses
