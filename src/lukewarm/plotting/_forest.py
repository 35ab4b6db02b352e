"""Estimates as dots: a forest plot, importances against Shapley values, what more rows did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm._typing import Vector
from lukewarm._validation import check_count, check_flag, check_instance
from lukewarm.plotting._style import (
    COLOURS,
    INTERVAL,
    axes_for,
    line_look,
    loss_label,
    plain_numbers,
    plain_ticks,
    power_for,
    share_label,
    tidy,
    title_for,
    with_power,
    wrapped_labels,
)
from lukewarm.results import ImportanceResult, ShapleyResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of the largest.
_NAMED = 0.05
# Names are wrapped at so many characters, and stand apart by so many pixels in x and y.
_LONGEST_NAME, _ROOM = 22, (90.0, 14.0)


def plot_forest(
    result: ImportanceResult,
    *,
    level: float | None = None,
    simultaneous: bool = False,
    max_features: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """Draw importances as dots with intervals, and their numbers beside them; return the Axes.

    Parameters
    ----------
    result : ImportanceResult
    level : float, optional
        Level of the intervals; the result's own by default.
    simultaneous : bool, default False
        Whether the intervals cover all importances together.
    max_features : int, default 30
        At most this many, the most important ones.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> import lukewarm as lw
    >>> x, z = np.random.default_rng(0).normal(size=(2, 100))
    >>> result = lw.importance_from_predictions(x + z, x + z, {"x": z, "z": x})
    >>> plot_forest(result).texts[0].get_text()
    '0.93 [0.71, 1.15]'
    """
    check_instance("result", result, ImportanceResult)
    check_count("max_features", max_features)
    is_joint = check_flag("simultaneous", simultaneous)
    low, high = result.simultaneous_interval(level) if is_joint else result.interval(level)
    order = np.argsort(-result.importance, kind="stable")[:max_features]
    value, low, high = result.importance[order], low[order], high[order]
    places = np.arange(len(order))
    axes = axes_for(ax, 7.2, 1.1 + 0.32 * len(order))
    axes.axvline(0, color="0.4", linewidth=0.8)
    axes.errorbar(
        value,
        places,
        xerr=[value - low, high - value],
        fmt="o",
        markersize=5,
        **{**INTERVAL, "color": COLOURS[0]},
    )
    axes.set_yticks(places, wrapped_labels([result.names[number] for number in order]))
    axes.set_ylim(len(order) - 0.5, -0.5)
    exponent = plain_ticks(axes, f"{loss_label(result.measure)} without the feature")
    value, low, high = (each / 10.0**exponent for each in (value, low, high))
    largest = np.nanmax(np.abs(np.concatenate([value, low, high])))
    for place, numbers in enumerate(zip(value, low, high, strict=True)):
        said = "{} [{}, {}]".format(*(_said(each, largest) for each in numbers))
        axes.text(
            1.02, place, said, transform=axes.get_yaxis_transform(), va="center", fontsize="small"
        )
    axes.set_title(title_for(result, len(order)), loc="left", fontsize="medium")
    tidy(axes)
    axes.tick_params(axis="y", length=0)
    return axes


def plot_importance_against_shapley(
    importance: ImportanceResult,
    shapley: ShapleyResult,
    *,
    max_names: int = 12,
    ax: Axes | None = None,
) -> Axes:
    """Draw the importance of each feature against its Shapley value; return the Axes.

    Far below the line are features that others can stand for: they have a share in the skill, and
    little is lost without them.

    Parameters
    ----------
    importance : ImportanceResult
    shapley : ShapleyResult
        Under the same measure.
    max_names : int, default 12
        So many of the features with the largest values are named.
    ax : matplotlib Axes, optional
    """
    check_instance("importance", importance, ImportanceResult)
    check_instance("shapley", shapley, ShapleyResult)
    check_count("max_names", max_names)
    if importance.measure != shapley.measure:
        raise ValueError(
            f"importance is measured by {importance.measure!r} and shapley by "
            f"{shapley.measure!r}; fit both with one measure."
        )
    shared = [name for name in importance.names if name in shapley.names]
    if not shared:
        raise ValueError("importance and shapley have no feature set in common.")
    rows = [importance.names.index(name) for name in shared]
    columns = [shapley.names.index(name) for name in shared]
    x, y = shapley.shapley_value[columns], importance.importance[rows]
    axes = axes_for(ax, 5.6, 4.8)
    ends = [min(x.min(), y.min(), 0.0), max(x.max(), y.max())]
    axes.plot(ends, ends, "--", color="0.5", linewidth=1.0)
    axes.axhline(0, color="0.8", linewidth=0.8, zorder=0)
    axes.axvline(0, color="0.8", linewidth=0.8, zorder=0)
    bars = [
        [value - low, high - value]
        for value, (low, high) in (
            (x, [end[columns] for end in shapley.interval()]),
            (y, [end[rows] for end in importance.interval()]),
        )
    ]
    axes.errorbar(
        x, y, xerr=bars[0], yerr=bars[1], fmt="o", color=COLOURS[0], ecolor="0.6", markersize=5
    )
    _name_points(axes, x, y, wrapped_labels(shared, _LONGEST_NAME), max_names)
    # One unit for both, so that the dashed line is where they are equal.
    exponent = power_for(float(np.abs([x, y]).max()))
    for axis in (axes.xaxis, axes.yaxis):
        plain_numbers(axis, exponent)
    axes.set_xlabel(with_power(f"Shapley value ({share_label(shapley.measure)})", exponent))
    axes.set_ylabel(with_power(f"importance ({loss_label(importance.measure)})", exponent))
    titles = (
        f"importance: {title_for(importance, len(importance))}",
        f"Shapley value: {title_for(shapley, len(shapley))}",
    )
    said = "\n".join(title.replace("\n", ", ") for title in titles)
    axes.set_title(said, loc="left", fontsize="medium")
    tidy(axes)
    return axes


def _name_points(axes: Any, x: Vector, y: Vector, labels: list[str], most: int) -> None:
    """Write names beside the largest points, leaving out those that would lie on others."""
    size = np.maximum(x, y)
    taken: list[np.ndarray] = []
    for number in np.argsort(-size, kind="stable")[:most]:
        place = axes.transData.transform((x[number], y[number]))
        is_free = all((np.abs(place - other) > _ROOM).any() for other in taken)
        if size[number] < _NAMED * size.max() or not is_free:
            continue
        taken.append(place)
        axes.annotate(
            labels[number],
            (x[number], y[number]),
            (5, 5),
            textcoords="offset points",
            fontsize="small",
        )


def plot_learning_curve(
    result: ImportanceResult, *, max_features: int = 6, ax: Axes | None = None
) -> Axes:
    """Draw the importances found with half the training rows, with all, and where they head.

    Parameters
    ----------
    result : ImportanceResult
        With ``inference="learning_curve"``.
    max_features : int, default 6
        At most this many, the most important ones.
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes
        An importance that still moves much from half to all rows is known no better than by as
        much; its interval, drawn at the right end, counts that.
    """
    check_instance("result", result, ImportanceResult)
    check_count("max_features", max_features)
    if not np.any(result.shift != 0):
        raise ValueError(
            "result has no learning curve; fit with inference='learning_curve', which trains on "
            "halves of the rows as well."
        )
    order = np.argsort(-result.importance, kind="stable")[:max_features]
    low, high = result.interval()
    axes = axes_for(ax, 6.4, 4.0)
    spread = 0.06 * (np.arange(len(order)) - (len(order) - 1) / 2)
    for place, number in enumerate(order):
        value, shift = result.importance[number], result.shift[number]
        look = line_look(place)
        steps = [value - 2 * shift, value - shift, value]
        (label,) = wrapped_labels([result.names[number]])
        end = 2 + spread[place]
        axes.plot([0, 1, end], steps, label=label, **look)
        ends = [[value - low[number]], [high[number] - value]]
        axes.errorbar([end], [value], yerr=ends, fmt="none", capsize=2.5, ecolor=look["color"])
    axes.set_xticks([0, 1, 2], ["half of the\ntraining rows", "all of them", "heading to"])
    axes.axhline(0, color="0.4", linewidth=0.8)
    plain_ticks(axes, loss_label(result.measure), "y")
    axes.set_title(title_for(result, len(order)), loc="left", fontsize="medium")
    axes.figure.legend(title="without", loc="outside right center", frameon=False)
    tidy(axes)
    return axes


def _said(value: float, largest: float) -> str:
    """Return a number with the decimals that leave the largest three digits."""
    if largest == 0:
        return "0"
    decimals = max(2 - int(np.floor(np.log10(largest))), 0)
    # Adding zero takes the sign off a number that rounds to it.
    return f"{round(value, decimals) + 0.0:,.{decimals}f}".replace("-", "\u2212")
