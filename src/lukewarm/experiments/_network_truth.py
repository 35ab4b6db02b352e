"""The importance of a feature in data from a random network, by simulation."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from lukewarm._typing import Matrix
from lukewarm.datasets import NetworkDataset

# The mean of as many squares: known to about one in a hundred.
_N_DRAWS = 40_000


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
    known = X.copy()
    known[:, removed] = X[:, others] @ slopes
    means, spreads = known @ data.hidden_weights.T, data.hidden_weights[:, removed]
    spreads = np.abs(spreads) * np.sqrt(variance)
    missed = np.maximum(X @ data.hidden_weights.T, 0) - _mean_of_relu(means, spreads)
    return float(np.mean((missed @ data.output_weights) ** 2))


def _mean_of_relu(means: Matrix, spreads: Matrix) -> Matrix:
    ratio = means / spreads
    return means * norm.cdf(ratio) + spreads * norm.pdf(ratio)
