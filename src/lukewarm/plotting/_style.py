"""One look for all figures: readable in grey, labels instead of decoration."""

from __future__ import annotations

import os
from collections.abc import Iterable
from math import floor, log10
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm._files import replacing
from lukewarm._text import printable
from lukewarm._typing import Vector
from lukewarm._validation import check_instance
from lukewarm.inference import adjust_p_values
from lukewarm.results import ImportanceResult, ShapleyResult, words_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Characters in a line of a label.
_LONGEST_LINE = 34
# Characters of the label of an axis that fit below a figure with long names beside it.
_LONGEST_LABEL = 52
# Characters to an inch of a legend, and those that a mark and its margins take.
_LEGEND_DENSITY = 11
_LEGEND_MARK = 6
_MINUS = "\N{MINUS SIGN}"

# Okabe and Ito's palette, ordered so that neighbours also differ in lightness.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo")
MARKERS = ("o", "s", "^", "D", "v", "P")
# One fewer than markers, so that pairs of both repeat late.
_DASHES = ("-", "--", "-.", ":", (0, (6, 1.5, 1, 1.5, 1, 1.5)))
INTERVAL = {"color": "0.15", "linewidth": 1.1, "capsize": 2.5, "capthick": 1.1}
METHOD_LABELS = {
    "projection": "projection",
    "early_stopping": "early stopping",
    "cross_validated_stopping": "cross-validated stopping",
    "kernel_flow": "kernel flow",
    "retrain": "retraining",
    "dropout": "dropout",
    "lazy": "lazy",
}


def legend_above(axes: Axes, most_columns: int) -> None:
    """Set a legend above the axes, in as many columns as the figure has room for."""
    lengths = [len(label) + _LEGEND_MARK for label in axes.get_legend_handles_labels()[1]]
    figure = axes.get_figure(root=True)
    room = _LEGEND_DENSITY * figure.get_size_inches()[0] if figure else 0
    n_columns = min(most_columns, len(lengths))
    while n_columns > 1 and sum(sorted(lengths)[-n_columns:]) > room:
        n_columns -= 1
    axes.figure.legend(loc="outside upper center", ncols=n_columns, frameon=False)


def measure_name(measure: str) -> tuple[str, bool]:
    """Return what a measure is called, and whether it is an error with its sign turned.

    Examples
    --------
    >>> measure_name("neg_mse"), measure_name("pinball(0.9)"), measure_name("r2")
    (('mean squared error', True), ('pinball loss (0.9)', True), ('R²', False))
    """
    words = words_for(measure)
    (name,) = plain_labels([words.name])
    return name, words.sign < 0


def loss_label(measure: str) -> str:
    """Return what an importance is: the increase in an error, or the loss of a skill."""
    name, is_error = measure_name(measure)
    return f"increase in {name}" if is_error else f"loss of {name}"


def share_label(measure: str) -> str:
    """Return what Shapley values share out."""
    name, is_error = measure_name(measure)
    return f"drop in {name}" if is_error else f"share of {name}"


def new_axes(width: float, height: float) -> Any:
    """Return the axes of a new figure in the look of the house."""
    from matplotlib import pyplot as plt

    _, axes = plt.subplots(figsize=(width, height), layout="constrained")
    return axes


def axes_for(ax: Any, width: float, height: float) -> Any:
    """Return the axes a user passed, or new ones of this size."""
    if ax is None:
        return new_axes(width, height)
    from matplotlib.axes import Axes

    return check_instance("ax", ax, Axes)


def plain_labels(names: Iterable[str]) -> list[str]:
    r"""Return names as labels: dollar signs are no formulas, control codes are spelled out.

    Examples
    --------
    >>> print(plain_labels(["price ($)"])[0])
    price (\$)
    """
    return [printable(name).replace("$", r"\$") for name in names]


def wrapped_labels(names: Iterable[str], longest_line: int = _LONGEST_LINE) -> list[str]:
    r"""Return names as labels of at most two lines; what is longer ends in dots.

    Examples
    --------
    >>> wrapped_labels(["age", "average income of the household in euros"])
    ['age', 'average income of the household in\neuros']
    """
    lines = [
        wrap(_cut(printable(name), longest_line), longest_line, max_lines=2, placeholder=" …")
        for name in names
    ]
    return ["\n".join(plain_labels(each)) for each in lines]


def _cut(name: str, longest: int) -> str:
    """Return a name with the words cut that would not fit a line of their own."""
    return " ".join(
        word if len(word) <= longest else f"{word[: longest - 1]}…" for word in name.split(" ")
    )


def significance_label(level: float) -> str:
    """Return what filled bars mean."""
    return f"filled: p < {1 - level:.3g} after Holm's adjustment"


def title_for(result: ImportanceResult | ShapleyResult, n_shown: int) -> str:
    """Return what a figure shows: model, skill, rows, and how many of the features."""
    full = (
        result.full if isinstance(result, ImportanceResult) else result.value_of(range(len(result)))
    )
    name, is_error = measure_name(result.measure)
    skill = (full.value - full.shift) * (-1 if is_error else 1)
    said = f"{name} {three_digits(skill)} on {result.n_rows:,} rows"
    shown = f"\n{n_shown:,} of {len(result):,} features shown" if n_shown < len(result) else ""
    (model,) = plain_labels([result.model])
    return f"{model}\n{said}{shown}"


def looks_of(
    values: Vector, p_values: Vector, level: float, chosen: np.ndarray, colour: str
) -> dict[str, Any]:
    """Return how bars look: filled where significantly above zero, outlined where not.

    p-values are adjusted by Holm's method over all features, shown or not. The product test can be
    sure of a feature whose estimate came out below zero; a filled bar there would read as
    significantly harmful, which is not what was tested.

    Parameters
    ----------
    values, p_values : ndarrays of shape (n_features,)
    level : float
        One minus it is what p-values are compared with.
    chosen : ndarray of int
        The features that are drawn.
    colour : str
    """
    known = np.nan_to_num(p_values, nan=1.0)
    is_clear = ((adjust_p_values(known, "holm") < 1 - level) & (values > 0))[chosen]
    fills = [colour if clear else "none" for clear in is_clear]
    return {"color": fills, "edgecolor": colour, "linewidth": 1.2}


def three_digits(value: float) -> str:
    """Return a number with three digits, and a power of ten for what cannot be read without.

    Examples
    --------
    >>> three_digits(0.4567), three_digits(3389.9), three_digits(3.389e9)
    ('0.457', '3,390', '3.39 × $10^{9}$')
    """
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 1e6:
        return f"{float(f'{value:.3g}'):,.10g}".replace("-", _MINUS)
    exponent = floor(log10(abs(value)))
    return f"{value / 10.0**exponent:.2f} × $10^{{{exponent}}}$".replace("-", _MINUS)


def power_for(largest: float) -> int:
    """Return the power of ten that is taken out of numbers of up to this size."""
    return 0 if 1e-3 <= largest < 1e6 or largest == 0 else 3 * floor(log10(largest) / 3)


def with_power(label: str, exponent: int) -> str:
    """Return a label that names the power of ten taken out of its numbers."""
    return f"{label} ($10^{{{exponent}}}$)" if exponent else label


def plain_numbers(axis: Any, exponent: int) -> None:
    """Write whole numbers at the ticks of an axis, in units of a power of ten."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(
        FuncFormatter(lambda tick, _: f"{tick / 10.0**exponent:,.6g}".replace("-", _MINUS))
    )


def plain_ticks(axes: Any, label: str, which: str = "x") -> int:
    """Write whole numbers at the ticks of the x or y axis and label it; return the power of ten.

    The power goes to the label, of which lines too long for a figure are wrapped.
    """
    axis = axes.xaxis if which == "x" else axes.yaxis
    exponent = power_for(max(map(abs, axis.get_view_interval())))
    plain_numbers(axis, exponent)
    axis.set_label_text(with_power("\n".join(wrap(label, _LONGEST_LABEL)), exponent))
    return exponent


def new_figure(width: float, height: float, *, n_rows: int = 1, n_columns: int = 1) -> Any:
    """Return a new figure in the look of the house and the list of its panels, row by row.

    Parameters
    ----------
    width, height : float
        Inches.
    n_rows, n_columns : int, default 1
        Of panels.
    """
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(
        n_rows, n_columns, figsize=(width, height), layout="constrained", squeeze=False
    )
    return figure, list(panels.flat)


def line_look(number: int) -> dict[str, Any]:
    """Return the look of one of several lines: in grey, dashes and markers tell them apart."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": _DASHES[number % len(_DASHES)],
        "marker": MARKERS[number % len(MARKERS)],
        "linewidth": 1.4,
        "markersize": 5,
    }


def tidy(axes: Any) -> None:
    """Take away the frame lines that carry nothing."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=3)


def save_figure(drawn: Any, path: str | os.PathLike[str]) -> None:
    """Write a Figure, or that of an Axes, to `path`, all of it or nothing, and close it."""
    from matplotlib import pyplot as plt

    with replacing(path) as temporary:
        drawn.figure.savefig(temporary, dpi=150)
    plt.close(drawn.figure)
