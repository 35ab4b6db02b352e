"""The exponent of a power law, with its interval."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import linregress, t

_LEVEL = 0.95


class Slope(NamedTuple):
    """An exponent and the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


def fit_slope(sizes: ArrayLike, errors: ArrayLike) -> Slope:
    """Return the slope of log(errors) on log(sizes) by least squares, over all replicates.

    Examples
    --------
    >>> sizes = np.repeat([10.0, 100.0, 1000.0], 2)
    >>> str(fit_slope(sizes, 3 / np.sqrt(sizes)))
    '-0.50 [-0.50, -0.50]'
    """
    fitted = linregress(np.log(sizes), np.log(errors))
    half_width = t.ppf(0.5 + _LEVEL / 2, np.size(sizes) - 2) * fitted.stderr
    return Slope(
        float(fitted.slope), float(fitted.slope - half_width), float(fitted.slope + half_width)
    )
