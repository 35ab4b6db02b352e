"""Section 5.2: the importance of X1 as its correlation with X2 grows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lukewarm.datasets import make_correlated_linear
from lukewarm.estimators import VariableImportance
from lukewarm.evaluation import NearZeroWarning
from lukewarm.experiments._base import Description, Record, Settings
from lukewarm.experiments._models import paper_model
from lukewarm.plotting import COLOURS, new_figure, tidy

_CORRELATIONS = {"quick": (0.0, 0.25, 0.5, 0.75, 1.0), "paper": (0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0)}
_REPLICATES = {"quick": 3, "paper": 10}
_LINES = {
    "dropout": ("dropout", "s", ":"),
    "retrain": ("retraining", "^", "--"),
    "early_stopping": ("early stopping", "o", "-"),
    "kernel_flow": ("kernel flow", "D", "-."),
}


class Correlation:
    """Dropout drifts away from 2.25 (1 - correlation**2), early stopping follows it."""

    description = Description(
        name="correlation",
        section="5.2",
        shows="importance of X1 against its correlation with X2: truth, early stopping, kernel "
        "flow, dropout, retraining",
        minutes={"quick": 2.0, "paper": 40.0},
    )
    models = ("boosting", "catboost", "network")

    def jobs(
        self, scale: str, models: Sequence[str], n_replicates: int | None, seed: int
    ) -> list[dict[str, Any]]:
        """Return a job per model, method, correlation and replicate."""
        return [
            {
                **{"scale": scale, "model": model, "method": method},
                **{"correlation": correlation, "replicate": replicate, "seed": seed},
            }
            for model in models
            for method in methods_of(model)
            for correlation in _CORRELATIONS[scale]
            for replicate in range(n_replicates or _REPLICATES[scale])
        ]

    def run(self, job: Settings) -> dict[str, Any]:
        """Return the estimate for X1 on one data set."""
        seed = [job["seed"], job["replicate"]]
        data = make_correlated_linear(
            correlation=job["correlation"], random_state=np.random.default_rng(seed)
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NearZeroWarning)
            result = (
                VariableImportance(
                    paper_model(job["model"], job["scale"]),
                    job["method"],
                    features=["X1"],
                    random_state=np.random.default_rng(seed),
                    verbose=False,
                )
                .fit(data.X, data.y)
                .result_
            )
        return {
            "truth": data.true_importance("X1"),
            "estimate": float(result.importance[0]),
            "std_error": float(result.standard_error[0]),
            "seconds": float(result.seconds[0]),
        }

    def table(self, records: Sequence[Record]) -> pd.DataFrame:
        """Return the mean estimate per model, method and correlation."""
        frame = pd.DataFrame(list(records))
        groups = frame.groupby(["model", "method", "correlation"], sort=False)
        table = groups.agg(
            replicates=("estimate", "size"),
            truth=("truth", "first"),
            estimate=("estimate", "mean"),
            spread=("estimate", "std"),
            seconds=("seconds", "mean"),
        ).reset_index()
        table["relative_error"] = (table["estimate"] / table["truth"] - 1).where(
            table["truth"] > 1e-9
        )
        return table

    def figure(self, records: Sequence[Record]) -> Any:
        """Return a panel per model: estimates with their spread over the truth."""
        table = self.table(records)
        models = list(dict.fromkeys(table["model"]))
        figure, panels = new_figure(3.6 * len(models), 3.6, n_columns=len(models))
        for model, axes in zip(models, panels, strict=True):
            _draw_panel(axes, table[table["model"] == model], model)
        panels[0].set_ylabel("importance of X1 (increase in mean squared error)")
        handles, labels = panels[-1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
        return figure


def methods_of(model: str) -> tuple[str, ...]:
    """Return the ways to a reduced model that are compared for this kind of model."""
    flow = ("kernel_flow",) if model == "network" else ()
    return ("dropout", "retrain", "early_stopping", *flow)


def _draw_panel(axes: Any, table: pd.DataFrame, title: str) -> None:
    grid = np.linspace(0, 1, 101)
    axes.plot(grid, 1.5**2 * (1 - grid**2), "k", linewidth=2, label="truth")
    methods = list(dict.fromkeys(table["method"]))
    for number, method in enumerate(methods):
        rows = table[table["method"] == method]
        label, marker, style = _LINES[method]
        axes.errorbar(
            rows["correlation"],
            rows["estimate"],
            yerr=rows["spread"],
            label=label,
            marker=marker,
            linestyle=style,
            color=COLOURS[number],
            capsize=2.5,
        )
    axes.set(title=title, xlabel="correlation of X1 and X2")
    tidy(axes)
