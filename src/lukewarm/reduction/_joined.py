"""Two sets of rows as one."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lukewarm._typing import Features
from lukewarm.data import Rows


def joined(first: Rows, second: Rows) -> Rows:
    """Return the rows of both, those of `first` before those of `second`."""
    weights = None
    if first.weights is not None and second.weights is not None:
        weights = np.concatenate([first.weights, second.weights])
    return Rows(_stacked(first.X, second.X), np.concatenate([first.y, second.y]), weights)


def _stacked(first: Features, second: Features) -> Features:
    if isinstance(first, pd.DataFrame):
        return pd.concat([first, second], ignore_index=True)
    if not isinstance(first, np.ndarray):
        raise TypeError(
            f"rows in a learner's own form ({type(first).__name__}) cannot be joined; pass the "
            "table itself."
        )
    return np.concatenate([first, second])
