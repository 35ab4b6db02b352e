"""The exponent of a power law, with its interval, and the table of such exponents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import t

from lukewarm._typing import Vector
from lukewarm.experiments._base import Record

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


def _centred(values: Vector, groups: np.ndarray) -> Vector:
    return values - (np.bincount(groups, values) / np.bincount(groups))[groups]
