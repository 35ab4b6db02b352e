"""The model without any feature."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Features, Prediction
from lukewarm.measures import REGRESSION, MeanLoss, Task
from lukewarm.reduction._base import ReducedModel, ReductionData
from lukewarm.results import TrainingTrace


def constant_model(
    data: ReductionData, task: Task = REGRESSION, measure: MeanLoss | None = None
) -> ReducedModel:
    """Return the constant predictor: the best one of the training rows, or the class shares.

    The best constant is the one `measure` rates highest, by default the mean.

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
