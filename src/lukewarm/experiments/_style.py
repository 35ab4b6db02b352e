"""What the experiments' figures share: the look of each method, titles, the legend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from lukewarm._typing import Vector
from lukewarm.plotting import COLOURS, new_figure


class Look(NamedTuple):
    """How a method is drawn wherever it appears; no two need colour to be told apart."""

    label: str
    marker: str
    line: Any
    colour: str
    hatch: str


LOOKS = {
    "dropout": Look("dropout", "s", ":", COLOURS[1], "///"),
    "retrain": Look("retraining", "^", "--", "0.35", ""),
    "early_stopping": Look("early stopping", "o", "-", COLOURS[0], "..."),
    "algorithm_1": Look("Algorithm 1 as printed", "P", (0, (3, 2)), COLOURS[4], "++"),
    "kernel_flow": Look("kernel flow", "D", "-.", COLOURS[2], "xxx"),
    "lazy": Look("LazyVI", "v", (0, (5, 1)), COLOURS[3], "\\\\\\"),
}
MODEL_TITLES = {
    "boosting": "boosted trees",
    "catboost": "boosted trees (CatBoost)",
    "network": "network",
    "wide_network": "network of the paper's width",
}


def panel_per_model(
    parts: Mapping[str, Any],
    draw: Callable[[Any, Any], None],
    *,
    width: float,
    height: float,
    ylabel: str,
) -> Any:
    """Return a figure with a panel for each model, side by side, and one legend below.

    Parameters
    ----------
    parts : mapping from a model's name to what its panel shows
    draw : callable (axes, part)
    width, height : float
        Inches of a panel.
    ylabel : str
        Of the first panel; the others stand beside it.
    """
    # A single panel still has to hold the title and the legend.
    size = max(width * len(parts), 5.4), height
    figure, panels = new_figure(*size, n_columns=len(parts))
    for axes, (model, part) in zip(panels, parts.items(), strict=True):
        draw(axes, part)
        axes.set_title(MODEL_TITLES.get(model, model))
    panels[0].set_ylabel(ylabel)
    legend_below(figure)
    return figure


def by_model(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of each model, in the order of their first appearance."""
    return {str(model): rows for model, rows in table.groupby("model", sort=False)}


def legend_below(figure: Any) -> None:
    """Put one legend of all panels under them, each label once, never over the data."""
    entries: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    # Handle and gaps, then the letters of the longest label.
    width = 0.55 + 0.075 * max(map(len, entries))
    figure.legend(
        list(entries.values()),
        list(entries),
        loc="outside lower center",
        ncols=max(1, int(figure.get_figwidth() / width)),
        fontsize=9,
        frameon=False,
    )


def logarithmic(axes: Any, sizes: Vector) -> None:
    """Give both axes logarithmic scales, with ticks at `sizes` below."""
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
    axes.set_xticks([], minor=True)
    logarithmic_upwards(axes)


def logarithmic_upwards(axes: Any) -> None:
    """Give the vertical axis a logarithmic scale; ticks at 1, 2 and 5 where it is short."""
    from matplotlib.ticker import LogLocator, StrMethodFormatter

    axes.set_yscale("log")
    low, high = axes.get_ylim()
    if high / low < 1000:
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.set_yticks([], minor=True)


def unique(values: Sequence[Any] | Any) -> list[Any]:
    """Return the values once each, in the order of their first appearance."""
    return list(dict.fromkeys(values))
