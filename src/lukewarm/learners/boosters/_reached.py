"""Rows in the order of the leaves they reach, and what draws of some columns change from there.

In most trees a row's own way from the root to its leaf asks for none of the drawn columns; then no
draw can leave that way. Rows are kept in the order of their leaves, so that the others are found
without a look at each. From one leaf draws lead to the same few others: those on the other sides of
the drawn columns' splits. What the kept columns leave possible of these is looked up once, and only
the drawn columns for every draw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lukewarm.learners.boosters._tree_tables import MAX_LEAVES, TableArrays, slot_of
from lukewarm.learners.boosting._compiled import compiled_part, compiled_whole

# Rows are ordered by their leaves in blocks: smaller ones have few rows of each leaf, larger ones
# would leave the second cache. Fastest of 2,048 to 65,536 with LightGBM and XGBoost on 20,000 rows.
_ROWS_IN_BLOCK = 16384
# A leaf, and a place in the order.
BYTES_OF_LEAF = 3


class Reached(NamedTuple):
    """Rows, and the leaves they reach.

    Parameters
    ----------
    codes : ndarray of shape (p, n)
    leaves : ndarray of shape (n_trees, n)
        Slots of leaves.
    order : ndarray of shape (n_trees, n)
        The numbers of each block of rows, within the block, in the order of their leaves.
    first : ndarray of shape (n_trees, n_blocks, 65)
        Where in the order of a block the rows of each slot begin.
    """

    codes: np.ndarray
    leaves: np.ndarray
    order: np.ndarray
    first: np.ndarray

    @classmethod
    def of(cls, codes: np.ndarray, leaves: np.ndarray) -> Reached:
        """Return the rows in the order of these leaves."""
        n_trees, n_rows = leaves.shape
        order = np.empty(leaves.shape, dtype=np.uint16)
        n_blocks = -(-n_rows // _ROWS_IN_BLOCK)
        first = np.empty((n_trees, n_blocks, MAX_LEAVES + 1), dtype=np.uint16)
        _order_by_leaf(leaves, order, first, np.empty(MAX_LEAVES, dtype=np.int64))
        return cls(codes, leaves, order, first)


class _Work(NamedTuple):
    """Room for what `add_changes` looks at; it makes no arrays itself.

    Parameters
    ----------
    others, mine : ndarray of shape (p,)
        The uses of kept and of drawn columns in a tree.
    asking : ndarray of shape (p,)
        The leaves from which draws lead to a kept column.
    tables : ndarray of shape (p, 2)
        Of drawn columns: their place among them, and where their table begins. Unsigned numbers
        spare a test for those below zero at every lookup.
    words : ndarray of shape (_ROWS_IN_BLOCK,)
        The leaves possible to the rows of a leaf.
    """

    others: np.ndarray
    mine: np.ndarray
    asking: np.ndarray
    tables: np.ndarray
    words: np.ndarray


def add_changes(
    reached: Reached,
    trees: TableArrays,
    drawn: np.ndarray,
    place_of: np.ndarray,
    weights: np.ndarray,
    total: np.ndarray,
    found: np.ndarray,
) -> None:
    """Add to `total` what draws change, and write the leaves of the last draw to `found`.

    Parameters
    ----------
    reached : Reached
        Of the rows as they are.
    trees : TableArrays
    drawn : ndarray of shape (n, n_draws, n_drawn)
        Codes of the drawn columns. A row's draws lie side by side: what the kept columns leave
        possible stays in a register while they are looked up.
    place_of : ndarray of shape (p,)
        Of each column among the drawn ones; -1 for the others.
    weights : ndarray of shape (n, n_draws), or (0, 0)
        With weights the mean over the draws is added.
    total : ndarray of shape (n, n_draws or 1, n_outputs)
    found : ndarray of shape (n_trees, n), or (n_trees, 0) where no one asks
    """
    if found.shape[1]:
        found[:] = reached.leaves
    n_columns = len(place_of)
    work = _Work(
        np.empty(n_columns, dtype=np.int64),
        np.empty(n_columns, dtype=np.int64),
        np.empty(n_columns, dtype=np.uint64),
        np.empty((n_columns, 2), dtype=np.uint64),
        np.empty(_ROWS_IN_BLOCK, dtype=np.uint64),
    )
    _add_changes(reached, trees, drawn, place_of, weights, total, found, work)


@compiled_whole
def _order_by_leaf(
    leaves: np.ndarray, order: np.ndarray, first: np.ndarray, place: np.ndarray
) -> None:
    """Write the order of the rows, and where each slot's begin; see `Reached`."""
    n_trees, n_rows = leaves.shape
    for tree in range(n_trees):
        for block in range(first.shape[1]):
            begin = block * _ROWS_IN_BLOCK
            end = min(begin + _ROWS_IN_BLOCK, n_rows)
            place[:] = 0
            for row in range(begin, end):
                place[leaves[tree, row]] += 1
            first[tree, block, 0] = 0
            for slot in range(MAX_LEAVES):
                before = first[tree, block, slot]
                first[tree, block, slot + 1] = before + place[slot]
                place[slot] = before
            for row in range(begin, end):
                slot = leaves[tree, row]
                order[tree, begin + place[slot]] = row - begin
                place[slot] += 1


@compiled_part
def _part_uses(
    trees: TableArrays, tree: int, place_of: np.ndarray, others: np.ndarray, mine: np.ndarray
) -> tuple[int, int]:
    """Part the uses of a tree into those of kept and of drawn columns; return how many each has."""
    n_others, n_mine = 0, 0
    for use in range(trees.first_use[tree], trees.first_use[tree + 1]):
        if place_of[trees.uses[use, 0]] < 0:
            others[n_others] = use
            n_others += 1
        else:
            mine[n_mine] = use
            n_mine += 1
    return n_others, n_mine


@compiled_part
def _away_from(leaf: np.uint64, uses: np.ndarray, trees: TableArrays) -> np.uint64:
    """Return the leaves on the other sides of the splits of some uses on the way to a leaf."""
    away = np.uint64(0)
    for use in uses:
        for split in range(trees.first_split[use], trees.first_split[use + 1]):
            left, right = trees.sides[split]
            if left & leaf:
                away |= right
            elif right & leaf:
                away |= left
    return away


@compiled_part
def _leaves_that_ask(use: int, mine: np.ndarray, trees: TableArrays) -> np.uint64:
    """Return the leaves from which draws of the columns in `mine` lead to a split of the use.

    Such a split lies on one side of a drawn column's split; the leaves are those on the other side.
    """
    asking = np.uint64(0)
    for split in range(trees.first_split[use], trees.first_split[use + 1]):
        below = trees.sides[split, 0] | trees.sides[split, 1]
        for drawn in mine:
            for other in range(trees.first_split[drawn], trees.first_split[drawn + 1]):
                left, right = trees.sides[other]
                if below & ~left == 0:
                    asking |= right
                elif below & ~right == 0:
                    asking |= left
    return asking


@compiled_part
def _rule_out_at(
    possible: np.ndarray, table: np.ndarray, codes: np.ndarray, rows: np.ndarray
) -> None:
    """Leave the leaves that the codes of a column leave possible to some rows."""
    for place in range(len(rows)):
        possible[place] &= table[codes[rows[place]]]


@compiled_part
def _add_draws(
    rows: np.ndarray,
    possible: np.ndarray,
    begin: int,
    mine: np.ndarray,
    tables: np.ndarray,
    drawn: np.ndarray,
    weights: np.ndarray,
    values: np.ndarray,
    own_slot: np.uint64,
    total: np.ndarray,
    output: int,
    found: np.ndarray,
    tree: int,
) -> None:
    """Add what draws change in one tree for rows that have the same leaf; see `add_changes`."""
    is_mean, has_found = len(weights) > 0, found.shape[1] > 0
    own = values[own_slot]
    for some in range(len(rows)):
        row, left = np.uint32(begin + rows[some]), possible[some]
        slot, change = np.uint64(0), 0.0
        for draw in range(drawn.shape[1]):
            word = left & tables[mine[0, 1] + drawn[row, draw, mine[0, 0]]]
            for use in range(1, len(mine)):
                word &= tables[mine[use, 1] + drawn[row, draw, mine[use, 0]]]
            slot = slot_of(word)
            if is_mean:
                change += weights[row, draw] * (values[slot] - own)
            else:
                total[row, draw, output] += values[slot] - own
        if is_mean:
            total[row, 0, output] += change
        if has_found:
            found[tree, row] = slot


@compiled_whole
def _add_changes(
    reached: Reached,
    trees: TableArrays,
    drawn: np.ndarray,
    place_of: np.ndarray,
    weights: np.ndarray,
    total: np.ndarray,
    found: np.ndarray,
    work: _Work,
) -> None:
    """See `add_changes`; `found` has the leaves of the rows as they are."""
    codes = reached.codes
    n_trees, n_rows = reached.leaves.shape
    n_outputs = total.shape[2]
    for begin in range(0, n_rows, _ROWS_IN_BLOCK):
        for tree in range(n_trees):
            n_others, n_mine = _part_uses(trees, tree, place_of, work.others, work.mine)
            if n_mine == 0:
                continue
            others, mine = work.others[:n_others], work.mine[:n_mine]
            tables = work.tables[:n_mine]
            for number in range(n_others):
                work.asking[number] = _leaves_that_ask(others[number], mine, trees)
            for number in range(n_mine):
                column, table = trees.uses[mine[number]]
                tables[number, 0], tables[number, 1] = place_of[column], table
            output, values = tree % n_outputs, trees.slots[tree]
            first = reached.first[tree, begin // _ROWS_IN_BLOCK]
            for leaf in range(MAX_LEAVES):
                own_word = np.uint64(1) << np.uint64(leaf)
                own_slot = slot_of(own_word)
                rows = reached.order[tree, begin + first[own_slot] : begin + first[own_slot + 1]]
                if len(rows) == 0:
                    continue
                away = _away_from(own_word, mine, trees)
                if away == 0:
                    continue
                possible = work.words[: len(rows)]
                possible[:] = away | own_word
                for number in range(n_others):
                    if work.asking[number] & own_word:
                        column, table = trees.uses[others[number]]
                        _rule_out_at(possible, trees.tables[table:], codes[column, begin:], rows)
                _add_draws(
                    *(rows, possible, begin, tables, trees.tables, drawn, weights),
                    *(values, own_slot, total, output, found, tree),
                )
