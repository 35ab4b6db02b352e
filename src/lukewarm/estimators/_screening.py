"""A quick look at many feature sets, to spend training on those that may matter."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lukewarm._typing import FeatureSet
from lukewarm.estimators._folds import FullModel
from lukewarm.estimators._prepared import Prepared
from lukewarm.measures import Measure


def screen_by_dropout(
    prepared: Prepared, sets: dict[str, FeatureSet], keep: int
) -> tuple[dict[str, FeatureSet], pd.DataFrame]:
    """Return the `keep` feature sets with the largest dropout importance, and all of these.

    Dropout only predicts, and overstates more often than it misses. It is measured on the rows
    that decide when to stop, or on the training rows of a model that is fitted in one go. The
    evaluation rows have no part in the choice, so the intervals of the sets kept stay valid.
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
    data, learner = full.data, full.learner
    rows = data.stopping if len(data.stopping) else data.train
    without = data.removal.apply(rows.X, removed)
    return (
        measure.evaluate(rows.y, learner.predict(rows.X), rows.weights).value
        - measure.evaluate(rows.y, learner.predict(without), rows.weights).value
    )
