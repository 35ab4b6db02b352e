"""Where training without some features sets out from."""

from __future__ import annotations

from lukewarm._typing import FeatureSet
from lukewarm.data import Rows
from lukewarm.learners import BaseLearner, cannot_train, cannot_warm_start, stopping_loss
from lukewarm.reduction._base import ReductionData


def warm_start(
    full: BaseLearner,
    data: ReductionData,
    removed: FeatureSet,
    train: Rows,
    stopping: Rows,
    *,
    conditional_imputation: bool,
    seed: int | None = None,
) -> BaseLearner:
    """Return a copy of the full model, adapted to rows without `removed` at next to no cost.

    Parameters
    ----------
    full : BaseLearner
    data : ReductionData
    removed : FeatureSet
        With none there is nothing to adapt.
    train, stopping : Rows
        Of `data`, without `removed`.
    conditional_imputation : bool
        Whether removed columns may be imputed by the others, where the learner can; they are if
        that lowers the loss on the stopping rows.
    seed : int, optional
        Of the copy's further randomness.
    """
    start = full.copy(seed)
    if not removed:
        return start
    # A draw is an imputation already.
    if conditional_imputation and start.traits.imputes and not data.is_conditional:
        other = full.copy(seed)
        other.impute_conditionally(train.X, data.train.X, train.weights)
        if _loss(other, stopping) < _loss(start, stopping):
            start = other
    start.match_calibration(stopping.X, data.stopping.X, stopping.y, stopping.weights)
    return start


def check_warm_start(full: BaseLearner) -> None:
    """Raise when a full model cannot be trained further."""
    if not full.traits.can_train:
        raise TypeError(cannot_train(full.model_type))
    if not full.traits.can_warm_start:
        raise TypeError(cannot_warm_start(full.model_type))


def _loss(learner: BaseLearner, rows: Rows) -> float:
    return stopping_loss(learner, rows, learner.predict(rows.X))
