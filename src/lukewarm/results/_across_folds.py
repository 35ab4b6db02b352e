"""Intervals from the spread of importances between folds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from lukewarm.inference import p_value, resampled_error

if TYPE_CHECKING:
    from lukewarm.results._importance import ImportanceResult


def across_folds(result: ImportanceResult, level: float) -> pd.DataFrame:
    """Return one row per feature set; see `ImportanceResult.across_folds`."""
    if result.evidence is None:
        raise ValueError(
            "across_folds() needs the predictions of the models, which a result keeps in memory "
            "but not in a file; call it on the result of a fit, before save."
        )
    values, ratio = result.evidence.by_fold()
    if len(values) < 2 or np.isnan(ratio):
        raise ValueError(
            "across_folds() needs several folds whose models were trained here; fit with cv, such "
            "as RepeatedKFold(n_splits=5, n_repeats=4)."
        )
    estimate, error = values.mean(axis=0), resampled_error(values, ratio)
    freedom = len(values) - 1
    reach = stdtrit(freedom, 0.5 + level / 2) * error
    return pd.DataFrame(
        {
            "feature": list(result.names),
            "importance": estimate,
            "std_error": error,
            "ci_low": estimate - reach,
            "ci_high": estimate + reach,
            "p_value": p_value(estimate, error, freedom=freedom),
            "n_folds": len(values),
        }
    )
