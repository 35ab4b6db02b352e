"""A forest averaged over draws of some columns, in one pass through its trees.

Draws of a row differ in the removed columns only, so they take the same way until a split asks for
one of those. There the draws part: a set of draws is a word of 64 bits, and a split takes it apart
into those that go left and those that go right. A leaf counts with the weight of the draws that
arrive. The price is that of the ways that differ, not of as many predictions as there are draws.

A node is 16 bytes, so that a step costs one line of the cache. scikit-learn compares values in
single precision with thresholds in double precision; the largest single number that is not above
the threshold decides alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lukewarm._typing import Matrix
from lukewarm.learners.boosting._compiled import compiled

# Which draws reach a node are the bits of one word.
MOST_DRAWS = 64
_NODE = np.dtype(
    [("feature", np.int32), ("threshold", np.float32), ("left", np.int32), ("right", np.int32)]
)


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees of scikit-learn laid end to end.

    Parameters
    ----------
    roots : ndarray of shape (n_trees,)
    nodes : structured ndarray of shape (n_nodes,)
        A leaf has -1 as its left child.
    values : ndarray of shape (n_nodes, n_outputs)
        Divided by the number of trees; class shares for classifiers.
    depth : int
        Of the deepest tree.
    """

    roots: np.ndarray
    nodes: np.ndarray
    values: Matrix
    depth: int

    @classmethod
    def of(cls, estimators: Sequence[Any], *, of_classes: bool) -> Trees:
        """Return the trees of fitted estimators: of one classification, or of all targets."""
        trees = [each.tree_ for each in estimators]
        roots = np.cumsum([0, *(tree.node_count for tree in trees)])
        nodes = np.empty(roots[-1], dtype=_NODE)
        values = np.empty((roots[-1], trees[0].value.shape[2 if of_classes else 1]))
        for root, end, tree in zip(roots[:-1], roots[1:], trees, strict=True):
            part = nodes[root:end]
            part["feature"] = tree.feature
            part["threshold"] = _not_above(tree.threshold)
            for side in ("left", "right"):
                child = getattr(tree, f"children_{side}")
                part[side] = np.where(child < 0, -1, child + root)
            values[root:end] = tree.value[:, 0, :] if of_classes else tree.value[:, :, 0]
        if of_classes:
            values /= values.sum(axis=1, keepdims=True)
        depth = max(tree.max_depth for tree in trees)
        return cls(roots[:-1], nodes, values / len(trees), depth)

    def average(self, X: Matrix, columns: Sequence[int], draws: Matrix, weights: Matrix) -> Matrix:
        """Return the mean predictions over draws, shape (n, n_outputs).

        Parameters
        ----------
        X : ndarray of shape (n, p)
        columns : sequence of int
            Those that are drawn.
        draws : ndarray of shape (n_columns, n, m)
        weights : ndarray of shape (n, m)
        """
        place = np.full(X.shape[1], -1)
        place[list(columns)] = np.arange(len(columns))
        total = np.zeros((len(X), self.values.shape[1]))
        _add_draws(
            np.ascontiguousarray(X, dtype=np.float32),
            place,
            np.ascontiguousarray(draws, dtype=np.float32),
            np.ascontiguousarray(weights, dtype=float),
            self.roots,
            self.nodes,
            self.values,
            self.depth,
            total,
        )
        return total


def _not_above(threshold: np.ndarray) -> np.ndarray:
    single = threshold.astype(np.float32)
    return np.where(single > threshold, np.nextafter(single, np.float32(-np.inf)), single)


@compiled
def _at_most(draws: np.ndarray, threshold: float) -> np.uint64:
    """Return the set of draws that are not above the threshold."""
    some = np.uint64(0)
    for draw in range(len(draws)):
        if draws[draw] <= threshold:
            some |= np.uint64(1) << np.uint64(draw)
    return some


@compiled
def _weight_of(some: np.uint64, weights: np.ndarray) -> float:
    """Return the weight of a set of draws."""
    weight = 0.0
    for draw in range(len(weights)):
        if (some >> np.uint64(draw)) & np.uint64(1):
            weight += weights[draw]
    return weight


@compiled
def _add_draws(
    X: np.ndarray,
    place: np.ndarray,
    draws: np.ndarray,
    weights: np.ndarray,
    roots: np.ndarray,
    nodes: np.ndarray,
    values: np.ndarray,
    depth: int,
    total: np.ndarray,
) -> None:
    """Add to `total` the sum over trees of the mean over draws.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
    place : ndarray of int, shape (n_columns,)
        The number of a drawn column in `draws`; -1 for columns that are not drawn.
    draws : ndarray of shape (n_drawn, n_rows, n_draws)
    weights : ndarray of shape (n_rows, n_draws)
    roots : ndarray of int
        The node that each tree begins with.
    nodes : record array
        `left`, `right`, `feature` and `threshold` of each node; `left` is negative in a leaf.
    values : ndarray of shape (n_nodes, n_outputs)
    depth : int
        Of the deepest tree.
    total : ndarray of shape (n_rows, n_outputs)
    """
    n_rows, n_draws = weights.shape
    one = np.uint64(1)
    every = ~np.uint64(0) if n_draws == 64 else (one << np.uint64(n_draws)) - one
    # Of the ways still to go, at most one waits at each depth.
    waiting = np.empty(depth + 2, dtype=np.int64)
    sets = np.empty(depth + 2, dtype=np.uint64)
    for root in roots:
        for row in range(n_rows):
            waiting[0], sets[0], n_waiting = root, every, 1
            while n_waiting > 0:
                n_waiting -= 1
                node, some = waiting[n_waiting], sets[n_waiting]
                while nodes[node].left >= 0:
                    here = nodes[node]
                    drawn = place[here.feature]
                    if drawn < 0:
                        goes_left = X[row, here.feature] <= here.threshold
                        node = here.left if goes_left else here.right
                        continue
                    lefts = _at_most(draws[drawn, row], here.threshold)
                    left, right = some & lefts, some & ~lefts
                    if left == 0:
                        node = here.right
                    elif right == 0:
                        node = here.left
                    else:
                        waiting[n_waiting], sets[n_waiting] = here.right, right
                        n_waiting += 1
                        node, some = here.left, left
                weight = _weight_of(some, weights[row])
                for output in range(values.shape[1]):
                    total[row, output] += weight * values[node, output]
