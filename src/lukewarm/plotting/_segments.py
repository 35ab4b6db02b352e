"""Importances by segment: dots with intervals, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lukewarm._validation import check_count, check_instance
from lukewarm.inference import adjust_p_values
from lukewarm.plotting._style import (
    COLOURS,
    MARKERS,
    axes_for,
    legend_above,
    loss_label,
    measure_name,
    plain_labels,
    plain_ticks,
    tidy,
    wrapped_labels,
)
from lukewarm.results import SegmentedImportance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Beyond these, colours and markers would repeat.
_MOST_SEGMENTS = len(COLOURS)


def plot_segments(
    segments: SegmentedImportance,
    *,
    level: float | None = None,
    max_features: int = 10,
    ax: Axes | None = None,
) -> Axes:
    """Draw importances in each segment, beside each other; return the Axes.

    A star marks the features whose importance differs among segments: the p-value of the test of
    equality, adjusted by Holm's method over all features, is below one minus the level.

    Parameters
    ----------
    segments : SegmentedImportance
        Of ``result.by(...)``, with at most six segments.
    level : float, optional
        Level of the intervals; the result's own by default.
    max_features : int, default 10
        At most this many, those with the largest importance in some segment.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> import lukewarm as lw
    >>> x, z = np.random.default_rng(0).normal(size=(2, 500))
    >>> north = np.where(z > 0, "north", "south")
    >>> y = x * (z > 0)
    >>> by = lw.importance_from_predictions(y, full=y, reduced={"x": 0 * x}).by(north)
    >>> [label.get_text() for label in plot_segments(by).get_yticklabels()]
    ['x *']
    """
    check_instance("segments", segments, SegmentedImportance)
    check_count("max_features", max_features)
    if len(segments) > _MOST_SEGMENTS:
        raise ValueError(
            f"segments has {len(segments)} segments, and a figure shows at most {_MOST_SEGMENTS}; "
            "join some, or use to_frame()."
        )
    first = segments.results[0]
    values = np.stack([result.importance for result in segments.results])
    order = np.argsort(-values.max(axis=0), kind="stable")[:max_features]
    axes = axes_for(ax, 6.6, 1.4 + (0.22 + 0.14 * len(segments)) * len(order))
    places = np.arange(len(order), dtype=float)
    spread = 0.6 / len(segments)
    for number, (name, result) in enumerate(
        zip(plain_labels(segments.segments), segments.results, strict=True)
    ):
        low, high = (end[order] for end in result.interval(level))
        value = result.importance[order]
        axes.errorbar(
            value,
            places + (number - (len(segments) - 1) / 2) * spread,
            xerr=[value - low, high - value],
            fmt=MARKERS[number],
            color=COLOURS[number],
            markersize=5,
            linewidth=1.2,
            capsize=2.5,
            label=f"{name} ({result.n_rows:,} rows)",
        )
    adjusted = adjust_p_values(segments.equality()["p_value"].to_numpy(dtype=float), "holm")
    labels = wrapped_labels([first.names[number] for number in order])
    differs = adjusted[order] < 1 - first.level
    axes.set_yticks(
        places,
        [f"{label} *" if star else label for label, star in zip(labels, differs, strict=True)],
    )
    for place in places[:-1]:
        axes.axhline(place + 0.5, color="0.9", linewidth=0.8, zorder=0)
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.axvline(0, color="0.4", linewidth=0.8)
    label = loss_label(first.measure)
    plain_ticks(axes, f"{label} without the feature")
    axes.set_title(_title(segments, len(order)), loc="left", fontsize="medium")
    if differs.any():
        axes.set_title("* differs among segments", loc="right", fontsize="small")
    legend_above(axes, 3)
    tidy(axes)
    axes.tick_params(axis="y", length=0)
    return axes


def _title(segments: SegmentedImportance, n_shown: int) -> str:
    """Return model, measure, rows, and how many of the features are shown."""
    first = segments.results[0]
    (model,) = plain_labels([first.model])
    n_rows = sum(result.n_rows for result in segments.results)
    shown = f"\n{n_shown:,} of {len(first):,} features shown" if n_shown < len(first) else ""
    return f"{model}\n{measure_name(first.measure)[0]} on {n_rows:,} rows{shown}"
