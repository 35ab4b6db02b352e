"""The model without any feature."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Features, Prediction
from lukewarm.measures import MeanLoss
from lukewarm.reduction._base import ReducedModel, ReductionData
from lukewarm.results import TrainingTrace


def constant_model(
    data: ReductionData, n_classes: int | None = None, measure: MeanLoss | None = None
) -> ReducedModel:
    """Return the constant predictor: the best one of the training rows, or the class shares.

    The best constant is the one `measure` rates highest, by default the mean.

    Notes
    -----
    What is left when all features are removed. It never reaches a learner: engines refuse data in
    which every column is constant.
    """
    y, weights = data.train.y, data.train.weights
    if n_classes is None and measure is not None:
        constant: np.ndarray = np.array(measure.best_constant(y, weights))
    elif n_classes is None or n_classes == 2:
        constant = np.array(np.average(y, weights=weights))
    else:
        counts = np.bincount(y.astype(int), weights=weights, minlength=n_classes)
        constant = counts / counts.sum()

    def predict(X: Features) -> Prediction:
        return np.broadcast_to(constant, (len(X), *constant.shape)).copy()

    return ReducedModel(predict, TrainingTrace.untrained(), 0.0)
