"""Influence values of rows that belong together: patients, queries, days.

Rows of one cluster share noise, so only the clusters are independent. With S_g the sum of the
influence values of cluster g, of n rows in G clusters, the variance of the estimate is
sum(S_g**2) / n**2 (Liang and Zeger, *Longitudinal data analysis using generalized linear models*,
1986). The values G / n * S_g give it by the formula for independent rows, mean(value**2) / G. So
skewness, kurtosis, contrasts and simultaneous intervals follow by the formulas for rows as well.
"""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Vector


def by_cluster(influence: Vector, clusters: np.ndarray | None) -> Vector:
    """Return one influence value per cluster, to which the formulas for independent rows apply.

    Parameters
    ----------
    influence : ndarray of shape (n,)
    clusters : ndarray of int, shape (n,), optional
        The cluster of each row, from 0 on, none of which is left out; None where every row is
        one by itself.

    Examples
    --------
    >>> by_cluster(np.array([1.0, 3.0, -2.0, -2.0]), np.array([0, 0, 1, 1]))
    array([ 2., -2.])
    """
    if clusters is None:
        return influence
    sums = np.bincount(clusters, weights=influence)
    return np.asarray(sums * (len(sums) / len(influence)), dtype=float)


def cluster_totals(weights: Vector, clusters: np.ndarray | None) -> Vector:
    """Return the sum of the weights of each cluster that is there.

    Examples
    --------
    >>> cluster_totals(np.ones(3), np.array([7, 2, 7]))
    array([1., 2.])
    """
    if clusters is None:
        return weights
    _, codes = np.unique(clusters, return_inverse=True)
    return np.asarray(np.bincount(codes, weights=weights), dtype=float)
