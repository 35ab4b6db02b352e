"""Where training without some features sets out from."""

from __future__ import annotations

from typing import Any

from lukewarm._typing import FeatureSet
from lukewarm.data import Rows
from lukewarm.learners import Learner, Recalibrates, TakesOver, stopping_loss
from lukewarm.reduction._base import ReductionData


def warm_start(
    full: Learner,
    data: ReductionData,
    removed: FeatureSet,
    train: Rows,
    stopping: Rows,
    *,
    take_over: bool,
    seed: int | None = None,
) -> Learner:
    """Return a copy of the full model, adapted to rows without `removed` at next to no cost.

    Parameters
    ----------
    full : Learner
    data : ReductionData
    removed : FeatureSet
        With none there is nothing to adapt.
    train, stopping : Rows
        Of `data`, without `removed`.
    take_over : bool
        Whether a network's other columns may take over what they know of the removed ones; they
        do if that lowers the loss on the stopping rows.
    seed : int, optional
        Of the copy's further randomness.
    """
    start = full.copy(seed)
    if not removed:
        return start
    if take_over and isinstance(start, TakesOver):
        other: Any = full.copy(seed)
        other.take_over(train.X, data.train.X, train.weights)
        if _loss(other, stopping) < _loss(start, stopping):
            start = other
    if isinstance(start, Recalibrates):
        start.recalibrate(stopping.X, data.stopping.X, stopping.y, stopping.weights)
    return start


def _loss(learner: Learner, rows: Rows) -> float:
    return stopping_loss(learner, rows, learner.predict(rows.X))
