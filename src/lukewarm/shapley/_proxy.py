"""Proxy games: cheap games that resemble the costly one and whose Shapley values are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.shapley._coalitions import Coalition, all_membership, as_coalition
from lukewarm.shapley._exact import shapley_of_table
from lukewarm.shapley._games import Game
from lukewarm.shapley._solution import Solution


@dataclass(frozen=True, eq=False)
class ProxyGame:
    """A game that costs next to nothing, with its Shapley values.

    Parameters
    ----------
    game : Game
    shapley : ndarray of shape (p,)
    covariance : ndarray of shape (p, p)
        Of the error of `shapley`; zero when they are exact.
    """

    game: Game
    shapley: Vector
    covariance: Matrix

    @classmethod
    def enumerate(cls, game: Game) -> ProxyGame:
        """Return the proxy with exact Shapley values, from all its coalitions.

        Examples
        --------
        >>> from lukewarm.shapley._games import FunctionGame
        >>> ProxyGame.enumerate(FunctionGame(lambda kept: 3.0 * len(kept), 2)).shapley
        array([3., 3.])
        """
        coalitions = [as_coalition(row) for row in all_membership(game.n_players)]
        shapley = shapley_of_table(game.values(coalitions))
        return cls(game, shapley, np.zeros((game.n_players, game.n_players)))

    @classmethod
    def estimate(cls, game: Game, solve: Callable[[Game], Solution]) -> ProxyGame:
        """Return the proxy with Shapley values from the many coalitions that `solve` takes."""
        solution = solve(game)
        shapley = solution.shapley_of(game.values(solution.coalitions))
        return cls(game, shapley, solution.covariance)

    @property
    def n_players(self) -> int:
        """Number of players."""
        return self.game.n_players

    def values(self, coalitions: Sequence[Coalition]) -> Vector:
        """Return the value of each coalition."""
        return self.game.values(coalitions)
