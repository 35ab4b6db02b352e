"""A set of rows: features, target and weights that belong together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

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

    def at(self, numbers: np.ndarray) -> Rows:
        """Return the rows with these numbers."""
        X = self.X.iloc[numbers] if isinstance(self.X, pd.DataFrame) else self.X[numbers]
        return Rows(X, self.y[numbers], None if self.weights is None else self.weights[numbers])

    def without(self, removed: FeatureSet, removal: Removal) -> Rows:
        """Return these rows with the columns in `removed` held at their fill values."""
        return replace(self, X=removal.apply(self.X, removed)) if removed else self
