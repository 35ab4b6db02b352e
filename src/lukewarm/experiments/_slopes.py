"""The exponent of a power law, with its interval; tables and panels of such exponents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import t

from lukewarm._typing import Vector
from lukewarm.experiments._base import Record
from lukewarm.experiments._style import legend_below, logarithmic, unique
from lukewarm.plotting import COLOURS, new_figure, tidy

# That of all intervals of the experiments.
_LEVEL = 0.95


class Slope(NamedTuple):
    """An exponent and the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def fit_slope(sizes: ArrayLike, errors: ArrayLike, replicates: ArrayLike) -> Slope:
    """Return the slope of log(errors) on log(sizes), each replicate with a level of its own.

    A replicate has one truth for all sizes, so its level says nothing about the slope.

    Examples
    --------
    >>> sizes, replicates = np.tile([10.0, 100.0, 1000.0], 2), np.repeat([0, 1], 3)
    >>> str(fit_slope(sizes, (3 + replicates) / np.sqrt(sizes), replicates))
    '-0.50 [-0.50, -0.50]'
    """
    _, groups = np.unique(replicates, return_inverse=True)
    x, y = (_centred(np.log(np.asarray(values, float)), groups) for values in (sizes, errors))
    slope = float(x @ y / (x @ x))
    n_free = len(x) - int(groups.max()) - 2
    variance = float(np.sum((y - slope * x) ** 2)) / max(n_free, 1) / float(x @ x)
    half_width = t.ppf(0.5 + _LEVEL / 2, max(n_free, 1)) * np.sqrt(variance)
    return Slope(slope, float(slope - half_width), float(slope + half_width))


def table_of_slopes(
    records: Sequence[Record],
    size: str,
    kind: str,
    names: Iterable[str],
    summary: Callable[[pd.DataFrame, str], Mapping[str, float]],
) -> pd.DataFrame:
    """Return a row per model, kind of error and size, with the slope of that model and kind.

    Parameters
    ----------
    records : sequence of Record
    size, kind : str
        What the sizes and the kinds of error are called.
    names : iterable of str
        The kinds of error, each of which the records have.
    summary : callable
        (records of one size, kind) -> the columns that describe its errors.
    """
    frame = pd.DataFrame(list(records))
    rows = []
    for model, of_model in frame.groupby("model", sort=False):
        for name in names:
            slope = fit_slope(of_model[size], of_model[name], of_model["replicate"])
            for value, chosen in of_model.groupby(size):
                rows.append(
                    {
                        **{"model": model, kind: name, size: value, "replicates": len(chosen)},
                        **summary(chosen, name),
                        **{"slope": slope.value, "slope_low": slope.low, "slope_high": slope.high},
                    }
                )
    return pd.DataFrame(rows)


def slope_columns(records: pd.DataFrame, size: str, names: Iterable[str]) -> dict[str, list[float]]:
    """Return the slope of each of these columns on `size`, with its interval, as columns."""
    return {
        f"{name}_slope": list(fit_slope(records[size], records[name], records["replicate"]))
        for name in names
    }


def power_law_figure(
    records: Sequence[Record],
    names: Iterable[str],
    draw: Callable[[Any, pd.DataFrame, str, str], None],
    *,
    width: float,
) -> Any:
    """Return a row of two panels for each model, one per kind of error, and one legend below.

    Parameters
    ----------
    records : sequence of Record
    names : iterable of two str
        The kinds of error.
    draw : callable (axes, records of one model, its name, kind of error)
    width : float
        Inches of the figure.
    """
    frame = pd.DataFrame(list(records))
    models = unique(frame["model"])
    figure, panels = new_figure(width, 3.3 * len(models) + 0.4, n_rows=len(models), n_columns=2)
    for axes, (model, name) in zip(panels, product(models, names), strict=True):
        draw(axes, frame[frame["model"] == model], model, name)
    legend_below(figure)
    return figure


def draw_power_law(
    axes: Any, records: pd.DataFrame, size: str, name: str, mean: pd.Series, label: str
) -> None:
    """Draw the errors of single data sets, their means and the slope; both axes logarithmic.

    Parameters
    ----------
    axes : matplotlib Axes
    records : DataFrame
    size, name : str
        The columns of sizes and of errors.
    mean : Series
        The mean error of each size, indexed by size.
    label : str
        What kind of mean it is.
    """
    axes.plot(records[size], records[name], ".", color="0.65", label="one data set")
    axes.plot(mean.index, mean, "o-", color=COLOURS[0], label=label)
    slope = fit_slope(records[size], records[name], records["replicate"])
    axes.text(0.04, 0.06, f"slope {slope}", transform=axes.transAxes)
    logarithmic(axes, np.asarray(mean.index))
    tidy(axes)


def _centred(values: Vector, groups: np.ndarray) -> Vector:
    return values - (np.bincount(groups, values) / np.bincount(groups))[groups]
