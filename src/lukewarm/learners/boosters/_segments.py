"""Trees trained in one go, and the margins that are kept of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lukewarm._typing import Features


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


class MarginCache:
    """The last margin of the two matrices a training loop asks about: training and stopping rows.

    Matrices are told apart by identity; nothing inside the library writes to one after use.
    """

    def __init__(self) -> None:
        self._entries: list[tuple[Any, int, np.ndarray]] = []

    def recall(self, X: Features, step: int) -> tuple[int, np.ndarray | None]:
        for matrix, cached_step, margin in self._entries:
            if matrix is X and cached_step <= step:
                return cached_step, margin
        return 0, None

    def keep(self, X: Features, step: int, margin: np.ndarray) -> None:
        others = [entry for entry in self._entries if entry[0] is not X]
        self._entries = [*others[-1:], (X, step, margin)]

    def forget(self) -> None:
        self._entries = []
