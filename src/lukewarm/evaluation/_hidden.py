"""Effects too small to be learnt: how far predictions without one may be off."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Prediction, Vector
from lukewarm.measures import Measure, needs_classes

# A prediction is moved at most so far that this share of it, or of its distance from 1, is left.
_LEFT = 0.25


def moved(prediction: Prediction, by: Prediction, measure: Measure) -> Prediction:
    """Return the predictions moved, as far as the measure takes them.

    Probabilities stay between 0 and 1 and add up to 1; predictions that are all positive stay so.

    Parameters
    ----------
    prediction, by : ndarrays of shape (n,) or (n, n_outputs)
    measure : Measure

    Examples
    --------
    >>> from lukewarm.measures import NegMSE
    >>> moved(np.array([1.0, 2.0]), np.array([0.5, -3.0]), NegMSE())
    array([1.5, 0.5])
    """
    shifted = prediction + by
    if needs_classes(measure):
        shifted = np.clip(shifted, _LEFT * prediction, 1 - _LEFT * (1 - prediction))
        return shifted / shifted.sum(axis=1, keepdims=True) if shifted.ndim > 1 else shifted
    return np.maximum(shifted, _LEFT * prediction) if (prediction > 0).all() else shifted


def hidden_effect(
    y: Vector, prediction: Prediction, measure: Measure, n_learnt: float, quantile: float
) -> Prediction:
    """Return the size, at each row, of an effect that so many training rows need not show.

    One parameter is known from n rows with a variance of s² / n in the prediction, s² being that of
    y at the row. A test that allows for `quantile` standard errors finds an effect of
    twice as many with the probability of its level; smaller ones are easily missed.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Classes as numbers for a measure of classes.
    prediction : ndarray of shape (n,) or (n, n_outputs)
        Of the full model.
    measure : Measure
    n_learnt : float
        Rows that the model learnt from.
    quantile : float
        Of the normal law.

    Examples
    --------
    >>> from lukewarm.measures import NegMSE
    >>> y = np.array([1.0, -1.0])
    >>> hidden_effect(y, np.zeros(2), NegMSE(), n_learnt=100, quantile=2.0)
    array([0.4, 0.4])
    """
    if needs_classes(measure):
        # Shares that are moved independently by variances p and then made to add up to 1 have the
        # variances p (1 - p) of classes.
        variance = prediction * (1 - prediction) if prediction.ndim == 1 else prediction
    else:
        variance = np.full(prediction.shape, np.mean(np.square(y - prediction)))
    return 2 * quantile * np.sqrt(variance / n_learnt)
