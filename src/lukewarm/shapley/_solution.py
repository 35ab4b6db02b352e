"""What a solver returns: a linear map from coalition values to Shapley values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from lukewarm._typing import Matrix, Vector
from lukewarm.shapley._coalitions import Coalition


@dataclass(frozen=True, eq=False)
class Solution:
    """Shapley values as weighted sums of coalition values.

    Parameters
    ----------
    coalitions : tuple of Coalition
        The coalitions evaluated, the empty one first, the full one included.
    weights : ndarray of shape (p, m)
        Weight of each coalition's value in each player's Shapley value.
    covariance : ndarray of shape (p, p)
        Of the error made by evaluating these coalitions and not all; zero when all were.

    Notes
    -----
    Since the map is linear, the influence of a row of data on the Shapley values is the same map
    applied to its influences on the coalition values: the data part of the standard error is
    exact, whichever solver made the weights.
    """

    coalitions: tuple[Coalition, ...]
    weights: Matrix
    covariance: Matrix

    def shapley_of(self, values: Vector) -> Vector:
        """Return the Shapley values, (p,), from the values of the `coalitions`, (m,).

        A constant added to all values changes nothing but round-off, so the first, that of the
        empty coalition, is taken off before.
        """
        return self.weights @ (values - values[0])

    @property
    def standard_error(self) -> Vector:
        """Standard errors due to the sampling of coalitions, shape (p,)."""
        return np.sqrt(np.diag(self.covariance))


def small_sample_factor(degrees_of_freedom: float) -> float:
    """Return what a variance estimated from so few is multiplied by, for honest intervals.

    Notes
    -----
    The squared ratio of Student's and the normal 97.5 % quantile: the normal 95 % interval then
    has the width of Student's.

    Examples
    --------
    >>> [round(small_sample_factor(number), 2) for number in (2, 10, 100)]
    [4.82, 1.29, 1.02]
    """
    return float((stdtrit(degrees_of_freedom, 0.975) / ndtri(0.975)) ** 2)
