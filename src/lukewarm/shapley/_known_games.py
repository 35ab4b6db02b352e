"""Games whose Shapley values are known, side by side: additive ones first, proxies last."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector


@dataclass(frozen=True, eq=False)
class KnownGames:
    """Games with known Shapley values, a column each.

    Parameters
    ----------
    differences : ndarray of shape (n, q)
        Of each game at each pair of coalitions (see :mod:`lukewarm.shapley._pairs`).
    shapley : ndarray of shape (p, q)
    proxy_covariances : tuple of k arrays of shape (p, p)
        Of the errors of the last k columns of `shapley`: those games are proxies.
    """

    differences: Matrix
    shapley: Matrix
    proxy_covariances: tuple[Matrix, ...] = ()

    def joined_by(self, differences: Vector, shapley: Vector, covariance: Matrix) -> KnownGames:
        """Return these games and one more proxy."""
        return KnownGames(
            np.column_stack([self.differences, differences]),
            np.column_stack([self.shapley, shapley]),
            (*self.proxy_covariances, covariance),
        )

    @property
    def of_proxies(self) -> Matrix:
        """Differences of the proxies alone, (n, k)."""
        return self.differences[:, self.differences.shape[1] - len(self.proxy_covariances) :]

    @property
    def proxy_shapley(self) -> Matrix:
        """Shapley values of the proxies alone, (p, k)."""
        return self.shapley[:, self.shapley.shape[1] - len(self.proxy_covariances) :]

    def with_proxy_errors(self, covariance: Matrix, multiples: Vector) -> Matrix:
        """Return `covariance` (p, p) plus that of the errors of such multiples (k,) of proxies."""
        for multiple, of_proxy in zip(multiples, self.proxy_covariances, strict=True):
            covariance = covariance + multiple**2 * of_proxy
        return covariance
