"""Section 4.3 and appendix: wide networks, and noisy trees, keep to their kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lukewarm.experiments._base import Description, Record, Settings, replicated
from lukewarm.experiments._slopes import draw_power_law, power_law_figure, table_of_slopes
from lukewarm.experiments._tangent_runs import network_drift, tree_drift

# Evenly on a logarithmic axis, up to where the law of the theory shows.
_WIDTHS = {"quick": (64, 128, 256, 512, 1024), "paper": (64, 128, 256, 512, 1024, 2048, 4096)}
_STRENGTHS = {"quick": (1, 10, 100, 1000, 10000), "paper": (1, 10, 100, 1000, 10000, 100000)}
# Few, so that the kernels of wide networks can be taken along the way.
_ROWS = 128
_REPLICATES = {"quick": 5, "paper": 10}
DISTANCES = {
    "prediction_gap": "largest distance from the linear path\n(share of the spread of y)",
    "kernel_change": "largest change of the kernel\n(share of its norm)",
}
_PARTS = {
    "network": ("network", "width m", -0.5, "$m^{-1/2}$"),
    "boosting": ("boosted trees", "random strength β", -1.0, "$β^{-1}$"),
}


class TangentStability:
    """After a warm start a network of width m leaves its linearisation by O(m**(-1/2))."""

    description = Description(
        name="tangent-stability",
        section="4.3, appendix",
        shows="largest distance from the linearised path and largest change of the kernel after a "
        "warm start, against the width, and against the random strength of trees",
        minutes={"quick": 2.0, "paper": 4.1},
    )
    models = ("boosting", "network")

    def jobs(
        self, scale: str, models: Sequence[str], n_replicates: int | None, seed: int
    ) -> list[dict[str, Any]]:
        """Return a job per model, width or random strength, and replicate."""
        sizes = {"network": _WIDTHS, "boosting": _STRENGTHS}
        return [
            job
            for model in models
            for job in replicated(
                scale, [model], n_replicates or _REPLICATES[scale], seed, size=sizes[model][scale]
            )
        ]

    def run(self, job: Settings) -> dict[str, Any]:
        """Return the two distances of one run."""
        generator = np.random.default_rng([job["seed"], job["replicate"]])
        if job["model"] == "network":
            return dict(network_drift(job["size"], _ROWS, generator))
        return dict(tree_drift(float(job["size"]), _ROWS, generator))

    def table(self, records: Sequence[Record]) -> pd.DataFrame:
        """Return the geometric mean of each distance per size, with the panel's slope."""
        return table_of_slopes(records, "size", "distance", DISTANCES, geometric_mean)

    def figure(self, records: Sequence[Record]) -> Any:
        """Return a row of panels per model, both axes logarithmic."""
        return power_law_figure(records, DISTANCES, _draw_panel, width=8.6)


def geometric_mean(chosen: pd.DataFrame, distance: str) -> dict[str, float]:
    """Return the mean of a distance over data sets, on the scale of its logarithm."""
    return {"mean": float(np.exp(np.log(chosen[distance]).mean()))}


def _draw_panel(axes: Any, frame: pd.DataFrame, model: str, distance: str) -> None:
    title, label, exponent, law = _PARTS[model]
    mean = np.exp(np.log(frame[distance]).groupby(frame["size"]).mean())
    draw_power_law(axes, frame, "size", distance, mean, "geometric mean")
    # Through the last point: the law is one of large sizes.
    line = mean.iloc[-1] * (mean.index / mean.index[-1]) ** exponent
    axes.plot(mean.index, line, "--", color="0.2", label=law)
    axes.set(xlabel=label, title=title)
    axes.set_ylabel(DISTANCES[distance], fontsize=9)
