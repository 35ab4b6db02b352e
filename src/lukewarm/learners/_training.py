"""How learners are trained: until a rule stops them, or for a number of steps.

Full fits, retraining and early stopping all go through `train_until`. `train_for` serves where no
rows are held out to choose among the steps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lukewarm.data import Rows
from lukewarm.learners._adapter import as_learner
from lukewarm.learners._base import BaseLearner, Learner
from lukewarm.results import TrainingTrace
from lukewarm.stopping import StoppingRule


def train_until(
    learner: BaseLearner | Learner, train: Rows, stopping: Rows, rule: StoppingRule, max_steps: int
) -> tuple[BaseLearner, TrainingTrace]:
    """Return the learner at its best step, and the trace of how it got there.

    Parameters
    ----------
    learner : BaseLearner or Learner
        Trained in place; use the returned one, which may be a copy taken at the best step.
    train, stopping : Rows
        The steps are taken on `train`; `stopping` decides when to stop.
    rule : StoppingRule
    max_steps : int
        Most further steps to take.

    Examples
    --------
    >>> from lukewarm.learners import ObliviousBoosting
    >>> from lukewarm.stopping import Patience
    >>> generator = np.random.default_rng(0)
    >>> X = generator.normal(size=(200, 2))
    >>> rows = Rows(X, X[:, 0])
    >>> learner, trace = train_until(ObliviousBoosting(), rows, rows, Patience(5), max_steps=30)
    >>> bool(trace.losses[trace.stopped_step] < 0.5 * trace.losses[0])
    True
    """
    adapted = as_learner(learner)
    if adapted.traits.chooses_model:
        return adapted.choose(train, stopping, rule, max_steps)
    if adapted.traits.is_staged:
        return _train_staged(adapted, train, stopping, rule, max_steps)
    return _train_stepwise(adapted, train, stopping, rule, max_steps)


def train_for(learner: BaseLearner, train: Rows, n_steps: int) -> tuple[BaseLearner, TrainingTrace]:
    """Return the learner after `n_steps` further steps, of which no loss is taken.

    Parameters
    ----------
    learner : BaseLearner
        Trained in place.
    train : Rows
    n_steps : int
    """
    learner.advance(train.X, train.y, n_steps, train.weights)
    return learner, TrainingTrace.without_losses(n_steps)


def _train_stepwise(
    learner: BaseLearner, train: Rows, stopping: Rows, rule: StoppingRule, max_steps: int
) -> tuple[BaseLearner, TrainingTrace]:
    """Train step by step, and return a copy taken at the best; see `train_until`."""
    losses = [stopping_loss(learner, stopping, learner.predict(stopping.X))]
    best, best_step = learner.copy(), 0
    while len(losses) <= max_steps and not rule.should_stop(losses):
        learner.advance(train.X, train.y, 1, train.weights)
        losses.append(stopping_loss(learner, stopping, learner.predict(stopping.X)))
        if rule.best_step(losses) == len(losses) - 1:
            best, best_step = learner.copy(), len(losses) - 1
    return best, TrainingTrace(np.array(losses), best_step)


def _train_staged(
    learner: BaseLearner, train: Rows, stopping: Rows, rule: StoppingRule, max_steps: int
) -> tuple[BaseLearner, TrainingTrace]:
    """Train block by block, and go back to the best step; see `train_until`."""
    first = learner.n_steps
    losses = [stopping_loss(learner, stopping, learner.predict(stopping.X))]
    ahead = _losses_of_blocks(learner, train, stopping, max_steps)
    # The rule is asked first: a block that is not needed is not trained.
    while not rule.should_stop(losses) and (loss := next(ahead, None)) is not None:
        losses.append(loss)
    best_step = rule.best_step(losses)
    learner.rewind(first + best_step)
    return learner, TrainingTrace(np.array(losses), best_step)


def _losses_of_blocks(
    learner: BaseLearner, train: Rows, stopping: Rows, max_steps: int
) -> Iterator[float]:
    """Yield the stopping loss after every step; a block is trained when the first is asked for."""
    last = learner.n_steps + max_steps
    while learner.n_steps < last:
        done = learner.n_steps
        learner.advance(train.X, train.y, min(learner.block_size, last - done), train.weights)
        for prediction in learner.staged_predict(stopping.X, done + 1):
            yield stopping_loss(learner, stopping, prediction)


def stopping_loss(learner: BaseLearner, rows: Rows, prediction: np.ndarray) -> float:
    """Return what a stopping rule sees: the learner's own loss on held-out rows.

    Parameters
    ----------
    learner : BaseLearner
    rows : Rows
        Held out of its training.
    prediction : ndarray of shape (n,) or (n, n_classes)
        What it predicts for them.
    """
    return learner.loss(rows.y, prediction, rows.weights)
