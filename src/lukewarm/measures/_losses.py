"""Losses per row and their means, smaller is better."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Prediction, Vector


def squared_errors(y: Vector, prediction: Prediction) -> Vector:
    """Return (y - prediction)**2; for class probabilities the Brier score, summed over classes."""
    if prediction.ndim == 1:
        return np.square(y - prediction)
    hit = np.zeros(prediction.shape)
    hit[np.arange(len(y)), y.astype(int)] = 1.0
    return np.square(hit - prediction).sum(axis=1)


def log_losses(y: Vector, prediction: Prediction) -> Vector:
    """Return -log of the probability given to the class that came."""
    if prediction.ndim == 1:
        chosen = np.where(y == 1, prediction, 1 - prediction)
    else:
        chosen = prediction[np.arange(len(y)), y.astype(int)]
    return -np.log(np.maximum(chosen, np.finfo(float).eps))


def mean_squared_error(y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
    """Return the (weighted) mean of (y - prediction)**2.

    Examples
    --------
    >>> mean_squared_error(np.array([0.0, 1.0]), np.array([0.0, 3.0]))
    2.0
    """
    return float(np.average(squared_errors(y, prediction), weights=weights))


def mean_log_loss(y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
    """Return the (weighted) mean of -log p(y) for class codes `y`.

    Examples
    --------
    >>> round(mean_log_loss(np.array([0.0, 1.0]), np.array([0.5, 0.5])), 4)
    0.6931
    """
    return float(np.average(log_losses(y, prediction), weights=weights))
