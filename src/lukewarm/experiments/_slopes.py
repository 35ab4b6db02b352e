"""The exponent of a power law, with its interval."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t

from lukewarm._typing import Vector

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


def _centred(values: Vector, groups: np.ndarray) -> Vector:
    return values - (np.bincount(groups, values) / np.bincount(groups))[groups]
