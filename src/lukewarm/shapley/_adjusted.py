"""Regression-adjusted Shapley values: a proxy's exact values plus an unbiased correction.

A game is known at n pairs of complementary coalitions among p players, as differences h of shape
(n + 1,), the full coalition's last (see :mod:`lukewarm.shapley._pairs`). A proxy game is fitted to
them, whose own Shapley values are known exactly; what it gets wrong at the pairs, each predicted
from all others, is weighted like a plain sampling estimate and added:

    phi = known.shapley @ fit @ h  +  smoother @ rest @ h  +  correction @ left_out @ rest @ h
          additive games, proxies     smooth remainder        unbiasedness

with fit of shape (p + k, n + 1) for k proxies and `rest` of shape (n + 1, n + 1), what `fit`
leaves. Every term is linear in h, so the whole is one matrix of weights (p, n + 1): the standard
error from the data follows from it, and no coalition is needed that was not drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq

from lukewarm._typing import Matrix, Vector
from lukewarm.shapley._coalitions import log_n_subsets
from lukewarm.shapley._games import Game
from lukewarm.shapley._known_games import KnownGames
from lukewarm.shapley._pairs import PairSample, sum_zero_basis
from lukewarm.shapley._proxy import ProxyGame
from lukewarm.shapley._sampling import Unit, size_law
from lukewarm.shapley._shrinkage import needs_shrinkage, shrunken_least_squares
from lukewarm.shapley._smoother import fit_smoother, likeliest_prior
from lukewarm.shapley._solution import Solution

# Of a proxy's size: projections leave some 1e-15 of what they remove, and a remainder that counts
# leaves far more.
_ROUND_OFF = 1e-10
# With more players the pairs are never nearly exhausted, and their number is no float.
_MOST_COUNTED = 60


def regression_adjusted(
    game: Game, units: Sequence[Unit], proxies: Sequence[ProxyGame] = ()
) -> Solution:
    """Return the Shapley values of a fitted proxy plus the correction that makes them unbiased.

    Parameters
    ----------
    game : Game
    units : sequence of Unit
        Pairs of a coalition and its complement, as drawn.
    proxies : sequence of ProxyGame
        Games much like this one, whose Shapley values are known.

    Notes
    -----
    Where the pairs leave least squares without one answer the estimate is shrunk instead (see
    :mod:`lukewarm.shapley._shrinkage`).

    The proxy is an additive game plus multiples of the `proxies` plus a smooth game fitted to what
    they leave (see :mod:`lukewarm.shapley._smoother`). The correction is the idea of Witter, Liu
    and Musco (2025), with every draw corrected by the proxy fitted to all other draws: the mean
    over draws t of phi(proxy without t) + weight_t (v - proxy without t)(S_t). A pair drawn twice
    is known to the proxy without one of its draws, so only pairs drawn once contribute. Averaged
    over what the counts could have been given the distinct pairs (Rao-Blackwell), pair S with
    probability q among T draws contributes with the factor (1 - q)**(T - 1) / (1 - (1 - q)**T):
    the correction fades as the coalitions are exhausted. The estimate is unbiased but for what the
    same draws chose in the prior, an order of smoothness and whether the proxies take part.

    The covariance is that of the regression estimator under sampling without replacement: the
    pairs' weights times their left-out errors, times the chance of not being in the sample. That
    is the jackknife: without pair i the proxy's values move by its weight in them times its
    left-out error e_i, and e_k of another pair by P_ki / P_kk e_i to first order, P the precision
    of the smoother; together by the pair's weight in the whole estimate times e_i. Proxies whose
    Shapley values are estimates add their own.
    """
    sample = PairSample.of(units, game.n_players)
    if needs_shrinkage(sample):
        return shrunken_least_squares(game, sample, proxies)
    differences = np.append(*sample.differences(game))
    additive = _additive_games(sample)
    residuals = _what_is_left(additive)
    explained = _with_proxies(additive, sample, proxies, residuals)
    prior = likeliest_prior(sample.signs_with_full, residuals @ differences, explained.of_proxies)
    if not prior.uses_proxies:
        explained = additive
    # The linear part is taken out first, so that a game it describes comes out to the last digit.
    fit, leaves = _least_squares(explained.differences), _what_is_left(explained)
    smoother = fit_smoother(sample, prior.share, explained.of_proxies, explained.proxy_shapley)
    left_out = smoother.left_out_map @ leaves
    of_pairs = smoother.map[:, :-1]
    factor = _correction_factors(sample)
    correction = (sample.shapley_weights - sample.probabilities * of_pairs) * factor
    weights = explained.shapley @ fit + smoother.map @ leaves + correction @ left_out
    weights = _made_efficient(weights, game.n_players)
    covariance = _sampling_covariance(
        weights[:, :-1], left_out @ differences, _chance_of_missing(sample)
    )
    multiples = (fit[game.n_players :] + smoother.proxy_map @ leaves) @ differences
    return Solution(
        sample.coalitions,
        sample.weights_of_values(weights[:, :-1], weights[:, -1]),
        explained.with_proxy_errors(covariance, multiples),
    )


def _additive_games(sample: PairSample) -> KnownGames:
    """Return the additive games: one that shares equally, the others worth nothing in all.

    The full coalition is the last pair, (n + 1, p).
    """
    n_players = sample.membership.shape[1]
    signs, basis = sample.signs_with_full, sum_zero_basis(n_players)
    differences = np.column_stack([signs.sum(axis=1) / n_players, signs @ basis / 2])
    return KnownGames(differences, np.column_stack([np.full(n_players, 2 / n_players), basis]))


def _with_proxies(
    additive: KnownGames, sample: PairSample, proxies: Sequence[ProxyGame], residuals: Matrix
) -> KnownGames:
    """Return the additive games and what is left of the proxies, scaled to a mean square of 1.

    Of a proxy that is additive itself only round-off is left, and it stays out.
    """
    fit, games = _least_squares(additive.differences), additive
    for proxy in proxies:
        whole = np.append(*sample.differences(proxy))
        rest = residuals @ whole
        scale = float(np.sqrt(np.mean(rest**2)))
        if scale <= _ROUND_OFF * np.abs(whole).max():
            continue
        left = proxy.shapley - additive.shapley @ (fit @ whole)
        games = games.joined_by(rest / scale, left / scale, proxy.covariance / scale**2)
    return games


def _least_squares(games: Matrix) -> Matrix:
    """Return the map from differences to the multiples of the games that fit them best.

    The first game takes all of the full coalition's difference; the others fit what that leaves.
    """
    others = np.linalg.pinv(games[:-1, 1:])
    fit = np.zeros((games.shape[1], len(games)))
    fit[0, -1] = 1.0
    fit[1:, :-1] = others
    fit[1:, -1] = -others @ games[:-1, 0]
    return fit


def _what_is_left(explained: KnownGames) -> Matrix:
    """Return the map from differences to what the best multiples of the games leave of them."""
    fit = _least_squares(explained.differences)
    return np.eye(fit.shape[1]) - explained.differences @ fit


def _correction_factors(sample: PairSample) -> Vector:
    """Return each pair's factor in the correction, (n,)."""
    n_draws = sample.counts.sum()
    log_missed_once = np.log1p(-sample.probabilities)
    return np.exp((n_draws - 1) * log_missed_once) / -np.expm1(n_draws * log_missed_once)


def _chance_of_missing(sample: PairSample) -> Vector:
    """Return the chance that each pair is missed by draws that show so many pairs, (n,).

    Draws of known pairs are free, so a run goes on until a new one would exceed its budget. When
    few pairs are left that takes long, and the number of draws would make them look fewer than
    they are: taken instead is the number of draws that misses as many pairs as were missed.
    """
    n_pairs, n_players = sample.membership.shape
    log_missed_once = np.log1p(-sample.probabilities)
    n_draws = sample.counts.sum()
    if n_players > _MOST_COUNTED:
        return np.exp(n_draws * log_missed_once)
    sizes = np.arange(1, n_players)
    n_of_size = np.exp(log_n_subsets(n_players, sizes))
    log_missed = np.log1p(-2 * size_law(n_players) / n_of_size)

    def excess(n_draws: float) -> float:
        return float(n_of_size @ -np.expm1(n_draws * log_missed)) / 2 - n_pairs

    if excess(n_draws) > 0:
        n_draws = brentq(excess, 0.0, n_draws)
    return np.exp(n_draws * log_missed_once)


def _made_efficient(weights: Matrix, n_players: int) -> Matrix:
    """Return the weights with what round-off took from their sums given back."""
    total = np.zeros(weights.shape[1])
    total[-1] = 2.0
    return weights + (total - weights.sum(axis=0)) / n_players


def _sampling_covariance(of_pairs: Matrix, left_out_errors: Vector, missed: Vector) -> Matrix:
    scores = of_pairs * (left_out_errors * np.sqrt(missed))
    return scores @ scores.T
