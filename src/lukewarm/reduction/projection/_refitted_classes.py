"""A correction of class probabilities by the full model's own trees, on the scale of log-odds.

As in `_refitted.py` rows go through the model's trees with their removed columns at the guess, and
leaves take new values. What is fitted are the full model's probabilities f, by their log-loss: from
the logarithms of the mean over draws on, tree after tree each leaf takes a Newton step,

    value = learning_rate * sum(f - p) / (sum(p (1 - p)) + penalty),

p what has been reached. A squared error of probabilities would leave those near 0 and 1 alone,
which count most in a log-loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lukewarm._typing import Matrix, Prediction, Vector
from lukewarm.learners.boosting._compiled import compiled_part, compiled_whole
from lukewarm.reduction.projection._correction import LEAST_PROBABILITY, log_odds
from lukewarm.results import TrainingTrace

if TYPE_CHECKING:
    from lukewarm.data import Rows
    from lukewarm.reduction.projection._regressions import Regressions

# In rows at even odds times four: small and one-sided leaves are held back.
_PENALTY = 10.0
_LEARNING_RATE = 0.3
# Trees after which the stopping rows are looked at, and looks without improvement.
_EVERY, _PATIENCE = 5, 8
# Products of odds stay finite, and so do their inverses.
_MOST_ODDS = 1e100
# A second time through the trees still helps, a third hardly ever.
_ROUNDS = 2


class _Refitted(NamedTuple):
    """Rows that leaves are refitted on, or that show how far it helps.

    Parameters
    ----------
    leaves : ndarray of shape (n_outputs, n_trees, n)
        Those reached with the guess.
    targets : ndarray of shape (n_outputs, n)
        The full model's probabilities.
    weights : ndarray of shape (n,)
        Of mean 1.
    odds : ndarray of shape (n_outputs, n)
        Those reached, or of several outputs their shares; those of the mean over draws at first.
        A leaf's step multiplies them by its exponential, which is so taken once for a leaf.
    """

    leaves: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    odds: np.ndarray

    @classmethod
    def of(
        cls, mean: Prediction, leaves: list[np.ndarray], prediction: Prediction, rows: Rows
    ) -> _Refitted:
        """Return rows as compiled code reads them; see `RefittedClasses.fit`."""
        margins = log_odds(mean)
        reached = np.stack(leaves[: len(margins)])
        return cls(reached, _as_outputs(prediction), mean_one_weights(rows), np.exp(margins))


class _Work(NamedTuple):
    """Room to work in.

    Parameters
    ----------
    reached, held_out : ndarrays of shape (n_outputs, n)
        The probabilities of the training and the stopping rows.
    masses, factors : ndarrays of shape (n_leaves,)
    """

    reached: np.ndarray
    held_out: np.ndarray
    masses: np.ndarray
    factors: np.ndarray

    @classmethod
    def of(cls, train: _Refitted, stopping: _Refitted, n_leaves: int) -> _Work:
        """Return room for these rows."""
        reached, held_out = np.empty_like(train.odds), np.empty_like(stopping.odds)
        return cls(reached, held_out, np.empty(n_leaves), np.empty(n_leaves))


@dataclass(frozen=True, eq=False)
class RefittedClasses:
    """What leaves add to the log-odds, or to the logarithms of several probabilities.

    Parameters
    ----------
    values : ndarray of shape (n_outputs, n_trees, n_leaves)
    trace : TrainingTrace
        The log-loss on the stopping rows, at every fifth tree.
    """

    values: np.ndarray
    trace: TrainingTrace

    @classmethod
    def fit(
        cls,
        regressions: Regressions,
        means: tuple[Prediction, Prediction],
        leaves: tuple[list[np.ndarray], list[np.ndarray]],
        predictions: tuple[Prediction, Prediction],
    ) -> RefittedClasses:
        """Return the leaves refitted, as far as the stopping rows show that it helps.

        Parameters
        ----------
        regressions : Regressions
        means, leaves, predictions : pairs
            Of the training and the stopping rows that regressions read: the mean over draws, for
            every output the leaves (n_trees, n) reached with the guess, and what the full model
            predicts.
        """
        train, stopping = (
            _Refitted.of(*part)
            for part in zip(
                means, leaves, predictions, (regressions.train, regressions.stopping), strict=True
            )
        )
        n_leaves = int(max(rows.leaves.max(initial=0) for rows in (train, stopping))) + 1
        n_outputs, n_trees = train.leaves.shape[:2]
        n_looks = n_trees * _ROUNDS // _EVERY
        values, losses = np.zeros((n_looks * _EVERY, n_outputs, n_leaves)), np.empty(n_looks + 1)
        work = _Work.of(train, stopping, n_leaves)
        losses = losses[: 1 + _refit(train, stopping, values, losses, work)]
        best = int(np.argmin(losses))
        total = np.zeros((n_outputs, n_trees, n_leaves))
        for step in range(best * _EVERY):
            total[:, step % n_trees] += values[step]
        fit = cls(total, TrainingTrace(losses, best))
        # As with every guess: a gain within the noise of the stopping rows is none.
        after = predictions[1] - fit.predict(means[1], leaves[1])
        if not regressions.helps(_size(predictions[1] - means[1]), _size(after)):
            return cls(np.zeros_like(total), TrainingTrace(losses, 0))
        return fit

    def predict(self, mean: Prediction, leaves: list[np.ndarray]) -> Prediction:
        """Return the mean over draws corrected by the values at the leaves of some rows."""
        if self.trace.stopped_step == 0:
            return mean
        margins = log_odds(mean)
        for output, values in enumerate(self.values):
            add_leaves(leaves[output], values, margins[output])
        if mean.ndim == 1:
            return 1 / (1 + np.exp(-margins[0]))
        odds = np.exp(margins - margins.max(axis=0))
        return (odds / odds.sum(axis=0)).T


def mean_one_weights(rows: Rows) -> Vector:
    """Return the rows' weights, of mean 1: a penalty in rows means the same with any weights."""
    return np.ones(len(rows)) if rows.weights is None else rows.weights / rows.weights.mean()


def _as_outputs(probabilities: Prediction) -> Matrix:
    return probabilities[None] if probabilities.ndim == 1 else probabilities.T.copy()


def _size(errors: Prediction) -> Vector:
    """Return the length of each row's errors."""
    return errors if errors.ndim == 1 else np.sqrt(np.square(errors).sum(axis=1))


@compiled_part
def _set_probabilities(odds: np.ndarray, probabilities: np.ndarray) -> None:
    """Write what odds (n_outputs, n) stand for."""
    if len(odds) == 1:
        own, other = odds[0], probabilities[0]
        for row in range(len(own)):
            other[row] = own[row] / (1 + own[row])
        return
    for row in range(odds.shape[1]):
        total = 0.0
        for output in range(len(odds)):
            total += odds[output, row]
        for output in range(len(odds)):
            probabilities[output, row] = odds[output, row] / total


@compiled_part
def _log_loss(rows: _Refitted, probabilities: np.ndarray) -> float:
    """Return the mean log-loss of what the rows' odds stand for, which is written beside."""
    _set_probabilities(rows.odds, probabilities)
    loss = 0.0
    for output in range(len(probabilities)):
        for row in range(len(rows.weights)):
            p, target = probabilities[output, row], rows.targets[output, row]
            loss -= rows.weights[row] * target * np.log(max(p, LEAST_PROBABILITY))
            if len(probabilities) == 1:
                loss -= rows.weights[row] * (1 - target) * np.log(max(1 - p, LEAST_PROBABILITY))
    return loss / len(rows.weights)


@compiled_part
def _newton_steps(rows: _Refitted, output: int, tree: int, work: _Work, values: np.ndarray) -> None:
    """Write the step of each leaf of one tree and one output, and its exponential; zeros before."""
    masses, factors = work.masses, work.factors
    masses[:] = _PENALTY
    leaves, weights = rows.leaves[output, tree], rows.weights
    targets, reached = rows.targets[output], work.reached[output]
    for row in range(len(leaves)):
        leaf, p = leaves[row], reached[row]
        values[leaf] += weights[row] * (targets[row] - p)
        masses[leaf] += weights[row] * p * (1 - p)
    for leaf in range(len(values)):
        values[leaf] *= _LEARNING_RATE / masses[leaf]
        factors[leaf] = np.exp(values[leaf])


@compiled_part
def _multiply_odds(rows: _Refitted, output: int, tree: int, factors: np.ndarray) -> None:
    leaves, odds = rows.leaves[output, tree], rows.odds[output]
    for row in range(len(odds)):
        reached = odds[row] * factors[leaves[row]]
        odds[row] = min(max(reached, 1 / _MOST_ODDS), _MOST_ODDS)


@compiled_part
def _add_values(leaves: np.ndarray, values: np.ndarray, total: np.ndarray) -> None:
    for row in range(len(total)):
        total[row] += values[leaves[row]]


@compiled_whole
def _refit(
    train: _Refitted, stopping: _Refitted, values: np.ndarray, losses: np.ndarray, work: _Work
) -> int:
    """Refit until the stopping rows gain no more; return at how many looks they were asked.

    Parameters
    ----------
    train, stopping : _Refitted
        Their odds are brought along.
    values : ndarray of shape (n_steps, n_outputs, n_leaves)
        Zeros; what is added to the values of the leaves is written.
    losses : ndarray of shape (n_looks + 1,)
        The stopping loss at every look is written, the first before any step.
    work : _Work
    """
    n_outputs, n_trees = train.leaves.shape[:2]
    losses[0] = _log_loss(stopping, work.held_out)
    best = 0
    for step in range(len(values)):
        tree = step % n_trees
        _set_probabilities(train.odds, work.reached)
        for output in range(n_outputs):
            _newton_steps(train, output, tree, work, values[step, output])
            _multiply_odds(train, output, tree, work.factors)
            _multiply_odds(stopping, output, tree, work.factors)
        if (step + 1) % _EVERY == 0:
            look = (step + 1) // _EVERY
            losses[look] = _log_loss(stopping, work.held_out)
            if losses[look] < losses[best]:
                best = look
            elif look - best >= _PATIENCE:
                return look
    return len(losses) - 1


@compiled_whole
def add_leaves(leaves: np.ndarray, values: np.ndarray, total: np.ndarray) -> None:
    """Add to `total` (n,) the values (n_trees, n_leaves) at the leaves (n_trees, n) of rows."""
    for tree in range(len(values)):
        _add_values(leaves[tree], values[tree], total)
