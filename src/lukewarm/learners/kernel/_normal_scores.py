"""Columns with heavy tails by their ranks: values where a normal column would have them.

To a kernel of values, incomes and counts of all sizes are a crowd of rows that are all alike and a
few that are like no others. By ranks, the rows of the crowd are told apart, and those in the tails
have neighbours. A function of the logarithm, whatever its base, becomes a smooth one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from lukewarm._typing import Vector

# Laplace's law has this kurtosis, the normal one 3; of sums of many parts none is near it.
_HEAVY = 6.0
# Fewer values have no tails: the rare one of two has a large kurtosis, and no rank but its own.
_LEAST_VALUES = 10
# Between neighbouring ones of so many quantiles the map is a line.
_MOST_KNOTS = 500


def has_heavy_tails(values: Vector, weights: Vector | None = None) -> bool:
    """Return whether a column without gaps has tails for which ranks are worth a try.

    Examples
    --------
    >>> normal = np.random.default_rng(0).normal(size=500)
    >>> has_heavy_tails(normal), has_heavy_tails(np.exp(normal)), has_heavy_tails(normal > 2)
    (False, True, False)
    """
    centred = np.asarray(values - np.average(values, weights=weights), dtype=float)
    # Fourth powers of very large and very small numbers are no numbers.
    centred /= max(np.abs(centred).max(), np.finfo(float).tiny)
    square = np.average(np.square(centred), weights=weights)
    if square <= 0:
        return False
    fourth = np.average(np.square(np.square(centred)), weights=weights)
    return bool(fourth > _HEAVY * square**2 and len(np.unique(values)) >= _LEAST_VALUES)


@dataclass(frozen=True, eq=False)
class NormalScores:
    """A rising map of values to the quantiles of the normal law at their ranks.

    Parameters
    ----------
    values, scores : ndarray of shape (k,)
        Knots, rising. Beyond the first and the last the map is constant.
    """

    values: Vector
    scores: Vector

    @classmethod
    def learn(cls, values: Vector, weights: Vector) -> NormalScores:
        """Return the map of a column's training values; equal values share their mean rank.

        Examples
        --------
        >>> scores = NormalScores.learn(np.array([1.0, 10.0, 100.0]), np.ones(3))
        >>> scores.of(np.array([0.0, 1.0, 10.0, 1000.0])).round(2)
        array([-0.97, -0.97,  0.  ,  0.97])
        """
        knots, place = np.unique(values, return_inverse=True)
        mass = np.bincount(place, weights)
        shares = (np.cumsum(mass) - mass / 2) / mass.sum()
        scores = ndtri(np.clip(shares, 1e-12, 1 - 1e-12))
        if len(knots) > _MOST_KNOTS:
            # Evenly over the scores: the tails, where few rows are, keep their shape.
            wanted = np.linspace(scores[0], scores[-1], _MOST_KNOTS)
            kept = np.unique(np.searchsorted(scores, wanted).clip(max=len(scores) - 1))
            knots, scores = knots[kept], scores[kept]
        return cls(knots, scores)

    def of(self, values: Vector) -> Vector:
        """Return the scores of values; gaps stay gaps."""
        return np.interp(values, self.values, self.scores)
