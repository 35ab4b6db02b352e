"""Open direction: whether other networks keep to their kernel after a warm start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lukewarm.experiments._base import Description, Record, Settings, replicated
from lukewarm.experiments._slopes import table_of_slopes
from lukewarm.experiments._style import legend_below, logarithmic, unique
from lukewarm.experiments._tangent_runs import architecture_drift
from lukewarm.experiments._tangent_stability import DISTANCES, geometric_mean
from lukewarm.plotting import COLOURS, new_figure, tidy

KINDS = (
    *("fully connected", "convolutional", "residual", "layer normalisation"),
    *("attention, one head", "attention, many heads"),
)
# Doubled, for a slope on a logarithmic axis; the widest attention takes minutes.
_WIDTHS = {"quick": (32, 64, 128), "paper": (32, 64, 128, 256)}
_REPLICATES = {"quick": 3, "paper": 10}
# Few, so that kernels can be taken along the way.
_ROWS = 64
_MARKERS = "osD^v*"


class ArchitectureStability:
    """Convolutions, residual connections, layer normalisation and attention, by width."""

    description = Description(
        name="architectures",
        section="4.3; open direction",
        shows="distance from the linearised path and change of the kernel after a warm start, for "
        "convolutional, residual, normalised and attention networks, against their width",
        minutes={"quick": 2.0, "paper": 10.0},
    )
    models = ("network",)

    def jobs(
        self, scale: str, models: Sequence[str], n_replicates: int | None, seed: int
    ) -> list[dict[str, Any]]:
        """Return a job per kind of network, width and replicate."""
        n = n_replicates or _REPLICATES[scale]
        return replicated(scale, models, n, seed, kind=KINDS, size=_WIDTHS[scale])

    def run(self, job: Settings) -> dict[str, Any]:
        """Return the two distances of one run."""
        generator = np.random.default_rng([job["seed"], job["replicate"]])
        return dict(architecture_drift(job["kind"], job["size"], _ROWS, generator))

    def table(self, records: Sequence[Record]) -> pd.DataFrame:
        """Return the geometric mean of each distance per kind and width, with its exponent."""
        # A kind of network is what other experiments call a model.
        by_kind = [{**record, "model": record["kind"]} for record in records]
        table = table_of_slopes(by_kind, "size", "distance", DISTANCES, geometric_mean)
        return table.rename(columns={"model": "kind"})

    def figure(self, records: Sequence[Record]) -> Any:
        """Return a panel per distance, both axes logarithmic."""
        table = self.table(records)
        sizes = np.unique(table["size"])
        figure, panels = new_figure(9.0, 4.6, n_columns=2)
        for axes, (distance, label) in zip(panels, DISTANCES.items(), strict=True):
            chosen = table[table["distance"] == distance]
            for number, kind in enumerate(unique(chosen["kind"])):
                rows = chosen[chosen["kind"] == kind]
                look = {"color": COLOURS[number], "marker": _MARKERS[number]}
                axes.plot(rows["size"], rows["mean"], **look, label=kind)
            line = chosen["mean"].max() * (sizes / sizes[0]) ** -0.5
            axes.plot(sizes, line, "--", color="0.2", label="$m^{-1/2}$")
            axes.set_xlabel("width m")
            axes.set_ylabel(label, fontsize=9)
            logarithmic(axes, sizes)
            tidy(axes)
        legend_below(figure)
        return figure
