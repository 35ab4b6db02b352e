"""Validation loss along the steps, with the stop marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lukewarm._validation import check_choice, check_instance, check_list
from lukewarm.plotting._style import (
    axes_for,
    line_look,
    plain_ticks,
    tidy,
    title_for,
    wrapped_labels,
)
from lukewarm.results import ClosedFormTrace, ImportanceResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More curves hide one another; those of the most important sets are drawn.
_MOST_LINES = 6


def plot_trace(
    result: ImportanceResult, features: Sequence[str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw how the loss on the stopping rows changed along the steps; return the Axes.

    Parameters
    ----------
    result : ImportanceResult
    features : sequence of str, optional
        Names of the feature sets to show; by default the six most important.
    ax : matplotlib Axes, optional

    Notes
    -----
    Step 0 is the full model with the feature held at its fill value: plain dropout. Losses are
    shown relative to it, so that features of very different importance can be compared. A marker is
    at the step that was kept. Of a cross-fitted result the first fold is shown.
    """
    check_instance("result", result, ImportanceResult)
    if features is None:
        order = np.argsort(-result.importance, kind="stable")[:_MOST_LINES]
        features = [result.names[number] for number in order]
    features = [
        check_choice("features", name, result.names) for name in check_list("features", features)
    ]
    if not features:
        raise ValueError("features is empty; name at least one feature set.")
    axes = axes_for(ax, 6.4, 4.0)
    drawn = False
    for number, name in enumerate(features):
        run = result.traces[result.names.index(name)][0]
        if np.isnan(run.losses).all():
            continue
        drawn = True
        changes = run.losses - run.losses[0]
        (label,) = wrapped_labels([name])
        axes.plot(changes, markevery=[run.stopped_step], label=label, **line_look(number))
    if not drawn:
        raise ValueError(
            f"result has no trace to draw: method {result.method!r} took no steps with "
            f"{result.model} that have a loss on stopping rows; use early_stopping, or retrain "
            "with a model that is trained step by step."
        )
    axes.set_xlabel("steps beyond the full model")
    plain_ticks(axes, "change of the loss on the stopping rows", "y")
    axes.set_title(title_for(result, len(features)), loc="left", fontsize="medium")
    axes.axhline(0, color="0.4", linewidth=0.8)
    if result.method == "retrain":
        axes.set_xlabel("steps")
    if isinstance(result.traces[0][0], ClosedFormTrace):
        axes.set_xlabel("points of the path, from the full model on")
    axes.figure.legend(title="without", loc="outside right center", frameon=False)
    tidy(axes)
    return axes
