"""A forest averaged over draws of some columns, a few of which each tree takes.

The mean over m draws and T trees is a mean over m T ways from a root to a leaf. Trees differ among
each other more than draws do within one, so it is the number of trees that counts: each takes a few
of the draws, in turns, so that every draw is taken as often as every other. Small forests take all.

A split is 16 bytes, so that a step costs one line of the cache, and leaves are none: a child below
zero is the number of a leaf. Rows go through a tree side by side, those that are alike together,
and which child is next is found by arithmetic: one row's way alone would wait for memory at every
step. scikit-learn compares values in single precision with thresholds in double precision; the
largest single number that is not above the threshold decides alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lukewarm._typing import Matrix
from lukewarm.learners.boosting._compiled import compiled

# Draws of unequal weights are taken as so many of equal ones, or as many as there are.
_EQUAL_DRAWS = 64
# Rows that go through a tree together: fewer wait for memory, more do not fit into registers.
_SIDE_BY_SIDE = 8
# Fields of a split; its threshold is read from the same memory, seen as single numbers.
_FEATURE, _THRESHOLD, _LEFT, _RIGHT = range(4)


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees of scikit-learn laid end to end.

    Parameters
    ----------
    roots : ndarray of shape (n_trees,)
        Numbers of splits; below zero where a tree is one leaf.
    splits : ndarray of shape (n_splits, 4), int32
        Feature, threshold (as the bits of a single number), left and right child. A child below
        zero is leaf -1 - child.
    values : ndarray of shape (n_leaves, n_outputs)
        Divided by the number of trees; class shares for classifiers.
    """

    roots: np.ndarray
    splits: np.ndarray
    values: Matrix

    @classmethod
    def of(cls, estimators: Sequence[Any], *, of_classes: bool) -> Trees:
        """Return the trees of fitted estimators: of one classification, or of all targets."""
        trees = [each.tree_ for each in estimators]
        roots, splits, values = [], [], []
        n_splits, n_leaves = 0, 0
        for tree in trees:
            is_leaf = tree.children_left < 0
            # The number of a node among all splits, or of a leaf among all leaves.
            number = np.where(
                is_leaf, -n_leaves - np.cumsum(is_leaf), n_splits - 1 + np.cumsum(~is_leaf)
            ).astype(np.int32)
            part = np.empty((np.count_nonzero(~is_leaf), 4), dtype=np.int32)
            part[:, _FEATURE] = tree.feature[~is_leaf]
            part[:, _THRESHOLD] = _not_above(tree.threshold[~is_leaf]).view(np.int32)
            part[:, _LEFT] = number[tree.children_left[~is_leaf]]
            part[:, _RIGHT] = number[tree.children_right[~is_leaf]]
            roots.append(number[0])
            splits.append(part)
            values.append(tree.value[is_leaf, 0, :] if of_classes else tree.value[is_leaf, :, 0])
            n_splits += len(part)
            n_leaves += len(values[-1])
        leaves = np.concatenate(values)
        if of_classes:
            leaves = leaves / leaves.sum(axis=1, keepdims=True)
        return cls(np.array(roots), np.concatenate(splits), leaves / len(trees))

    @cached_property
    def used_columns(self) -> frozenset[int]:
        """The columns that some tree splits on."""
        return frozenset(np.unique(self.splits[:, _FEATURE]).tolist())

    def average(
        self, X: Matrix, columns: Sequence[int], draws: Matrix, weights: Matrix, n_ways: int
    ) -> Matrix:
        """Return the mean predictions over draws, shape (n, n_outputs).

        Parameters
        ----------
        X : ndarray of shape (n, p)
        columns : sequence of int
            Those that are drawn.
        draws : ndarray of shape (m, n_columns, n)
        weights : ndarray of shape (m, n)
            They sum to one over the draws.
        n_ways : int
            Ways through trees for each row, at least, where there are as many.
        """
        n_trees, n_draws = len(self.roots), len(draws)
        draws = np.asarray(draws, dtype=np.float32)
        taken = np.ones((n_trees, n_draws), dtype=bool)
        if n_trees * n_draws > n_ways:
            draws = _of_equal_weight(draws, weights)
            each = min(-(-n_ways // n_trees), len(draws))
            taken = _in_turns(n_trees, len(draws), each)
            weights = np.broadcast_to(1 / each, (len(draws), len(X)))
        filled = np.array(X, dtype=np.float32, order="C")
        order = self._alike_together(filled)
        filled = filled[order]
        total = np.zeros((len(X), self.values.shape[1]))
        for draw, values in enumerate(draws):
            filled[:, list(columns)] = values.T[order]
            _add_trees(
                filled,
                np.array(weights[draw], dtype=float)[order],
                self.roots[taken[:, draw]],
                self.splits,
                self._thresholds,
                self.values,
                total,
            )
        in_order = np.empty_like(total)
        in_order[order] = total
        return in_order

    @property
    def _thresholds(self) -> np.ndarray:
        return self.splits.view(np.float32)

    def _alike_together(self, X: np.ndarray) -> np.ndarray:
        """Return an order of the rows by the leaves of a tree: neighbours share most of a way."""
        leaves = np.empty(len(X), dtype=np.int32)
        _reach_leaves(X, self.roots[0], self.splits, self._thresholds, leaves)
        return np.argsort(leaves, kind="stable")


def _of_equal_weight(draws: np.ndarray, weights: Matrix) -> np.ndarray:
    """Return draws (k, n_columns, n) that count alike, each draw as often as it weighs.

    The shares of a row's distribution are spread evenly; where in its first share a row begins has
    nothing to do with the order of the rows, so over all rows no draw is left out.
    """
    if np.allclose(weights, 1 / len(weights), rtol=1e-9, atol=0.0):
        return draws
    n_rows = weights.shape[1]
    begins = (np.random.default_rng(0).permutation(n_rows) + 0.5) / n_rows
    cumulative = np.cumsum(weights, axis=0)
    n_equal = max(_EQUAL_DRAWS, len(draws))
    equal = np.empty((n_equal, *draws.shape[1:]), dtype=np.float32)
    for number in range(n_equal):
        chosen = (cumulative < (number + begins) / n_equal).sum(axis=0)
        chosen = np.minimum(chosen, len(draws) - 1)
        equal[number] = draws[chosen, :, np.arange(n_rows)].T
    return equal


def _in_turns(n_trees: int, n_draws: int, each: int) -> np.ndarray:
    """Return which tree takes which draws, shape (n_trees, n_draws): `each` of them, far apart.

    Examples
    --------
    >>> _in_turns(4, 4, 2).astype(int)
    array([[1, 0, 1, 0],
           [0, 1, 0, 1],
           [1, 0, 1, 0],
           [0, 1, 0, 1]])
    """
    places = np.arange(n_trees)[:, np.newaxis] + np.arange(each) * n_draws // each
    taken = np.zeros((n_trees, n_draws), dtype=bool)
    np.put_along_axis(taken, places % n_draws, values=True, axis=1)
    return taken


def _not_above(threshold: np.ndarray) -> np.ndarray:
    """Return the largest single numbers that are not above the thresholds."""
    single = threshold.astype(np.float32)
    return np.where(single > threshold, np.nextafter(single, np.float32(-np.inf)), single)


@compiled
def _reach_leaves(
    X: np.ndarray, root: int, splits: np.ndarray, thresholds: np.ndarray, leaves: np.ndarray
) -> None:
    """Set `leaves` (n,) to where the rows end; `thresholds` are `splits` as single numbers."""
    n_rows = len(X)
    nodes, rows = np.empty(_SIDE_BY_SIDE, np.int32), np.empty(_SIDE_BY_SIDE, np.uint64)
    for begin in range(0, n_rows, _SIDE_BY_SIDE):
        for place in range(_SIDE_BY_SIDE):
            nodes[place] = root
            # Past the end the last row goes along again.
            rows[place] = min(begin + place, n_rows - 1)
        is_going = True
        while is_going:
            is_going = False
            for place in range(_SIDE_BY_SIDE):
                # Who has arrived asks the first split along, and stays. Numbers without a sign
                # are not looked at for counting from the end.
                node = nodes[place]
                split = np.uint64(max(node, 0))
                value = X[rows[place], np.uint64(splits[split, _FEATURE])]
                is_above = np.uint64(value > thresholds[split, _THRESHOLD])
                child = splits[split, np.uint64(_LEFT) + is_above]
                node = child if node >= 0 else node
                nodes[place] = node
                is_going |= node >= 0
        for place in range(min(_SIDE_BY_SIDE, n_rows - begin)):
            leaves[begin + place] = -1 - nodes[place]


@compiled
def _add_trees(
    X: np.ndarray,
    weights: np.ndarray,
    roots: np.ndarray,
    splits: np.ndarray,
    thresholds: np.ndarray,
    values: np.ndarray,
    total: np.ndarray,
) -> None:
    """Add the weighted values of the leaves that rows reach to `total` (n, n_outputs)."""
    leaves = np.empty(len(X), np.int32)
    for root in roots:
        _reach_leaves(X, root, splits, thresholds, leaves)
        for row in range(len(X)):
            for output in range(values.shape[1]):
                total[row, output] += weights[row] * values[leaves[row], output]
