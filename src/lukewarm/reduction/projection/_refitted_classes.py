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
from typing import TYPE_CHECKING

import numpy as np

from lukewarm._typing import Matrix, Prediction, Vector
from lukewarm.learners.boosting._compiled import compiled
from lukewarm.results import TrainingTrace

if TYPE_CHECKING:
    from lukewarm.reduction.projection._regressions import Regressions

# Probabilities closer to 0 or 1 have no finite logarithm to start from.
_LEAST = 1e-6
# In rows at even odds times four: small and one-sided leaves are held back.
_PENALTY = 10.0
_LEARNING_RATE = 0.3
# Trees after which the stopping rows are looked at, and looks without improvement.
_EVERY, _PATIENCE = 5, 8
# A second time through the trees still helps, a third hardly ever.
_ROUNDS = 2


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
        weights = [
            np.ones(len(rows)) if rows.weights is None else rows.weights / rows.weights.mean()
            for rows in (regressions.train, regressions.stopping)
        ]
        margins = [log_odds(mean) for mean in means]
        n_outputs = len(margins[0])
        reached = [np.stack(each[:n_outputs]) for each in leaves]
        targets = [_as_outputs(each) for each in predictions]
        n_leaves = int(max(each.max(initial=0) for each in reached)) + 1
        values, losses = _refit(
            *(reached[0], targets[0], weights[0], margins[0]),
            *(reached[1], targets[1], weights[1], margins[1].copy()),
            *(n_leaves, _LEARNING_RATE, _PENALTY, _EVERY, _PATIENCE, _ROUNDS),
        )
        best = int(np.argmin(losses))
        n_trees = reached[0].shape[1]
        total = np.zeros((n_outputs, n_trees, n_leaves))
        for step in range(best * _EVERY):
            total[:, step % n_trees] += values[step]
        fit = cls(total, TrainingTrace(losses, best))
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
            _add_leaves(leaves[output], values, margins[output])
        if mean.ndim == 1:
            return 1 / (1 + np.exp(-margins[0]))
        odds = np.exp(margins - margins.max(axis=0))
        return (odds / odds.sum(axis=0)).T


def log_odds(probabilities: Prediction) -> Matrix:
    """Return the log-odds (1, n) of a probability; of several their logarithms, (n_classes, n)."""
    clipped = np.clip(probabilities, _LEAST, 1 - _LEAST)
    if probabilities.ndim == 1:
        return np.log(clipped / (1 - clipped))[None]
    return np.log(clipped).T.copy()


def _as_outputs(probabilities: Prediction) -> Matrix:
    return probabilities[None] if probabilities.ndim == 1 else probabilities.T.copy()


def _size(errors: Prediction) -> Vector:
    """Return the length of each row's errors."""
    return errors if errors.ndim == 1 else np.sqrt(np.square(errors).sum(axis=1))


@compiled
def _set_probabilities(margins: np.ndarray, found: np.ndarray) -> None:
    """Write what margins (n_outputs, n) stand for."""
    if len(margins) == 1:
        own, other = margins[0], found[0]
        for row in range(len(own)):
            other[row] = 1 / (1 + np.exp(-own[row]))
        return
    for row in range(margins.shape[1]):
        largest, total = margins[:, row].max(), 0.0
        for output in range(len(margins)):
            found[output, row] = np.exp(margins[output, row] - largest)
            total += found[output, row]
        for output in range(len(margins)):
            found[output, row] /= total


@compiled
def _log_loss(found: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> float:
    """Return the mean log-loss of probabilities (n_outputs, n) for others."""
    loss = 0.0
    for output in range(len(found)):
        for row in range(len(weights)):
            p, target = found[output, row], targets[output, row]
            loss -= weights[row] * target * np.log(max(p, _LEAST))
            if len(found) == 1:
                loss -= weights[row] * (1 - target) * np.log(max(1 - p, _LEAST))
    return loss / len(weights)


@compiled
def _newton_steps(
    leaves: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray,
    found: np.ndarray,
    penalty: float,
    values: np.ndarray,
) -> None:
    """Write the step of each leaf of one tree and one output."""
    sums, masses = np.zeros(len(values)), np.full(len(values), penalty)
    for row in range(len(leaves)):
        leaf, p = leaves[row], found[row]
        sums[leaf] += weights[row] * (targets[row] - p)
        masses[leaf] += weights[row] * p * (1 - p)
    for leaf in range(len(values)):
        values[leaf] = sums[leaf] / masses[leaf]


@compiled
def _add_values(leaves: np.ndarray, values: np.ndarray, total: np.ndarray) -> None:
    for row in range(len(total)):
        total[row] += values[leaves[row]]


@compiled
def _refit(
    leaves: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray,
    margins: np.ndarray,
    other_leaves: np.ndarray,
    other_targets: np.ndarray,
    other_weights: np.ndarray,
    other_margins: np.ndarray,
    n_leaves: int,
    learning_rate: float,
    penalty: float,
    every: int,
    patience: int,
    rounds: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the values (n_steps, n_outputs, n_leaves), and the stopping loss at every look.

    The margins (n_outputs, n) are brought along.
    """
    n_outputs, n_trees = leaves.shape[:2]
    n_looks = n_trees * rounds // every
    values = np.zeros((n_looks * every, n_outputs, n_leaves))
    losses = np.empty(n_looks + 1)
    found, other_found = np.empty(margins.shape), np.empty(other_margins.shape)
    _set_probabilities(other_margins, other_found)
    losses[0] = _log_loss(other_found, other_targets, other_weights)
    best = 0
    for step in range(n_looks * every):
        tree = step % n_trees
        _set_probabilities(margins, found)
        for output in range(n_outputs):
            own, reached = values[step, output], leaves[output, tree]
            _newton_steps(reached, targets[output], weights, found[output], penalty, own)
            own *= learning_rate
            _add_values(reached, own, margins[output])
            _add_values(other_leaves[output, tree], own, other_margins[output])
        if (step + 1) % every == 0:
            look = (step + 1) // every
            _set_probabilities(other_margins, other_found)
            losses[look] = _log_loss(other_found, other_targets, other_weights)
            if losses[look] < losses[best]:
                best = look
            elif look - best >= patience:
                return values, losses[: look + 1]
    return values, losses


@compiled
def _add_leaves(leaves: np.ndarray, values: np.ndarray, total: np.ndarray) -> None:
    for tree in range(len(values)):
        _add_values(leaves[tree], values[tree], total)
