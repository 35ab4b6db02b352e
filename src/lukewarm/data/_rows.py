"""A set of rows: features, target, weights and groups that belong together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from lukewarm._typing import Features, FeatureSet, Vector
from lukewarm.data._removal import Fill


@dataclass(frozen=True)
class Rows:
    """Features, target and, where given, weights and groups of the same n rows.

    Parameters
    ----------
    X : Features of shape (n, p)
    y : ndarray of shape (n,)
        Of several outputs a column for each, (n, k).
    weights : ndarray of shape (n,), optional
    clusters : ndarray of shape (n,), optional
        Which rows belong together.
    """

    X: Features
    y: Vector
    weights: Vector | None = None
    clusters: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.y)

    def at(self, numbers: np.ndarray) -> Rows:
        """Return the rows with these numbers."""
        X = self.X.iloc[numbers] if isinstance(self.X, pd.DataFrame) else self.X[numbers]
        weights, clusters = (
            None if each is None else each[numbers] for each in (self.weights, self.clusters)
        )
        return Rows(X, self.y[numbers], weights, clusters)

    def without(self, removed: FeatureSet, fill: Fill) -> Rows:
        """Return these rows with the columns in `removed` filled."""
        return replace(self, X=fill.apply(self.X, removed)) if removed else self


def joined(first: Rows, second: Rows) -> Rows:
    """Return the rows of both, those of `first` before those of `second`."""
    weights = None
    if first.weights is not None and second.weights is not None:
        weights = np.concatenate([first.weights, second.weights])
    clusters = None
    if first.clusters is not None and second.clusters is not None:
        clusters = np.concatenate([first.clusters, second.clusters])
    target = np.concatenate([first.y, second.y])
    return Rows(_stacked(first.X, second.X), target, weights, clusters)


def _stacked(first: Features, second: Features) -> Features:
    if isinstance(first, pd.DataFrame):
        return pd.concat([first, second], ignore_index=True)
    if not isinstance(first, np.ndarray):
        raise TypeError(
            f"rows in a learner's own form ({type(first).__name__}) cannot be joined; pass the "
            "table itself."
        )
    return np.concatenate([first, second])
