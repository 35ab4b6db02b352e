"""One look for all figures: readable in grey, labels instead of decoration."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from lukewarm._files import replacing
from lukewarm._text import printable
from lukewarm._validation import check_instance

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
