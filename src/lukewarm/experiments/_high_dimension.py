"""Sections 5.3 and 5.4: a hundred features, seconds against error, LazyVI beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lukewarm.datasets import make_high_dimensional_linear, make_high_dimensional_network
from lukewarm.experiments._base import Description, Record, Settings, replicated
from lukewarm.experiments._comparison import (
    compare,
    methods_of,
    one_row_per_estimate,
    one_row_per_method,
    train_full,
)
from lukewarm.experiments._models import MODELS, paper_model
from lukewarm.experiments._style import LOOKS, MODEL_TITLES, legend_below, unique
from lukewarm.experiments._truths import true_network_importance
from lukewarm.plotting import new_figure, tidy

# The default of the simulators.
_N_ROWS = 5000
_REPLICATES = {"quick": 3, "paper": 10}
_ERRORS = {"error_to_retrain": "retraining", "error_to_truth": "the truth"}


class HighDimension:
    """Early stopping is nearer to retraining than dropout, and cheaper than retraining."""

    description = Description(
        name="high-dimension",
        section="5.3, 5.4",
        shows="seconds against normalised error of the importance of X1 among 100 features: "
        "network data for networks (LazyVI among the methods), linear data for trees",
        minutes={"quick": 1.0, "paper": 1.1},
    )
    models = MODELS

    def jobs(
        self, scale: str, models: Sequence[str], n_replicates: int | None, seed: int
    ) -> list[dict[str, Any]]:
        """Return a job per model and replicate."""
        return replicated(scale, models, n_replicates or _REPLICATES[scale], seed)

    def run(self, job: Settings) -> dict[str, Any]:
        """Return the importance of X1 by every method on one data set."""
        generator = np.random.default_rng([job["seed"], job["replicate"]])
        settings = paper_model(job["model"], job["scale"], patience=25, max_trees=3000)
        if job["model"] == "network":
            data: Any = make_high_dimensional_network(_N_ROWS, random_state=generator)
            truth = true_network_importance(data, 0)
        else:
            data = make_high_dimensional_linear(_N_ROWS, random_state=generator)
            truth = data.true_importance("X1")
        trained = train_full(data.X, data.y, settings, generator)
        return {
            "features": ["X1"],
            "truth": [truth],
            "full_seconds": trained.seconds,
            "methods": compare(trained, methods_of(job["model"], with_lazy=True), [(0,)]),
        }

    def table(self, records: Sequence[Record]) -> pd.DataFrame:
        """Return errors normalised by retraining's estimate, and seconds, per model and method.

        "error_to_truth" is normalised by the truth; "speed_up" is the time
        of retraining over that of the method.
        """
        return one_row_per_method(
            _with_errors(records),
            replicates=("estimate", "size"),
            truth=("truth", "mean"),
            estimate=("estimate", "mean"),
            error_to_retrain=("error_to_retrain", "mean"),
            largest_error=("error_to_retrain", "max"),
            error_to_truth=("error_to_truth", "mean"),
            seconds=("seconds", "mean"),
            steps=("steps", "mean"),
        )

    def figure(self, records: Sequence[Record]) -> Any:
        """Return a column per model: seconds against the distance from retraining and the truth."""
        long = _with_errors(records)
        models = unique(long["model"])
        width = max(4.4 * len(models), 5.4)
        figure, panels = new_figure(width, 6.4, n_rows=2, n_columns=len(models))
        for column, model in enumerate(models):
            chosen = long[long["model"] == model]
            for axes, error in zip(panels[column :: len(models)], _ERRORS, strict=True):
                _draw_panel(axes, chosen, error)
            data = "network data" if model == "network" else "linear data"
            panels[column].set_title(f"{MODEL_TITLES.get(model, model)}, {data}, p = 100")
            panels[len(models) + column].set_xlabel("processor seconds for one reduced model")
        for axes, reference in zip(panels[:: len(models)], _ERRORS.values(), strict=True):
            axes.set_ylabel(f"importance of X1:\nrelative distance from {reference}", fontsize=9)
        legend_below(figure)
        return figure


def _with_errors(records: Sequence[Record]) -> pd.DataFrame:
    long = one_row_per_estimate(records)
    keys = ["model", "replicate"]
    retrain = long[long["method"] == "retrain"].set_index(keys)["estimate"]
    reference = retrain.reindex(pd.MultiIndex.from_frame(long[keys])).to_numpy()
    truth = long["truth"].astype(float)
    return long.assign(
        error_to_retrain=(long["estimate"] - reference).abs() / reference,
        error_to_truth=(long["estimate"] - truth).abs() / truth,
    )


def _draw_panel(axes: Any, long: pd.DataFrame, error: str) -> None:
    axes.axhline(0, color="0.8", linewidth=0.8, zorder=0)
    for method in unique(long["method"]):
        rows, look = long[long["method"] == method], LOOKS[method]
        axes.plot(
            rows["seconds"],
            rows[error],
            look.marker,
            color=look.colour,
            markersize=6,
            alpha=0.8,
            label=look.label,
        )
    axes.set_xscale("log")
    axes.margins(y=0.08)
    tidy(axes)
