"""The Shapley values of the paper's "logistic" data, by quadrature."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import expit, logit, ndtr

from lukewarm._typing import Vector
from lukewarm.datasets import make_correlated_linear
from lukewarm.shapley import exact

_N_FEATURES = 10
# The integrand is analytic and vanishes at the ends, where the trapezoidal rule converges
# exponentially: here to about 1e-5 of the total.
_GRID = np.linspace(-6, 6, 2401)
_LOGISTIC_POINTS = logit((np.arange(64) + 0.5) / 64)


def true_logistic_shapley(correlation: float = 0.5) -> Vector:
    """Return the population Shapley values of neg_mse on data of `make_logistic`, shape (10,).

    Notes
    -----
    The score X beta is Gaussian. Given the kept features it is N(m, s**2), so the best prediction
    is h(m) = E sigmoid(m + s Z) and a coalition is worth Var h(m) more than none. The paper
    compares with retraining alone; with the truth at hand retraining can be judged too.

    Examples
    --------
    X1 has no coefficient but tells of X2, which is correlated with it.

    >>> values = true_logistic_shapley()
    >>> bool(0 < values[0] < values[1] < values[9])
    True
    """
    score = make_correlated_linear(
        2, correlation, coefficients=tuple(10.0 * np.arange(_N_FEATURES)), random_state=0
    )
    total = score.true_importance(range(_N_FEATURES))

    def value(kept: tuple[int, ...]) -> float:
        removed = [feature for feature in range(_N_FEATURES) if feature not in kept]
        return _explained_variance(total, round(score.true_importance(removed), 9))

    return exact(value, _N_FEATURES)


@lru_cache(maxsize=4096)
def _explained_variance(total: float, left: float) -> float:
    """Return Var E[sigmoid(score) | kept features] where `left` of the score's variance is not."""
    means = np.sqrt(max(total - left, 0.0)) * _GRID
    if left > 0:
        # A sigmoid is the distribution function of a logistic variable: average over its quantiles.
        inside = (means[:, np.newaxis] + _LOGISTIC_POINTS) / np.sqrt(left)
        best = ndtr(inside).mean(axis=1)
    else:
        best = expit(means)
    density = np.exp(-(_GRID**2) / 2)
    return float((best - 0.5) ** 2 @ density / density.sum())
