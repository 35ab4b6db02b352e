"""Pairs of features: a heat map and a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from lukewarm._validation import check_fraction, check_instance, shown
from lukewarm.inference import adjust_p_values
from lukewarm.plotting._style import (
    COLOURS,
    axes_for,
    plain_numbers,
    power_for,
    tidy,
    with_power,
    wrapped_labels,
)
from lukewarm.results import ImportanceResult, ShapleyResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NEEDED = ("first", "second", "interaction", "p_value")
# Characters of a label; longer ones are wrapped, so that rotated labels do not meet.
_LONGEST_LINE = 16


def plot_interactions(
    interactions: pd.DataFrame, *, alpha: float = 0.05, ax: Axes | None = None
) -> Axes:
    """Draw the interactions of pairs as a heat map; return the Axes.

    Parameters
    ----------
    interactions : DataFrame
        Of ``VariableImportance.interactions()``, ``InteractionImportance.interactions_`` or
        ``ShapleyResult.interactions()``.
    alpha : float, default 0.05
        Pairs whose p-value, adjusted by Holm's method, is below it are marked by a star.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> import pandas as pd
    >>> pairs = pd.DataFrame(
    ...     {"first": ["a"], "second": ["b"], "interaction": [0.5], "p_value": [0.01]}
    ... )
    >>> [text.get_text() for text in plot_interactions(pairs).texts]
    ['0.50*', '0.50*']
    """
    frame, names = _checked(interactions, alpha)
    is_clear = _is_clear(frame, alpha)
    size = 1.6 + 0.75 * len(names)
    axes = axes_for(ax, size + 0.9, size)
    matrix = np.full((len(names), len(names)), np.nan)
    exponent = power_for(float(frame["interaction"].abs().max()))
    sizes = frame["interaction"] / 10.0**exponent
    largest = float(sizes.abs().max()) or 1.0
    pairs = [
        (names.index(first), names.index(second))
        for first, second in zip(frame["first"], frame["second"], strict=True)
    ]
    for (one, other), size in zip(pairs, sizes, strict=True):
        matrix[one, other] = matrix[other, one] = size
    image = axes.imshow(matrix, cmap="PuOr_r", vmin=-largest, vmax=largest)
    for (one, other), size, clear in zip(pairs, sizes, is_clear, strict=True):
        said = _said(size, largest) + ("*" if clear else "")
        look = {"ha": "center", "va": "center", "fontsize": "small"}
        look["color"] = _ink_on(image.to_rgba(size))
        axes.text(other, one, said, **look)
        axes.text(one, other, said, **look)
    labels = wrapped_labels(names, _LONGEST_LINE)
    axes.set_xticks(range(len(names)), labels, rotation=40, ha="right")
    axes.set_yticks(range(len(names)), labels)
    label = with_power("interaction", exponent)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.8, label=label)
    plain_numbers(bar.ax.yaxis, 0)
    axes.set_title(
        "above 0: need each other; below 0: stand for each other\n"
        f"* p < {alpha:g} after Holm's adjustment",
        loc="left",
        fontsize="small",
    )
    tidy(axes)
    axes.spines[:].set_visible(False)
    return axes


def plot_interaction_network(
    interactions: pd.DataFrame,
    importance: ImportanceResult | ShapleyResult | None = None,
    *,
    alpha: float = 0.05,
    ax: Axes | None = None,
) -> Axes:
    """Draw features as nodes and interactions as lines between them; return the Axes.

    Full lines join features that need each other, dashed ones those that stand for each other; the
    wider, the stronger. Pairs that are not significant have thin grey lines.

    Parameters
    ----------
    interactions : DataFrame
        Of ``VariableImportance.interactions()``, ``InteractionImportance.interactions_`` or
        ``ShapleyResult.interactions()``.
    importance : ImportanceResult or ShapleyResult, optional
        Gives the nodes their areas.
    alpha : float, default 0.05
        Pairs whose p-value, adjusted by Holm's method, is below it are drawn in colour.
    ax : matplotlib Axes, optional
    """
    frame, names = _checked(interactions, alpha)
    is_clear = _is_clear(frame, alpha)
    areas = _areas(importance, names)
    axes = axes_for(ax, 6.4, 5.0)
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(names)) / len(names)
    x, y = np.cos(angles), np.sin(angles)
    largest = float(frame["interaction"].abs().max()) or 1.0
    for (_, row), clear in zip(frame.iterrows(), is_clear, strict=True):
        ends = [names.index(row["first"]), names.index(row["second"])]
        is_positive = row["interaction"] > 0
        colour = COLOURS[0 if is_positive else 5] if clear else "0.8"
        width = 0.6 + 5.4 * abs(row["interaction"]) / largest if clear else 0.6
        dashes = "-" if is_positive else "--"
        axes.plot(x[ends], y[ends], dashes, color=colour, linewidth=width, zorder=1)
    axes.scatter(x, y, s=areas, color="0.92", edgecolor="0.2", zorder=2)
    # Areas are in square points, and so are the distances of the labels from the nodes.
    away = np.sqrt(np.broadcast_to(areas, len(names)) / np.pi) + 5
    for place, label in enumerate(wrapped_labels(names, _LONGEST_LINE)):
        side = "center" if abs(x[place]) < 0.2 else "left" if x[place] > 0 else "right"
        level = "center" if side != "center" else "bottom" if y[place] > 0 else "top"
        axes.annotate(
            label,
            (x[place], y[place]),
            (away[place] * x[place], away[place] * y[place]),
            textcoords="offset points",
            ha=side,
            va=level,
        )
    for look, said in (
        ({"color": COLOURS[0], "linestyle": "-"}, "need each other"),
        ({"color": COLOURS[5], "linestyle": "--"}, "stand for each other"),
        ({"color": "0.8", "linestyle": "-"}, "not significant"),
    ):
        axes.plot([], [], linewidth=2, label=said, **look)
    axes.figure.legend(loc="outside lower center", ncols=3, frameon=False)
    axes.set_aspect("equal")
    axes.set_xlim(-1.8, 1.8)
    axes.set_ylim(-1.3, 1.3)
    axes.axis("off")
    return axes


def _checked(interactions: Any, alpha: float) -> tuple[pd.DataFrame, list[str]]:
    frame = check_instance("interactions", interactions, pd.DataFrame)
    check_fraction("alpha", alpha)
    missing = [name for name in _NEEDED if name not in frame]
    if missing:
        raise ValueError(
            f"interactions has no columns {missing}; pass the frame of interactions(), which has "
            f"{list(_NEEDED)}."
        )
    if frame.empty:
        raise ValueError("interactions has no pair to draw.")
    return frame, list(dict.fromkeys([*frame["first"], *frame["second"]]))


def _said(value: float, largest: float) -> str:
    """Return a number with as many decimals as the largest needs for two digits."""
    decimals = max(1 - int(np.floor(np.log10(largest))), 0)
    return f"{value:,.{decimals}f}".replace("-", "\u2212")


def _is_clear(frame: pd.DataFrame, alpha: float) -> np.ndarray:
    p_values = np.nan_to_num(frame["p_value"].to_numpy(dtype=float), nan=1.0)
    return adjust_p_values(p_values, "holm") < alpha


def _areas(importance: Any, names: list[str]) -> Any:
    if importance is None:
        return 260.0
    if not isinstance(importance, ImportanceResult | ShapleyResult):
        raise TypeError(f"importance must be a result of a fit; got {shown(importance)}.")
    missing = [name for name in names if name not in importance.names]
    if missing:
        raise ValueError(f"importance must hold every feature of the pairs; it lacks {missing}.")
    values = (
        importance.importance
        if isinstance(importance, ImportanceResult)
        else importance.shapley_value
    )
    importances = np.array([values[importance.names.index(name)] for name in names])
    largest = max(importances.max(), np.finfo(float).tiny)
    return 60 + 900 * np.clip(importances / largest, 0, 1)


def _ink_on(colour: tuple[float, ...]) -> str:
    """Return black or white, whichever has more contrast with a colour.

    Contrast is that of relative luminances, as the guidelines for accessible pages define it.
    """
    linear = [((part + 0.055) / 1.055) ** 2.4 if part > 0.04 else part / 12.92 for part in colour]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "w" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "k"
