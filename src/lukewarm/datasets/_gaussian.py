"""Gaussian features, shared by the simulators."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lukewarm._typing import Matrix
from lukewarm._validation import check_number


def first_pair_correlated(n_features: int, correlation: float) -> Matrix:
    """Return a covariance with unit variances in which only X1 and X2 are correlated."""
    check_number("correlation", correlation)
    if not -1 <= correlation <= 1:
        raise ValueError(f"correlation must be in [-1, 1]; got {correlation}.")
    covariance = np.eye(n_features)
    if n_features > 1:
        covariance[0, 1] = covariance[1, 0] = correlation
    return covariance


def draw_gaussian(n_samples: int, covariance: Matrix, generator: np.random.Generator) -> Matrix:
    """Return rows with mean zero and this covariance, singular ones included."""
    eigenvalues, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0))
    return generator.standard_normal((n_samples, len(covariance))) @ root.T


def as_frame(X: Matrix) -> pd.DataFrame:
    """Return the columns named X1, X2, ... as the paper does."""
    return pd.DataFrame(X, columns=[f"X{column + 1}" for column in range(X.shape[1])])
