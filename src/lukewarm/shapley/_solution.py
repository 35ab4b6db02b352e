"""What a solver returns: a linear map from coalition values to Shapley values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.shapley._coalitions import Coalition


@dataclass(frozen=True, eq=False)
class Solution:
    """Shapley values as weighted sums of coalition values.

    Parameters
    ----------
    coalitions : tuple of Coalition
        The coalitions evaluated, the empty and the full one included.
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

    @property
    def standard_error(self) -> Vector:
        """Standard errors due to the sampling of coalitions, shape (p,)."""
        return np.sqrt(np.diag(self.covariance))


def unknown_covariance(n_players: int) -> Matrix:
    """Return the covariance of estimates from too few coalitions to judge their error."""
    return np.diag(np.full(n_players, np.inf))
