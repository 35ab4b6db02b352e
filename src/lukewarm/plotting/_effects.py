"""How the prediction moves with each feature: one small curve each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm._validation import check_count, check_instance
from lukewarm.plotting._style import (
    COLOURS,
    axes_for,
    new_figure,
    plain_labels,
    plain_numbers,
    power_for,
    tidy,
    with_power,
    wrapped_labels,
)
from lukewarm.results import EffectCurve, EffectCurves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHES = ("-", "--", ":", "-.")
# Curves that colours tell apart in one panel, and panels side by side on a page.
_MOST_OUTPUTS = 6
_N_COLUMNS = 3
# Columns of no more values are drawn as dots.
_MOST_POINTS = 10
# That fit side by side below one panel.
_MOST_CHARACTERS = 24
# Whose slanted names can be read below one panel.
_MOST_LEVELS = 15


def plot_effects(
    effects: EffectCurves, *, max_features: int = 9, ax: Axes | None = None
) -> Axes | np.ndarray:
    """Draw effect curves, one panel per feature, all on one scale; return the Axes.

    Parameters
    ----------
    effects : EffectCurves
        Of ``VariableImportance.effects()``; ``effects["age"]`` is that of one feature.
    max_features : int, default 9
        At most this many, those that move the prediction most.
    ax : matplotlib Axes, optional
        For the curve of one feature.

    Returns
    -------
    Axes, or ndarray of Axes where there are several curves

    Notes
    -----
    Marks at the foot of a curve are tenths of the rows: where they lie close the curve is known
    well. The size of a dot is the share of a level.

    Examples
    --------
    >>> import lukewarm as lw
    >>> from sklearn.linear_model import LinearRegression
    >>> data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
    >>> vi = lw.VariableImportance(LinearRegression(), features=["X1"], random_state=0)
    >>> plot_effects(vi.fit(data.X, data.y).effects()).get_xlabel()
    'X1'
    """
    check_instance("effects", effects, EffectCurves)
    check_count("max_features", max_features)
    order = np.argsort([-curve.span for curve in effects.curves], kind="stable")[:max_features]
    curves = [effects.curves[number] for number in order]
    if ax is not None and len(curves) > 1:
        raise ValueError(
            f"ax is for one curve and effects has {len(curves)}; pass effects[name], or no ax."
        )
    if len(curves) == 1:
        panels = [axes_for(ax, 4.2, 3.2)]
    else:
        n_columns = min(len(curves), _N_COLUMNS)
        n_rows = -(-len(curves) // n_columns)
        figure, panels = new_figure(
            2.6 * n_columns + 0.6, 2.3 * n_rows + 0.5, n_rows=n_rows, n_columns=n_columns
        )
        for panel in panels[len(curves) :]:
            figure.delaxes(panel)
        panels = panels[: len(curves)]
    outputs = effects.outputs[:_MOST_OUTPUTS]
    low, high = _ends(curves, len(outputs))
    exponent = power_for(max(-low, high))
    for panel, curve in zip(panels, curves, strict=True):
        _draw(panel, curve, plain_labels(outputs))
        panel.set_ylim(low, high)
        plain_numbers(panel.yaxis, exponent)
        tidy(panel)
    what = "prediction" if len(outputs) > 1 else outputs[0]
    (label,) = plain_labels([f"effect on the {what}"])
    label = with_power(label, exponent)
    (title,) = plain_labels([effects.model])
    if len(curves) < len(effects):
        title += f"\n{len(curves):,} of {len(effects):,} features shown"
    if len(curves) == 1:
        panels[0].set_ylabel(label)
        panels[0].set_title(title, loc="left", fontsize="medium")
    else:
        panels[0].figure.supylabel(label, fontsize="medium")
        panels[0].figure.suptitle(title, x=0.01, ha="left", fontsize="medium")
    if len(outputs) > 1:
        handles, labels = panels[0].get_legend_handles_labels()
        panels[0].figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
    return panels[0] if len(curves) == 1 else np.array(panels)


def _ends(curves: list[EffectCurve], n_outputs: int) -> tuple[float, float]:
    effects = np.concatenate([curve.effect[:, :n_outputs].ravel() for curve in curves])
    low, high = min(effects.min(), 0.0), max(effects.max(), 0.0)
    margin = 0.08 * (high - low) or 1.0
    return low - margin, high + margin


def _draw(axes: Any, curve: EffectCurve, outputs: list[str]) -> None:
    axes.axhline(0, color="0.6", linewidth=0.8)
    (name,) = wrapped_labels([curve.feature])
    axes.set_xlabel(name)
    if len(curve.values) <= _MOST_POINTS or curve.positions is None:
        _draw_points(axes, curve, outputs)
        return
    for number, output in enumerate(outputs):
        look = {"color": COLOURS[number % len(COLOURS)], "label": output, "linewidth": 1.6}
        axes.plot(curve.values, curve.effect[:, number], _DASHES[number % len(_DASHES)], **look)
    _mark_rows(axes, curve)
    if not isinstance(curve.values[0], float | int):
        from matplotlib.dates import AutoDateLocator

        axes.xaxis.set_major_locator(AutoDateLocator(maxticks=4))
        axes.tick_params(axis="x", rotation=30)


def _draw_points(axes: Any, curve: EffectCurve, outputs: list[str]) -> None:
    """Draw values that have no others between them; levels in the order of their effects."""
    order = np.arange(len(curve.values))
    if curve.positions is None:
        order = np.argsort(curve.effect[:, 0], kind="stable")
    places = np.arange(len(order))
    for number, output in enumerate(outputs):
        effect = curve.effect[order, number]
        look = {"color": COLOURS[number % len(COLOURS)], "label": output}
        axes.vlines(places, 0, effect, color=look["color"], linewidth=1.2)
        axes.scatter(places, effect, s=20 + 80 * curve.share[order], zorder=3, **look)
    labels = wrapped_labels([_said(curve.values[number]) for number in order])
    is_long = sum(len(label) + 2 for label in labels) > _MOST_CHARACTERS
    if is_long and curve.positions is not None:
        # The first, a middle and the last tell where the numbers between them lie.
        shown = [0, len(order) // 2, len(order) - 1]
        places, labels, is_long = places[shown], [labels[number] for number in shown], False
    elif len(labels) > _MOST_LEVELS:
        # The names of so many would lie on top of each other; the extremes are what is read.
        places, labels = places[[0, -1]], [labels[0], labels[-1]]
        axes.set_xlabel(f"{axes.get_xlabel()}\n({len(order)} levels)")
    axes.set_xticks(places, labels, **({"rotation": 40, "ha": "right"} if is_long else {}))
    axes.margins(x=0.15)


def _said(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _mark_rows(axes: Any, curve: EffectCurve) -> None:
    """Mark the tenths of the rows at the foot of the panel."""
    every = max(len(curve.values) // 10, 1)
    marks = list(curve.values[::every])
    axes.plot(
        marks,
        np.zeros(len(marks)),
        "|",
        color="0.35",
        markersize=5,
        transform=axes.get_xaxis_transform(),
        clip_on=False,
    )
