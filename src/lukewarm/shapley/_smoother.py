"""A Gaussian process over coalitions whose Shapley values are in closed form.

The prior gives every product of d of the players' signs the same variance, geometric in d, for odd
d: games of low order are likely, games of any order possible. Its covariance is a power of the
Hamming distance, and a product of d signs has the Shapley value 2 / d for each of its players, so
nothing here ever enumerates coalitions.

With a share s of variance by order, the product over a set D has the variance s^|D| (1 -
s)^(p-|D|), a binomial law whose mean order is s p. Over all D the covariance of the differences at
two coalitions a distance t apart is r^t with r = 1 - 2 s, and over the odd ones (r^t - r^(p-t)) /
2. On top come additive games and k proxies, with a variance so large that the data alone fix them,
and roughness, an independent value for every pair. With C (n + 1, n + 1) the prior covariance of
the observed differences and B (p, n + 1) that of the Shapley values with them, B inv(C) maps
differences to Shapley values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from lukewarm._typing import Matrix, Vector
from lukewarm.shapley._pairs import PairSample

# s p, from games that are all but additive to those of fourth order.
_MEAN_ORDERS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
# At one half all orders weigh by their number, and no coalition says anything about another.
_LARGEST_SHARE = 0.45
# The smooth part has variance 1/2: additive parts a thousandfold are left to the data, and C is
# still far from singular.
_ADDITIVE_VARIANCE = 1e3
# What no order explains, less than a hundredth of the smooth part; it keeps C from being singular.
_ROUGHNESS = 3e-3
# Pairs by which the prior is chosen: a dozen matrices of this size are factorised at once, and
# there is but one number to choose.
_MOST_FOR_CHOICE = 256
# Exact for up to 127 players; beyond, see _covariance_with_shapley.
_MOST_NODES = 64


@dataclass(frozen=True, eq=False)
class Smoother:
    """The posterior mean of the Shapley values given the observed differences.

    Parameters
    ----------
    map : ndarray of shape (p, n + 1)
        From the observed differences, the full coalition's last, to the Shapley values.
    precision : ndarray of shape (n + 1, n + 1)
        Inverse prior covariance of the observed differences.
    proxy_map : ndarray of shape (k, n + 1)
        From the observed differences to the multiples of the proxy games.
    """

    map: Matrix
    precision: Matrix
    proxy_map: Matrix

    @property
    def left_out_map(self) -> Matrix:
        """From the differences to each pair's error when predicted from all others, (n, n + 1)."""
        return (self.precision / np.diag(self.precision)[:, np.newaxis])[:-1]


@dataclass(frozen=True)
class Prior:
    """The share of variance by order, and whether proxies take part."""

    share: float
    uses_proxies: bool


def likeliest_prior(signs: Matrix, residual: Vector, proxies: Matrix) -> Prior:
    """Return the prior under which the observed differences are likeliest.

    Parameters
    ----------
    signs : ndarray of shape (n + 1, p)
        Of the pairs, and of the full coalition.
    residual : ndarray of shape (n + 1,)
        Differences less their best additive fit.
    proxies : ndarray of shape (n + 1, k)
        The same of the proxy games. A proxy that explains little is left out: with few pairs it
        would cost more than it brings.
    """
    n_players = signs.shape[1]
    shares = dict.fromkeys(min(order / n_players, _LARGEST_SHARE) for order in _MEAN_ORDERS)
    chosen = slice(-min(len(signs), _MOST_FOR_CHOICE), None)
    nothing = np.zeros((len(signs), 0))
    candidates = [Prior(share, False) for share in shares]
    if proxies.shape[1]:
        candidates += [Prior(share, True) for share in shares]
    return max(
        candidates,
        key=lambda prior: _log_likelihood(
            _covariance(
                signs[chosen], (proxies if prior.uses_proxies else nothing)[chosen], prior.share
            ),
            residual[chosen],
        ),
    )


def fit_smoother(sample: PairSample, share: float, proxies: Matrix, of_proxies: Matrix) -> Smoother:
    """Return the smoother with this share of variance by order.

    Parameters
    ----------
    sample : PairSample
    share : float
    proxies : ndarray of shape (n + 1, k)
        Differences of proxy games, which enter the prior with a large variance.
    of_proxies : ndarray of shape (p, k)
        Shapley values of the proxy games.
    """
    signs = sample.signs_with_full
    factor = cho_factor(_covariance(signs, proxies, share), lower=True)
    precision = cho_solve(factor, np.eye(len(signs)))
    with_shapley = _covariance_with_shapley(signs, share)
    proxy_map = _ADDITIVE_VARIANCE * proxies.T @ precision
    with_shapley[:, :-1] += _ROUGHNESS * sample.shapley_weights
    return Smoother(with_shapley @ precision + of_proxies @ proxy_map, precision, proxy_map)


def _covariance(signs: Matrix, proxies: Matrix, share: float) -> Matrix:
    n_players = signs.shape[1]
    agreement = signs @ signs.T
    decay = 1 - 2 * share
    distance = (n_players - agreement) / 2
    covariance = (decay**distance - decay ** (n_players - distance)) / 2
    covariance += _ADDITIVE_VARIANCE * (agreement / n_players + proxies @ proxies.T)
    # The full coalition's difference is a constraint, so it alone stays free of roughness.
    covariance[np.diag_indices(len(signs) - 1)] += _ROUGHNESS
    return covariance


def _covariance_with_shapley(signs: Matrix, share: float) -> Matrix:
    """Return the prior covariance of the Shapley values with the differences, (p, n).

    The integral of a product of (1 + x ratio sign_j) over x in [-1, 1] weighs the products of d
    signs by 2 / d; it is a polynomial in x, so Gauss-Legendre nodes give it exactly. It grows no
    faster than exp(4 |x|), so for many players a fixed number of nodes is as good as exact.
    """
    n_players = signs.shape[1]
    ratio = share / (1 - share)
    nodes, node_weights = np.polynomial.legendre.leggauss(min(n_players // 2 + 1, _MOST_NODES))
    covariance = 2 * _ADDITIVE_VARIANCE / n_players * signs.T
    for node, weight in zip(nodes, node_weights, strict=True):
        factors = (1 + ratio * node * signs) / (1 + ratio)
        others = factors.prod(axis=1, keepdims=True) / factors
        covariance = covariance + weight * share * (signs * others).T
    return covariance


def _log_likelihood(covariance: Matrix, differences: Vector) -> float:
    factor, lower = cho_factor(covariance, lower=True)
    n_observed = len(differences)
    scale = differences @ cho_solve((factor, lower), differences) / n_observed
    log_scale = np.log(max(scale, np.finfo(float).tiny))
    return float(-n_observed / 2 * log_scale - np.log(np.diag(factor)).sum())
