"""A new model trained from its start without the removed features: the costly reference."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from lukewarm._typing import FeatureSet
from lukewarm.learners import BaseLearner, cannot_train, train_for, train_until
from lukewarm.reduction._base import (
    BaseReduction,
    ReducedModel,
    ReductionData,
    ReductionTraits,
    predict_without,
)
from lukewarm.results import TrainingTrace
from lukewarm.stopping import StoppingRule


@dataclass(frozen=True)
class Retrain(BaseReduction):
    """Train anew, as the full model was trained.

    Parameters
    ----------
    rule : StoppingRule
    max_steps : int

    Notes
    -----
    Least squares, ridge and logistic regression are retrained in closed form, to eight digits.

    Where there are no stopping rows, the new model takes as many steps as the full model has
    taken. That is so for a model that is fitted in one go and for one that the user has trained.
    """

    rule: StoppingRule
    max_steps: int
    name: str = "retrain"

    @property
    def traits(self) -> ReductionTraits:
        """Its rule and its most steps."""
        return ReductionTraits(rule=self.rule, max_steps=self.max_steps)

    def check(self, full: BaseLearner) -> None:
        """Raise when the full model only predicts."""
        if not full.traits.can_train:
            raise TypeError(cannot_train(full.model_type))

    def reduce(
        self, full: BaseLearner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return a model that never saw the features in `removed`; `full` if there are none."""
        if not removed:
            return ReducedModel(full.predict, TrainingTrace.untrained(), 0.0)
        started = perf_counter()
        # Closed forms know no stopping rows. They need no fill either: the columns are gone.
        if not len(data.stopping):
            model = full.refit_without(data.train, removed)
            if model is not None:
                trace = TrainingTrace.without_losses(1)
                return ReducedModel(model.predict, trace, perf_counter() - started)
        train, stopping = data.without(removed)
        # Retrained on filled columns: constant ones carry nothing, and every engine takes them.
        learner = full.fresh(seed)
        if len(stopping):
            learner, trace = train_until(learner, train, stopping, self.rule, self.max_steps)
        else:
            learner, trace = train_for(learner, train, full.n_steps)
        predict = predict_without(learner, data.fill, removed)
        return ReducedModel(predict, trace, perf_counter() - started)
