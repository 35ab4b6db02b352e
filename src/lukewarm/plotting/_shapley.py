"""Shapley values: bars, side by side with importances, and their convergence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm._validation import check_count, check_instance
from lukewarm.plotting._style import (
    COLOURS,
    HATCHES,
    INTERVAL,
    axes_for,
    line_look,
    looks_of,
    measure_name,
    plain_ticks,
    share_label,
    significance_label,
    tidy,
    title_for,
    wrapped_labels,
)
from lukewarm.results import ImportanceResult, ShapleyResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More lines hide one another; the smallest values are left out.
_MOST_LINES = 12


def plot_shapley(
    result: ShapleyResult,
    *,
    importance: ImportanceResult | None = None,
    level: float | None = None,
    max_features: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """Draw Shapley values as bars with their intervals, the largest on top; return the Axes.

    Parameters
    ----------
    result : ShapleyResult
    importance : ImportanceResult, optional
        Importances of the same feature sets under the same measure, drawn beside them.
    level : float, optional
        Level of the intervals; the result's own by default.
    max_features : int, default 30
        At most this many, those with the largest Shapley values.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> import lukewarm as lw
    >>> data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
    >>> sv = lw.ShapleyImportance(n_coalitions=24, random_state=0).fit(data.X, data.y)
    >>> print(plot_shapley(sv.result_).get_xlabel())
    Shapley value (drop in mean squared error)
    filled: p < 0.05 after Holm's adjustment
    """
    check_instance("result", result, ShapleyResult)
    if importance is not None:
        check_instance("importance", importance, ImportanceResult)
    check_count("max_features", max_features)
    order = np.argsort(-result.shapley_value, kind="stable")[:max_features]
    names = [result.names[number] for number in order]
    axes = axes_for(ax, 6.4, 1.25 + 0.34 * len(order))
    places = np.arange(len(order), dtype=float)
    low, high = (end[order] for end in result.interval(level))
    height = 0.66 if importance is None else 0.4
    shift = 0.0 if importance is None else height / 2
    _bars(axes, places - shift, height, 0, "Shapley value", result.shapley_value[order], low, high)
    if importance is None:
        axes.set_title(title_for(result, len(order)), loc="left", fontsize="medium")
        looks = looks_of(result.p_value(), result.level, order, COLOURS[0])
        for bar, fill in zip(axes.patches, looks["color"], strict=True):
            bar.set(facecolor=fill, edgecolor=looks["edgecolor"], linewidth=looks["linewidth"])
    else:
        chosen = _places_of(names, importance)
        ends = [end[chosen] for end in importance.interval(level)]
        values = importance.importance[chosen]
        _bars(axes, places + shift, height, 1, "importance", values, *ends)
        axes.figure.legend(loc="outside upper center", ncols=2, frameon=False)
    axes.set_yticks(places, wrapped_labels(names))
    axes.invert_yaxis()
    axes.axvline(0, color="0.4", linewidth=0.8)
    label = "Shapley value" if importance is None else "Shapley value and importance"
    plain_ticks(axes, f"{label} ({share_label(result.measure)})")
    if importance is None:
        axes.set_xlabel(f"{axes.get_xlabel()}\n{significance_label(result.level)}")
    tidy(axes)
    axes.tick_params(axis="y", length=0)
    return axes


def plot_waterfall(
    result: ShapleyResult, *, max_features: int = 15, ax: Axes | None = None
) -> Axes:
    """Draw how Shapley values add up, from a constant guess to the full model; return the Axes.

    Parameters
    ----------
    result : ShapleyResult
    max_features : int, default 15
        The largest in size have a bar of their own; the others share one.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> import lukewarm as lw
    >>> data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
    >>> sv = lw.ShapleyImportance("boosting", n_coalitions=24, random_state=0)
    >>> axes = plot_waterfall(sv.fit(data.X, data.y).result_, max_features=2)
    >>> [label.get_text() for label in axes.get_yticklabels()][2:]
    ['4 others']
    """
    check_instance("result", result, ShapleyResult)
    check_count("max_features", max_features)
    values = result.shapley_value
    order = np.argsort(-np.abs(values), kind="stable")
    shown, rest = order[:max_features], order[max_features:]
    names = [result.names[number] for number in shown]
    steps = values[shown]
    if len(rest):
        noun = "other" if len(rest) == 1 else "others"
        names, steps = [*names, f"{len(rest):,} {noun}"], np.append(steps, values[rest].sum())
    ends = result.value_of([]).value + np.concatenate([[0.0], np.cumsum(steps)])
    is_gain = steps >= 0
    measure, is_error = measure_name(result.measure)
    if is_error:
        # An error is shown as such: it falls from that of a constant guess.
        steps, ends = -steps, -ends
    axes = axes_for(ax, 6.4, 1.2 + 0.34 * len(steps))
    places = np.arange(len(steps))
    for style, chosen in ((0, is_gain), (5, ~is_gain)):
        look = {"color": COLOURS[style], "hatch": "" if style == 0 else "///", "edgecolor": "w"}
        axes.barh(places[chosen], steps[chosen], 0.66, left=ends[:-1][chosen], **look)
    axes.use_sticky_edges = False
    # Each bar sets out from where the one above it ended.
    axes.vlines(ends[1:-1], places[:-1], places[1:], color="0.4", linewidth=0.8)
    axes.axvline(ends[0], color="0.4", linewidth=0.8, linestyle=":")
    axes.axvline(ends[-1], color="0.4", linewidth=0.8)
    axes.set_yticks(places, wrapped_labels(names))
    axes.invert_yaxis()
    axes.set_title(title_for(result, len(result)), loc="left", fontsize="medium")
    plain_ticks(axes, f"{measure}, from a constant guess (dotted) to the full model")
    tidy(axes)
    axes.tick_params(axis="y", length=0)
    return axes


def plot_convergence(result: ShapleyResult, *, ax: Axes | None = None) -> Axes:
    """Draw the Shapley values against the number of fits, within two sampling errors.

    Parameters
    ----------
    result : ShapleyResult
        Of a sampling solver; "exact" has no course to show.
    ax : matplotlib Axes, optional
    """
    check_instance("result", result, ShapleyResult)
    if len(result.history_sizes) < 2:
        raise ValueError(
            f"result was not followed over a growing number of fits by solver {result.solver!r}; "
            "use a sampling solver with more coalitions."
        )
    axes = axes_for(ax, 6.8, 4.2)
    order = np.argsort(-result.shapley_value, kind="stable")[:_MOST_LINES]
    sizes = result.history_sizes
    labels = wrapped_labels(result.names)
    for line, player in enumerate(order):
        look = line_look(line)
        values, errors = result.history_values[:, player], result.history_errors[:, player]
        axes.plot(sizes, values, label=labels[player], **look)
        ends = (values - 2 * errors, values + 2 * errors)
        axes.fill_between(sizes, *ends, color=look["color"], alpha=0.15, linewidth=0)
    axes.set_xscale("log")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("reduced models fitted")
    plain_ticks(axes, f"Shapley value ({share_label(result.measure)})", "y")
    axes.set_title(title_for(result, len(order)), loc="left", fontsize="medium")
    axes.figure.legend(loc="outside right center", frameon=False)
    tidy(axes)
    return axes


def _bars(
    axes: Any,
    places: np.ndarray,
    height: float,
    style: int,
    label: str,
    values: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> None:
    look = {"color": COLOURS[style], "hatch": HATCHES[style], "edgecolor": "w"}
    axes.barh(places, values, 0.92 * height, label=label, **look)
    axes.errorbar(values, places, xerr=[values - low, high - values], fmt="none", **INTERVAL)


def _places_of(names: list[str], importance: ImportanceResult) -> list[int]:
    missing = [name for name in names if name not in importance.names]
    if missing:
        raise ValueError(
            f"importance must have the same feature sets as the Shapley values; it lacks {missing}."
        )
    return [importance.names.index(name) for name in names]
