"""Proxy games: cheap games that resemble the costly one and whose Shapley values are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Vector
from lukewarm.shapley._coalitions import Coalition, all_membership, as_coalition
from lukewarm.shapley._exact import shapley_of_table
from lukewarm.shapley._games import Game

MAX_PROXY_PLAYERS = 12


@dataclass(frozen=True, eq=False)
class ProxyGame:
    """A game of which everything is known.

    Parameters
    ----------
    known : dict from Coalition to float
    shapley : ndarray of shape (p,)
    """

    known: dict[Coalition, float]
    shapley: Vector

    @classmethod
    def enumerate(cls, game: Game) -> ProxyGame:
        """Return the proxy that holds all values of `game`.

        Examples
        --------
        >>> from lukewarm.shapley._games import FunctionGame
        >>> ProxyGame.enumerate(FunctionGame(lambda kept: 3.0 * len(kept), 2)).shapley
        array([3., 3.])
        """
        coalitions = [as_coalition(row) for row in all_membership(game.n_players)]
        values = game.values(coalitions)
        return cls(dict(zip(coalitions, values.tolist(), strict=True)), shapley_of_table(values))

    @property
    def n_players(self) -> int:
        """Number of players."""
        return len(self.shapley)

    def values(self, coalitions: Sequence[Coalition]) -> Vector:
        """Return the value of each coalition."""
        return np.array([self.known[coalition] for coalition in coalitions])
