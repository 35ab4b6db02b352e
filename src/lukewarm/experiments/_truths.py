"""True importances that the datasets do not know in closed form: quadrature and simulation."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import expit, logit, ndtr
from scipy.stats import norm

from lukewarm._typing import Matrix, Vector
from lukewarm.datasets import NetworkDataset, make_correlated_linear
from lukewarm.shapley import exact

# Those of `make_logistic`.
_N_FEATURES = 10
# The integrand is analytic and vanishes at the ends, where the trapezoidal rule converges
# exponentially: here to about 1e-5 of the total.
_GRID = np.linspace(-6, 6, 2401)
_LOGISTIC_POINTS = logit((np.arange(64) + 0.5) / 64)
# The mean of as many squares is known to about one in a hundred.
_N_DRAWS = 40_000


def true_logistic_shapley(correlation: float = 0.5) -> Vector:
    """Return the population Shapley values of neg_mse on data of `make_logistic`, shape (10,).

    Notes
    -----
    The score X beta is Gaussian. Given the kept features it is N(m, s**2), so the best prediction
    is h(m) = E sigmoid(m + s Z) and a coalition is worth Var h(m) more than none. The paper
    compares with retraining alone; with the truth at hand retraining can be measured too.

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


def true_network_importance(data: NetworkDataset, removed: int) -> float:
    """Return the mean squared error of the best prediction without the feature `removed`.

    Notes
    -----
    The features are Gaussian, so given the others a unit's input is N(m, s**2) and the mean of its
    output is m Phi(m / s) + s phi(m / s): the best prediction is a closed form, and only its mean
    squared error is simulated. The paper compares with retraining alone.

    Examples
    --------
    >>> from lukewarm.datasets import make_high_dimensional_network
    >>> data = make_high_dimensional_network(n_samples=10, n_features=5, random_state=0)
    >>> true_network_importance(data, 0) > true_network_importance(data, 4)
    True
    """
    covariance = data.covariance
    X = np.random.default_rng(0).standard_normal((_N_DRAWS, len(covariance)))
    X = X @ np.linalg.cholesky(covariance).T
    others = np.delete(np.arange(len(covariance)), removed)
    slopes = np.linalg.solve(covariance[np.ix_(others, others)], covariance[others, removed])
    variance = covariance[removed, removed] - covariance[removed, others] @ slopes
    X_known = X.copy()
    X_known[:, removed] = X[:, others] @ slopes
    means, spreads = X_known @ data.hidden_weights.T, data.hidden_weights[:, removed]
    spreads = np.abs(spreads) * np.sqrt(variance)
    missed = np.maximum(X @ data.hidden_weights.T, 0) - _mean_of_relu(means, spreads)
    return float(np.mean((missed @ data.output_weights) ** 2))


def _mean_of_relu(means: Matrix, spreads: Matrix) -> Matrix:
    ratio = means / spreads
    return means * norm.cdf(ratio) + spreads * norm.pdf(ratio)
