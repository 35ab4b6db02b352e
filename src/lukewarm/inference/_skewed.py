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
from scipy.special import ndtr, ndtri, stdtrit

from lukewarm.inference._moments import Moments

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
    return _widths(Moments.of(influence), ndtri(0.5 + level / 2))


def _widths(moments: Moments, quantile: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the same for a quantile of the normal law, such as 1.96, from the moments alone."""
    n_rows, spread = moments.n_rows, moments.spread
    scaled = quantile / np.sqrt(n_rows)
    plain = spread * scaled
    ends = [spread * _inverse(end, moments.skewness, n_rows) for end in (scaled, -scaled)]
    below, above = (
        np.clip(side, plain / _LONGEST, plain * _LONGEST) for side in (ends[0], -ends[1])
    )
    heavier = _student_factor(moments, quantile)
    return below * heavier, above * heavier


def _student_factor(moments: Moments, quantile: float) -> np.ndarray:
    """Return Student's quantile over the normal one; one where rows do not differ."""
    return np.where(
        moments.kurtosis > 0, stdtrit(spread_freedom(moments), ndtr(quantile)) / quantile, 1.0
    )


def spread_freedom(moments: Moments) -> np.ndarray:
    """Return the degrees of freedom that the spread of influence values is known by.

    Examples
    --------
    >>> round(float(spread_freedom(Moments.of(np.array([-1.0, -1.0, -1.0, 3.0] * 25)))))
    150
    """
    # A kurtosis of one is its least, that of a coin; the guard is against dividing by zero.
    return 2 * moments.n_rows / np.maximum(moments.kurtosis - 1, 1e-6)


def _inverse(value: float, skewness: np.ndarray, n_rows: int) -> np.ndarray:
    """Return W with g(W) = value; the identity where there is no skewness."""
    # Below, the cubic formula would divide rounding by rounding.
    is_skewed = np.abs(skewness) > 1e-8
    safe = np.where(is_skewed, skewness, 1.0)
    cubic = 3 / safe * (np.cbrt(1 + safe * (value - safe / (6 * n_rows))) - 1)
    return np.where(is_skewed, cubic, value)


def interval_ends(
    estimate: np.ndarray,
    moments: Moments,
    training_error: np.ndarray,
    quantile: float,
    *,
    skewed: bool,
    training_error_above: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of intervals of importances.

    Parameters
    ----------
    estimate : ndarray of shape (...)
    moments : Moments
        Of the influence values.
    training_error : ndarray of shape (...)
        The error that is due to the training rows: one more, on either side.
    quantile : float
        Of the normal law: the standard errors allowed for.
    skewed : bool
        Whether the skewness is taken account of; else the ends are Wald's.
    training_error_above : ndarray of shape (...), optional
        Instead of `training_error` for the upper end.

    Examples
    --------
    >>> moments = Moments.of(np.array([[-3.0, 3.0, -3.0, 3.0] * 9]))
    >>> low, high = interval_ends(np.array([1.0]), moments, np.array([1.2]), 1.0, skewed=False)
    >>> print(low.round(3), high.round(3))
    [-0.3] [2.3]
    """
    if skewed:
        below, above = _widths(moments, quantile)
    else:
        below = above = quantile * moments.standard_error
    more_above = training_error if training_error_above is None else training_error_above
    return (
        estimate - np.hypot(below, quantile * training_error),
        estimate + np.hypot(above, quantile * more_above),
    )
