"""One look for all figures: readable in grey, labels instead of decoration."""

from __future__ import annotations

import os
from collections.abc import Iterable
from math import floor, log10
from textwrap import wrap
from typing import Any

import numpy as np

from lukewarm._files import replacing
from lukewarm._text import printable
from lukewarm._typing import Vector
from lukewarm._validation import check_instance
from lukewarm.inference import adjust_p_values
from lukewarm.results import ImportanceResult, ShapleyResult

# Characters in a line of a label, and lines.
_LONGEST_LINE, _MOST_LINES = 34, 2

# Okabe and Ito's palette, ordered so that neighbours also differ in lightness.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "ooo")
INTERVAL = {"color": "0.15", "linewidth": 1.1, "capsize": 2.5, "capthick": 1.1}
MEASURE_LABELS = {
    "neg_mse": "increase in mean squared error",
    "neg_mae": "increase in mean absolute error",
    "r2": "loss of R²",
    "poisson_deviance": "increase in Poisson deviance",
    "gamma_deviance": "increase in gamma deviance",
    "accuracy": "loss of accuracy",
    "auc": "loss of AUC",
    "deviance": "loss of deviance explained",
    "neg_log_loss": "increase in log-loss",
}
METHOD_LABELS = {
    "projection": "projection",
    "early_stopping": "early stopping",
    "cross_validated_stopping": "cross-validated stopping",
    "kernel_flow": "kernel flow",
    "retrain": "retraining",
    "dropout": "dropout",
    "lazy": "lazy",
}


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
        wrap(printable(name), longest_line, max_lines=_MOST_LINES, placeholder=" …")
        for name in names
    ]
    return ["\n".join(plain_labels(each)) for each in lines]


def title_for(result: ImportanceResult | ShapleyResult, n_shown: int) -> str:
    """Return what a figure shows: model, skill, rows, and how many of the features."""
    full = (
        result.full if isinstance(result, ImportanceResult) else result.value_of(range(len(result)))
    )
    label = MEASURE_LABELS.get(result.measure, f"loss of {result.measure}")
    is_error = label.startswith("increase in ")
    skill = (full.value - full.shift) * (-1 if is_error else 1)
    name = label.removeprefix("increase in ").removeprefix("loss of ")
    # Three digits, and no power of ten for what can be read without.
    said = f"{name} {float(f'{skill:.3g}'):,.10g} on {result.n_rows:,} rows"
    shown = f"\n{n_shown:,} of {len(result):,} features shown" if n_shown < len(result) else ""
    (model,) = plain_labels([result.model])
    return f"{model}\n{said}{shown}"


def looks_of(p_values: Vector, level: float, chosen: np.ndarray, colour: str) -> dict[str, Any]:
    """Return how bars look: filled where told from zero, outlined where not.

    p-values are adjusted by Holm's method over all features, shown or not.
    """
    known = np.nan_to_num(p_values, nan=1.0)
    is_clear = (adjust_p_values(known, "holm") < 1 - level)[chosen]
    fills = [colour if clear else "none" for clear in is_clear]
    return {"color": fills, "edgecolor": colour, "linewidth": 1.2}


def plain_ticks(axes: Any, label: str) -> None:
    """Write whole numbers at the ticks of the x axis; a power of ten goes to its label."""
    from matplotlib.ticker import FuncFormatter

    largest = max(map(abs, axes.get_xlim()))
    exponent = 0 if 1e-3 <= largest < 1e6 or largest == 0 else 3 * floor(log10(largest) / 3)
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda tick, _: f"{tick / 10.0**exponent:,.6g}".replace("-", "\u2212"))
    )
    axes.set_xlabel(f"{label} ($10^{{{exponent}}}$)" if exponent else label)


def new_figure(width: float, height: float, *, n_rows: int = 1, n_columns: int = 1) -> Any:
    """Return a new figure in the look of the house and the list of its panels, row by row."""
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(
        n_rows, n_columns, figsize=(width, height), layout="constrained", squeeze=False
    )
    return figure, list(panels.flat)


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
