"""The demonstration: three ways to an importance on data whose answer is known, then real data."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from lukewarm._files import locked_folder, replacing_report, write_text
from lukewarm._text import frame_to_csv
from lukewarm.datasets import make_correlated_linear
from lukewarm.estimators import ShapleyImportance, VariableImportance
from lukewarm.plotting import plot_comparison, plot_importance, plot_trace, save_figure
from lukewarm.reporting import report
from lukewarm.results import HealthWarning, ImportanceResult

METHODS = ("dropout", "early_stopping", "retrain")
REPORT = "report.html"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several methods on one data set, with the truth where it is known."""

    results: Mapping[str, ImportanceResult]
    truth: Mapping[str, float] | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return one row per feature and method."""
        frames = [
            result.to_frame().assign(method=method) for method, result in self.results.items()
        ]
        frame = pd.concat(frames, ignore_index=True)
        if self.truth is not None:
            frame.insert(1, "truth", frame["feature"].map(dict(self.truth)))
        return frame

    def to_text(self) -> str:
        """Return the table for the screen: estimates with intervals, and what they cost."""
        first = next(iter(self.results.values()))
        table: dict[str, list[str]] = {"feature": list(first.names)}
        if self.truth is not None:
            table["truth"] = [f"{self.truth[name]:.3f}" for name in first.names]
        for method, result in self.results.items():
            low, high = result.interval()
            table[method] = [
                f"{value:.3f} [{start:.3f}, {end:.3f}]"
                for value, start, end in zip(result.importance, low, high, strict=True)
            ]
        seconds = {
            method: [f"{sum(result.seconds):.2f} s"] for method, result in self.results.items()
        }
        last_row: dict[str, list[str]] = {"feature": ["all sets"], "truth": [""], **seconds}
        rows = {column: cells + last_row[column] for column, cells in table.items()}
        return pd.DataFrame(rows).to_string(index=False)


def run_demo(
    folder: str | os.PathLike[str],
    *,
    seed: int = 0,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> dict[str, Comparison]:
    """Return the comparisons by data set; tables, figures and a report go to `folder`."""
    from sklearn.datasets import load_diabetes

    with locked_folder(folder) as target:
        linear = make_correlated_linear(correlation=0.8, random_state=seed)
        truth = {name: linear.true_importance(name) for name in map(str, linear.X)}
        table = load_diabetes(as_frame=True, scaled=False)
        options: dict[str, Any] = {"random_state": seed, "n_jobs": n_jobs, "verbose": verbose}
        comparisons = {
            "correlated_linear": compare(linear.X, linear.y, truth=truth, **options),
            "diabetes": compare(table.data, table.target, measure="r2", cv=5, **options),
        }
        with replacing_report(target, "demo") as staged:
            for name, comparison in comparisons.items():
                _write(staged, name, comparison)
            _write_report(staged / REPORT, table.data, table.target, options)
        return comparisons


def compare(
    X: pd.DataFrame, y: pd.Series, *, truth: Mapping[str, float] | None = None, **options: Any
) -> Comparison:
    """Return the importances of every column by each of the three methods."""
    results = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HealthWarning)
        for method in METHODS:
            results[method] = (
                VariableImportance("boosting", method, inference="paired", **options)
                .fit(X, y)
                .result_
            )
    return Comparison(results, truth)


def _write_report(path: Path, X: pd.DataFrame, y: pd.Series, options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HealthWarning)
        importance = VariableImportance("boosting", measure="r2", **options).fit(X, y)
        shapley = ShapleyImportance(
            "boosting", "early_stopping", measure="r2", n_coalitions=60, **options
        ).fit(X, y)
    report([importance, shapley], path, title="What predicts the progression of diabetes")


def _write(folder: Path, name: str, comparison: Comparison) -> None:
    frame = comparison.to_frame()
    write_text(folder / f"{name}.csv", frame_to_csv(frame))
    write_text(folder / f"{name}.json", json.dumps(frame.to_dict(orient="records"), indent=1))
    best = comparison.results["early_stopping"]
    save_figure(
        plot_comparison(list(comparison.results.values()), truth=comparison.truth),
        folder / f"{name}_comparison.png",
    )
    save_figure(plot_importance(best), folder / f"{name}_importance.png")
    save_figure(plot_trace(best), folder / f"{name}_trace.png")
