"""Section 5.1: the error of a warm start stopped at T_max, against the number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lukewarm.experiments._base import Description, Record, Settings, replicated
from lukewarm.experiments._bounds_runs import network_errors, tree_errors
from lukewarm.experiments._slopes import draw_power_law, power_law_figure, table_of_slopes
from lukewarm.experiments._style import MODEL_TITLES

# Doubled, for a slope on a logarithmic axis.
_ROWS = {"quick": (64, 128, 256, 512), "paper": (64, 128, 256, 512, 1024, 2048)}
# A network of the paper's width takes minutes per run beyond.
_MOST_ROWS = {"boosting": 2048, "network": 1024}
# The paper's width and replicates, and what takes minutes.
_WIDTH = {"quick": 512, "paper": 2048}
_REPLICATES = {"quick": 5, "paper": 10}
_NORMS = {"empirical": "training rows", "population": "new rows"}


class Bounds:
    """The squared error falls at least as fast as N**(-1/2)."""

    description = Description(
        name="bounds",
        section="5.1",
        shows="squared error at T_max against the number of rows, on training rows and on new "
        "ones, with the fitted exponent beside -1/2",
        minutes={"quick": 1.6, "paper": 3.2},
    )
    models = ("boosting", "network")

    def jobs(
        self, scale: str, models: Sequence[str], n_replicates: int | None, seed: int
    ) -> list[dict[str, Any]]:
        """Return a job per model, number of rows and replicate."""
        sizes = {
            model: [size for size in _ROWS[scale] if size <= _MOST_ROWS[model]] for model in models
        }
        return [
            job
            for model in models
            for job in replicated(
                scale, [model], n_replicates or _REPLICATES[scale], seed, n_rows=sizes[model]
            )
        ]

    def run(self, job: Settings) -> dict[str, Any]:
        """Return the squared errors at T_max in both norms, and T_max."""
        generator = np.random.default_rng([job["seed"], job["replicate"]])
        if job["model"] == "network":
            return network_errors(job["n_rows"], _WIDTH[job["scale"]], generator)
        return tree_errors(job["n_rows"], generator)

    def table(self, records: Sequence[Record]) -> pd.DataFrame:
        """Return the mean error per model, norm and number of rows, with the panel's slope."""
        return table_of_slopes(records, "n_rows", "norm", _NORMS, _summary)

    def figure(self, records: Sequence[Record]) -> Any:
        """Return a panel per model and norm, both axes logarithmic."""
        figure = power_law_figure(records, _NORMS, _draw_panel, width=8.4)
        for axes in figure.axes[-2:]:
            axes.set_xlabel("number of training rows N")
        return figure


def _summary(chosen: pd.DataFrame, norm: str) -> dict[str, float]:
    errors = chosen[norm]
    return {"error": errors.mean(), "spread": errors.std(), "steps": chosen["steps"].mean()}


def _draw_panel(axes: Any, frame: pd.DataFrame, model: str, norm: str) -> None:
    mean = frame.groupby("n_rows")[norm].mean()
    draw_power_law(axes, frame, "n_rows", norm, mean, "mean")
    for exponent, style, label in ((-0.5, "--", "$N^{-1/2}$"), (-1.0, ":", "$N^{-1}$")):
        line = mean.iloc[0] * (mean.index / mean.index[0]) ** exponent
        axes.plot(mean.index, line, style, color="0.2", label=label)
    axes.set_title(f"{MODEL_TITLES[model]}, {norm} norm ({_NORMS[norm]})", fontsize=10)
    if norm == next(iter(_NORMS)):
        axes.set_ylabel("squared error at $T_{max}$")
