"""Inputs at mean zero and unit spread inside the network, outputs back on the scale of y."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Scaling:
    """The centre and the spread of every column, learnt on training rows.

    Examples
    --------
    >>> scaling = Scaling.learn(np.array([[999.0, 1.0], [1001.0, 1.0]]))
    >>> scaling.scale(np.array([[1002.0, 1.0]]))
    array([[2., 0.]])
    """

    centre: Vector
    spread: Vector

    @classmethod
    def learn(cls, values: Matrix | Vector, weights: Vector | None = None) -> Scaling:
        """Return the (weighted) mean and standard deviation; a constant column keeps spread 1."""
        centre = np.average(values, axis=0, weights=weights)
        variance = np.average(np.square(values - centre), axis=0, weights=weights)
        # A removed column is constant up to rounding of its mean; dividing by that rounding
        # would make noise of it.
        is_constant = variance <= (1e-10 * np.maximum(np.abs(centre), 1e-300)) ** 2
        return cls(centre, np.where(is_constant, 1.0, np.sqrt(variance)))

    @classmethod
    def identity(cls) -> Scaling:
        """Return the scaling that changes nothing."""
        return cls(np.zeros(()), np.ones(()))

    def scale(self, values: Matrix | Vector) -> np.ndarray:
        """Return the values centred and divided by the spread."""
        return (values - self.centre) / self.spread

    def unscale(self, values: np.ndarray) -> np.ndarray:
        """Return scaled values on their own scale again."""
        return values * self.spread + self.centre
