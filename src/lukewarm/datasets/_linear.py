"""Linear models with Gaussian features: every importance is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from lukewarm._random import as_generator
from lukewarm._typing import FeatureSet, Matrix, RandomState, Vector
from lukewarm._validation import check_count, check_number
from lukewarm.data import FeatureIndex
from lukewarm.datasets._base import (
    MOST_SAMPLES,
    Dataset,
    as_frame,
    draw_gaussian,
    first_pair_correlated,
)

# 65,536 subsets; each further feature doubles time and memory.
_LARGEST_BLOCK = 16


@dataclass(frozen=True, eq=False)
class LinearGaussianDataset(Dataset):
    """y = X coefficients + noise with Gaussian X: the truth under neg_mse is in closed form.

    Parameters
    ----------
    X : DataFrame of shape (n, p)
    y : Series of shape (n,)
    coefficients : ndarray of shape (p,)
    covariance : ndarray of shape (p, p)
        Of the features.
    noise_std : float
    """

    coefficients: Vector
    covariance: Matrix
    noise_std: float

    def true_importance(self, removed: Any) -> float:
        """Return the skill (neg_mse) lost by the best predictor without the features `removed`.

        Parameters
        ----------
        removed : column name or index, or an iterable of them

        Notes
        -----
        ``b' Var(X_I | X_-I) b`` with b the coefficients of the removed features I.

        Examples
        --------
        >>> data = make_correlated_linear(n_samples=20, correlation=0.5, random_state=0)
        >>> data.true_importance("X1")
        1.6875
        """
        if isinstance(removed, Iterable) and not isinstance(removed, str):
            removed = list(removed)
            if not removed:
                return 0.0
        return self._loss_without(
            FeatureIndex(tuple(map(str, self.X))).feature_set(removed, "removed")
        )

    def true_shapley(self) -> Vector:
        """Return the population Shapley values of the skill (neg_mse), shape (p,).

        Notes
        -----
        The skill is a sum over blocks of mutually correlated features, and so are its Shapley
        values; within a block all subsets are enumerated.

        Examples
        --------
        >>> data = make_correlated_linear(n_samples=20, correlation=0.0, random_state=0)
        >>> data.true_shapley().round(2)
        array([2.25, 1.44, 1.  , 0.  , 0.  , 0.  ])
        """
        values = np.zeros(len(self.coefficients))
        _, block_of = connected_components(self.covariance != 0, directed=False)
        for block in range(block_of.max() + 1):
            members = np.flatnonzero(block_of == block)
            if len(members) > _LARGEST_BLOCK:
                raise ValueError(
                    f"true_shapley enumerates the subsets of {len(members)} correlated features; "
                    f"at most {_LARGEST_BLOCK} are feasible."
                )
            for feature in members:
                values[feature] = self._shapley_in_block(int(feature), members[members != feature])
        return values

    def _shapley_in_block(self, feature: int, others: np.ndarray) -> float:
        total = 0.0
        for size in range(len(others) + 1):
            weight = 1 / ((len(others) + 1) * comb(len(others), size))
            for already_removed in combinations(others.tolist(), size):
                with_feature = tuple(sorted((*already_removed, feature)))
                total += weight * (
                    self._loss_without(with_feature) - self._loss_without(already_removed)
                )
        return total

    def _loss_without(self, removed: FeatureSet) -> float:
        inside = np.zeros(len(self.coefficients), dtype=bool)
        inside[list(removed)] = True
        cross = self.covariance[np.ix_(inside, ~inside)]
        inverse = np.linalg.pinv(self.covariance[np.ix_(~inside, ~inside)], hermitian=True)
        conditional = self.covariance[np.ix_(inside, inside)] - cross @ inverse @ cross.T
        return float(self.coefficients[inside] @ conditional @ self.coefficients[inside])


def make_correlated_linear(
    n_samples: int = 5000,
    correlation: float = 0.5,
    noise_std: float = 0.1,
    coefficients: Sequence[float] = (1.5, 1.2, 1, 0, 0, 0),
    random_state: RandomState = None,
) -> LinearGaussianDataset:
    """Return the paper's linear data, in which X1 and X2 are correlated.

    Parameters
    ----------
    n_samples : int, default 5000
    correlation : float, default 0.5
        Of X1 and X2.
    noise_std : float
        Of the noise in y.
    coefficients : sequence of float
        Of the features, which are as many.
    random_state : None, int or Generator

    Notes
    -----
    Section 5.2 of the paper. The importance of X1 is 1.5**2 (1 - correlation**2).

    Examples
    --------
    >>> data = make_correlated_linear(n_samples=100, random_state=0)
    >>> data.X.shape, list(data.X)[:2]
    ((100, 6), ['X1', 'X2'])
    """
    covariance = first_pair_correlated(len(coefficients), correlation)
    return _simulate(
        n_samples, np.asarray(coefficients, float), covariance, noise_std, random_state
    )


def make_high_dimensional_linear(
    n_samples: int = 5000,
    n_features: int = 100,
    correlation: float = 0.5,
    noise_std: float = 0.1,
    random_state: RandomState = None,
) -> LinearGaussianDataset:
    """Return the paper's high-dimensional data for trees: coefficients 5, 4, 3, 2, 1, 0, ...

    Parameters
    ----------
    n_samples, n_features : int
    correlation : float, default 0.5
        Of X1 and X2.
    noise_std : float
        Of the noise in y.
    random_state : None, int or Generator

    Notes
    -----
    Section 5.3 of the paper.

    Examples
    --------
    >>> data = make_high_dimensional_linear(n_samples=50, random_state=0)
    >>> data.true_importance("X1")
    18.75
    """
    check_count("n_features", n_features, minimum=5)
    coefficients = np.concatenate([[5.0, 4, 3, 2, 1], np.zeros(n_features - 5)])
    covariance = first_pair_correlated(n_features, correlation)
    return _simulate(n_samples, coefficients, covariance, noise_std, random_state)


def _simulate(
    n_samples: int,
    coefficients: Vector,
    covariance: Matrix,
    noise_std: float,
    random_state: RandomState,
) -> LinearGaussianDataset:
    check_count("n_samples", n_samples, maximum=MOST_SAMPLES)
    check_number("noise_std", noise_std, minimum=0, below=1e100)
    generator = as_generator(random_state)
    X = draw_gaussian(n_samples, covariance, generator)
    y = X @ coefficients + noise_std * generator.standard_normal(n_samples)
    return LinearGaussianDataset(
        as_frame(X), pd.Series(y, name="y"), coefficients, covariance, noise_std
    )
