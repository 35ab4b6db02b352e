"""Extremely randomised trees on bin codes: a local average of whatever is left to explain.

Boosted trees of depth four smooth; what a forest makes of close neighbours is finer than they are.
A tree here splits a node at a random code of each of some random columns, keeps the best of these
splits, and goes on to leaves of two rows (Geurts, Ernst and Wehenkel 2006). Nothing is sorted and
no histogram is built: a node costs two passes over its rows, whose codes lie side by side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Vector
from lukewarm.learners.boosting._compiled import compiled
from lukewarm.learners.boosting._rng import next_state, start_stream, uniform

# Of a leaf: single rows would give their own noise back, more would smooth what trees are here for.
_LEAST_ROWS = 2
# Columns tried at a node. More would cost time; their best split is hardly better.
_MOST_TRIED = 5
_NODE = np.dtype(
    [("column", np.int16), ("code", np.uint8), ("left", np.int32), ("value", np.float64)]
)


@dataclass(frozen=True, eq=False)
class RandomTrees:
    """Trees laid end to end; the right child follows the left one, a leaf has none (0).

    Examples
    --------
    >>> codes = np.arange(40, dtype=np.uint8)[:, np.newaxis]
    >>> trees = RandomTrees.fit(codes, np.where(codes[:, 0] < 20, 1.0, 3.0), n_trees=30)
    >>> trees.predict(np.array([[5], [35]], dtype=np.uint8)).round()
    array([1., 3.])
    """

    nodes: np.ndarray
    roots: np.ndarray

    @classmethod
    def fit(
        cls, codes: np.ndarray, target: Vector, weights: Vector | None = None, *, n_trees: int
    ) -> RandomTrees:
        """Return trees that average the target among rows with much the same codes.

        Parameters
        ----------
        codes : ndarray of shape (n, p), uint8
        target, weights : ndarray of shape (n,)
        n_trees : int
        """
        n_rows = len(codes)
        weights = np.ones(n_rows) if weights is None else weights
        # A tree has fewer than twice as many nodes as leaves.
        most = 2 * max(n_rows // _LEAST_ROWS, 1)
        parts, roots, n_nodes = [], [], 0
        codes = np.ascontiguousarray(codes)
        for number in range(n_trees):
            nodes = np.zeros(most, dtype=_NODE)
            used = _grow(codes, target, weights, number, nodes)
            parts.append(nodes[:used])
            roots.append(n_nodes)
            n_nodes += used
        return cls(np.concatenate(parts), np.array(roots))

    def predict(self, codes: np.ndarray) -> Vector:
        """Return the mean of the trees' values at the rows' codes, shape (n,)."""
        total = np.zeros(len(codes))
        _add_values(np.ascontiguousarray(codes), self.nodes, self.roots, total)
        return total / len(self.roots)


@compiled
def _grow(
    codes: np.ndarray, target: np.ndarray, weights: np.ndarray, number: int, nodes: np.ndarray
) -> int:
    """Grow one tree into `nodes` and return how many it has."""
    n_rows, n_columns = codes.shape
    state = start_stream(0, number)
    rows, order = np.arange(n_rows), np.arange(n_columns)
    n_tried = min(n_columns, _MOST_TRIED)
    bounds, sums = np.empty((n_tried, 3), np.int64), np.empty((n_tried, 3))
    # A stack of nodes that are still to be split: number, first and last row.
    waiting = np.empty((n_rows + 1, 3), np.int64)
    waiting[0] = 0, 0, n_rows
    n_waiting, n_nodes = 1, 1
    while n_waiting > 0:
        n_waiting -= 1
        node, start, end = waiting[n_waiting]
        total, mass = 0.0, 0.0
        for row in rows[start:end]:
            total += weights[row] * target[row]
            mass += weights[row]
        nodes[node].value = total / mass if mass > 0 else 0.0
        # No split could leave enough rows on both sides.
        if end - start < 2 * _LEAST_ROWS:
            continue
        state = _draw_splits(codes, rows[start:end], order, bounds, state)
        _sum_sides(codes, target, weights, rows[start:end], order, bounds, sums)
        best = _best_of(sums, total, mass, end - start)
        if best < 0:
            continue
        column, code = order[best], bounds[best, 2]
        middle = start + _part(codes, rows[start:end], column, code)
        nodes[node].column, nodes[node].code, nodes[node].left = column, code, n_nodes
        waiting[n_waiting] = n_nodes, start, middle
        waiting[n_waiting + 1] = n_nodes + 1, middle, end
        n_waiting += 2
        n_nodes += 2
    return n_nodes


@compiled
def _draw_splits(
    codes: np.ndarray, rows: np.ndarray, order: np.ndarray, bounds: np.ndarray, state: np.uint64
) -> np.uint64:
    """Put columns first in `order`, and in `bounds` their lowest, highest and a random code."""
    n_columns = len(order)
    for tried in range(len(bounds)):
        # The first places of a shuffle (Fisher and Yates): columns without replacement.
        other = tried + int(uniform(state) * (n_columns - tried))
        state = next_state(state)
        order[tried], order[other] = order[other], order[tried]
        bounds[tried, 0], bounds[tried, 1] = 255, 0
    for row in rows:
        for tried in range(len(bounds)):
            code = np.int64(codes[row, order[tried]])
            bounds[tried, 0] = min(bounds[tried, 0], code)
            bounds[tried, 1] = max(bounds[tried, 1], code)
    for tried in range(len(bounds)):
        lowest, highest = bounds[tried, 0], bounds[tried, 1]
        # Below the highest: a test passes rows on both sides, unless the column is constant here.
        bounds[tried, 2] = lowest + int(uniform(state) * (highest - lowest))
        state = next_state(state)
    return state


@compiled
def _sum_sides(
    codes: np.ndarray,
    target: np.ndarray,
    weights: np.ndarray,
    rows: np.ndarray,
    order: np.ndarray,
    bounds: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Set `sums` to the weighted sum, the weight and the number of the rows left of each split."""
    sums[:] = 0.0
    for row in rows:
        mass = weights[row]
        value = mass * target[row]
        for tried in range(len(bounds)):
            # As a factor: whether a row is left of a random split is a guess for the processor.
            is_left = 1.0 if codes[row, order[tried]] <= bounds[tried, 2] else 0.0
            sums[tried, 0] += is_left * value
            sums[tried, 1] += is_left * mass
            sums[tried, 2] += is_left


@compiled
def _best_of(sums: np.ndarray, total: float, mass: float, n_rows: int) -> int:
    """Return the split that leaves the least squares; -1 where none leaves rows on both sides."""
    best, most = -1, -np.inf
    for tried in range(len(sums)):
        left, left_mass, n_left = sums[tried]
        right_mass = mass - left_mass
        if min(n_left, n_rows - n_left) < _LEAST_ROWS or min(left_mass, right_mass) <= 0:
            continue
        # The total sum of squares is the same for all splits and left out.
        gain = left**2 / left_mass + (total - left) ** 2 / right_mass
        if gain > most:
            best, most = tried, gain
    return best


@compiled
def _part(codes: np.ndarray, rows: np.ndarray, column: int, code: int) -> int:
    """Put the rows left of the split first and return how many they are."""
    first, last = 0, len(rows) - 1
    while first <= last:
        if codes[rows[first], column] <= code:
            first += 1
        else:
            rows[first], rows[last] = rows[last], rows[first]
            last -= 1
    return first


@compiled
def _add_values(codes: np.ndarray, nodes: np.ndarray, roots: np.ndarray, total: np.ndarray) -> None:
    for root in roots:
        for row in range(len(codes)):
            node = 0
            while nodes[root + node].left > 0:
                here = nodes[root + node]
                # The right child follows the left one.
                node = here.left + (codes[row, here.column] > here.code)
            total[row] += nodes[root + node].value
