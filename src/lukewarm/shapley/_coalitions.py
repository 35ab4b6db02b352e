"""Coalitions: sorted tuples of the players that are kept, and their 0/1 rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from lukewarm._typing import Matrix, Vector

Coalition: TypeAlias = tuple[int, ...]
"""The players kept, sorted."""

Membership: TypeAlias = npt.NDArray[np.bool_]
"""One row per coalition, one column per player."""


def full_coalition(n_players: int) -> Coalition:
    """Return the coalition of all players."""
    return tuple(range(n_players))


def as_membership(coalitions: Sequence[Coalition], n_players: int) -> Membership:
    """Return the 0/1 rows of the coalitions.

    Examples
    --------
    >>> as_membership([(0, 2), ()], 3).astype(int)
    array([[1, 0, 1],
           [0, 0, 0]])
    """
    membership = np.zeros((len(coalitions), n_players), dtype=bool)
    sizes = [len(coalition) for coalition in coalitions]
    players = [player for coalition in coalitions for player in coalition]
    membership[np.repeat(np.arange(len(coalitions)), sizes), players] = True
    return membership


def as_coalition(row: np.ndarray) -> Coalition:
    """Return the coalition of one 0/1 row."""
    return tuple(np.flatnonzero(row).tolist())


def all_membership(n_players: int) -> Membership:
    """Return all 2**n_players rows; bit j of a row's number says whether player j is in it."""
    numbers = np.arange(2**n_players)
    return (numbers[:, np.newaxis] >> np.arange(n_players) & 1).astype(bool)


def log_n_subsets(n_players: int, sizes: np.ndarray) -> Vector:
    """Return the logarithms of the numbers of subsets of these sizes."""
    return gammaln(n_players + 1) - gammaln(sizes + 1) - gammaln(n_players - sizes + 1)


def shapley_weights(membership: Membership) -> Matrix:
    """Return the weight of each coalition's value in each player's Shapley value, (p, m).

    Notes
    -----
    1 / (s C(p, s)) for the s players in the coalition, -1 / ((p - s) C(p, s)) for the others.
    The weights of a proper coalition sum to zero over the players.
    """
    n_players = membership.shape[1]
    sizes = membership.sum(axis=1)
    share = np.exp(-log_n_subsets(n_players, sizes))
    inside = share / np.maximum(sizes, 1)
    outside = -share / np.maximum(n_players - sizes, 1)
    return np.where(membership, inside[:, np.newaxis], outside[:, np.newaxis]).T
