"""A quick look at many feature sets, to spend training on those that may matter."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lukewarm._typing import FeatureSet
from lukewarm.estimators._base import Prepared
from lukewarm.estimators._folds import FullModel
from lukewarm.measures import Measure


def screen_by_dropout(
    prepared: Prepared, sets: dict[str, FeatureSet], keep: int
) -> tuple[dict[str, FeatureSet], pd.DataFrame]:
    """Return the `keep` feature sets with the largest dropout importance, and all of these.

    Dropout only predicts, and overstates more often than it misses. It is measured on the rows
    that decide when to stop, so the evaluation rows have no part in the choice and the intervals
    of the sets that are kept stay valid.
    """
    measure = prepared.problem.measures[0]
    importance = {
        name: float(np.mean([_dropped(full, removed, measure) for full in prepared.full_models]))
        for name, removed in sets.items()
    }
    ranked = sorted(sets, key=lambda name: importance[name], reverse=True)
    chosen = set(ranked[:keep])
    table = pd.DataFrame(
        {
            "feature": ranked,
            "dropout_importance": [importance[name] for name in ranked],
            "kept": [name in chosen for name in ranked],
        }
    )
    return {name: removed for name, removed in sets.items() if name in chosen}, table


def _dropped(full: FullModel, removed: FeatureSet, measure: Measure) -> float:
    rows, learner = full.data.stopping, full.learner
    without = full.data.removal.apply(rows.X, removed)
    return (
        measure.evaluate(rows.y, learner.predict(rows.X), rows.weights).value
        - measure.evaluate(rows.y, learner.predict(without), rows.weights).value
    )
