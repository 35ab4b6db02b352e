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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lukewarm._typing import Draw, Features, Matrix, Prediction, Vector
from lukewarm.learners import BaseLearner
from lukewarm.learners.boosting._compiled import compiled_part, compiled_whole
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


class _Rest(NamedTuple):
    """What trees leave of a target on some rows.

    Parameters
    ----------
    leaves : ndarray of shape (n_trees, n)
    rest, weights : ndarrays of shape (n,)
    """

    leaves: np.ndarray
    rest: Vector
    weights: Vector


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
        both = (regressions.train, regressions.stopping)
        train, stopping = (
            _Rest(each, target.copy(), mean_one_weights(rows))
            for each, target, rows in zip(leaves, targets, both, strict=True)
        )
        n_trees, n_leaves = len(leaves[0]), int(max(each.max(initial=0) for each in leaves)) + 1
        values, losses = np.zeros((n_trees, n_leaves)), np.empty(n_trees + 1)
        losses[0] = np.mean(stopping.weights * np.square(stopping.rest))
        n_tried = _refit(train, stopping, values, losses, np.empty(n_leaves))
        losses = losses[: n_tried + 1]
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


@compiled_part
def _solve(train: _Rest, tree: int, masses: np.ndarray, values: np.ndarray) -> None:
    """Write the values of one tree's leaves that take most off the rest; zeros before."""
    masses[:] = _PENALTY
    leaves = train.leaves[tree]
    for row in range(len(leaves)):
        weight = train.weights[row]
        values[leaves[row]] += weight * train.rest[row]
        masses[leaves[row]] += weight
    for leaf in range(len(values)):
        values[leaf] *= _LEARNING_RATE / masses[leaf]


@compiled_part
def _take_off(part: _Rest, tree: int, values: np.ndarray) -> float:
    """Take the values of one tree's leaves off the rest; return the mean square of what is left."""
    leaves, total = part.leaves[tree], 0.0
    for row in range(len(leaves)):
        rest = part.rest[row] - values[leaves[row]]
        part.rest[row] = rest
        total += part.weights[row] * rest * rest
    return total / len(leaves)


@compiled_whole
def _refit(
    train: _Rest, stopping: _Rest, values: np.ndarray, losses: np.ndarray, masses: np.ndarray
) -> int:
    """Refit trees until the stopping rows gain no more; return how many.

    Parameters
    ----------
    train, stopping : _Rest
        Each tree takes its part off the rest of both.
    values : ndarray of shape (n_trees, n_leaves)
        Zeros; the values of the leaves are written.
    losses : ndarray of shape (n_trees + 1,)
        The stopping loss before the first tree; that after each is written.
    masses : ndarray of shape (n_leaves,)
        Room to work in.
    """
    best = 0
    for tree in range(len(values)):
        _solve(train, tree, masses, values[tree])
        _take_off(train, tree, values[tree])
        losses[tree + 1] = _take_off(stopping, tree, values[tree])
        if losses[tree + 1] < losses[best]:
            best = tree + 1
        elif tree + 1 - best >= _PATIENCE:
            return tree + 1
    return len(values)
