"""Warm start and early stopping: Algorithm 1 of Sun and Raskutti."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from lukewarm._typing import FeatureSet
from lukewarm.learners import Learner, train_until
from lukewarm.reduction._base import ReducedModel, ReductionData, predict_without
from lukewarm.stopping import StoppingRule


@dataclass(frozen=True)
class EarlyStopping:
    """Go on training from the full model without the removed features, and stop early.

    Parameters
    ----------
    rule : StoppingRule
    max_steps : int
        Most steps beyond the full model's.
    """

    rule: StoppingRule
    max_steps: int
    name: str = "early_stopping"

    def reduce(
        self, full: Learner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the full model's continuation without the features in `removed`."""
        started = perf_counter()
        train, stopping = data.without(removed)
        learner, trace = train_until(full.copy(seed), train, stopping, self.rule, self.max_steps)
        predict = predict_without(learner, data.removal, removed)
        return ReducedModel(predict, trace, perf_counter() - started)
