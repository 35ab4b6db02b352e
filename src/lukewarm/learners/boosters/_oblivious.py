"""CatBoost's trees: what draws of some columns change.

All splits of one depth of such a tree are the same, so a leaf's number has one bit for each of
them. Where some columns are drawn, only the bits of their splits change; the others are those of
the leaf that CatBoost itself finds, whatever its splits ask for.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lukewarm._typing import Matrix
from lukewarm.data import RowCache
from lukewarm.learners.boosters._tree_tables import count_below
from lukewarm.learners.boosting._compiled import compiled_whole

# Their leaf numbers, 4 KB a tree, stay in the first cache of a core.
_ROWS_AT_ONCE = 2048
# Training, stopping and evaluation rows.
_TABLES_KEPT = 3
# Leaf numbers are two bytes.
_DEEPEST = 16


@dataclass(frozen=True, eq=False)
class _Column:
    """The splits of a column: their borders, and the bits each code sets in each tree."""

    borders: np.ndarray
    trees: np.ndarray
    masks: np.ndarray
    tables: np.ndarray


class ObliviousForest:
    """The first trees of a CatBoost model.

    Parameters
    ----------
    model : CatBoost
    n_trees : int
    fields : dict
        What CatBoost writes of the model as JSON.
    """

    def __init__(self, model: Any, n_trees: int, fields: dict[str, Any]) -> None:
        self._model = model
        self._n_trees = n_trees
        trees = fields["oblivious_trees"][:n_trees]
        scale, _ = fields["scale_and_bias"]
        n_leaves = np.array([2 ** len(tree.get("splits") or ()) for tree in trees])
        self._first_leaf = np.append(0, np.cumsum(n_leaves))
        values = np.concatenate([np.array(tree["leaf_values"], dtype=float) for tree in trees])
        self._values = scale * values.reshape(self._first_leaf[-1], -1)
        info = fields["features_info"]
        self._columns = _columns_of(trees, info.get("float_features") or ())
        self._others = _columns_of_levels(info)
        self._leaves: RowCache[np.ndarray] = RowCache(_TABLES_KEPT)

    @classmethod
    def of(cls, model: Any, n_trees: int) -> ObliviousForest | None:
        """Return the trees; None where they are not oblivious, or not of numbers and levels."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.json"
            model.save_model(str(file), format="json")
            fields = json.loads(file.read_text())
        readable = ("FloatFeature", "OneHotFeature", "OnlineCtr")
        splits = [tree.get("splits") or () for tree in fields.get("oblivious_trees") or ()]
        if not splits or any(len(each) > _DEEPEST for each in splits):
            return None
        if any(split["split_type"] not in readable for each in splits for split in each):
            return None
        return cls(model, n_trees, fields)

    @property
    def used_columns(self) -> frozenset[int]:
        """The columns that some tree may split on."""
        return frozenset(self._columns) | self._others

    def can_draw(self, columns: frozenset[int]) -> bool:
        """Return whether the columns are numbers, and no statistic of levels asks for them."""
        return not columns & self._others

    @property
    def rounding(self) -> float:
        """What the library's own sum may differ by."""
        first = self._first_leaf[:-1]
        largest = np.maximum.reduceat(np.abs(self._values).max(axis=1), first).sum()
        return float(len(first) * np.finfo(float).eps / 2 * largest)

    def margin(self, rows: Any) -> Matrix:
        """Return what all trees add, (n, d)."""
        leaves = self._leaves_of(rows)
        return np.sum(self._values[self._first_leaf[:-1, np.newaxis] + leaves], axis=0)

    def changes(
        self,
        rows: Any,
        drawn: dict[int, Matrix],
        weights: Matrix | None,
        *,
        with_leaves: bool = False,
    ) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return what the margins change by where some columns are drawn; see `Forest.changes`."""
        last = {column: values[-1] for column, values in drawn.items()}
        leaves = self._filled_leaves(rows, last) if with_leaves else []
        return self._changes(rows, drawn, weights), leaves

    def _changes(self, rows: Any, drawn: dict[int, Matrix], weights: Matrix | None) -> np.ndarray:
        m, n = next(iter(drawn.values())).shape
        total = np.zeros((m if weights is None else 1, n, self._values.shape[1]))
        asked = [column for column in drawn if column in self._columns]
        if not asked:
            return total
        codes = np.empty((len(asked), m, n), dtype=np.uint16)
        place_of = np.full((len(asked), self._n_trees), -1)
        masks = np.zeros(self._n_trees, dtype=np.uint16)
        widest = max(self._columns[column].tables.shape[1] for column in asked)
        n_uses = sum(len(self._columns[column].trees) for column in asked)
        tables = np.zeros((n_uses, widest), dtype=np.uint16)
        first = 0
        for place, name in enumerate(asked):
            column = self._columns[name]
            for draw, values in enumerate(drawn[name]):
                _encode(column.borders, values, codes[place, draw])
            last = first + len(column.trees)
            place_of[place, column.trees] = np.arange(first, last)
            tables[first:last, : column.tables.shape[1]] = column.tables
            masks[column.trees] |= column.masks
            first = last
        _add_changes(
            *(self._leaves_of(rows), codes, place_of, masks, tables),
            *(self._first_leaf, self._values),
            np.zeros((0, 0)) if weights is None else np.ascontiguousarray(weights),
            *(total, np.empty(_ROWS_AT_ONCE, dtype=np.uint16)),
        )
        return total

    def _filled_leaves(self, rows: Any, filled: dict[int, np.ndarray]) -> list[np.ndarray]:
        """Return for every output the leaves reached with some columns filled, (n_trees, n)."""
        leaves = self._leaves_of(rows).copy()
        for name, values in filled.items():
            column = self._columns.get(name)
            if column is None:
                continue
            codes = np.empty(len(values), dtype=np.uint16)
            _encode(column.borders, values, codes)
            leaves[column.trees] &= ~column.masks[:, np.newaxis]
            leaves[column.trees] |= column.tables[:, codes]
        return [leaves] * self._values.shape[1]

    def _leaves_of(self, rows: Any) -> np.ndarray:
        """Return the leaf of every row in every tree, (n_trees, n)."""
        leaves = self._leaves.recall(rows)
        if leaves is None:
            leaf_numbers = self._model.calc_leaf_indexes(rows, ntree_end=self._n_trees)
            leaves = np.ascontiguousarray(np.asarray(leaf_numbers).T.astype(np.uint16))
            self._leaves.keep(leaves, rows)
        return leaves


def _columns_of(trees: list[dict[str, Any]], features: Any) -> dict[int, _Column]:
    """Return the splits on columns of numbers, by the number of the column."""
    splits: dict[int, dict[int, list[tuple[int, float]]]] = {}
    for number, tree in enumerate(trees):
        for bit, split in enumerate(tree.get("splits") or ()):
            if split["split_type"] == "FloatFeature":
                of_trees = splits.setdefault(split["float_feature_index"], {})
                of_trees.setdefault(number, []).append((bit, split["border"]))
    info = {each["feature_index"]: each for each in features}
    return {
        info[feature]["flat_feature_index"]: _column(
            of_trees, gaps_exceed=info[feature].get("nan_value_treatment") == "AsTrue"
        )
        for feature, of_trees in splits.items()
    }


def _column(of_trees: dict[int, list[tuple[int, float]]], *, gaps_exceed: bool) -> _Column:
    borders = np.unique([border for splits in of_trees.values() for _, border in splits])
    masks = np.zeros(len(of_trees), dtype=np.uint16)
    tables = np.zeros((len(of_trees), len(borders) + 2), dtype=np.uint16)
    for place, splits in enumerate(of_trees.values()):
        for bit, border in splits:
            masks[place] |= 1 << bit
            exceeded = int(np.searchsorted(borders, border)) + 1
            tables[place, exceeded : len(borders) + 1] |= 1 << bit
        tables[place, -1] = masks[place] if gaps_exceed else 0
    single = borders.astype(np.float32).astype(float)
    return _Column(single, np.array(list(of_trees)), masks, tables)


def _columns_of_levels(info: dict[str, Any]) -> frozenset[int]:
    """Return the columns of levels, and those that a statistic of levels asks for."""
    flat_of_float = {
        each["feature_index"]: each["flat_feature_index"]
        for each in info.get("float_features") or ()
    }
    levels = {each["flat_feature_index"] for each in info.get("categorical_features") or ()}
    numbers = {
        flat_of_float[element["float_feature_index"]]
        for statistic in info.get("ctrs") or ()
        for element in statistic.get("elements") or ()
        if "float_feature_index" in element
    }
    return frozenset(levels | numbers)


def _encode(borders: np.ndarray, values: np.ndarray, codes: np.ndarray) -> None:
    count_below(borders, values.astype(np.float32).astype(float), codes)


@compiled_whole
def _add_changes(
    leaves: np.ndarray,
    codes: np.ndarray,
    place_of: np.ndarray,
    masks: np.ndarray,
    tables: np.ndarray,
    first_leaf: np.ndarray,
    values: np.ndarray,
    weights: np.ndarray,
    total: np.ndarray,
    numbers: np.ndarray,
) -> None:
    """Add to `total` what drawn columns change in the sum over all trees.

    Parameters
    ----------
    leaves : ndarray of uint16, shape (n_trees, n_rows)
        The leaf that each row reaches as it is: a bit for each split.
    codes : ndarray of shape (n_columns, n_draws, n_rows)
        The drawn columns, in codes of their borders.
    place_of : ndarray of shape (n_columns, n_trees)
        The row of `tables` for a column in a tree; -1 where the tree does not ask for it.
    masks : ndarray of uint16, shape (n_trees,)
        The bits of the splits that ask for a drawn column.
    tables : ndarray of uint16, shape (n_uses, n_codes)
        The bits that a column's code sets.
    first_leaf : ndarray of shape (n_trees,)
        Where the leaves of a tree begin in `values`.
    values : ndarray of shape (n_leaves, n_outputs)
    weights : ndarray of shape (n_draws, n_rows)
        Of a mean over the draws; empty where each draw is kept by itself.
    total : ndarray of shape (1 or n_draws, n_rows, n_outputs)
    numbers : ndarray of uint16
        Room for the leaves of a block of rows.
    """
    n_trees, n_rows = leaves.shape
    n_columns, n_draws = codes.shape[:2]
    n_outputs = total.shape[2]
    is_mean = len(weights) > 0
    for begin in range(0, n_rows, len(numbers)):
        end = min(begin + len(numbers), n_rows)
        for tree in range(n_trees):
            if masks[tree] == 0:
                continue
            kept = np.uint16(~masks[tree])
            own = leaves[tree, begin:end]
            first = first_leaf[tree]
            for draw in range(n_draws):
                for row in range(end - begin):
                    numbers[row] = own[row] & kept
                for column in range(n_columns):
                    use = place_of[column, tree]
                    if use >= 0:
                        drawn = codes[column, draw, begin:end]
                        for row in range(end - begin):
                            numbers[row] |= tables[use, drawn[row]]
                into = 0 if is_mean else draw
                for output in range(n_outputs):
                    for row in range(end - begin):
                        change = values[first + numbers[row], output]
                        change -= values[first + own[row], output]
                        if is_mean:
                            change *= weights[draw, begin + row]
                        total[into, begin + row, output] += change
