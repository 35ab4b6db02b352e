"""The nodes that trees with splits of their own in every node can have, and how they follow.

A regular tree splits each node by itself, whatever its siblings do. So a node is a box of bins, its
future depends on the box alone, and the mean over all trees is a sum over boxes:

    K(i, j) = sum over boxes of P(the box is a leaf) 1{i and j in the box} / rows in the box.

The probabilities flow from the root down: a box hands its own on to both children of each split,
times the chance of that split. Boxes that several paths lead to are one node of this graph, so its
size is the number of boxes and not that of trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.kernels.trees._cells import Borders, Cells
from lukewarm.kernels.trees._law import choice_weights

# Each takes a row of the membership matrix; beyond, memory runs out before patience does.
_MOST_BOXES = 200_000

Box = tuple[tuple[int, int], ...]
"""Per feature, the first and the last bin inside."""


@dataclass(frozen=True, eq=False)
class BoxGraph:
    """All nodes of all regular trees of some depth that have rows on both sides of every split.

    Parameters
    ----------
    boxes : ndarray of shape (n_boxes, p, 2)
        First and last bin, parents before their children.
    membership : ndarray of shape (n_boxes, n_cells), bool
    n_rows : ndarray of shape (n_boxes,)
    parent, left, right : ndarrays of shape (n_edges,)
        A possible split of a box; splits of one box stand together, ascending by box.
    level_ends : tuple of int
        Where the edges of boxes of each level end: 0, that of the root, those of its children, ...
    """

    boxes: np.ndarray
    membership: np.ndarray
    n_rows: Vector
    parent: np.ndarray
    left: np.ndarray
    right: np.ndarray
    level_ends: tuple[int, ...]

    @classmethod
    def grow(cls, cells: Cells, borders: Borders, depth: int) -> BoxGraph:
        """Return the graph of trees of at most `depth` splits along each path."""
        root: Box = tuple((0, len(edges)) for edges in borders)
        found: list[Box] = [root]
        edges: list[tuple[int, int, int]] = []
        ends, level = [0], [0]
        for _ in range(depth):
            # A box is a node of its level: on another level it has other splits ahead.
            numbers: dict[Box, int] = {}
            for number in level:
                for pair in _splits(found[number], cells):
                    for child in pair:
                        if child not in numbers:
                            numbers[child] = len(found)
                            found.append(child)
                    edges.append((number, numbers[pair[0]], numbers[pair[1]]))
            if len(found) > _MOST_BOXES:
                raise ValueError(
                    f"trees of depth {depth} have more than {_MOST_BOXES} different nodes here; "
                    "use fewer borders or a smaller depth."
                )
            ends.append(len(edges))
            level = list(numbers.values())
        boxes = np.array(found, dtype=np.int64).reshape(len(found), len(borders), 2)
        membership = inside(boxes, cells.bins)
        parent, left, right = np.array(edges, dtype=np.int64).reshape(-1, 3).T
        return cls(boxes, membership, membership @ cells.counts, parent, left, right, tuple(ends))

    def leaf_weights(self, sums: Vector | None, strength: float) -> Vector:
        """Return the probability of each box to be a leaf, shape (n_boxes,).

        Parameters
        ----------
        sums : ndarray of shape (n_cells,), or None
            Of the residuals in each cell; None for splits that are all as likely.
        strength : float
            beta; 0 for the best split, ties with equal chances.
        """
        chances = self._chances(sums, strength)
        # Level by level: all edges into a box come from the level above, so its probability is
        # complete before it is handed on.
        reached = np.zeros(len(self.boxes))
        reached[0] = 1.0
        is_split = np.zeros(len(self.boxes), dtype=bool)
        is_split[self.parent] = True
        for first, last in zip(self.level_ends[:-1], self.level_ends[1:], strict=True):
            edge = slice(first, last)
            flow = reached[self.parent[edge]] * chances[edge]
            np.add.at(reached, self.left[edge], flow)
            np.add.at(reached, self.right[edge], flow)
        return np.where(is_split, 0.0, reached)

    def _chances(self, sums: Vector | None, strength: float) -> Vector:
        """Return the chance of each edge among those of its parent, shape (n_edges,)."""
        if sums is None:
            weights = np.ones(len(self.parent))
        else:
            # D of SampleTree, less what all splits of a box share.
            parts = (self.membership @ sums) ** 2 / self.n_rows / self.n_rows[0]
            scores = parts[self.left] + parts[self.right]
            best = np.full(len(self.boxes), -np.inf)
            np.maximum.at(best, self.parent, scores)
            weights = choice_weights(scores, best[self.parent], strength)
        totals = np.bincount(self.parent, weights, minlength=len(self.boxes))
        return weights / totals[self.parent]

    def cell_kernel(self, weights: Vector, bins: np.ndarray | None = None) -> Matrix:
        """Return the kernel between cells, (n_cells, n_cells), or between cells and other bins."""
        kept = weights > 0
        ours = self.membership[kept] * (weights[kept] / self.n_rows[kept])[:, None]
        theirs = self.membership[kept] if bins is None else inside(self.boxes[kept], bins)
        return ours.T @ theirs.astype(float)


def inside(boxes: np.ndarray, bins: np.ndarray) -> np.ndarray:
    """Return which boxes hold which rows of bins, shape (n_boxes, n)."""
    held = np.ones((len(boxes), len(bins)), dtype=bool)
    for feature in range(boxes.shape[1]):
        of_rows = bins[:, feature]
        held &= (boxes[:, feature, :1] <= of_rows) & (of_rows <= boxes[:, feature, 1:])
    return held


def _splits(box: Box, cells: Cells) -> Iterator[tuple[Box, Box]]:
    """Yield the two halves of a box for every border with rows on both of its sides."""
    held = inside(np.array([box], dtype=np.int64), cells.bins)[0]
    for feature, (first, last) in enumerate(box):
        of_rows = cells.bins[held, feature]
        # Borders beyond the rows in the box would leave a child empty.
        for border in range(max(first, of_rows.min()), min(last, of_rows.max())):
            yield (
                (*box[:feature], (first, border), *box[feature + 1 :]),
                (*box[:feature], (border + 1, last), *box[feature + 1 :]),
            )
