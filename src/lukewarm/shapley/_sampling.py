"""Samplers: endless streams of units of coalitions. They know nothing of values.

A unit is a tuple of coalitions that belong together. The stream of a seed is always the same, so a
longer run begins with all the coalitions of a shorter one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from lukewarm._typing import Vector
from lukewarm.shapley._coalitions import Coalition, as_coalition, full_coalition

Unit: TypeAlias = tuple[Coalition, ...]
Sampler: TypeAlias = Callable[[int, np.random.Generator], Iterator[Unit]]

_BLOCK = 64  # draws made at once; part of what a seed means


def marginal_draws(n_players: int, generator: np.random.Generator) -> Iterator[Unit]:
    """Yield rounds of one random marginal contribution per player: before, after, before, ...

    Notes
    -----
    The scheme of the paper: the set S before player j joins is drawn with probability
    1 / (p C(p - 1, |S|)), the empty set included.
    """
    while True:
        order = generator.random((n_players, n_players)).argsort(axis=1)
        sizes = generator.integers(n_players, size=n_players)
        unit: list[Coalition] = []
        for player in range(n_players):
            others = order[player][order[player] != player]
            before = tuple(sorted(others[: sizes[player]].tolist()))
            unit += [before, tuple(sorted((*before, player)))]
        yield tuple(unit)


def antithetic_permutations(n_players: int, generator: np.random.Generator) -> Iterator[Unit]:
    """Yield the marginal contributions along a random order of the players and along its reverse.

    As for :func:`marginal_draws`, a unit is laid out as before, after, before, after, ...
    """
    while True:
        order = generator.permutation(n_players)
        unit: list[Coalition] = []
        for direction in (order, order[::-1]):
            chain = [tuple(sorted(direction[:size].tolist())) for size in range(n_players + 1)]
            for before, after in pairwise(chain):
                unit += [before, after]
        yield tuple(unit)


def complement_pairs(n_players: int, generator: np.random.Generator) -> Iterator[Unit]:
    """Yield random coalitions with their complements, drawn independently.

    Notes
    -----
    Sizes are drawn proportional to 1 / (s (p - s)), then a uniform coalition of that size: the
    law under which least squares gives Shapley values (Charnes et al. 1988). The coalition with
    player 0 comes first, so that equal pairs are equal tuples.
    """
    sizes = np.arange(1, n_players)
    law = size_law(n_players)
    while True:
        drawn = generator.choice(sizes, size=_BLOCK, p=law)
        rank = generator.random((_BLOCK, n_players)).argsort(axis=1).argsort(axis=1)
        membership = rank < drawn[:, np.newaxis]
        membership ^= ~membership[:, :1]
        for row in membership:
            yield as_coalition(row), as_coalition(~row)


def size_law(n_players: int) -> Vector:
    """Return the probabilities of the sizes 1 .. p - 1, proportional to 1 / (s (p - s))."""
    sizes = np.arange(1, n_players)
    law = 1 / (sizes * (n_players - sizes))
    return law / law.sum()


def take_units(
    sampler: Sampler, n_players: int, n_coalitions: int, generator: np.random.Generator
) -> list[Unit]:
    """Return the units of the stream that together need at most `n_coalitions` values.

    The empty and the full coalition are not counted. Units whose coalitions are all known already
    cost nothing and go on until the first unit that would exceed the number.

    Parameters
    ----------
    sampler : callable
        From players and generator to an endless stream of units.
    n_players : int
    n_coalitions : int
    generator : Generator
    """
    drawn: set[Coalition] = {(), full_coalition(n_players)}
    most = n_coalitions + len(drawn)
    units: list[Unit] = []
    for unit in sampler(n_players, generator):
        fresh = set(unit) - drawn
        if len(drawn) + len(fresh) > most:
            break
        drawn |= fresh
        units.append(unit)
    return units


def distinct(units: Sequence[Unit], n_players: int) -> list[Coalition]:
    """Return the empty coalition, the full one, and the units' other coalitions, each once."""
    ends = [(), full_coalition(n_players)]
    return list(dict.fromkeys([*ends, *(coalition for unit in units for coalition in unit)]))
