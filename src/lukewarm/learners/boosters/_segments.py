"""Trees trained in one go, and the margins that are kept of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np


class Segment(Protocol):
    """Trees trained in one go; margins have shape (n, d), d > 1 for several classes."""

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        ...

    def first(self, n_trees: int) -> Segment:
        """Return the segment of the first `n_trees` trees."""
        ...

    def margin(self, data: Any) -> np.ndarray:
        """Return what all the trees add, (n, d)."""
        ...

    def staged_margins(self, data: Any, start: int) -> np.ndarray:
        """Return what trees start+1 .. t add, for every t > start: (n_trees - start, n, d)."""
        ...


@dataclass(frozen=True, eq=False)
class CalibratedTrees:
    """Trees that count `scale` times as much, from an offset of shape (d,)."""

    trees: Segment
    scale: float
    offset: np.ndarray

    @property
    def n_trees(self) -> int:
        return self.trees.n_trees

    def first(self, n_trees: int) -> CalibratedTrees:
        return CalibratedTrees(self.trees.first(n_trees), self.scale, self.offset)

    def margin(self, data: Any) -> np.ndarray:
        return self.offset + self.scale * self.trees.margin(data)

    def staged_margins(self, data: Any, start: int) -> np.ndarray:
        added = self.scale * self.trees.staged_margins(data, start)
        return added if start else self.offset + added
