"""Bars with intervals: one result, or several methods side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm._validation import check_count, check_instance, check_list, check_number, shown
from lukewarm.plotting._style import (
    COLOURS,
    HATCHES,
    INTERVAL,
    METHOD_LABELS,
    axes_for,
    legend_above,
    looks_of,
    loss_label,
    plain_ticks,
    significance_label,
    tidy,
    title_for,
    wrapped_labels,
)
from lukewarm.results import ImportanceResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_importance(
    result: ImportanceResult,
    *,
    level: float | None = None,
    max_features: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """Draw importances as bars with their intervals, the largest on top; return the Axes.

    Bars are filled where the importance is significant: above zero, with a p-value, adjusted by
    Holm's method, below one minus the result's level. The others are outlined. The label of the
    axis says so.

    Parameters
    ----------
    result : ImportanceResult
    level : float, optional
        Level of the intervals; the result's own by default.
    max_features : int, default 30
        At most this many, the most important ones.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> import lukewarm as lw
    >>> x, z = np.random.default_rng(0).normal(size=(2, 100))
    >>> result = lw.importance_from_predictions(x + z, x + z, {"x": z, "z": x})
    >>> print(plot_importance(result).get_xlabel())
    increase in mean squared error without the feature
    filled: p < 0.05 after Holm's adjustment
    """
    check_instance("result", result, ImportanceResult)
    check_count("max_features", max_features)
    order = np.argsort(-result.importance, kind="stable")[:max_features]
    low, high = result.interval(level)
    axes = axes_for(ax, 6.4, 1.25 + 0.32 * len(order))
    places = np.arange(len(order))
    looks = looks_of(result.importance, result.p_value(), result.level, order, COLOURS[0])
    axes.barh(places, result.importance[order], height=0.66, **looks)
    _draw_intervals(axes, places, result.importance[order], low[order], high[order])
    _finish(axes, [result.names[number] for number in order], places, result.measure)
    axes.set_xlabel(f"{axes.get_xlabel()}\n{significance_label(result.level)}")
    axes.set_title(title_for(result, len(order)), loc="left", fontsize="medium")
    axes.margins(y=0.5 / (len(order) + 1))
    return axes


def plot_comparison(
    results: Sequence[ImportanceResult] | Mapping[str, ImportanceResult],
    *,
    truth: Mapping[str, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw several results over the same feature sets side by side; return the Axes.

    Parameters
    ----------
    results : sequence of ImportanceResult, or a mapping from label to result
        Without labels, the methods name the bars.
    truth : mapping from feature to importance, optional
        Drawn as a line across the feature's bars.
    ax : matplotlib Axes, optional
    """
    labelled = _labelled(results)
    first = next(iter(labelled.values()))
    for label, result in labelled.items():
        if set(result.names) != set(first.names):
            raise ValueError(
                f"results must be over the same feature sets; {label!r} has {list(result.names)}, "
                f"the first {list(first.names)}."
            )
    order = np.argsort(-first.importance, kind="stable")
    names = [first.names[number] for number in order]
    places = np.arange(len(names), dtype=float)
    height = 0.8 / len(labelled)
    marks = None if truth is None else _known_values(truth, names)
    axes = axes_for(ax, 6.8, 1.3 + (0.12 + 0.22 * len(labelled)) * len(names))
    for number, (label, result) in enumerate(labelled.items()):
        chosen = [result.names.index(name) for name in names]
        middle = places + (number - (len(labelled) - 1) / 2) * height
        low, high = result.interval()
        style = {"color": COLOURS[number % len(COLOURS)], "hatch": HATCHES[number % len(HATCHES)]}
        axes.barh(
            middle, result.importance[chosen], 0.92 * height, label=label, edgecolor="w", **style
        )
        _draw_intervals(axes, middle, result.importance[chosen], low[chosen], high[chosen])
    if marks is not None:
        axes.vlines(marks, places - 0.45, places + 0.45, "k", linewidth=2.2, label="truth")
    _finish(axes, names, places, first.measure)
    legend_above(axes, len(labelled) + 1)
    return axes


def _labelled(results: Any) -> dict[str, ImportanceResult]:
    if isinstance(results, Mapping):
        labelled = {str(label): each for label, each in results.items()}
    else:
        results = check_list("results", results)
        for number, each in enumerate(results):
            check_instance(f"results[{number}]", each, ImportanceResult)
        labelled = {METHOD_LABELS.get(each.method, each.method): each for each in results}
        if len(labelled) < len(results):
            raise ValueError("results of the same method need labels; pass a mapping.")
    if not labelled:
        raise ValueError("results is empty; pass at least one result.")
    for label, each in labelled.items():
        check_instance(f"results[{label!r}]", each, ImportanceResult)
    return labelled


def _known_values(truth: Any, names: list[str]) -> list[float]:
    if not isinstance(truth, Mapping):
        raise TypeError(f"truth must map features to importances; got {shown(truth)}.")
    missing = [name for name in names if name not in truth]
    if missing:
        raise ValueError(f"truth must hold every feature set; it lacks {missing}.")
    return [check_number(f"truth[{name!r}]", truth[name], finite=True) for name in names]


def _draw_intervals(
    axes: Any, places: np.ndarray, values: np.ndarray, low: np.ndarray, high: np.ndarray
) -> None:
    axes.errorbar(values, places, xerr=[values - low, high - values], fmt="none", **INTERVAL)


def _finish(axes: Any, names: list[str], places: np.ndarray, measure: str) -> None:
    axes.set_yticks(places, wrapped_labels(names))
    axes.invert_yaxis()
    axes.axvline(0, color="0.4", linewidth=0.8)
    plain_ticks(axes, f"{loss_label(measure)} without the feature")
    tidy(axes)
    axes.tick_params(axis="y", length=0)
