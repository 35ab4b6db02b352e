"""Trees of another library as tables of bits.

Every split a row passes on the right rules out the leaves to its left; the leaf reached is the
leftmost one that no split of the tree rules out (QuickScorer, Lucchese et al. 2015). What a
column's value rules out in a tree is looked up in one table, so a tree costs one lookup for every
column it uses, whatever its depth, and no lookup waits for another.

A value becomes a code first: a number the count of borders below it, a level its own number; then
come one code for levels that no tree knows and, last, one for gaps. Leaves are bits 0 .. 63 from
left to right, and the value of a leaf stands at the slot that the lowest bit of a word points to.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lukewarm.learners.boosting._compiled import compiled_part, compiled_whole

# Those still possible are the bits of one word.
MAX_LEAVES = 64
# The lowest bit of a word, times this, shows in its top six bits a number of the bit's own.
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
# Codes are two bytes.
_MOST_CODES = 2**16 - 2
# Tables of trees beyond this would no longer be cheaper to read than trees.
_MOST_ENTRIES = 2**25
_NO_LEVELS = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Tree:
    """One binary tree, as its library lays it out.

    Parameters
    ----------
    feature, threshold, missing_goes_left : ndarray of shape (n_splits,)
        A row goes left where its value is at most the threshold.
    left, right : ndarray of shape (n_splits,)
        Numbers of the children: a split s >= 0, or leaf l as -1 - l. Split 0 is the root.
    value : ndarray of shape (n_leaves,)
    levels : dict, optional
        Of splits by level: a set of levels, as whole numbers.
    others_go_left : bool, default False
        Which way a split by level sends the levels outside its set; those inside go the other way.
    """

    feature: np.ndarray
    threshold: np.ndarray
    missing_goes_left: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    levels: dict[int, np.ndarray] | None = None
    others_go_left: bool = False


def level_bits(words: np.ndarray) -> np.ndarray:
    """Return the levels whose bits are set in words of 32 bits.

    Examples
    --------
    >>> level_bits(np.array([5, 1])).tolist()
    [0, 2, 32]
    """
    return np.flatnonzero((words.astype(np.int64)[:, np.newaxis] >> np.arange(32)) & 1)


class TableArrays(NamedTuple):
    """What compiled code reads of a `TreeTables`; see there."""

    first_use: np.ndarray
    uses: np.ndarray
    tables: np.ndarray
    first_split: np.ndarray
    sides: np.ndarray
    slots: np.ndarray


class _SplitArrays(NamedTuple):
    """What compiled code reads of all trees' splits, end to end; see `Tree` and `_Joined`.

    Split s writes its sides to ``place_of[s]``, and to the table of ``n_codes[s]`` entries from
    ``begin_of_table[s]`` on. Its levels are ``level[first_level[s] : first_level[s + 1]]``.
    """

    first_split: np.ndarray
    first_leaf: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    code: np.ndarray
    missing_goes_left: np.ndarray
    others_go_left: np.ndarray
    first_level: np.ndarray
    level: np.ndarray
    place_of: np.ndarray
    begin_of_table: np.ndarray
    n_codes: np.ndarray


@dataclass(frozen=True, eq=False)
class TreeTables:
    """Trees as tables, laid end to end.

    Parameters
    ----------
    borders : list of (ndarray or int)
        Of each column: the borders of its codes, or the number of its levels.
    first_use : ndarray of shape (n_trees + 1,)
        Where the uses of a tree begin.
    uses : ndarray of shape (n_uses, 2)
        A column of a tree, and where its table begins.
    tables : ndarray, uint64
        The leaves that each code leaves possible.
    first_split : ndarray of shape (n_uses + 1,)
        Where the splits of a use begin.
    sides : ndarray of shape (n_splits, 2), uint64
        The leaves to the left and to the right of each split.
    slots : ndarray of shape (n_trees, 64)
        The values of the leaves.
    """

    borders: list[np.ndarray | int]
    first_use: np.ndarray
    uses: np.ndarray
    tables: np.ndarray
    first_split: np.ndarray
    sides: np.ndarray
    slots: np.ndarray

    @classmethod
    def of(cls, trees: list[Tree], n_features: int) -> TreeTables | None:
        """Return the tables; None where a tree has too many leaves, or a column too many codes."""
        joined = _Joined(trees, n_features)
        if not joined.can_lay_out:
            return None
        n_codes = joined.n_codes
        number_of = joined.tree_of * n_features + joined.feature
        used, use_of = np.unique(number_of, return_inverse=True)
        column_of = used % n_features
        ends = np.cumsum(n_codes[column_of])
        begins = ends - n_codes[column_of]
        n_entries = int(ends[-1]) if len(ends) else 0
        if n_entries > _MOST_ENTRIES:
            return None
        by_use = np.argsort(use_of, kind="stable")
        arrays = TableArrays(
            first_use=np.searchsorted(used // n_features, np.arange(len(trees) + 1)),
            uses=np.column_stack([column_of, begins]).astype(np.int64),
            # Before any split has spoken, every leaf is possible.
            tables=np.full(n_entries, ~np.uint64(0), dtype=np.uint64),
            first_split=np.searchsorted(use_of[by_use], np.arange(len(used) + 1)),
            sides=np.zeros((len(use_of), 2), dtype=np.uint64),
            slots=np.zeros((len(trees), MAX_LEAVES)),
        )
        place_of = np.empty_like(by_use)
        place_of[by_use] = np.arange(len(by_use))
        waiting, turn, first = np.empty((3, MAX_LEAVES), dtype=np.int64)
        work = _Work(waiting, turn, first, np.empty(joined.n_codes.max(initial=0), dtype=bool))
        _lay_out(joined.arrays(place_of, begins[use_of]), arrays, work)
        return cls(joined.borders, *arrays)

    def encode(self, column: int, values: np.ndarray, codes: np.ndarray) -> None:
        """Write the codes of a column's values (n,) to `codes`."""
        borders = self.borders[column]
        if isinstance(borders, int):
            codes[:] = borders
            is_gap = np.isnan(values)
            is_level = ~is_gap & (values > -1) & (values < borders)
            codes[is_level] = values[is_level].astype(np.int64)
            codes[is_gap] = borders + 1
            return
        count_below(borders, values, codes)

    @property
    def arrays(self) -> TableArrays:
        """All but the borders, for compiled code."""
        return TableArrays(
            *(self.first_use, self.uses, self.tables),
            *(self.first_split, self.sides, self.slots),
        )

    @cached_property
    def used_columns(self) -> frozenset[int]:
        """The columns that some tree splits on."""
        return frozenset(np.unique(self.uses[:, 0]).tolist())


def count_below(borders: np.ndarray, values: np.ndarray, codes: np.ndarray) -> None:
    """Write the number of borders below each value to `codes`; one more than all for a gap."""
    n_turns = len(borders).bit_length()
    padded = np.full(2**n_turns, np.inf)
    padded[: len(borders)] = borders
    _count_below(padded, n_turns, values, len(borders) + 1, codes)


class _Joined:
    """The fields of all trees, end to end."""

    def __init__(self, trees: list[Tree], n_features: int) -> None:
        n_splits = np.array([len(tree.feature) for tree in trees])
        n_leaves = np.array([len(tree.value) for tree in trees])
        self.first_split = np.append(0, np.cumsum(n_splits))
        self.first_leaf = np.append(0, np.cumsum(n_leaves))
        self.tree_of = np.repeat(np.arange(len(trees)), n_splits)

        def join(name: str, dtype: type) -> np.ndarray:
            parts = [np.asarray(getattr(tree, name)) for tree in trees]
            return np.concatenate([*parts, np.zeros(0)]).astype(dtype)

        self.feature, self.left, self.right = (
            join(name, np.int64) for name in ("feature", "left", "right")
        )
        self.threshold, self.value = join("threshold", np.float64), join("value", np.float64)
        self.missing_goes_left = join("missing_goes_left", np.bool_)
        others = np.array([tree.others_go_left for tree in trees], dtype=bool)
        self.others_go_left = np.repeat(others, n_splits)
        levels = [
            _NO_LEVELS if tree.levels is None else tree.levels.get(split, _NO_LEVELS)
            for tree, count in zip(trees, n_splits, strict=True)
            for split in range(count if tree.levels else 0)
        ]
        has_levels = np.repeat([bool(tree.levels) for tree in trees], n_splits)
        lengths = np.zeros(len(self.feature), dtype=np.int64)
        lengths[has_levels] = [len(each) for each in levels]
        self.first_level = np.append(0, np.cumsum(lengths))
        self.level = np.concatenate([*levels, _NO_LEVELS]).astype(np.int64)
        by_level = np.zeros(len(self.feature), dtype=bool)
        by_level[has_levels] = [
            split in (tree.levels or {})
            for tree, count in zip(trees, n_splits, strict=True)
            for split in range(count if tree.levels else 0)
        ]
        self._lay_borders(n_features, by_level, n_leaves)

    def arrays(self, place_of: np.ndarray, begin_of_table: np.ndarray) -> _SplitArrays:
        """Return the splits for compiled code, with where each of them writes to."""
        return _SplitArrays(
            *(self.first_split, self.first_leaf, self.left, self.right, self.value, self.code),
            *(self.missing_goes_left, self.others_go_left, self.first_level, self.level),
            *(place_of, begin_of_table, self.n_codes[self.feature]),
        )

    def _lay_borders(self, n_features: int, by_level: np.ndarray, n_leaves: np.ndarray) -> None:
        """Set the borders of each column, and the code of each split: -1 where it is by level."""
        self.borders: list[np.ndarray | int] = [np.zeros(0)] * n_features
        self.code = np.full(len(self.feature), -1)
        self.can_lay_out = bool((n_leaves <= MAX_LEAVES).all())
        order = np.argsort(self.feature, kind="stable")
        columns, begins = np.unique(self.feature[order], return_index=True)
        for column, own in zip(columns, np.split(order, begins)[1:], strict=True):
            if by_level[own].all():
                levels = [self.level[self.first_level[s] : self.first_level[s + 1]] for s in own]
                self.borders[column] = int(np.concatenate(levels).max(initial=-1)) + 1
            elif by_level[own].any():  # no library here has both in one column
                self.can_lay_out = False
            else:
                borders, self.code[own] = np.unique(self.threshold[own], return_inverse=True)
                self.borders[column] = borders
        self.n_codes = np.array(
            [(each if isinstance(each, int) else len(each)) + 2 for each in self.borders]
        )
        self.can_lay_out &= bool((self.n_codes <= _MOST_CODES).all())


@compiled_part
def _bits(begin: int, end: int) -> np.uint64:
    """Return the word whose bits begin .. end - 1 are set; `begin` is below 64."""
    below_end = ~np.uint64(0) if end == 64 else (np.uint64(1) << np.uint64(end)) - np.uint64(1)
    return below_end & ~((np.uint64(1) << np.uint64(begin)) - np.uint64(1))


@compiled_part
def slot_of(word: np.uint64) -> np.uint64:
    """Return the slot of the lowest bit: of the leftmost leaf that is possible."""
    lowest = word & (~word + np.uint64(1))
    return (lowest * DE_BRUIJN) >> np.uint64(58)


class _Work(NamedTuple):
    """Room for `_lay_out`: the way down to where the walk is, in three stacks, and a set of codes.

    Parameters
    ----------
    waiting, turn, begins : ndarrays of shape (64,)
        The split; whether neither, its left or both of its sides are done; the number of its first
        leaf. 64 leaves have 63 splits.
    goes_right : ndarray of bool of shape (n_codes,)
    """

    waiting: np.ndarray
    turn: np.ndarray
    begins: np.ndarray
    goes_right: np.ndarray


@compiled_whole
def _lay_out(splits: _SplitArrays, trees: TableArrays, work: _Work) -> None:
    """Fill tables, sides and slots: walk each tree from left to right, counting leaves."""
    waiting, turn, begins = work.waiting, work.turn, work.begins
    for tree in range(len(splits.first_split) - 1):
        root, leaf = splits.first_split[tree], splits.first_leaf[tree]
        n_leaves, n_waiting = 0, 0
        if splits.first_split[tree + 1] == root:
            trees.slots[tree, slot_of(np.uint64(1))] = splits.value[leaf]
            continue
        waiting[0], turn[0], n_waiting = 0, 0, 1
        while n_waiting > 0:
            top = n_waiting - 1
            split = root + waiting[top]
            if turn[top] == 2:
                sides = trees.sides[splits.place_of[split]]
                sides[1] = _bits(begins[top], n_leaves) & ~sides[0]
                n_waiting -= 1
                continue
            if turn[top] == 0:
                begins[top] = n_leaves
                child = splits.left[split]
            else:
                left = _bits(begins[top], n_leaves)
                trees.sides[splits.place_of[split], 0] = left
                _rule_out_right(splits, split, ~left, trees.tables, work.goes_right)
                child = splits.right[split]
            turn[top] += 1
            if child < 0:
                word = np.uint64(1) << np.uint64(n_leaves)
                trees.slots[tree, slot_of(word)] = splits.value[leaf - 1 - child]
                n_leaves += 1
            else:
                waiting[n_waiting], turn[n_waiting] = child, 0
                n_waiting += 1


@compiled_part
def _rule_out_right(
    splits: _SplitArrays, split: int, kept: np.uint64, tables: np.ndarray, goes_right: np.ndarray
) -> None:
    """Leave `kept` of the leaves to every code that one split sends right."""
    begin, n_codes, code = splits.begin_of_table[split], splits.n_codes[split], splits.code[split]
    if not splits.missing_goes_left[split]:
        tables[begin + n_codes - 1] &= kept
    if code >= 0:
        # The last code is that of gaps.
        for other in range(code + 1, n_codes - 1):
            tables[begin + other] &= kept
        return
    others_go_left = splits.others_go_left[split]
    for other in range(n_codes - 1):
        goes_right[other] = not others_go_left
    for place in range(splits.first_level[split], splits.first_level[split + 1]):
        goes_right[splits.level[place]] = others_go_left
    for other in range(n_codes - 1):
        if goes_right[other]:
            tables[begin + other] &= kept


@compiled_whole
def _count_below(
    padded: np.ndarray, n_turns: int, column: np.ndarray, missing: int, codes: np.ndarray
) -> None:
    """Count the borders below each value by halving, with no branch to guess wrong.

    Parameters
    ----------
    padded : ndarray of shape (2**n_turns,)
        Borders, ascending, filled up with infinity.
    n_turns : int
        Halvings.
    column : ndarray of shape (n,)
    missing : int
        The code of a gap.
    codes : ndarray of shape (n,)
        Written to.
    """
    for row in range(len(column)):
        x = column[row]
        below = 0
        for turn in range(n_turns):
            step = 1 << (n_turns - 1 - turn)
            below += step * int(padded[below + step - 1] < x)
        codes[row] = missing if np.isnan(x) else below
