"""A set of rows: features, target and weights that belong together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lukewarm._typing import Features, FeatureSet, Vector
from lukewarm.data._removal import Removal


@dataclass(frozen=True)
class Rows:
    """Features (n, p), target (n,) and, where given, weights (n,) of the same n rows."""

    X: Features
    y: Vector
    weights: Vector | None = None

    def __len__(self) -> int:
        return len(self.y)

    def without(self, removed: FeatureSet, removal: Removal) -> Rows:
        """Return these rows with the columns in `removed` held at their fill values."""
        return replace(self, X=removal.apply(self.X, removed)) if removed else self
