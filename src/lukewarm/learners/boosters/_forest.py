"""Trees of other libraries evaluated by bits: margins, and what draws of some columns change.

A warm start begins with the old trees' margins on rows that have changed, and a projection asks for
the margins of every draw; where a library takes as long to predict with a tree as to grow one, that
alone would eat what either saves.

Draws of a row differ in the drawn columns only, so that most leaves they can reach are known from
the row as it is (`_reached.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from lukewarm._typing import Matrix
from lukewarm.data import RowCache
from lukewarm.learners.boosters._reached import BYTES_OF_LEAF, Reached, add_changes
from lukewarm.learners.boosters._tree_tables import TableArrays, Tree, TreeTables, slot_of
from lukewarm.learners.boosting._compiled import compiled_part, compiled_whole

# Their words, 16 KB, stay in the first cache of a core while a tree is read.
_ROWS_AT_ONCE = 2048
# Leaves are kept for tables where they take at most this, 64 MB; others are walked anew.
_MOST_BYTES_KEPT = 2**26
# Training, stopping and evaluation rows, and those by which it is seen what a model looks at.
_TABLES_KEPT = 4


class Forest:
    """Trees of at most 64 leaves, evaluated by bits.

    Parameters
    ----------
    tables : TreeTables
    n_outputs : int
        Trees of one step: one for each column of the margin.
    is_single : bool, default False
        Whether the library compares values in single precision.
    """

    def __init__(self, tables: TreeTables, n_outputs: int, *, is_single: bool = False) -> None:
        self.n_outputs = n_outputs
        self.tables = tables
        self._is_single = is_single
        self._reached: RowCache[Reached] = RowCache(_TABLES_KEPT)

    @classmethod
    def of(
        cls, trees: list[Tree], n_features: int, n_outputs: int, *, is_single: bool = False
    ) -> Forest | None:
        """Return the trees laid out; None where they cannot be."""
        tables = TreeTables.of(trees, n_features)
        return None if tables is None else cls(tables, n_outputs, is_single=is_single)

    @property
    def used_columns(self) -> frozenset[int]:
        """The columns that some tree splits on."""
        return self.tables.used_columns

    def can_draw(self, columns: frozenset[int]) -> bool:
        """Return whether `changes` can tell what draws of these columns do: of any."""
        return True

    @cached_property
    def rounding(self) -> float:
        """What the library's own sum may differ by: half a unit in its last place at each step."""
        precision = np.float32 if self._is_single else np.float64
        largest = np.abs(self.tables.slots).max(axis=1, initial=0.0).sum()
        return float(len(self.tables.slots) * np.finfo(precision).eps / 2 * largest)

    def margin(self, X: Matrix, start: np.ndarray | float = 0.0) -> Matrix:
        """Return `start` plus all trees, added in their order, (n, n_outputs).

        In the precision of the library, so that most libraries' own sums are the same to the bit.
        """
        total = np.empty((len(X), self.n_outputs), dtype=np.float32 if self._is_single else float)
        total[:] = start
        reached = self._reached.recall(X)
        if reached is None:
            _add_trees(self._codes(X), self.tables.arrays, _room(), total)
        else:
            _add_leaves(reached.leaves, self.tables.slots, total)
        return total

    def changes(
        self,
        X: Matrix,
        drawn: dict[int, Matrix],
        weights: Matrix | None,
        *,
        with_leaves: bool = False,
    ) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return what the margins of `X` change by where some columns are drawn, and leaves.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            Known again by its identity, with the leaves it reaches.
        drawn : dict
            Values (m, n) by column number: m draws of every row.
        weights : ndarray of shape (m, n), or None
            With weights, which sum to one over the draws, the mean over them is taken.
        with_leaves : bool, default False
            Whether the leaves are asked for that rows reach with the last of the draws.

        Returns
        -------
        ndarray of shape (m, n, n_outputs), or (1, n, n_outputs) with weights
        list of ndarray of shape (n_trees, n)
            One for every output; empty where they are not asked for.
        """
        some = next(iter(drawn.values()))
        codes = np.empty((len(drawn), *some.shape), dtype=np.uint16)
        place_of = np.full(X.shape[1], -1)
        for place, (column, values) in enumerate(drawn.items()):
            place_of[column] = place
            for draw, each in enumerate(values):
                self._encode(column, each, codes[place, draw])
        codes = np.ascontiguousarray(codes.transpose(2, 1, 0))
        by_row = np.zeros((0, 0)) if weights is None else np.ascontiguousarray(weights.T)
        total = np.zeros((len(X), len(some) if weights is None else 1, self.n_outputs))
        n_trees = len(self.tables.slots)
        found = np.empty((n_trees, len(X) if with_leaves else 0), dtype=np.uint8)
        n_bytes = BYTES_OF_LEAF * n_trees
        if n_bytes * len(X) <= _MOST_BYTES_KEPT:
            parts = codes, place_of, by_row, total, found
            add_changes(self._reached_by(X), self.tables.arrays, *parts)
        else:
            at_once = max(_MOST_BYTES_KEPT // n_bytes, _ROWS_AT_ONCE)
            for begin in range(0, len(X), at_once):
                rows = slice(begin, begin + at_once)
                parts = codes[rows], place_of, by_row[rows], total[rows], found[:, rows]
                add_changes(self._reach(X[rows]), self.tables.arrays, *parts)
        return total.transpose(1, 0, 2), self._by_output(found)

    def _by_output(self, leaves: np.ndarray) -> list[np.ndarray]:
        if not leaves.size:
            return []
        return [leaves[output :: self.n_outputs] for output in range(self.n_outputs)]

    def _reached_by(self, X: Matrix) -> Reached:
        """Return the codes and the leaves of the rows, which are kept."""
        reached = self._reached.recall(X)
        return self._reached.keep(self._reach(X), X) if reached is None else reached

    def _reach(self, X: Matrix) -> Reached:
        codes = self._codes(X)
        leaves = np.empty((len(self.tables.slots), len(X)), dtype=np.uint8)
        _find_leaves(codes, self.tables.arrays, _room(), leaves)
        return Reached.of(codes, leaves)

    def _codes(self, X: Matrix) -> np.ndarray:
        """Return the codes of every column, (p, n)."""
        codes = np.empty((X.shape[1], X.shape[0]), dtype=np.uint16)
        for column in range(X.shape[1]):
            self._encode(column, X[:, column], codes[column])
        return codes

    def _encode(self, column: int, values: np.ndarray, codes: np.ndarray) -> None:
        if self._is_single:
            values = values.astype(np.float32)
        self.tables.encode(column, values.astype(float), codes)


class ForestOnDemand:
    """A forest that is laid out, by `make`, once it is asked for a third time.

    Laying out costs as much as some predictions, and most models are asked only for a few. The
    margins are the same to the bit either way, so it does not matter who asks when.
    """

    def __init__(self, make: Callable[[], Forest | None]) -> None:
        self._make = make
        self._n_asked = 0

    def get(self) -> Forest | None:
        """Return the forest, or None where the library's own prediction serves."""
        self._n_asked += 1
        is_there = "laid_out" in vars(self)
        return self.laid_out if is_there or self._n_asked > 2 else None

    @cached_property
    def laid_out(self) -> Forest | None:
        """The forest; None where the trees cannot be laid out."""
        return self._make()


def _room() -> np.ndarray:
    """Return room for the words of a block of rows."""
    return np.empty(_ROWS_AT_ONCE, dtype=np.uint64)


@compiled_part
def _rule_out(possible: np.ndarray, table: np.ndarray, column: np.ndarray) -> None:
    """Leave the leaves that the codes of a column leave possible."""
    for row in range(len(possible)):
        possible[row] &= table[column[row]]


@compiled_part
def _rule_out_all(
    possible: np.ndarray, codes: np.ndarray, begin: int, trees: TableArrays, tree: int
) -> None:
    """Set `possible` to the leaves that one tree's columns leave to the rows from `begin` on."""
    uses = trees.uses[trees.first_use[tree] : trees.first_use[tree + 1]]
    possible[:] = ~np.uint64(0)
    end = begin + len(possible)
    for use in range(len(uses)):
        _rule_out(possible, trees.tables[uses[use, 1] :], codes[uses[use, 0], begin:end])


@compiled_whole
def _add_trees(codes: np.ndarray, trees: TableArrays, words: np.ndarray, total: np.ndarray) -> None:
    """Add the trees' values to `total` (n, n_outputs); `words` are room to work in."""
    # Not by way of `_find_leaves`: its (n_trees, n) table would leave the caches between the two.
    n_rows, n_outputs = total.shape
    for begin in range(0, n_rows, len(words)):
        possible = words[: n_rows - begin]
        for tree in range(len(trees.slots)):
            _rule_out_all(possible, codes, begin, trees, tree)
            output = tree % n_outputs
            for row in range(len(possible)):
                total[begin + row, output] += trees.slots[tree, slot_of(possible[row])]


@compiled_whole
def _add_leaves(leaves: np.ndarray, slots: np.ndarray, total: np.ndarray) -> None:
    """Add the values (n_trees, 64) at the leaves (n_trees, n) of rows to `total` (n, n_outputs)."""
    n_rows, n_outputs = total.shape
    for begin in range(0, n_rows, _ROWS_AT_ONCE):
        end = min(begin + _ROWS_AT_ONCE, n_rows)
        for tree in range(len(leaves)):
            output = tree % n_outputs
            for row in range(begin, end):
                total[row, output] += slots[tree, leaves[tree, row]]


@compiled_whole
def _find_leaves(
    codes: np.ndarray, trees: TableArrays, words: np.ndarray, leaves: np.ndarray
) -> None:
    """Write the slots of the leaves that rows reach to `leaves` (n_trees, n)."""
    n_rows = leaves.shape[1]
    for begin in range(0, n_rows, len(words)):
        possible = words[: n_rows - begin]
        for tree in range(len(leaves)):
            _rule_out_all(possible, codes, begin, trees, tree)
            for row in range(len(possible)):
                leaves[tree, begin + row] = slot_of(possible[row])
