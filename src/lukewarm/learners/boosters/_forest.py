"""Trees of another library as tables of bits, for margins much faster than its own predictions.

A warm start begins with the old trees' margins on rows that have changed; where a library takes
as long to predict with a tree as to grow one, that alone would eat what a warm start saves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit

# Those still possible are the bits of one word.
MAX_LEAVES = 64
# Their words, 16 KB, stay in the first cache of a core while a tree is read.
_ROWS_AT_ONCE = 2048
# The lowest bit of a word, times this, shows in its top six bits a number of the bit's own.
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)


@dataclass(frozen=True, eq=False)
class Tree:
    """One binary tree over numeric columns, as its library lays it out.

    Parameters
    ----------
    feature, threshold, missing_goes_left : ndarray of shape (n_splits,)
        A row goes left where its value is at most the threshold.
    left, right : ndarray of shape (n_splits,)
        Numbers of the children: a split s >= 0, or leaf l as -1 - l. Split 0 is the root.
    value : ndarray of shape (n_leaves,)
    """

    feature: np.ndarray
    threshold: np.ndarray
    missing_goes_left: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray


class Forest:
    """Trees of at most 64 leaves, evaluated by bits.

    Parameters
    ----------
    trees : list of Tree
    n_features, n_outputs : int
        Columns of the rows, and trees of one step: one for each column of the margin.

    Notes
    -----
    Every split a row passes on the right rules out the leaves to its left; the leaf reached is
    the leftmost one that no split of the tree rules out (QuickScorer, Lucchese et al. 2015). What
    a column's value rules out in a tree is looked up in one table, so a tree costs one lookup per
    column it uses, whatever its depth, and no lookup waits for another.
    """

    def __init__(self, trees: list[Tree], n_features: int, n_outputs: int) -> None:
        self.n_outputs = n_outputs
        self._borders = [_borders(trees, feature) for feature in range(n_features)]
        tables, leaves, uses = [], [], []
        offset = 0
        for tree in trees:
            ruled_out, leaf_order = _leaves_to_the_left(tree)
            used = np.unique(tree.feature)
            for feature in used:
                table = _table(tree, feature, self._borders[feature], ruled_out)
                tables.append(table)
                uses.append((feature, offset))
                offset += len(table)
            leaves.append(_leaf_slots(tree.value[leaf_order]))
        n_uses = np.array([len(np.unique(tree.feature)) for tree in trees], dtype=np.int64)
        self._first_use = np.concatenate([[0], np.cumsum(n_uses)])
        self._uses = np.array(uses, dtype=np.int64).reshape(-1, 2)
        self._tables = np.concatenate([*tables, np.zeros(0, dtype=np.uint64)])
        self._leaves = np.array(leaves).reshape(-1, MAX_LEAVES)

    def margin(self, X: np.ndarray, start: np.ndarray | float = 0.0) -> np.ndarray:
        """Return `start` plus all trees, added in their order, (n, n_outputs)."""
        total = np.empty((len(X), self.n_outputs))
        total[:] = start
        _add_trees(self._codes(X), self._first_use, self._uses, self._tables, self._leaves, total)
        return total

    def filled_margins(
        self, X: np.ndarray, fills: Sequence[dict[int, Any]], start: np.ndarray | float = 0.0
    ) -> np.ndarray:
        """Return the margins of `X` with the values of each fill, (n_fills, n, n_outputs).

        Parameters
        ----------
        X : ndarray of shape (n, p)
        fills : sequence of dict
            Values (n,) by column number, the same columns in all of them.
        start : ndarray or float, default 0

        Notes
        -----
        What the other columns rule out in a tree is looked up once, and only the filled ones for
        every fill.
        """
        columns = list(fills[0])
        drawn = np.empty((len(columns), len(fills), len(X)), dtype=np.uint32)
        for place, column in enumerate(columns):
            for number, values in enumerate(fills):
                self._encode(column, np.asarray(values[column], dtype=float), drawn[place, number])
        place_of = np.full(X.shape[1], -1)
        place_of[columns] = np.arange(len(columns))
        total = np.empty((len(fills), len(X), self.n_outputs))
        total[:] = start
        trees = (self._first_use, self._uses, self._tables, self._leaves)
        _add_filled_trees(self._codes(X), drawn, place_of, *trees, total)
        return total

    def _codes(self, X: np.ndarray) -> np.ndarray:
        """Return for every column (p, n) how many of its borders a value exceeds; nan one more."""
        codes = np.empty((X.shape[1], X.shape[0]), dtype=np.uint32)
        for feature in range(X.shape[1]):
            self._encode(feature, X[:, feature], codes[feature])
        return codes

    def _encode(self, feature: int, values: np.ndarray, codes: np.ndarray) -> None:
        borders = self._borders[feature]
        n_turns = len(borders).bit_length()
        padded = np.full(2**n_turns, np.inf)
        padded[: len(borders)] = borders
        _count_below(padded, n_turns, values, len(borders) + 1, codes)


class ForestOnDemand:
    """A forest that is laid out once it is asked for a third time.

    Laying out costs as much as some predictions, and most models are asked only for a few. The
    margins are the same to the bit either way, so it does not matter who asks when.

    Parameters
    ----------
    make : callable that returns the Forest, or None where the trees cannot be laid out
    """

    def __init__(self, make: Callable[[], Forest | None]) -> None:
        self._make = make
        self._n_asked = 0

    def get(self, n_predictions: int = 1) -> Forest | None:
        """Return the forest, or None where the library's own prediction serves."""
        self._n_asked += n_predictions
        return self._forest if self._n_asked > 2 else None

    @cached_property
    def _forest(self) -> Forest | None:
        return self._make()


def can_lay_out(trees: list[Tree]) -> bool:
    """Return whether no tree has too many leaves for its bits."""
    return all(len(tree.value) <= MAX_LEAVES for tree in trees)


def _borders(trees: list[Tree], feature: int) -> np.ndarray:
    return np.unique(np.concatenate([tree.threshold[tree.feature == feature] for tree in trees]))


def _leaves_to_the_left(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Return the bits left when a split sends a row right, and the leaves from left to right."""
    kept = np.zeros(len(tree.feature), dtype=np.uint64)
    order: list[int] = []

    def visit(node: int) -> None:
        if node < 0:
            order.append(-1 - node)
            return
        begin = len(order)
        visit(int(tree.left[node]))
        below = (1 << len(order)) - (1 << begin)
        kept[node] = ~np.uint64(below)
        visit(int(tree.right[node]))

    visit(0 if len(tree.feature) else -1)
    return kept, np.array(order)


def _table(tree: Tree, feature: int, borders: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Return the leaves a column leaves possible, for each of its codes."""
    mine = np.flatnonzero(tree.feature == feature)
    table = np.full(len(borders) + 2, ~np.uint64(0), dtype=np.uint64)
    for split in mine:
        exceeded = np.searchsorted(borders, tree.threshold[split]) + 1
        table[exceeded : len(borders) + 1] &= kept[split]
        if not tree.missing_goes_left[split]:
            table[-1] &= kept[split]
    return table


def _leaf_slots(value: np.ndarray) -> np.ndarray:
    """Return the leaf values at the slots where the lowest bit of a word points to."""
    bits = np.uint64(1) << np.arange(len(value), dtype=np.uint64)
    slots = np.zeros(MAX_LEAVES)
    with np.errstate(over="ignore"):
        slots[(bits * _DE_BRUIJN) >> np.uint64(58)] = value
    return slots


@njit(cache=True, nogil=True)
def _count_below(
    padded: np.ndarray, n_turns: int, column: np.ndarray, missing: int, codes: np.ndarray
) -> None:
    """Count the borders below each value by halving, with no branch to guess wrong."""
    for row in range(len(column)):
        x = column[row]
        below = 0
        for turn in range(n_turns):
            step = 1 << (n_turns - 1 - turn)
            below += step * int(padded[below + step - 1] < x)
        codes[row] = missing if np.isnan(x) else below


@njit(cache=True, nogil=True)
def _rule_out(possible: np.ndarray, table: np.ndarray, column: np.ndarray) -> None:
    """Leave the leaves that the codes of a column leave possible."""
    for row in range(len(possible)):
        possible[row] &= table[column[row]]


@njit(cache=True, nogil=True)
def _add_leaves(possible: np.ndarray, values: np.ndarray, total: np.ndarray) -> None:
    """Add the value of the leftmost leaf that is possible."""
    for row in range(len(possible)):
        word = possible[row]
        lowest = word & (~word + np.uint64(1))
        total[row] += values[(lowest * _DE_BRUIJN) >> np.uint64(58)]


@njit(cache=True, nogil=True)
def _add_trees(
    codes: np.ndarray,
    first_use: np.ndarray,
    uses: np.ndarray,
    tables: np.ndarray,
    leaves: np.ndarray,
    total: np.ndarray,
) -> None:
    n_rows, n_outputs = total.shape
    for begin in range(0, n_rows, _ROWS_AT_ONCE):
        end = min(begin + _ROWS_AT_ONCE, n_rows)
        for tree in range(len(leaves)):
            possible = np.full(end - begin, ~np.uint64(0))
            for use in range(first_use[tree], first_use[tree + 1]):
                _rule_out(possible, tables[uses[use, 1] :], codes[uses[use, 0], begin:end])
            _add_leaves(possible, leaves[tree], total[begin:end, tree % n_outputs])


@njit(cache=True, nogil=True)
def _add_filled_trees(
    codes: np.ndarray,
    drawn: np.ndarray,
    place_of: np.ndarray,
    first_use: np.ndarray,
    uses: np.ndarray,
    tables: np.ndarray,
    leaves: np.ndarray,
    total: np.ndarray,
) -> None:
    n_fills, n_rows, n_outputs = total.shape
    for begin in range(0, n_rows, _ROWS_AT_ONCE):
        end = min(begin + _ROWS_AT_ONCE, n_rows)
        for tree in range(len(leaves)):
            possible = np.full(end - begin, ~np.uint64(0))
            asked = np.empty(0, dtype=np.int64)
            for use in range(first_use[tree], first_use[tree + 1]):
                if place_of[uses[use, 0]] >= 0:
                    asked = np.append(asked, use)
                else:
                    _rule_out(possible, tables[uses[use, 1] :], codes[uses[use, 0], begin:end])
            output = tree % n_outputs
            for fill in range(n_fills):
                words = possible.copy()
                for one in asked:
                    column = drawn[place_of[uses[one, 0]], fill, begin:end]
                    _rule_out(words, tables[uses[one, 1] :], column)
                _add_leaves(words, leaves[tree], total[fill, begin:end, output])
