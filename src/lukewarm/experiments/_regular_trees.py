"""Open direction: what of the theory of oblivious trees holds for regular ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lukewarm.experiments._base import Description, Record, Settings, replicated
from lukewarm.experiments._regular_runs import KINDS, regular_run
from lukewarm.experiments._slopes import slope_columns
from lukewarm.experiments._style import legend_below, logarithmic_upwards
from lukewarm.plotting import COLOURS, new_figure, tidy

# 0 is greedy, as boosters of other libraries are; at the largest the kernel all but stays.
_STRENGTHS = (0, 0.01, 0.1, 1, 10, 100, 1000, 10000)
# Where the distance follows its law.
_LEAST_STRENGTH = 1
_DEPTHS = (2, 3)
_ROWS = 128
_REPLICATES = {"quick": 5, "paper": 10}
_DISTANCES = ("kernel_change", "prediction_gap")
_MARKS = {"regular": "o-", "oblivious": "s--"}
# Whose paths are drawn.
_SHOWN_DEPTH, _SHOWN_STRENGTHS = 2, (0, 0.1, 10000)


class RegularTreesExperiment:
    """A regular tree is a kernel update too; only noise keeps its kernel in place."""

    description = Description(
        name="regular-trees",
        section="4.4; open direction",
        shows="trees with a split of their own in every node beside oblivious ones: distance from "
        "the stationary kernel by random strength, and T_max from its spectrum",
        minutes={"quick": 0.5, "paper": 1.0},
    )
    models = ("boosting",)

    def jobs(
        self, scale: str, models: Sequence[str], n_replicates: int | None, seed: int
    ) -> list[dict[str, Any]]:
        """Return a job per kind of tree, depth, random strength and replicate."""
        n = n_replicates or _REPLICATES[scale]
        return replicated(scale, models, n, seed, kind=KINDS, depth=_DEPTHS, size=_STRENGTHS)

    def run(self, job: Settings) -> dict[str, Any]:
        """Return the distances, stopping times and errors of one warm start."""
        generator = np.random.default_rng([job["seed"], job["replicate"]])
        return regular_run(job["kind"], job["depth"], float(job["size"]), _ROWS, generator)

    def table(self, records: Sequence[Record]) -> pd.DataFrame:
        """Return means per kind, depth and random strength, with the exponent of each distance."""
        frame = pd.DataFrame(list(records))
        rows = []
        for (kind, depth), chosen in frame.groupby(["kind", "depth"], sort=False):
            noisy = chosen[chosen["size"] >= _LEAST_STRENGTH]
            slopes = slope_columns(noisy, "size", _DISTANCES)
            for size, each in chosen.groupby("size"):
                rows.append(
                    {
                        **{"kind": kind, "depth": depth, "size": size, "replicates": len(each)},
                        **{name: float(each[name].mean()) for name in _MEANS},
                        **{name: float(each[name].median()) for name in _MEDIANS},
                        **slopes,
                    }
                )
        return pd.DataFrame(rows)

    def figure(self, records: Sequence[Record]) -> Any:
        """Return two panels: the kernel's distance by random strength, and paths of the error."""
        figure, panels = new_figure(9.4, 4.6, n_columns=2)
        _draw_distances(panels[0], self.table(records))
        _draw_paths(panels[1], pd.DataFrame(list(records)))
        legend_below(figure)
        return figure


_MEANS = (*_DISTANCES, "trace", "dropout", "error", "best", "drift", "bound")
_MEDIANS = ("max_step", "optimal_step", "best_step")


def _draw_distances(axes: Any, table: pd.DataFrame) -> None:
    for (kind, depth), rows in table.groupby(["kind", "depth"], sort=False):
        noisy, mark = rows[rows["size"] > 0], _MARKS[str(kind)]
        colour = COLOURS[_DEPTHS.index(depth)]
        label = f"{kind}, depth {depth}"
        axes.plot(noisy["size"], noisy["kernel_change"], mark, color=colour, label=label)
        # Greedy trees have no place on the axis: their distance is a level.
        greedy = rows[rows["size"] == 0]["kernel_change"].item()
        axes.axhline(greedy, color=colour, linestyle=mark[1:], linewidth=0.8)
    axes.set_xscale("log")
    axes.set(xlabel="random strength β (level: greedy)", title="How far the kernel moves")
    axes.set_ylabel("largest change of the kernel\n(share of its norm)", fontsize=9)
    logarithmic_upwards(axes)
    tidy(axes)


def _draw_paths(axes: Any, frame: pd.DataFrame) -> None:
    chosen = frame[(frame["depth"] == _SHOWN_DEPTH) & (frame["kind"] == "regular")]
    for strength, colour in zip(_SHOWN_STRENGTHS, COLOURS[2:], strict=False):
        rows = chosen[chosen["size"] == strength]
        mean = np.mean(rows["path"].tolist(), axis=0)
        label = "greedy" if strength == 0 else f"β = {strength:g}"
        axes.plot(np.arange(len(mean)), mean, color=colour, label=f"error, {label}")
    last = float(chosen["max_step"].median())
    axes.axvline(last, color="0.4", linewidth=0.8, label="T_max of the stationary kernel")
    axes.set(xlabel="trees after the warm start", title=f"Regular trees of depth {_SHOWN_DEPTH}")
    axes.set_ylabel("error, mean over data sets", fontsize=9)
    logarithmic_upwards(axes)
    tidy(axes)
