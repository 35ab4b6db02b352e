"""Intervals that know the skewness and the tails of influence values.

Squared errors are skewed to the right: an estimate that comes out low also has a small standard
error, and Wald intervals miss the truth from below. Hall's cubic transformation of the Student
statistic (*On the removal of skewness by transformation*, 1992) takes the skewness out: with
W = (estimate - truth) / s, s the spread of the influence values and k their skewness,

    g(W) = W + k W^2 / 3 + k^2 W^3 / 27 + k / (6 n)

is normal with variance 1 / n to second order, and is inverted in closed form.

With heavy tails the spread itself is badly known: the relative variance of its square is
(kurtosis - 1) / n, that of a chi-square variable with 2 n / (kurtosis - 1) degrees of freedom. The
quantile is Student's with as many (Satterthwaite, *An approximate distribution of estimates of
variance components*, 1946): n of them where rows are normal, a handful where a few rows decide.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtrit

# Few rows cannot know their skewness well: the transformation may not lengthen a side more.
_LONGEST = 3.0


def skewed_widths(influence: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Return how far intervals reach below and above their estimates.

    Parameters
    ----------
    influence : ndarray of shape (..., n)
        Influence values with mean zero over the last axis.
    level : float

    Returns
    -------
    below, above : ndarray of shape (...)

    Examples
    --------
    >>> influence = np.array([-1.0, -1.0, -1.0, 3.0] * 25)
    >>> below, above = skewed_widths(influence, 0.95)
    >>> bool(below < 1.96 * np.sqrt(3 / 100) < above)
    True
    """
    n_rows = influence.shape[-1]
    spread = np.sqrt(np.mean(np.square(influence), axis=-1))
    scale = np.where(spread > 0, spread, 1.0)
    scaled = influence / scale[..., np.newaxis]
    skewness = np.mean(scaled**3, axis=-1)
    quantile = ndtri(0.5 + level / 2) / np.sqrt(n_rows)
    heavier = _student_factor(np.mean(scaled**4, axis=-1), n_rows, level)
    plain = spread * quantile
    ends = [spread * _inverse(end, skewness, n_rows) for end in (quantile, -quantile)]
    below, above = (
        np.clip(side, plain / _LONGEST, plain * _LONGEST) for side in (ends[0], -ends[1])
    )
    return below * heavier, above * heavier


def _student_factor(kurtosis: np.ndarray, n_rows: int, level: float) -> np.ndarray:
    """Return Student's quantile over the normal one; one where all rows are equal."""
    freedom = 2 * n_rows / np.maximum(kurtosis - 1, 1e-6)
    return np.where(kurtosis > 0, stdtrit(freedom, 0.5 + level / 2) / ndtri(0.5 + level / 2), 1.0)


def _inverse(value: float, skewness: np.ndarray, n_rows: int) -> np.ndarray:
    """Return W with g(W) = value; the identity where there is no skewness."""
    is_skewed = np.abs(skewness) > 1e-8
    safe = np.where(is_skewed, skewness, 1.0)
    cubic = 3 / safe * (np.cbrt(1 + safe * (value - safe / (6 * n_rows))) - 1)
    return np.where(is_skewed, cubic, value)
