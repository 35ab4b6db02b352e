"""Games: what a coalition is worth. Values are asked for in batches and never twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from lukewarm._typing import Vector
from lukewarm._validation import shown
from lukewarm.shapley._coalitions import Coalition


class Game(Protocol):
    """Anything that knows what coalitions are worth.

    ``values(coalitions)`` may be asked for the same coalition many times; a game that is costly to
    evaluate remembers. The coalitions of one call are independent of each other, so they may be
    evaluated side by side.
    """

    @property
    def n_players(self) -> int:
        """Number of players."""
        ...

    def values(self, coalitions: Sequence[Coalition]) -> Vector:
        """Return the value of each coalition, shape (len(coalitions),)."""
        ...


class FunctionGame:
    """A game given by a function of one coalition, called once for each.

    Examples
    --------
    >>> calls = []
    >>> game = FunctionGame(lambda kept: calls.append(kept) or float(len(kept)), n_players=2)
    >>> game.values([(0,), (0, 1), (0,)])
    array([1., 2., 1.])
    >>> calls
    [(0,), (0, 1)]
    """

    def __init__(self, value: Callable[[Coalition], float], n_players: int) -> None:
        if not callable(value):
            raise TypeError(f"value must be a function of a coalition; got {shown(value)}.")
        self.n_players = n_players
        self._value = value
        self._known: dict[Coalition, float] = {}

    def values(self, coalitions: Sequence[Coalition]) -> Vector:
        """Return the value of each coalition."""
        for coalition in coalitions:
            if coalition not in self._known:
                self._known[coalition] = self._checked(coalition)
        return np.array([self._known[coalition] for coalition in coalitions])

    def _checked(self, coalition: Coalition) -> float:
        try:
            returned = self._value(coalition)
        except TypeError as error:
            raise TypeError(
                f"value must be a function of a coalition; value({coalition}) raised: {error}"
            ) from error
        try:
            value = float(returned)
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(
                f"value must return a number for every coalition; it returned {shown(returned)} "
                f"for {coalition}."
            ) from error
        if not np.isfinite(value):
            raise ValueError(
                f"value must return a finite number for every coalition; it returned {value} for "
                f"{coalition}."
            )
        return value
