"""What all corrections of a mean over draws have in common."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Matrix, Prediction, Vector

# A corrected probability stays within this factor of the average over draws.
_FARTHEST = 4.0


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
