"""The full model itself, on rows whose removed features are held at their fill values."""

from __future__ import annotations

from lukewarm._typing import FeatureSet
from lukewarm.learners import BaseLearner
from lukewarm.reduction._base import ReducedModel, ReductionData, predict_without
from lukewarm.results import TrainingTrace


class Dropout:
    """No training at all: quick, and biased as soon as features are correlated."""

    name = "dropout"

    def reduce(
        self, full: BaseLearner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the full model, blind to the features in `removed`."""
        return ReducedModel(
            predict_without(full, data.removal, removed), TrainingTrace.untrained(), 0.0
        )
