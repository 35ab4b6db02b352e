"""Reduced models that need no training: the full model on filled columns, and a constant."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Features, FeatureSet, Prediction
from lukewarm.learners import BaseLearner
from lukewarm.measures import REGRESSION, MeanLoss, Task
from lukewarm.reduction._base import BaseReduction, ReducedModel, ReductionData, predict_without
from lukewarm.results import TrainingTrace


def constant_model(
    data: ReductionData, task: Task = REGRESSION, measure: MeanLoss | None = None
) -> ReducedModel:
    """Return the constant predictor: the best one of the training rows, or the class shares.

    The best constant is the one `measure` rates highest, by default the mean.

    Parameters
    ----------
    data : ReductionData
        Whose training rows say which constant.
    task : Task
    measure : MeanLoss, optional
        What the constant is the best prediction for; by default the squared error.

    Notes
    -----
    What is left when all features are removed. It never reaches a learner: engines refuse data in
    which every column is constant.
    """
    y, weights = data.train.y, data.train.weights
    if task.is_regression and measure is not None:
        constant: np.ndarray = np.array(measure.best_constant(y, weights))
    else:
        constant = task.constant(y, weights)

    def predict(X: Features) -> Prediction:
        return np.broadcast_to(constant, (len(X), *constant.shape)).copy()

    return ReducedModel(predict, TrainingTrace.untrained(), 0.0)


class Dropout(BaseReduction):
    """No training at all: quick, and biased as soon as features are correlated."""

    name = "dropout"

    def reduce(
        self, full: BaseLearner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the full model, blind to the features in `removed`."""
        return ReducedModel(
            predict_without(full, data.fill, removed), TrainingTrace.untrained(), 0.0
        )
