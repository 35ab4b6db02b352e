"""Simulated data whose regression function is not linear."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

from lukewarm._random import as_generator
from lukewarm._typing import Matrix, RandomState, Vector
from lukewarm._validation import check_count, check_number
from lukewarm.datasets._base import (
    MOST_SAMPLES,
    Dataset,
    as_frame,
    draw_gaussian,
    first_pair_correlated,
)

# The three of the paper's authors' scripts (section 5.3).
_HIDDEN_UNITS = 12
_WEIGHT_SPREAD = 0.1
_FEATURE_VARIANCE = 0.1


@dataclass(frozen=True, eq=False)
class NetworkDataset(Dataset):
    """y = relu(X hidden_weights') output_weights with Gaussian X, without noise.

    Parameters
    ----------
    X : DataFrame of shape (n, p)
    y : Series of shape (n,)
    hidden_weights : ndarray of shape (n_units, p)
    output_weights : ndarray of shape (n_units,)
    covariance : ndarray of shape (p, p)
        Of the features.
    """

    hidden_weights: Matrix
    output_weights: Vector
    covariance: Matrix


def make_high_dimensional_network(
    n_samples: int = 5000,
    n_features: int = 100,
    correlation: float = 0.5,
    random_state: RandomState = None,
) -> NetworkDataset:
    """Return data from a random ReLU network in which the first five features matter.

    Parameters
    ----------
    n_samples, n_features : int
    correlation : float, default 0.5
        Of X1 and X2.
    random_state : None, int or Generator
        Draws the network as well as the rows.

    Notes
    -----
    Section 5.3 of the paper, with the settings of its authors' scripts: features of variance 0.1,
    12 hidden units whose weights on feature j are N(beta_j, 0.1**2) with beta = 5, 4, 3, 2, 1,
    0, ..., standard normal output weights, no noise.

    Examples
    --------
    >>> make_high_dimensional_network(n_samples=50, random_state=0).X.shape
    (50, 100)
    """
    check_count("n_samples", n_samples, maximum=MOST_SAMPLES)
    check_count("n_features", n_features, minimum=5)
    generator = as_generator(random_state)
    covariance = _FEATURE_VARIANCE * first_pair_correlated(n_features, correlation)
    X = draw_gaussian(n_samples, covariance, generator)
    centres = np.concatenate([[5.0, 4, 3, 2, 1], np.zeros(n_features - 5)])
    weights = centres + _WEIGHT_SPREAD * generator.standard_normal((_HIDDEN_UNITS, n_features))
    output_weights = generator.standard_normal(_HIDDEN_UNITS)
    y = np.maximum(X @ weights.T, 0) @ output_weights
    return NetworkDataset(as_frame(X), pd.Series(y, name="y"), weights, output_weights, covariance)


def make_logistic(
    n_samples: int = 5000,
    correlation: float = 0.5,
    noise_std: float = 0.1,
    random_state: RandomState = None,
) -> Dataset:
    """Return the paper's "logistic" data: a sigmoid of a linear score, plus Gaussian noise.

    Parameters
    ----------
    n_samples : int, default 5000
    correlation : float, default 0.5
        Of X1 and X2.
    noise_std : float, default 0.1
    random_state : None, int or Generator

    Notes
    -----
    Section 5.5 of the paper: ten features, coefficients 0, 10, ..., 90, X1 and X2 correlated. The
    target is sigmoid(score) + noise as in its authors' scripts, not a class.

    Examples
    --------
    >>> make_logistic(n_samples=50, random_state=0).X.shape
    (50, 10)
    """
    check_count("n_samples", n_samples, maximum=MOST_SAMPLES)
    check_number("noise_std", noise_std, minimum=0, below=1e100)
    generator = as_generator(random_state)
    coefficients = 10.0 * np.arange(10)
    X = draw_gaussian(n_samples, first_pair_correlated(10, correlation), generator)
    y = expit(X @ coefficients) + noise_std * generator.standard_normal(n_samples)
    return Dataset(as_frame(X), pd.Series(y, name="y"))
