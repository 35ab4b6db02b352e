"""Shapley values where least squares has no one answer: shrunk to equal shares, or to a proxy.

Pairs may by chance keep two players on one side throughout, in about one of a hundred samples of
two pairs per player among eight, and tell nothing of how the two share. Here the game gets a
prior, which decides where the pairs say nothing and hardly matters where there are many:

    r(S) = features(S) coefficients + e(S),   coefficients ~ N(0, scale),   e(S) ~ N(0, scale noise)

r is the difference h of a pair (see `_pairs`) less its equal share of the full coalition's. The
features (n, q) are the additive games worth nothing in all, and the proxies; each has known Shapley
values (p, q). e is what only this pair shows; it has the pair's own weight in the Shapley values.
Their posterior mean is linear in r. The posterior covariance is their error: it holds both the
spread that other pairs would have given and the bias of the shrinkage, so a direction that no pair
shows keeps its whole prior variance.

The scale is fitted. The answers for each noise on a grid, with and without the proxies, are
averaged by how likely they make the observed r, and what they disagree about is part of the error.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.shapley._coalitions import log_n_subsets
from lukewarm.shapley._games import Game
from lukewarm.shapley._known_games import KnownGames
from lukewarm.shapley._pairs import PairSample, sum_zero_basis
from lukewarm.shapley._proxy import ProxyGame
from lukewarm.shapley._solution import Solution, small_sample_factor

# From games that are additive up to round-off to games that are hardly additive at all, as shares
# of the variance of the additive part.
_NOISES = np.logspace(-12, 2, 29)
# Large enough to leave the multiple of a proxy free, small enough that a useless proxy costs
# likelihood: half the logarithm of this, about 3.5.
_PROXY_VARIANCE = 1e3
# What only one pair shows is not independent in real games: interactions of three and more players
# look additive where the coalitions are very small or very large. Without this, 95 % intervals
# covered 82 % in the worst mix tried (12 players, a saturating game, another one as proxy), with it
# 92 %. It was chosen on such games; docs/shapley.md says what games of other kinds showed.
_CAUTION = 2.0
# Answers with less than this share of the likelihood are not worked out.
_LEAST_SHARE = 1e-4


def needs_shrinkage(sample: PairSample) -> bool:
    """Return whether the pairs leave least squares without one answer."""
    n_players = sample.membership.shape[1]
    return bool(np.linalg.matrix_rank(sample.signs @ sum_zero_basis(n_players)) < n_players - 1)


def shrunken_least_squares(
    game: Game, sample: PairSample, proxies: Sequence[ProxyGame] = ()
) -> Solution:
    """Return the posterior mean of the Shapley values, with the posterior covariance as error.

    Parameters
    ----------
    game : Game
    sample : PairSample
    proxies : sequence of ProxyGame
        Games much like this one, whose Shapley values are known.
    """
    n_players = game.n_players
    equal_share = sample.signs.sum(axis=1) / n_players
    h, h_full = sample.differences(game)
    r = h - equal_share * h_full
    additive = _additive_features(sample)
    priors = [additive, _with_proxies(additive, sample, proxies)] if proxies else [additive]
    posteriors = [_Posterior(sample, r, prior) for prior in priors]
    likelihood = np.array([each.log_likelihoods for each in posteriors])
    shares = np.exp(likelihood - likelihood.max())
    shares[shares < _LEAST_SHARE * shares.sum()] = 0.0
    shares /= shares.sum()
    answers = [
        (shares[prior, noise], *posteriors[prior].of_noise(noise))
        for prior, noise in np.argwhere(shares)
    ]
    of_pairs = sum(share * weights for share, weights, _ in answers)
    covariance = np.zeros((n_players, n_players))
    for share, weights, spread in answers:
        gap = (weights - of_pairs) @ r
        covariance += share * (spread + np.outer(gap, gap))
    covariance *= _CAUTION
    # Once all pairs are seen nothing is left but round-off, which may be negative.
    np.fill_diagonal(covariance, np.maximum(np.diag(covariance), 0.0))
    of_full = 2 / n_players - of_pairs @ equal_share
    return Solution(sample.coalitions, sample.weights_of_values(of_pairs, of_full), covariance)


def _additive_features(sample: PairSample) -> KnownGames:
    """Return the additive games worth nothing in all, (n, p - 1).

    They are scaled so that their prior variances sum to 1 at every pair.
    """
    n_players = sample.membership.shape[1]
    basis = 2 / np.sqrt(n_players) * sum_zero_basis(n_players)
    return KnownGames(sample.signs @ basis / 2, basis)


def _with_proxies(
    features: KnownGames, sample: PairSample, proxies: Sequence[ProxyGame]
) -> KnownGames:
    """Return the features and the proxies less their equal shares, scaled to their variance."""
    n_players = sample.membership.shape[1]
    for proxy in proxies:
        h, h_full = sample.differences(proxy)
        column = h - h_full * sample.signs.sum(axis=1) / n_players
        size = max(float(np.sqrt(np.mean(column**2))), np.finfo(float).tiny)
        scale = np.sqrt(_PROXY_VARIANCE) / size
        left = proxy.shapley - 2 * h_full / n_players
        features = features.joined_by(scale * column, scale * left, scale**2 * proxy.covariance)
    return features


class _Posterior:
    """What the pairs say under one set of features, for every noise on the grid."""

    def __init__(self, sample: PairSample, r: Vector, features: KnownGames) -> None:
        self._features, self._r = features, r
        left, singular, right = np.linalg.svd(features.differences)
        # Directions that only round-off shows would otherwise be read as seen.
        round_off = max(features.differences.shape) * np.finfo(float).eps * singular.max()
        singular = np.where(singular > round_off, singular, 0.0)
        self._axes = left
        self._variances = np.zeros(len(r))
        self._variances[: len(singular)] = singular**2
        self._slopes = right[: len(singular)].T * singular
        # Shapley values of the features' directions (those no pair shows apart), of what the axes
        # show of them, and of what only the pairs themselves show.
        self._loadings = features.shapley @ right[: len(singular)].T
        hidden = features.shapley @ right[len(singular) :].T
        self._unshown = hidden @ hidden.T
        self._of_features = features.shapley @ self._slopes
        self._own = sample.shapley_weights @ left
        totals = self._variances[:, np.newaxis] + _NOISES
        fitted = np.mean((left.T @ r)[:, np.newaxis] ** 2 / totals, axis=0)
        self._scales = np.maximum(fitted, np.finfo(float).tiny)
        self.log_likelihoods = -(len(r) * np.log(self._scales) + np.log(totals).sum(axis=0)) / 2

    def of_noise(self, number: int) -> tuple[Matrix, Matrix]:
        """Return the map from r to the Shapley values, (p, n), and their covariance, (p, p)."""
        noise, features = _NOISES[number], self._features
        n_shown = self._slopes.shape[1]
        total = self._variances + noise
        along_axes = noise * self._own / total
        along_axes[:, :n_shown] += self._of_features / total[:n_shown]
        # The fit takes up what of the pairs the features explain; only the rest tells the scale.
        n_fitted = np.sum(self._variances / total)
        scale = self._scales[number] * small_sample_factor(max(len(self._r) - n_fitted, 1.0))
        covariance = scale * self._spread(noise)
        coefficients = self._slopes @ (self._axes.T @ self._r / total)[:n_shown]
        multiples = coefficients[len(coefficients) - len(features.proxy_covariances) :]
        return along_axes @ self._axes.T, features.with_proxy_errors(covariance, multiples)

    def _spread(self, noise: float) -> Matrix:
        """Return the posterior covariance of the Shapley values at scale 1, (p, p).

        Prior less explained covariance, multiplied out: with little noise both are nearly equal,
        and their difference would be round-off.
        """
        n_shown = self._of_features.shape[1]
        total = self._variances + noise
        of_features = (self._loadings * (noise / total[:n_shown])) @ self._loadings.T
        of_features += self._unshown
        cross = self._of_features / total[:n_shown] @ self._own[:, :n_shown].T
        unseen = _variance_of_noise(len(self._own)) - noise * (self._own / total) @ self._own.T
        return of_features + noise * (unseen - cross - cross.T)


def _variance_of_noise(n_players: int) -> Matrix:
    """Return the covariance of the Shapley values of a game of independent unit noise, (p, p).

    Over all pairs, the squared weights of :func:`~lukewarm.shapley._coalitions.shapley_weights`
    sum to this; exchangeable players whose values sum to zero leave one number to find.
    """
    sizes = np.arange(1, n_players)
    trace = np.sum(
        2 * n_players / (sizes * (n_players - sizes)) * np.exp(-log_n_subsets(n_players, sizes))
    )
    centred = np.eye(n_players) - 1 / n_players
    return trace / (n_players - 1) * centred
