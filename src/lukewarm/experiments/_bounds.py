"""Section 5.1: the error of a warm start stopped at T_max, against the number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lukewarm.experiments._base import Description, Record, Settings, replicated
from lukewarm.experiments._bounds_runs import network_errors, tree_errors
from lukewarm.experiments._slopes import fit_slope, table_of_slopes
from lukewarm.experiments._style import MODEL_TITLES, legend_below, logarithmic, unique
from lukewarm.plotting import COLOURS, new_figure, tidy

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
        frame = pd.DataFrame(list(records))
        models = unique(frame["model"])
        figure, panels = new_figure(8.4, 3.3 * len(models) + 0.4, n_rows=len(models), n_columns=2)
        places = iter(panels)
        for model in models:
            for norm, rows in _NORMS.items():
                axes = next(places)
                _draw_panel(axes, frame[frame["model"] == model], norm)
                axes.set_title(f"{MODEL_TITLES[model]}, {norm} norm ({rows})", fontsize=10)
            panels[2 * models.index(model)].set_ylabel("squared error at $T_{max}$")
        for axes in panels[-2:]:
            axes.set_xlabel("number of training rows N")
        legend_below(figure)
        return figure


def _summary(chosen: pd.DataFrame, norm: str) -> dict[str, float]:
    errors = chosen[norm]
    return {"error": errors.mean(), "spread": errors.std(), "steps": chosen["steps"].mean()}


def _draw_panel(axes: Any, frame: pd.DataFrame, norm: str) -> None:
    sizes = np.unique(frame["n_rows"])
    mean = frame.groupby("n_rows")[norm].mean()
    axes.plot(frame["n_rows"], frame[norm], ".", color="0.65", label="one data set")
    axes.plot(sizes, mean, "o-", color=COLOURS[0], label="mean")
    for exponent, style, label in ((-0.5, "--", "$N^{-1/2}$"), (-1.0, ":", "$N^{-1}$")):
        line = mean.iloc[0] * (sizes / sizes[0]) ** exponent
        axes.plot(sizes, line, style, color="0.2", label=label)
    slope = fit_slope(frame["n_rows"], frame[norm], frame["replicate"])
    axes.text(0.04, 0.06, f"slope {slope}", transform=axes.transAxes)
    logarithmic(axes, sizes)
    tidy(axes)
