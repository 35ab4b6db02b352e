"""Shapley values as constrained least squares over complement pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.shapley._games import Game
from lukewarm.shapley._pairs import PairSample, sum_zero_basis
from lukewarm.shapley._sampling import Unit
from lukewarm.shapley._shrinkage import needs_shrinkage, shrunken_least_squares
from lukewarm.shapley._solution import Solution

# A pair that alone shows some direction has leverage 1 and no residual, so what its error is like
# can only be told from the other pairs.
_LEAST_FREE = 1e-3


def kernel_least_squares(game: Game, units: Sequence[Unit]) -> Solution:
    """Return the constrained least-squares solution over the drawn pairs.

    Notes
    -----
    Minimise the sum over draws of (h(S) - sum_j phi_j sign_j(S) / 2)**2 subject to
    sum_j phi_j = v(all) - v(()), shrunk toward equal shares where the pairs leave that without one
    answer (see :mod:`lukewarm.shapley._shrinkage`). Under the size law of
    :func:`~lukewarm.shapley._sampling.complement_pairs` its limit is the Shapley value (Charnes,
    Golany, Keane and Rousseau 1988; Williamson and Feng 2020). The covariance is the sandwich of
    independent draws, with residuals as they are when a draw is left out (HC3).
    """
    sample = PairSample.of(units, game.n_players)
    if needs_shrinkage(sample):
        return shrunken_least_squares(game, sample)
    of_pairs, of_full, leverage = constrained_map(sample.signs, sample.counts)
    h, h_full = sample.differences(game)
    shapley = of_pairs @ h + of_full * h_full
    residual = h - sample.signs @ shapley / 2
    covariance = _sandwich(of_pairs, residual, sample.counts, leverage)
    return Solution(sample.coalitions, sample.weights_of_values(of_pairs, of_full), covariance)


def constrained_map(signs: Matrix, pair_weights: Vector) -> tuple[Matrix, Vector, Vector]:
    """Return the maps from h of the pairs and of the full coalition, and each pair's leverage.

    The constraint is solved for: phi = h_full 2 / p + basis theta, theta free.
    """
    n_players = signs.shape[1]
    basis = sum_zero_basis(n_players)
    root = np.sqrt(pair_weights)
    design = root[:, np.newaxis] * (signs @ basis / 2)
    inverse = np.linalg.pinv(design)
    of_pairs = basis @ inverse * root
    equal_share = 2 / n_players
    of_full = equal_share * (1 - of_pairs @ signs.sum(axis=1) / 2)
    leverage = np.einsum("ij,ji->i", design, inverse)
    return of_pairs, of_full, leverage


def _sandwich(of_pairs: Matrix, residual: Vector, counts: Vector, leverage: Vector) -> Matrix:
    free = 1 - leverage
    is_measured = free > _LEAST_FREE
    squares = np.divide(residual**2, free, out=np.zeros_like(residual), where=is_measured)
    squares[~is_measured] = squares[is_measured].mean()
    # One draw of a pair has the leverage of the pair over its count.
    scores = of_pairs * np.sqrt(squares / np.maximum(counts - leverage, _LEAST_FREE))
    return scores @ scores.T
