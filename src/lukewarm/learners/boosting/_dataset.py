"""Binned datasets: what the engine sees of a table.

A table is bin codes, one byte each, of shape (p, n): a feature's codes lie together, since trees
read one feature at a time. `without` returns a view: the same codes with a mask of removed
features and the bin each is held in, (p,) both. Whatever depends on the codes alone (which
features vary, moments, the leaves reached in trees that are shared) is kept once at the `_source`,
the rows with nothing removed, and serves all its views. Leaves are kept by the identity of the
`Trees`, weakly: they go when the last learner with those trees goes.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from lukewarm._typing import Features, FeatureSet, Vector
from lukewarm.data import RowCache, first_if_repeated, like_column
from lukewarm.learners._imputation import Moments
from lukewarm.learners.boosting._apply import leaf_groups
from lukewarm.learners.boosting._borders import Borders
from lukewarm.learners.boosting._columns import NumericColumn
from lukewarm.learners.boosting._trees import Trees

# Leaf indices are kept for tables where they take at most this, 128 MB beside the codes; larger
# ones are walked anew.
_MOST_BYTES_KEPT = 2**27
# Enough to know a slope to a hundredth: its standard error is about 1 / sqrt(rows).
_MOST_ROWS_READ = 20_000


class BinnedDataset:
    """Rows as bin codes, with some features perhaps taken away.

    Taking features away shares the codes and costs the same for any number of rows.

    Parameters
    ----------
    borders : Borders
    codes : ndarray of shape (p, n), uint8
    removed : ndarray of shape (p,), bool
    fill_codes : ndarray of shape (p,), uint8
        The bin in which a removed feature is held.
    """

    def __init__(
        self,
        borders: Borders,
        codes: np.ndarray,
        removed: np.ndarray | None = None,
        fill_codes: np.ndarray | None = None,
        source: BinnedDataset | None = None,
    ) -> None:
        n_features = codes.shape[0]
        self.borders = borders
        self.codes = codes
        self.removed = np.zeros(n_features, dtype=bool) if removed is None else removed
        self.fill_codes = np.zeros(n_features, np.uint8) if fill_codes is None else fill_codes
        # Not itself: rows that nobody needs any more go at once, rather than when Python next looks
        # for circles, which it does after many small objects, not after a few large ones.
        self._whole = source
        if source is None:
            self._groups: WeakKeyDictionary[Trees, np.ndarray] = WeakKeyDictionary()
            self._moments: RowCache[Moments] = RowCache()
            self._lock = threading.Lock()

    @property
    def _source(self) -> BinnedDataset:
        """The rows with no feature removed, for which things are computed once."""
        return self if self._whole is None else self._whole

    @cached_property
    def varies(self) -> np.ndarray:
        """Which features have more than one code here, shape (p,)."""
        if self._source is not self:
            return self._source.varies
        # One feature at a time, for a comparison of all would take as much room as the codes.
        return np.array([bool((code != code[:1]).any()) for code in self.codes])

    @classmethod
    def encode(cls, borders: Borders, X: Features, n_threads: int = 1) -> BinnedDataset:
        """Return the rows of `X` as codes."""
        return cls(borders, borders.encode(X, n_threads))

    def __len__(self) -> int:
        return self.codes.shape[1]

    def __reduce__(self) -> tuple[Any, ...]:
        # Kept leaves are left behind; whoever loads the rows computes them again.
        return BinnedDataset, (self.borders, self.codes, self.removed, self.fill_codes)

    @property
    def candidates(self) -> np.ndarray:
        """Features that a tree may split on: those that vary here and are not removed."""
        return np.flatnonzero(self.varies & ~self.removed).astype(np.int32)

    def without(self, removed: FeatureSet, fill_values: tuple[Any, ...]) -> BinnedDataset:
        """Return these rows with the features in `removed` held in the bin of their fill value."""
        mask, fill_codes = self.removed.copy(), self.fill_codes.copy()
        for feature in removed:
            mask[feature] = True
            fill_codes[feature] = self.borders.columns[feature].code_of(fill_values[feature])
        return BinnedDataset(self.borders, self.codes, mask, fill_codes, self._source)

    def only(self, features: np.ndarray) -> BinnedDataset:
        """Return these rows for trees that may ask for these features alone."""
        mask = np.ones_like(self.removed)
        mask[features] = False
        return BinnedDataset(self.borders, self.codes, mask, self.fill_codes, self._source)

    def filled_codes(self, X: Features, fills: Sequence[dict[int, Any]]) -> dict[int, np.ndarray]:
        """Return the codes (m, n) of the values of m fills of the table `X`, by feature."""
        codes = {}
        for feature in fills[0]:
            column = X.iloc[:, feature] if isinstance(X, pd.DataFrame) else None
            parts = [self._codes_of(feature, column, values[feature]) for values in fills]
            codes[feature] = np.stack([np.broadcast_to(each, len(X)) for each in parts])
        return codes

    def _codes_of(self, feature: int, column: pd.Series | None, values: Any) -> np.ndarray:
        few = first_if_repeated(values)
        if column is None:
            return self.borders.encode_column(feature, few)
        if column.dtype == np.float64 and isinstance(few, np.ndarray) and few.dtype == np.float64:
            # What `like_column` would make of them, without a series for every draw.
            return self.borders.encode_column(feature, few)
        return self.borders.encode_column(feature, like_column(column.iloc[: len(few)], few))

    def moments(self, weights: Vector | None) -> Moments:
        """Return the moments of the numeric columns with no feature removed, computed once."""
        source = self._source
        with source._lock:
            moments = source._moments.recall(weights)
            if moments is None:
                every = -(-len(self) // _MOST_ROWS_READ)
                read = None if weights is None else weights[::every]
                moments = Moments.learn(self._values(self.codes[:, ::every]), read)
                source._moments.keep(moments, weights)
            return moments

    def _values(self, codes: np.ndarray) -> np.ndarray:
        values = np.zeros(codes.shape[::-1])
        for feature, column in enumerate(self.borders.columns):
            if isinstance(column, NumericColumn):
                values[:, feature] = column.values_of_codes[codes[feature]]
        return values

    def leaf_groups(self, trees: Trees) -> np.ndarray | None:
        """Return the leaves these rows reach in `trees` with no feature removed, or None.

        They are computed once and serve every set of removed features; None where they would take
        too much memory.
        """
        source = self._source
        with source._lock:
            groups = source._groups.get(trees)
            if groups is None and trees.n_groups * len(self) <= _MOST_BYTES_KEPT:
                groups = leaf_groups(
                    self.codes,
                    trees.features,
                    trees.thresholds,
                    trees.is_category,
                    trees.group_size,
                )
                source._groups[trees] = groups
        return groups
