"""Mean losses that decide when training stops; smaller is better."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Prediction, Vector


def mean_squared_error(y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
    """Return the (weighted) mean of (y - prediction)**2.

    Examples
    --------
    >>> mean_squared_error(np.array([0.0, 1.0]), np.array([0.0, 3.0]))
    2.0
    """
    return float(np.average(np.square(y - prediction), weights=weights))


def mean_log_loss(y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
    """Return the (weighted) mean of -log p(y) for class codes `y`.

    Examples
    --------
    >>> round(mean_log_loss(np.array([0.0, 1.0]), np.array([0.5, 0.5])), 4)
    0.6931
    """
    if prediction.ndim == 1:
        chosen = np.where(y == 1, prediction, 1 - prediction)
    else:
        chosen = prediction[np.arange(len(y)), y.astype(int)]
    smallest = np.finfo(float).tiny
    return float(np.average(-np.log(np.maximum(chosen, smallest)), weights=weights))
