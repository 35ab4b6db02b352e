"""Section 5.2: the importance of X1 as its correlation with X2 grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lukewarm.datasets import make_correlated_linear
from lukewarm.experiments._base import Description, Record, Settings, replicated
from lukewarm.experiments._comparison import (
    compare,
    methods_of,
    one_row_per_estimate,
    train_full,
)
from lukewarm.experiments._models import MODELS, paper_model
from lukewarm.experiments._style import LOOKS, by_model, panel_per_model, unique
from lukewarm.plotting import tidy

# From independent features to copies; ten data sets as in the paper.
_CORRELATIONS = {"quick": (0.0, 0.25, 0.5, 0.75, 1.0), "paper": (0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0)}
_REPLICATES = {"quick": 3, "paper": 10}
# Of the axis: dropout goes beyond, and would flatten the rest.
_TOP = 3.6


class Correlation:
    """Dropout drifts away from 2.25 (1 - correlation**2), early stopping follows it."""

    description = Description(
        name="correlation",
        section="5.2",
        shows="importance of X1 against its correlation with X2: truth, early stopping, kernel "
        "flow, dropout, retraining",
        minutes={"quick": 0.9, "paper": 0.8},
    )
    models = MODELS

    def jobs(
        self, scale: str, models: Sequence[str], n_replicates: int | None, seed: int
    ) -> list[dict[str, Any]]:
        """Return a job per model, correlation and replicate."""
        n_replicates = n_replicates or _REPLICATES[scale]
        return replicated(scale, models, n_replicates, seed, correlation=_CORRELATIONS[scale])

    def run(self, job: Settings) -> dict[str, Any]:
        """Return the importance of X1 by every method on one data set."""
        generator = np.random.default_rng([job["seed"], job["replicate"]])
        data = make_correlated_linear(correlation=job["correlation"], random_state=generator)
        trained = train_full(data.X, data.y, paper_model(job["model"], job["scale"]), generator)
        return {
            "features": ["X1"],
            "truth": [data.true_importance("X1")],
            "full_seconds": trained.seconds,
            "methods": compare(trained, methods_of(job["model"]), [(0,)]),
        }

    def table(self, records: Sequence[Record]) -> pd.DataFrame:
        """Return the mean estimate per model, method and correlation."""
        long = one_row_per_estimate(records)
        groups = long.groupby(["model", "method", "correlation"], sort=False)
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
        return panel_per_model(
            by_model(self.table(records)),
            _draw_panel,
            width=4.2,
            height=3.9,
            ylabel="importance of X1, mean ± sd\n(increase in mean squared error)",
        )


def _draw_panel(axes: Any, table: pd.DataFrame) -> None:
    grid = np.linspace(0, 1, 101)
    axes.plot(grid, 1.5**2 * (1 - grid**2), color="0.75", linewidth=5, label="truth")
    methods = unique(table["method"])
    for number, method in enumerate(methods):
        rows, look = table[table["method"] == method], LOOKS[method]
        axes.errorbar(
            # Side by side, so that methods that agree do not hide one another.
            rows["correlation"] + 0.008 * (number - (len(methods) - 1) / 2),
            rows["estimate"],
            yerr=rows["spread"],
            label=look.label,
            marker=look.marker,
            linestyle=look.line,
            color=look.colour,
            markersize=5,
            capsize=2.5,
        )
    axes.set(xlabel="correlation of X1 and X2", ylim=(-0.15, _TOP))
    beyond = table[table["estimate"] > _TOP]
    columns = (beyond[name] for name in ("correlation", "estimate", "method"))
    for correlation, estimate, method in zip(*columns, strict=True):
        # One far point would flatten all the others.
        axes.annotate(
            f"{estimate:.1f} ↑",
            (correlation, _TOP),
            xytext=(0, -12),
            textcoords="offset points",
            ha="center",
            color=LOOKS[method].colour,
        )
    tidy(axes)
