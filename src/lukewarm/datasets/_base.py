"""A table of features and its target, and the Gaussian features that simulators share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from lukewarm._typing import Matrix
from lukewarm._validation import check_number

# More rows fit into no memory; what is larger is a mistake.
MOST_SAMPLES = 10**9


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features and target of the same rows.

    Parameters
    ----------
    X : DataFrame of shape (n, p)
    y : Series of shape (n,)
    """

    X: pd.DataFrame
    y: pd.Series


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
