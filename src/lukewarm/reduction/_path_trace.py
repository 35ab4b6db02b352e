"""The trace of a method that computes a whole path of models at once."""

from __future__ import annotations

from dataclasses import dataclass

from lukewarm._typing import Vector
from lukewarm.results import TrainingTrace


@dataclass(frozen=True, eq=False)
class PathTrace(TrainingTrace):
    """A training trace whose steps are the points of a path.

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
