"""A sample of complement pairs, as arrays.

Shapley values do not change when a game is replaced by its dual, so they depend on the differences
h(S) = (v(S) - v(complement of S)) / 2 alone. Everything over pairs works with h and with signs: +1
for a player in S, -1 for one in the complement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import helmert

from lukewarm._typing import Matrix, Vector
from lukewarm.shapley._coalitions import (
    Coalition,
    Membership,
    as_membership,
    full_coalition,
    log_n_subsets,
    shapley_weights,
)
from lukewarm.shapley._games import Game
from lukewarm.shapley._sampling import Unit, size_law


@dataclass(frozen=True, eq=False)
class PairSample:
    """The distinct pairs among a number of independent draws.

    Parameters
    ----------
    firsts, seconds : tuple of Coalition
        The two sides of each distinct pair.
    membership : ndarray of shape (n, p)
        Of the first sides.
    counts : ndarray of shape (n,)
        How often each pair was drawn.
    """

    firsts: tuple[Coalition, ...]
    seconds: tuple[Coalition, ...]
    membership: Membership
    counts: Vector

    @classmethod
    def of(cls, units: Sequence[Unit], n_players: int) -> PairSample:
        """Return the sample that the drawn units make."""
        counts: dict[Unit, int] = {}
        for unit in units:
            counts[unit] = counts.get(unit, 0) + 1
        firsts = tuple(first for first, _ in counts)
        seconds = tuple(second for _, second in counts)
        membership = as_membership(firsts, n_players)
        return cls(firsts, seconds, membership, np.array(list(counts.values()), dtype=float))

    @property
    def signs(self) -> Matrix:
        """+1 for the players of the first side, -1 for those of the second, (n, p)."""
        return np.where(self.membership, 1.0, -1.0)

    @property
    def signs_with_full(self) -> Matrix:
        """The same with a last row for the full coalition, (n + 1, p)."""
        return np.vstack([self.signs, np.ones(self.membership.shape[1])])

    @property
    def coalitions(self) -> tuple[Coalition, ...]:
        """The empty and the full coalition, all first sides, all second sides."""
        n_players = self.membership.shape[1]
        return ((), full_coalition(n_players), *self.firsts, *self.seconds)

    @property
    def probabilities(self) -> Vector:
        """The probability that one draw gives each pair."""
        n_players = self.membership.shape[1]
        sizes = self.membership.sum(axis=1)
        share = np.exp(-log_n_subsets(n_players, sizes))
        # Beyond a thousand players a single coalition's probability is too small for a float.
        return np.maximum(2 * size_law(n_players)[sizes - 1] * share, np.finfo(float).tiny)

    @property
    def shapley_weights(self) -> Matrix:
        """Weight of each pair's h in the Shapley values, (p, n)."""
        return 2 * shapley_weights(self.membership)

    def differences(self, game: Game) -> tuple[Vector, float]:
        """Return h of every pair, shape (n,), and h of the full coalition."""
        values = game.values(self.coalitions)
        n_pairs = len(self.firsts)
        halves = (values[2 : 2 + n_pairs] - values[2 + n_pairs :]) / 2
        return halves, float(values[1] - values[0]) / 2

    def weights_of_values(self, of_pairs: Matrix, of_full: Vector) -> Matrix:
        """Return the weights of all coalition values from those of h, in `coalitions`' order."""
        ends = of_full[:, np.newaxis] / 2
        return np.hstack([-ends, ends, of_pairs / 2, -of_pairs / 2])


def sum_zero_basis(n_players: int) -> Matrix:
    """Return p - 1 orthonormal vectors whose entries sum to zero, as columns."""
    return helmert(n_players).T
