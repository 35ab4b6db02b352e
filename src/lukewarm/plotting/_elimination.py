"""The path of skill as features leave the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lukewarm._validation import check_instance
from lukewarm.plotting._style import (
    COLOURS,
    axes_for,
    loss_label,
    plain_ticks,
    tidy,
    title_for,
    wrapped_labels,
)
from lukewarm.results import EliminationPath

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Rows beyond these have no name of their own.
_MOST_NAMES = 60


def plot_elimination(
    path: EliminationPath, *, level: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw what is lost as features leave one after the other; return the Axes.

    From top to bottom, the feature that left in each step, and the skill lost since the full
    model, within its interval. Above the dashed line the loss is not significant.

    Parameters
    ----------
    path : EliminationPath
        Of ``VariableImportance.eliminate()``.
    level : float, optional
        Level of the intervals; the result's own by default.
    ax : matplotlib Axes, optional
    """
    check_instance("path", path, EliminationPath)
    frame = path.to_frame(level)
    axes = axes_for(ax, 6.4, 1.4 + 0.3 * min(len(path), _MOST_NAMES))
    places = np.arange(len(path))
    axes.fill_betweenx(
        places, frame["ci_low"], frame["ci_high"], color=COLOURS[0], alpha=0.2, linewidth=0
    )
    axes.plot(frame["loss"], places, "o-", color=COLOURS[0], linewidth=1.5, markersize=4)
    axes.axvline(0, color="0.4", linewidth=0.8)
    n_left = len(path) - len(path.select(1 - path.result.level))
    if 0 < n_left < len(path):
        axes.axhline(n_left - 0.5, color="0.3", linewidth=1.0, linestyle="--")
    if len(path) <= _MOST_NAMES:
        axes.set_yticks(places, wrapped_labels(path.order))
    axes.set_ylim(len(path) - 0.5, -0.5)
    axes.set_ylabel("taken away, from top to bottom")
    measure = path.result.measure
    plain_ticks(axes, f"{loss_label(measure)} since the full model")
    axes.set_title(title_for(path.result, len(path)), loc="left", fontsize="medium")
    tidy(axes)
    axes.tick_params(axis="y", length=0)
    return axes
