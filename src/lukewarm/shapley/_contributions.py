"""Shapley values as means of marginal contributions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lukewarm._typing import Matrix
from lukewarm.shapley._games import Game
from lukewarm.shapley._sampling import Unit, distinct
from lukewarm.shapley._solution import Solution, small_sample_factor


def mean_contributions(game: Game, units: Sequence[Unit]) -> Solution:
    """Return the mean over units of each player's marginal contributions.

    Notes
    -----
    What the sum of the means lacks to value(all) - value(()) is shared out equally: the orthogonal
    projection on the estimates that are efficient. Along whole permutations nothing is lacking.
    The units are independent, so the covariance is that of a mean. Most of what a contribution is
    worth depends on how many came before, and a player who has met few of the p places may show no
    spread at all. So the variances are drawn toward their mean over the players, which weighs as
    much as p / 2 units (a permutation and its reverse are two places).
    """
    n_players, n_units = game.n_players, len(units)
    coalitions = distinct(units, n_players)
    place = {coalition: number for number, coalition in enumerate(coalitions)}
    before = np.array([[place[coalition] for coalition in unit[::2]] for unit in units])
    after = np.array([[place[coalition] for coalition in unit[1::2]] for unit in units])
    player = np.array(
        [[_joining(*step) for step in zip(unit[::2], unit[1::2], strict=True)] for unit in units]
    )
    share = n_players / player.shape[1]
    weights = np.zeros((n_players, len(coalitions)))
    np.add.at(weights, (player, after), share / n_units)
    np.add.at(weights, (player, before), -share / n_units)
    values = game.values(coalitions)
    per_unit = np.zeros((n_units, n_players))
    unit_number = np.repeat(np.arange(n_units), player.shape[1])
    contributions = share * (values[after] - values[before])
    np.add.at(per_unit, (unit_number, player.ravel()), contributions.ravel())
    return Solution(tuple(coalitions), _made_efficient(weights), _covariance_of_mean(per_unit))


def _joining(before: tuple[int, ...], after: tuple[int, ...]) -> int:
    (player,) = set(after).difference(before)
    return player


def _made_efficient(weights: Matrix) -> Matrix:
    """Return weights whose values sum to value(all) - value(()), coalitions 1 and 0."""
    total = np.zeros(weights.shape[1])
    total[:2] = -1, 1
    return weights + (total - weights.sum(axis=0)) / len(weights)


def _covariance_of_mean(per_unit: Matrix) -> Matrix:
    n_units, n_players = per_unit.shape
    projected = per_unit - per_unit.mean(axis=1, keepdims=True)
    own = np.cov(projected, rowvar=False).reshape(n_players, n_players) / n_units
    alike = (np.eye(n_players) - 1 / n_players) * np.trace(own) / max(n_players - 1, 1)
    seen = 2 * n_units / (2 * n_units + n_players)
    return small_sample_factor(n_units - 1) * (seen * own + (1 - seen) * alike)
