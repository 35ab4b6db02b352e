"""All subsets: the Shapley values themselves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lukewarm._typing import Vector
from lukewarm._validation import check_count
from lukewarm.shapley._coalitions import (
    Coalition,
    all_membership,
    as_coalition,
    log_n_subsets,
    shapley_weights,
)
from lukewarm.shapley._games import FunctionGame
from lukewarm.shapley._solution import Solution

# A million coalitions; the next player doubles memory and time.
MAX_EXACT_PLAYERS = 20


def exact(value: Callable[[Coalition], float], n_players: int) -> Vector:
    """Return the Shapley values of a game, from the values of all its coalitions.

    Parameters
    ----------
    value : callable from a sorted tuple of kept players (0 .. n_players - 1) to a float
        Called once for each of the 2**n_players coalitions.
    n_players : int
        At most 20.

    Returns
    -------
    ndarray of shape (n_players,)
        They sum to value(all) - value(()).

    Examples
    --------
    Three players; the first is worth 1 alone, the other two are worth 4 together.

    >>> exact(lambda kept: (0 in kept) + 4 * ({1, 2} <= set(kept)), n_players=3)
    array([1., 2., 2.])
    """
    check_exact_is_feasible(check_count("n_players", n_players))
    coalitions = [as_coalition(row) for row in all_membership(n_players)]
    return shapley_of_table(FunctionGame(value, n_players).values(coalitions))


def shapley_of_table(values: Vector) -> Vector:
    """Return the Shapley values of the game whose 2**p values stand in the order of bit masks."""
    numbers = np.arange(len(values))
    n_players = len(values).bit_length() - 1
    sizes = all_membership(n_players).sum(axis=1)
    weights = np.exp(-log_n_subsets(n_players - 1, np.arange(n_players))) / n_players
    shapley = np.empty(n_players)
    for player in range(n_players):
        without = numbers[numbers >> player & 1 == 0]
        contributions = values[without | 1 << player] - values[without]
        shapley[player] = weights[sizes[without]] @ contributions
    return shapley


def exact_solution(n_players: int) -> Solution:
    """Return the linear map of all coalitions: no sampling error."""
    membership = all_membership(n_players)
    coalitions = tuple(as_coalition(row) for row in membership)
    return Solution(coalitions, shapley_weights(membership), np.zeros((n_players, n_players)))


def check_exact_is_feasible(n_players: int) -> None:
    """Raise when there are too many coalitions to evaluate them all."""
    if n_players > MAX_EXACT_PLAYERS:
        # The power itself may be too long for the memory.
        spelled = f" = {2**n_players:,}" if n_players < 100 else ""
        raise ValueError(
            f"exact Shapley values of {n_players} players need 2**{n_players}{spelled} values; at "
            f"most {MAX_EXACT_PLAYERS} players are feasible. Sample coalitions instead, or join "
            "players to groups."
        )
