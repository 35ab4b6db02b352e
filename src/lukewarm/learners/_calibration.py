"""Platt scaling: how confident a classifier's margins may be once features are gone.

A classifier's margins, (n, d) with d = 1 for two classes, are log-odds that were right with all
features. With some held at a constant they are as large as before and less often right, so that
training has to undo confidence before it can learn. Platt scaling measures that: of all p =
softmax(a + b * margin), a of shape (d,) and one slope b, the one with the least log-loss on
held-out rows. It is fitted to the margins with all features, (a0, b0), and without some, (a1, b1).
What is applied is only the change from the one to the other, margin -> a + b * margin with b = b1
/ min(b0, 1), at most 1: a warm start must not repair what was wrong with the full model, which
would count as a negative importance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from lukewarm._typing import Vector

_LARGEST_SCALE = 10.0  # where classes can be told apart exactly, no scale is large enough
_NO_CONFIDENCE = 0.01  # of margins that say nothing about y
# Picks one of many minima where margins are constant; beside the curvature of a log-loss in a
# parameter that margins determine it is nothing.
_RIDGE = 1e-6


@dataclass(frozen=True, eq=False)
class PlattScaling:
    """offset + scale * margin predicts a set of rows best.

    Parameters
    ----------
    offset : ndarray of shape (d,)
    scale : float
        Below 1 where margins promise more than they keep.
    """

    offset: np.ndarray
    scale: float

    @classmethod
    def fit(cls, margin: np.ndarray, y: Vector, weights: Vector | None) -> PlattScaling:
        """Return the offset and scale of least log-loss for margins (n, d) and class codes.

        Parameters
        ----------
        margin : ndarray of shape (n, d)
            One column for two classes, else one for each.
        y : ndarray of shape (n,)
            Class codes.
        weights : ndarray of shape (n,), optional
        """
        d = margin.shape[1]
        share = np.full(len(y), 1 / len(y)) if weights is None else weights / weights.sum()
        codes = y.astype(int)

        def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
            scores = parameters[:d] + parameters[d] * margin
            if d == 1:
                scores = np.hstack([np.zeros_like(scores), scores])
            log_shares = log_softmax(scores, axis=1)
            value = -share @ log_shares[np.arange(len(y)), codes]
            slope = np.exp(log_shares)
            slope[np.arange(len(y)), codes] -= 1
            slope = share[:, np.newaxis] * slope[:, -d:]
            gradient = np.append(slope.sum(axis=0), np.sum(slope * margin))
            pull = parameters - start
            return value + _RIDGE * pull @ pull, gradient + 2 * _RIDGE * pull

        start = np.append(np.zeros(d), 1.0)
        bounds = [(None, None)] * d + [(0.0, _LARGEST_SCALE)]
        solution = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
        return cls(solution[:d], float(solution[d]))

    def relative_to(self, full: PlattScaling) -> PlattScaling:
        """Return what makes margins of this confidence no surer than a full model's were.

        They are shrunk where they promise more than the full model's, but for what those promised
        too little, and moved by as much as their balance of classes has moved.
        """
        allowed = min(full.scale, 1.0)
        moved = full.offset / full.scale
        if self.scale >= allowed:
            return PlattScaling(self.offset / self.scale - moved, 1.0)
        return PlattScaling(self.offset / allowed - moved, self.scale / allowed)


def calibration(
    margin: np.ndarray, before: np.ndarray, y: Vector, weights: Vector | None
) -> PlattScaling | None:
    """Return what makes margins (n, d) no surer than they were `before`; None for nothing.

    Parameters
    ----------
    margin, before : ndarrays of shape (n, d)
        Of the model without some columns, and of the full one.
    y : ndarray of shape (n,)
        Class codes.
    weights : ndarray of shape (n,), optional
    """
    full = PlattScaling.fit(before, y, weights)
    if full.scale < _NO_CONFIDENCE:
        return None
    return PlattScaling.fit(margin, y, weights).relative_to(full)
