"""Shapley values from a sample of coalitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lukewarm._random import as_generator
from lukewarm._typing import RandomState, Vector
from lukewarm._validation import check_choice, check_count
from lukewarm.shapley._adjusted import regression_adjusted
from lukewarm.shapley._coalitions import Coalition
from lukewarm.shapley._contributions import mean_contributions
from lukewarm.shapley._exact import check_exact_is_feasible, exact_solution
from lukewarm.shapley._games import FunctionGame, Game
from lukewarm.shapley._least_squares import kernel_least_squares
from lukewarm.shapley._proxy import ProxyGame
from lukewarm.shapley._sampling import (
    Sampler,
    Unit,
    antithetic_permutations,
    complement_pairs,
    marginal_draws,
    take_units,
)
from lukewarm.shapley._solution import Solution

Solve = Callable[[Game, Sequence[Unit]], Solution]

_SAMPLED: dict[str, tuple[Sampler, Solve]] = {
    "regression_adjusted": (complement_pairs, regression_adjusted),
    "kernel": (complement_pairs, kernel_least_squares),
    "permutation": (antithetic_permutations, mean_contributions),
    "marginal": (marginal_draws, mean_contributions),
}
SOLVERS = ("exact", *_SAMPLED)
# Fewer would leave a variance of one or two units, which says next to nothing.
_LEAST_UNITS = 3
_LEAST_PER_PLAYER = 4  # two pairs: half of the residuals are left after an additive fit
# Trades fits for the sampling error, which falls with the square root of their number.
_COALITIONS_PER_PLAYER = 20
# More are a mistake: coalitions would not fit into memory.
_MOST_PLAYERS = 100_000
# 4,096 coalitions of a cheap game; beyond, as many as the next constant says are sampled.
_ENUMERATED_PROXY = 12
_PROXY_COALITIONS = 2000


@dataclass(frozen=True, eq=False)
class ShapleyEstimate:
    """Shapley values with the error made by not evaluating every coalition.

    Parameters
    ----------
    values : ndarray of shape (p,)
        They sum to value(all) - value(()).
    standard_error : ndarray of shape (p,)
        Zero when every coalition was evaluated. With few coalitions it is widened, so that 1.96
        of them still hold the true value in about 95 of 100 cases.
    n_coalitions : int
        Coalitions evaluated, other than the empty and the full one.
    """

    values: Vector
    standard_error: Vector
    n_coalitions: int

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)

    def __len__(self) -> int:
        return len(self.values)


def estimate(
    value: Callable[[Coalition], float],
    n_players: int,
    n_coalitions: int | None = None,
    sampler: str = "regression_adjusted",
    random_state: RandomState = None,
) -> ShapleyEstimate:
    """Return the Shapley values of a game, estimated from the values of some coalitions.

    Parameters
    ----------
    value : callable from a sorted tuple of kept players (0 .. n_players - 1) to a float
        Called once for each coalition in the sample, for the empty and for the full one.
    n_players : int
    n_coalitions : int, optional
        Most coalitions to evaluate besides the empty and the full one; 20 per player by default.
        When it allows for all of them, all are evaluated and the values are exact. At least four
        per player are needed, for the samplers "permutation" and "marginal" six.
    sampler : str, default "regression_adjusted"
        "regression_adjusted" (a fitted proxy's exact values plus an unbiased correction),
        "kernel" (constrained least squares), "permutation" (antithetic permutations), "marginal"
        (single marginal contributions) or "exact".
    random_state : None, int or Generator

    Examples
    --------
    Thirty players, of whom neighbours are worth something together; 2**30 values would be too many.

    >>> def value(kept):
    ...     return sum(1.0 for player in kept if player + 1 in kept)
    >>> shapley = estimate(value, n_players=30, n_coalitions=400, random_state=0)
    >>> shapley.values[[0, 1, 2]].round(1), float(shapley.values.sum().round(6))
    (array([0.5, 1. , 1. ]), 29.0)
    """
    check_count("n_players", n_players, maximum=_MOST_PLAYERS)
    check_choice("sampler", sampler, SOLVERS)
    if sampler == "exact":
        check_exact_is_feasible(n_players)
    asked = _COALITIONS_PER_PLAYER * n_players if n_coalitions is None else n_coalitions
    check_count("n_coalitions", asked)
    game = FunctionGame(value, n_players)
    seed = int(as_generator(random_state).integers(2**63))
    solution = solve(game, sampler, asked, seed)
    values = solution.shapley_of(game.values(solution.coalitions))
    return ShapleyEstimate(values, solution.standard_error, len(solution.coalitions) - 2)


def solve(
    game: Game, solver: str, n_coalitions: int, seed: int, proxies: Sequence[ProxyGame] = ()
) -> Solution:
    """Return the solution by that solver from at most `n_coalitions` coalitions.

    The coalitions of a seed are nested: those of a smaller number come first in a larger one, and
    a game that remembers its values pays only for the new ones.

    Parameters
    ----------
    game : Game
    solver : str
        One of SOLVERS.
    n_coalitions : int
        The most values to ask the game for.
    seed : int
        Of the stream of coalitions.
    proxies : sequence of ProxyGame
        Cheap games like this one, whose Shapley values are known.
    """
    if solver == "exact" or is_exhaustive(game.n_players, n_coalitions):
        solution = exact_solution(game.n_players)
        game.values(solution.coalitions)
        return solution
    check_enough_coalitions(solver, game.n_players, n_coalitions)
    sampler, solver_of_units = _SAMPLED[solver]
    generator = np.random.default_rng(seed)
    units = take_units(sampler, game.n_players, n_coalitions, generator)
    if solver == "regression_adjusted":
        return regression_adjusted(game, units, proxies)
    return solver_of_units(game, units)


def least_coalitions(solver: str, n_players: int) -> int:
    """Return the fewest coalitions, besides the empty and the full one, that the solver needs.

    Pairs that show an additive game need as many again to test it: with one pair per player a
    single residual is left, and in a vote, whose values are 0 and 1, that one is zero by chance so
    often that 95 % intervals cover 40 to 80 %. Contributions need several units for the spread
    between them.

    Examples
    --------
    >>> least_coalitions("kernel", 10), least_coalitions("permutation", 10)
    (40, 54)
    """
    per_solver = {
        "exact": 2**n_players - 2,
        "permutation": _LEAST_UNITS * 2 * (n_players - 1),
        "marginal": _LEAST_UNITS * 2 * n_players,
    }
    return min(per_solver.get(solver, _LEAST_PER_PLAYER * n_players), 2**n_players - 2)


def check_enough_coalitions(solver: str, n_players: int, n_coalitions: int) -> None:
    """Raise when so few coalitions tell nothing about so many players.

    Parameters
    ----------
    solver : str
    n_players, n_coalitions : int
    """
    least = least_coalitions(solver, n_players)
    if n_coalitions < least:
        raise ValueError(
            f"n_coalitions must be at least {least} for the solver {solver!r} and {n_players} "
            f"players; got {n_coalitions}. Raise it, or join players to groups."
        )


def is_exhaustive(n_players: int, n_coalitions: int) -> bool:
    """Return whether `n_coalitions` allows for every coalition but the empty and the full one."""
    return n_coalitions >= 2**n_players - 2


def as_proxy(game: Game, seed: int) -> ProxyGame:
    """Return a cheap game with its Shapley values: exact for few players, else very nearly."""
    if game.n_players <= _ENUMERATED_PROXY:
        return ProxyGame.enumerate(game)
    return ProxyGame.estimate(
        game, lambda cheap: solve(cheap, "regression_adjusted", _PROXY_COALITIONS, seed)
    )
