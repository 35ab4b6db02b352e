"""Section 5.6: whether intervals cover, and whether the test keeps its level at zero."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, TypedDict

import numpy as np
import pandas as pd
from scipy.stats import binom, norm

from lukewarm.datasets import make_correlated_linear
from lukewarm.estimators import VariableImportance
from lukewarm.evaluation import NearZeroWarning, importance_from_predictions
from lukewarm.plotting import COLOURS, new_axes, tidy

_FEATURE = "X1"
_INFERENCES = ("paired", "split")
_MARKERS = ("o", "s", "^", "D", "v", "P")


class CoverageJob(TypedDict):
    """One replicate: a data set, a model and a way to the reduced model."""

    model: str
    method: str
    correlation: float
    replicate: int
    n_samples: int


def coverage_jobs(
    models: Sequence[tuple[str, str]],
    correlations: Sequence[float],
    n_replicates: int,
    n_samples: int = 5000,
) -> list[CoverageJob]:
    """Return the jobs for pairs of model and method; replicate r has the same data for all."""
    return [
        CoverageJob(
            model=model,
            method=method,
            correlation=correlation,
            replicate=replicate,
            n_samples=n_samples,
        )
        for model, method in models
        for correlation in correlations
        for replicate in range(n_replicates)
    ]


def run_coverage_job(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the estimates of both kinds of inference from one fit."""
    data = make_correlated_linear(
        job["n_samples"], job["correlation"], random_state=job["replicate"]
    )
    started = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NearZeroWarning)
        estimator = VariableImportance(
            _model(job["model"]),
            job["method"],
            features=[_FEATURE],
            random_state=job["replicate"],
            verbose=False,
        ).fit(data.X, data.y)
        outcome: dict[str, Any] = {"truth": data.true_importance(_FEATURE)}
        predictions = estimator.predictions_
        for inference in _INFERENCES:
            result = importance_from_predictions(
                predictions.y,
                predictions.full,
                predictions.reduced[0],
                inference=inference,
                random_state=job["replicate"],
            )
            outcome[inference] = [
                float(value)
                for value in (result.importance[0], result.standard_error[0], result.p_value()[0])
            ]
    outcome["seconds"] = perf_counter() - started
    return outcome


def coverage_table(records: Sequence[Mapping[str, Any]], level: float = 0.95) -> pd.DataFrame:
    """Return a row per model, method, inference and correlation.

    The columns: replicates, coverage of the interval with the 95 % binomial band of an exact one,
    rejection rate of "no importance" at 5 %, mean bias with its Monte-Carlo error, mean width.
    """
    long = pd.DataFrame(
        {
            **{key: record[key] for key in ("model", "method", "correlation", "truth")},
            "inference": inference,
            "estimate": record[inference][0],
            "std_error": record[inference][1],
            "p_value": record[inference][2],
        }
        for record in records
        for inference in _INFERENCES
    )
    half_width = norm.ppf(0.5 + level / 2) * long["std_error"]
    error = long["estimate"] - long["truth"]
    long = long.assign(
        covered=error.abs() <= half_width,
        rejected=long["p_value"] < 0.05,
        error=error,
        width=2 * half_width,
    )
    groups = long.groupby(["model", "method", "inference", "correlation"], sort=False)
    table = groups.agg(
        replicates=("covered", "size"),
        truth=("truth", "first"),
        coverage=("covered", "mean"),
        rejection=("rejected", "mean"),
        bias=("error", "mean"),
        bias_error=("error", lambda errors: errors.std() / np.sqrt(len(errors))),
        width=("width", "mean"),
    ).reset_index()
    table["band_low"], table["band_high"] = (
        binom.ppf(end, table["replicates"], level) / table["replicates"] for end in (0.025, 0.975)
    )
    return table


def plot_coverage(table: pd.DataFrame, level: float = 0.95) -> Any:
    """Draw coverage against correlation for every model, method and inference; return the Axes."""
    axes = new_axes(6.8, 4.2)
    first = table.drop_duplicates("correlation").sort_values("correlation")
    axes.fill_between(
        first["correlation"], first["band_low"], first["band_high"], color="0.9", linewidth=0
    )
    axes.axhline(level, color="0.4", linewidth=0.8)
    kinds = table.groupby(["model", "method"], sort=False)
    for number, ((model, method), rows) in enumerate(kinds):
        for inference, style in zip(_INFERENCES, ("-", ":"), strict=True):
            chosen = rows[rows["inference"] == inference].sort_values("correlation")
            axes.plot(
                chosen["correlation"],
                chosen["coverage"],
                style,
                color=COLOURS[number % len(COLOURS)],
                marker=_MARKERS[number % len(_MARKERS)],
                label=f"{model}, {method}, {inference}".replace("_", " "),
            )
    axes.set(
        xlabel="correlation of X1 and X2 (at 1 the importance of X1 is zero)",
        ylabel=f"coverage of the {100 * level:g} % interval",
        ylim=(min(0.3, table["coverage"].min() - 0.03), 1.02),
    )
    axes.figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize="small")
    tidy(axes)
    return axes


def _model(name: str) -> Any:
    if name != "catboost":
        return name
    from lukewarm._optional import require

    # The paper's settings; one thread, since replicates already run side by side.
    regressor = require("catboost", "catboost").CatBoostRegressor
    return regressor(depth=3, learning_rate=0.1, thread_count=1)
