"""Wald intervals and one-sided tests."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from lukewarm._validation import check_fraction, check_number


def standard_error(influence: np.ndarray) -> np.ndarray:
    """Return the standard error of the estimate whose influence values are given.

    Parameters
    ----------
    influence : ndarray of shape (..., n)
        Influence values with mean zero over the last axis.

    Notes
    -----
    sqrt(mean(influence**2) / n). Algorithm 1 of Sun and Raskutti prints the variance var(t) / N2
    in the place of this standard deviation. The mean taken from the values costs a degree of
    freedom, which `small_sample_scale` makes up for when they are laid out row by row.

    Examples
    --------
    >>> float(standard_error(np.array([-1.0, 1.0, -1.0, 1.0])))
    0.5
    """
    return np.sqrt(np.mean(np.square(influence), axis=-1) / influence.shape[-1])


def small_sample_scale(weights: np.ndarray) -> float:
    """Return by how much to enlarge influence values that were centred at their own mean.

    Parameters
    ----------
    weights : ndarray of shape (n,)
        Of the rows that share a mean; at least two are positive.

    Notes
    -----
    With u the weights over their sum, terms of equal variance s**2 and their weighted mean m,
    E sum(u**2 (t - m)**2) = s**2 (S2 - 2 S3 + S2**2) where the variance of m is s**2 S2, with
    Sk = sum(u**k). The scale is the root of the ratio, 1 / sqrt(1 - 2 S3 / S2 + S2), which is
    sqrt(n / (n - 1)) for equal weights.

    Examples
    --------
    >>> round(small_sample_scale(np.ones(2)) ** 2, 10)
    2.0
    """
    shares = weights / weights.sum()
    squares, cubes = np.sum(shares**2), np.sum(shares**3)
    return float(1 / np.sqrt(1 - 2 * cubes / squares + squares))


def wald_interval(
    estimate: np.ndarray, std_error: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the two ends of the normal interval that covers with probability `level`.

    Parameters
    ----------
    estimate, std_error : ndarrays of one shape
    level : float
        Inside (0, 1).

    Examples
    --------
    >>> low, high = wald_interval(np.array([0.0]), np.array([1.0]), 0.95)
    >>> print(low.round(2), high.round(2))
    [-1.96] [1.96]
    """
    half_width = ndtri(0.5 + check_fraction("level", level) / 2) * std_error
    return estimate - half_width, estimate + half_width


def reach_zero(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the intervals of importances, each extended to zero if it lies wholly below.

    Notes
    -----
    Taking information away cannot help the best predictor, so the true importance is not
    negative, and an interval without any possible value would be sure to miss it. Extending it
    never loses coverage. Estimates fall below zero where a model without a useless feature is the
    easier one to train.

    Examples
    --------
    >>> reach_zero(np.array([-3.0, -1.0]), np.array([-1.0, 1.0]))
    (array([-3., -1.]), array([0., 1.]))
    """
    return low, np.maximum(high, 0.0)


def p_value(
    estimate: np.ndarray,
    std_error: np.ndarray,
    delta: float = 0.0,
    freedom: float | np.ndarray = np.inf,
) -> np.ndarray:
    """Return the one-sided p-value of "the true value is at most `delta`".

    Parameters
    ----------
    estimate, std_error : ndarrays of one shape
    delta : float, default 0
    freedom : float or ndarray, default infinity
        Degrees of freedom of Student's law, where rows or groups of them are few; the normal law
        by default.

    Notes
    -----
    Without spread there is no evidence unless the estimate exceeds `delta`: two models that
    predict alike give p = 1, not 0/0.

    Examples
    --------
    >>> p_value(np.array([1.6448536, 0.0]), np.array([1.0, 0.0])).round(3)
    array([0.05, 1.  ])
    """
    excess = np.asarray(estimate, dtype=float) - check_number("delta", delta, finite=True)
    std_error = np.asarray(std_error, dtype=float)
    spread = np.where(std_error > 0, std_error, 1.0)
    # So many standard errors that they overflow leave p at 0 or 1, where it belongs.
    with np.errstate(over="ignore"):
        distance = -excess / spread
    below = np.where(np.isinf(freedom), ndtr(distance), stdtr(freedom, distance))
    return np.where(std_error > 0, below, np.where(excess > 0, 0.0, 1.0))
