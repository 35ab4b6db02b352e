"""The figure of the gas-turbine experiment: bars per sensor, and the correlations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Matrix
from lukewarm.experiments._style import LOOKS, MODEL_TITLES, legend_below, unique
from lukewarm.plotting import new_figure, tidy

_KINDS = {"importance": "importance (loss of R²)", "shapley": "Shapley value (share of R²)"}
_TARGETS = {"NOX": "NOx", "CO": "CO"}


def draw_gas_turbine(table: pd.DataFrame, features: Sequence[str], correlation: Matrix) -> Any:
    """Return a row of panels per model and target, the heat map below them."""
    rows = [(model, target) for model in unique(table["model"]) for target in _TARGETS]
    n_rows = len(rows) + 1
    figure, panels = new_figure(9.6, 2.7 * len(rows) + 4.2, n_rows=n_rows, n_columns=2)
    panels[0].get_gridspec().set_height_ratios([2.7] * len(rows) + [3.6])
    places = iter(panels)
    for model, target in rows:
        chosen = table[(table["model"] == model) & (table["target"] == target)]
        for kind, label in _KINDS.items():
            axes = next(places)
            _draw_bars(axes, chosen[chosen["kind"] == kind])
            axes.set_title(f"{_TARGETS[target]}, {MODEL_TITLES.get(model, model)}", fontsize=10)
            axes.set_ylabel(label, fontsize=9)
    _draw_heat_map(next(places), features, correlation)
    next(places).remove()
    legend_below(figure)
    return figure


def _draw_bars(axes: Any, table: pd.DataFrame) -> None:
    methods, features = unique(table["method"]), unique(table["feature"])
    width = 0.84 / max(len(methods), 1)
    for number, method in enumerate(methods):
        rows, look = table[table["method"] == method], LOOKS[method]
        axes.bar(
            np.arange(len(features)) + width * (number - (len(methods) - 1) / 2),
            rows["estimate"],
            width,
            yerr=1.96 * rows["std_error"],
            color=look.colour,
            hatch=look.hatch,
            edgecolor="white",
            linewidth=0.3,
            error_kw={"elinewidth": 0.8, "ecolor": "0.1"},
            label=f"{look.label} (95 % interval)",
        )
    axes.axhline(0, color="0.3", linewidth=0.8)
    axes.set_xticks(np.arange(len(features)), features, fontsize=9)
    _cut_dropout_off(axes, table, features)
    tidy(axes)


def _cut_dropout_off(axes: Any, table: pd.DataFrame, features: Sequence[str]) -> None:
    """End the axis where the other methods end, and write what dropout says beyond."""
    is_dropout = table["method"] == "dropout"
    others = table[~is_dropout]
    if others.empty:
        return
    top = 1.5 * float((others["estimate"] + 1.96 * others["std_error"]).max())
    beyond = table[is_dropout & (table["estimate"] > top)]
    if beyond.empty:
        return
    lowest = float((table["estimate"] - 1.96 * table["std_error"]).min())
    axes.set_ylim(min(1.1 * lowest, -0.05 * top), top)
    for feature, estimate in zip(beyond["feature"], beyond["estimate"], strict=True):
        axes.annotate(
            f"{estimate:.2f}",
            (features.index(feature) - 0.12, top),
            xytext=(0, -9),
            textcoords="offset points",
            ha="left",
            fontsize=8,
        )


def _draw_heat_map(axes: Any, features: Sequence[str], correlation: Matrix) -> None:
    axes.imshow(correlation, cmap="RdBu_r", vmin=-1, vmax=1)
    for (row, column), value in np.ndenumerate(correlation):
        shade = "white" if abs(value) > 0.6 else "black"
        axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=shade, fontsize=6.5)
    axes.set_xticks(np.arange(len(features)), features, fontsize=8)
    axes.set_yticks(np.arange(len(features)), features, fontsize=8)
    axes.set_title("correlation of the sensors", fontsize=10)
