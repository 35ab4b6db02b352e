"""How good warm starts are here: a few feature sets retrained for comparison."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from lukewarm._typing import FeatureSet
from lukewarm.estimators._budget import harvest
from lukewarm.estimators._prepared import Prepared
from lukewarm.reduction import Retrain
from lukewarm.results import ImportanceResult


def spread(result: ImportanceResult, n: int) -> list[int]:
    """Return the numbers of `n` feature sets, from the least to the most important.

    Examples
    --------
    >>> import lukewarm as lw
    >>> y = np.arange(4.0)
    >>> worse = {name: y + gap for name, gap in zip("abc", (2.0, 0.0, 1.0))}
    >>> spread(lw.importance_from_predictions(y, y, worse), 2)
    [1, 0]
    """
    order = np.argsort(result.importance, kind="stable")
    places = np.linspace(0, len(order) - 1, min(n, len(order)))
    return [int(order[place]) for place in np.unique(places.round().astype(int))]


def compare_with_retraining(
    prepared: Prepared,
    result: ImportanceResult,
    numbers: list[int],
    n_jobs: int | None,
) -> pd.DataFrame:
    """Return one row per feature set: both estimates, their gap, and what each cost.

    Parameters
    ----------
    prepared : Prepared
        The fit.
    result : ImportanceResult
        Of one of its measures.
    numbers : list of int
        The feature sets of the result to retrain without.
    n_jobs : int, optional
    """
    retrain = Retrain(prepared.rule, prepared.max_steps)
    full_models = [each.for_retraining(prepared.problem) for each in prepared.full_models]
    again = replace(prepared, reduction=retrain, full_models=full_models, symmetric=False)
    sets: list[FeatureSet] = [(), *(result.removed[number] for number in numbers)]
    # The empty set comes first in every harvest.
    gathered = harvest(again, sets[1:], n_jobs=n_jobs, description="retrained")
    if gathered.interrupted:
        raise KeyboardInterrupt
    by_set = [gathered.outcomes[removed] for removed in sets]
    measure = next(each for each in prepared.problem.measures if each.name == result.measure)
    full, reduced = again.predictions(by_set[0], by_set[1:]).skills(measure)
    anew = np.array([full.value - each.value for each in reduced])
    warm, error = result.importance[numbers], result.standard_error[numbers]
    seconds = np.array([sum(each.seconds for each in outcomes) for outcomes in by_set[1:]])
    warm_seconds = np.array(result.seconds)[numbers]
    return pd.DataFrame(
        {
            "feature": [result.names[number] for number in numbers],
            "importance": warm,
            "std_error": error,
            "retrained": anew,
            "gap": warm - anew,
            "gap_in_std_errors": _in_errors(np.abs(warm - anew), error),
            "seconds": warm_seconds,
            "retrain_seconds": seconds,
            "seconds_saved": seconds - warm_seconds,
        }
    )


def _in_errors(gap: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Return gaps in standard errors; of an estimate without error, 0 or infinity."""
    safe = np.where(error > 0, error, 1.0)
    return np.where(error > 0, gap / safe, np.where(gap > 0, np.inf, 0.0))


def note_on_gap(table: pd.DataFrame) -> str:
    """Return a sentence on feature sets whose gap exceeds a standard error; empty if none does."""
    far = table[table["gap_in_std_errors"] > 1]
    if far.empty:
        return ""
    listed = ", ".join(
        f"{feature} ({gap:.1f})"
        for feature, gap in zip(far["feature"], far["gap_in_std_errors"], strict=True)
    )
    return (
        f"Retraining differs by more than a standard error for {len(far)} of {len(table)} feature "
        f"sets checked, in standard errors: {listed}. Either may be the better one: compare the "
        "skill of the two models."
    )
