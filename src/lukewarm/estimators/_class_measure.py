"""The measure of classes where the user names none: by what the models say of their own rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lukewarm.estimators._full_model import FullModel
from lukewarm.measures import Accuracy, Brier, Deviance, Measure

# A leaf or a neighbourhood of one class shows among as many rows.
_PROBED_ROWS = 200


def measure_of_classes(full_models: Sequence[FullModel]) -> Measure:
    """Return the measure that suits the probabilities of these models.

    Accuracy for models of labels. Brier score where a model calls a class impossible, as trees and
    neighbours do: the log-loss of a single row would be infinite. Deviance elsewhere.
    """
    if all(model.learner.output == "labels" for model in full_models):
        return Accuracy()
    return Brier() if any(_is_certain(model) for model in full_models) else Deviance()


def _is_certain(model: FullModel) -> bool:
    if model.learner.traits.can_warm_start:
        return False  # trained step by step on the log-loss itself, which keeps it finite
    X = model.data.train.X
    every = -(-len(model.data.train) // _PROBED_ROWS)
    rows = X.iloc[::every] if hasattr(X, "iloc") else X[::every]
    prediction = model.learner.predict(rows)
    return bool(np.any((prediction == 0) | (prediction == 1)))
