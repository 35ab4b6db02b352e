"""Predictions for the same rows with other values in some columns, many times over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from lukewarm._typing import Features, Prediction
from lukewarm.data import filled
from lukewarm.learners._base import Learner

# Rows up to which tables are predicted in one call: a call's own cost no longer counts beyond.
_MOST_STACKED = 100_000


@runtime_checkable
class PredictsFilled(Learner, Protocol):
    """A learner that has a shorter way than one table after another."""

    def predict_filled(self, X: Features, fills: Sequence[dict[int, Any]]) -> list[Prediction]:
        """Return what `predict` gives for `X` with the values of each fill, up to rounding.

        Parameters
        ----------
        X : Features of shape (n, p)
        fills : sequence of dict
            Values (n,) by column number, the same columns in all of them.
        """
        ...


def predict_filled(
    learner: Learner, X: Features, fills: Sequence[dict[int, Any]]
) -> list[Prediction]:
    """Return a learner's predictions for `X` with the values of each fill.

    Parameters
    ----------
    learner, X, fills
        As for `PredictsFilled`.
    """
    if isinstance(learner, PredictsFilled):
        return learner.predict_filled(X, fills)
    tables = [filled(X, values) for values in fills]
    if len(X) * len(tables) > _MOST_STACKED or not isinstance(X, np.ndarray):
        return [learner.predict(table) for table in tables]
    return np.split(learner.predict(np.concatenate(tables)), len(tables))
