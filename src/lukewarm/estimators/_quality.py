"""How good warm starts are here: a few feature sets retrained for comparison."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from lukewarm._random import draw_seeds
from lukewarm._typing import FeatureSet
from lukewarm.estimators._base import Prepared
from lukewarm.evaluation import EvaluationPredictions
from lukewarm.measures import Measure
from lukewarm.parallel import run_jobs
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
    predictions: EvaluationPredictions,
    result: ImportanceResult,
    numbers: list[int],
    n_jobs: int | None,
) -> pd.DataFrame:
    """Return one row per feature set: both estimates, their gap, and what each cost."""
    retrain = Retrain(prepared.rule, prepared.max_steps)
    full_models = [each.for_retraining(prepared.problem) for each in prepared.full_models]
    again = replace(prepared, reduction=retrain, full_models=full_models, symmetric=False)
    sets: list[FeatureSet] = [(), *(result.removed[number] for number in numbers)]
    jobs = [(fold, removed) for removed in sets for fold in range(len(prepared.full_models))]
    seeds = draw_seeds(prepared.generator, len(jobs))
    outcomes = run_jobs(
        lambda job: again.predict_without(*job),
        [(*job, seed) for job, seed in zip(jobs, seeds, strict=True)],
        n_jobs=n_jobs,
        description="retrained",
    )
    n_folds = len(prepared.full_models)
    by_set = [outcomes[first : first + n_folds] for first in range(0, len(jobs), n_folds)]
    stacked = [np.concatenate([outcome[0] for outcome in runs]) for runs in by_set]
    measure = next(each for each in prepared.problem.measures if each.name == result.measure)
    anew = _importances(predictions, stacked, measure)
    warm, error = result.importance[numbers], result.standard_error[numbers]
    seconds = np.array([sum(outcome[2] for outcome in runs) for runs in by_set[1:]])
    warm_seconds = np.array(result.seconds)[numbers]
    return pd.DataFrame(
        {
            "feature": [result.names[number] for number in numbers],
            "importance": warm,
            "std_error": error,
            "retrained": anew,
            "gap": warm - anew,
            "gap_in_std_errors": np.abs(warm - anew) / error,
            "seconds": warm_seconds,
            "retrain_seconds": seconds,
            "seconds_saved": seconds - warm_seconds,
        }
    )


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
        f"sets checked, in standard errors: {listed}. More patience brings the two together."
    )


def _importances(
    predictions: EvaluationPredictions, stacked: list[np.ndarray], measure: Measure
) -> np.ndarray:
    retrained = replace(predictions, full=stacked[0], reduced=tuple(stacked[1:]))
    full, reduced = retrained.skills(measure)
    return np.array([full.value - each.value for each in reduced])
