"""What all corrections of a mean over draws have in common."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Matrix, Prediction, Vector

# A corrected probability stays within this factor of the average over draws.
_FARTHEST = 4.0
# Probabilities closer to 0 or 1 have no finite logarithm to start from.
LEAST_PROBABILITY = 1e-6


def outputs_of(prediction: Prediction) -> list[Vector]:
    """Return one vector for every output."""
    return [prediction] if prediction.ndim == 1 else list(prediction.T)


def corrected(average: Prediction, shift: Matrix, is_bounded: bool) -> Prediction:
    """Return the average shifted by (n, n_outputs), between 0 and 1 where it is bounded."""
    moved = average + shift[:, 0] if average.ndim == 1 else average + shift
    if not is_bounded:
        return moved
    # Log-loss is merciless to a probability of nothing, which no average over draws has.
    moved = np.clip(moved, average / _FARTHEST, 1 - (1 - average) / _FARTHEST)
    return moved if average.ndim == 1 else moved / moved.sum(axis=1, keepdims=True)


def log_odds(probabilities: Prediction) -> Matrix:
    """Return the log-odds (1, n) of a probability; of several their logarithms, (n_classes, n)."""
    clipped = np.clip(probabilities, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
    if probabilities.ndim == 1:
        return np.log(clipped / (1 - clipped))[None]
    return np.log(clipped).T.copy()
