"""Regression-adjusted Shapley values: a proxy's exact values plus an unbiased correction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.shapley._games import Game
from lukewarm.shapley._pairs import PairSample, sum_zero_basis
from lukewarm.shapley._proxy import ProxyGame
from lukewarm.shapley._sampling import Unit
from lukewarm.shapley._smoother import fit_smoother
from lukewarm.shapley._solution import Solution, unknown_covariance


def regression_adjusted(
    game: Game, units: Sequence[Unit], proxies: Sequence[ProxyGame] = ()
) -> Solution:
    """Return the Shapley values of a fitted proxy plus the correction that makes them unbiased.

    Notes
    -----
    The proxy is an additive game plus multiples of the `proxies` plus a smooth game fitted to what
    they leave (see :mod:`lukewarm.shapley._smoother`). The correction is the idea of Witter, Liu
    and Musco (2025), with every draw corrected by the proxy fitted to all other draws: the mean
    over draws t of phi(proxy without t) + weight_t (v - proxy without t)(S_t). A pair drawn twice
    is known to the proxy without one of its draws, so only pairs drawn once contribute. Averaged
    over what the counts could have been given the distinct pairs (Rao-Blackwell), pair S with
    probability q among T draws contributes with the factor (1 - q)**(T - 1) / (1 - (1 - q)**T):
    the correction fades as the coalitions are exhausted.

    The covariance is that of the regression estimator under sampling without replacement: the
    pairs' weights times their left-out errors, times the chance of not being in the sample.
    """
    n_players = game.n_players
    sample = PairSample.of(units, n_players)
    first_fit, of_proxies, normalised = _linear_fit(sample, proxies)
    differences = np.append(*sample.differences(game))
    # The linear part is taken out first, so that a game it describes comes out to the last digit.
    leaves = np.eye(len(differences)) - np.hstack([_with_full(sample) / 2, normalised]) @ first_fit
    smoother = fit_smoother(sample, leaves @ differences, normalised, of_proxies)
    left_out = smoother.left_out_map @ leaves
    missed, factor = _correction_factors(sample)
    of_pairs = smoother.map[:, :-1]
    correction = (sample.shapley_weights - sample.probabilities * of_pairs) * factor
    linear_shapley = first_fit[:n_players] + of_proxies @ first_fit[n_players:]
    weights = linear_shapley + smoother.map @ leaves + correction @ left_out
    weights = _made_efficient(weights)
    covariance = _covariance(of_pairs, left_out @ differences, missed)
    return Solution(
        sample.coalitions, sample.weights_of_values(weights[:, :-1], weights[:, -1]), covariance
    )


def _with_full(sample: PairSample) -> Matrix:
    return np.vstack([sample.signs, np.ones(sample.membership.shape[1])])


def _linear_fit(sample: PairSample, proxies: Sequence[ProxyGame]) -> tuple[Matrix, Matrix, Matrix]:
    """Return the least-squares fit of additive game and proxies, and the proxies brought to it.

    Returns
    -------
    fit : ndarray of shape (p + k, n + 1)
        From the differences to the additive game's values and the proxies' coefficients; it keeps
        the full coalition's difference.
    of_proxies : ndarray of shape (p, k)
        Shapley values of the proxies, scaled and freed of their sum.
    normalised : ndarray of shape (n + 1, k)
        Differences of the same games; zero for the full coalition.
    """
    signs = _with_full(sample)
    n_players = signs.shape[1]
    equal = signs.sum(axis=1) / n_players
    raw = [np.append(*sample.differences(proxy)) for proxy in proxies]
    centred = [h - h[-1] * equal for h in raw]
    scales = [max(float(np.abs(h).max()), np.finfo(float).tiny) for h in centred]
    normalised = np.array([h / scale for h, scale in zip(centred, scales, strict=True)])
    normalised = normalised.reshape(len(raw), len(signs)).T
    of_proxies = (
        np.array(
            [
                (proxy.shapley - 2 * h[-1] / n_players) / scale
                for proxy, h, scale in zip(proxies, raw, scales, strict=True)
            ]
        )
        .reshape(len(raw), n_players)
        .T
    )
    basis = sum_zero_basis(n_players)
    design = np.hstack([signs @ basis / 2, normalised])[:-1]
    inverse = np.linalg.pinv(design)
    unmapped = np.vstack([basis @ inverse[: n_players - 1], inverse[n_players - 1 :]])
    fit = np.hstack([unmapped, -(unmapped @ equal[:-1])[:, np.newaxis]])
    fit[:n_players, -1] += 2 / n_players
    return fit, of_proxies, normalised


def _correction_factors(sample: PairSample) -> tuple[Vector, Vector]:
    """Return each pair's chance of being missed by all draws, and its factor in the correction."""
    n_draws = sample.counts.sum()
    log_missed_once = np.log1p(-sample.probabilities)
    drawn = -np.expm1(n_draws * log_missed_once)
    return 1 - drawn, np.exp((n_draws - 1) * log_missed_once) / drawn


def _made_efficient(weights: Matrix) -> Matrix:
    """Return the weights with what round-off took from their sums given back."""
    total = np.zeros(weights.shape[1])
    total[-1] = 2.0
    return weights + (total - weights.sum(axis=0)) / len(weights)


def _covariance(of_pairs: Matrix, left_out_errors: Vector, missed: Vector) -> Matrix:
    if len(left_out_errors) < 2:
        return unknown_covariance(len(of_pairs))
    scores = of_pairs * (left_out_errors * np.sqrt(missed))
    return scores @ scores.T
