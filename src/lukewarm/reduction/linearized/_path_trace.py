"""The trace of a method that computes a whole path of models at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Vector
from lukewarm.results import ClosedFormTrace


@dataclass(frozen=True, eq=False)
class PathTrace(ClosedFormTrace):
    """A trace along the points of a path.

    Parameters
    ----------
    losses : ndarray of shape (n_points,)
        Loss at each point; the first is the full model without its removed features.
    stopped_step : int
        The point that was kept.
    path : ndarray of shape (n_points,)
        Cumulative step size (or ridge penalty, or size of the one step) at each point.
    eigenvalues : ndarray of shape (rank,)
        Of the kernel divided by the number of rows, descending.
    """

    path: Vector
    eigenvalues: Vector

    def after(self, earlier: PathTrace) -> PathTrace:
        """Return the trace that goes to where `earlier` stopped, and from there along this one.

        Examples
        --------
        >>> points, none = np.array([0.0, 1.0, 2.0]), np.zeros(0)
        >>> first = PathTrace(np.array([9.0, 4.0, 5.0]), 1, points, none)
        >>> both = PathTrace(np.array([4.0, 3.0, 2.0]), 2, points, none).after(first)
        >>> both.path.tolist(), both.losses.tolist(), both.stopped_step
        ([0.0, 1.0, 1.0, 2.0, 3.0], [9.0, 4.0, 4.0, 3.0, 2.0], 4)
        """
        kept = slice(earlier.stopped_step + 1)
        return PathTrace(
            np.concatenate([earlier.losses[kept], self.losses]),
            earlier.stopped_step + 1 + self.stopped_step,
            np.concatenate([earlier.path[kept], earlier.path[earlier.stopped_step] + self.path]),
            self.eigenvalues,
        )
