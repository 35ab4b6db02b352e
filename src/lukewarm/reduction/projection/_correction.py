"""What all corrections of a mean over draws have in common."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Matrix, Prediction, Vector

# A corrected probability stays within this factor of the average over draws, and so does what is
# left to one.
_FARTHEST = 4.0
# Probabilities closer to 0 or 1 have no finite logarithm to start from.
LEAST_PROBABILITY = 1e-6
# Of probabilities of zero, which have no logarithm.
_ROUNDING = 1e-15
# Of log-odds; the exponential stays finite.
_LARGEST_SHIFT = 500.0


def outputs_of(prediction: Prediction) -> list[Vector]:
    """Return one vector for every output."""
    return [prediction] if prediction.ndim == 1 else list(prediction.T)


def corrected(average: Prediction, shift: Matrix, is_bounded: bool) -> Prediction:
    """Return the average shifted by (n, n_outputs), between 0 and 1 where it is bounded."""
    moved = average + shift[:, 0] if average.ndim == 1 else average + shift
    if not is_bounded:
        return moved
    # Log-loss is merciless to a probability of nothing, which no average over draws has; and where
    # an average is nearly sure, squared errors of probabilities say little.
    other = 1 - average
    lowest = np.maximum(average / _FARTHEST, 1 - _FARTHEST * other)
    moved = np.clip(moved, lowest, np.minimum(_FARTHEST * average, 1 - other / _FARTHEST))
    return moved if average.ndim == 1 else moved / moved.sum(axis=1, keepdims=True)


def log_odds(probabilities: Prediction, least: float = LEAST_PROBABILITY) -> Matrix:
    """Return the log-odds (1, n) of a probability; of several their logarithms, (n_classes, n).

    Parameters
    ----------
    probabilities : ndarray of shape (n,) or (n, n_classes)
    least : float
        Probabilities closer to 0 or 1 are moved there.
    """
    clipped = np.clip(probabilities, least, 1 - least)
    if probabilities.ndim == 1:
        return np.log(clipped / (1 - clipped))[None]
    return np.log(clipped).T.copy()


def with_odds_shifted(probabilities: Prediction, shift: Matrix) -> Prediction:
    """Return probabilities whose log-odds, or logarithms, are shifted by (n, n_outputs).

    Those of 0 and 1 stay as they are.

    Examples
    --------
    >>> with_odds_shifted(np.array([0.5, 1.0]), np.log([[3.0], [3.0]])).tolist()
    [0.75, 1.0]
    """
    if probabilities.ndim == 1:
        odds = np.exp(np.clip(shift[:, 0], -_LARGEST_SHIFT, _LARGEST_SHIFT))
        raised = probabilities * odds
        return raised / (raised + (1 - probabilities))
    raised = probabilities * np.exp(shift - shift.max(axis=1, keepdims=True))
    total = raised.sum(axis=1, keepdims=True)
    return np.where(total > 0, raised / np.where(total > 0, total, 1.0), probabilities)


def divergence(target: Prediction, found: Prediction) -> Vector:
    """Return the root of each row's divergence (Kullback, Leibler) of probabilities from a target.

    Examples
    --------
    >>> divergence(np.array([0.5, 1.0]), np.array([0.5, np.exp(-4)])).round(6).tolist()
    [0.0, 2.0]
    """
    shares, others = (
        np.clip(np.stack([1 - each, each], axis=1) if each.ndim == 1 else each, _ROUNDING, None)
        for each in (target, found)
    )
    rows = np.sum(shares * np.log(shares / others), axis=1)
    return np.sqrt(np.maximum(rows, 0.0))
