"""The trees of a learner, and their sums on the rows it has met.

The output at row i after m trees is start + scale_m * sum_{t <= m} values_t[leaf_t(i)]: `start`
has shape (n_outputs,), the sum ("raw") (n_outputs, n). Training, stopping and prediction ask for
it again and again on the same few tables, each time some trees later, so the sum is cached per
table with the number of trees in it, and only the trees since are added. Caches are keyed by the
identity of the `BinnedDataset` and die with them; a cached sum is replaced, never written to, so
that readers in other threads keep theirs.

A warm start is a copy: the trees so far become one frozen `Trees` object that all copies share,
which makes copying free and lets the rows keep the leaves they reach in it (see `_dataset.py`).
What a copy grows itself is its own.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from lukewarm.learners.boosting._apply import add_groups, add_trees
from lukewarm.learners.boosting._dataset import BinnedDataset
from lukewarm.learners.boosting._drawn import drawn_sums
from lukewarm.learners.boosting._surrogates import SurrogateValues
from lukewarm.learners.boosting._trees import Trees

# Two threads that copy one learner must not each make a frozen object of their own.
_FREEZING = threading.Lock()
# Compiled code takes arrays of these types where there is nothing to give.
_NO_STAGES = np.empty((0, 0, 0))
_NO_CODES = np.empty((0, 0), dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class _CachedSum:
    """The sum of leaf values on some rows after some step; never written to."""

    step: int
    raw: np.ndarray


class Ensemble:
    """A growing run of trees over a start value; copies share the trees they have in common.

    Parameters
    ----------
    start : ndarray of shape (n_outputs,)
    unit : float
        The grid of leaf values.
    shared : Trees
        Trees that copies may share; the leaves rows reach in them are kept with the rows.
    surrogates : SurrogateValues, optional
        What trees read where they ask for a removed feature.
    """

    def __init__(
        self,
        start: np.ndarray,
        unit: float,
        shared: Trees,
        surrogates: SurrogateValues | None = None,
    ) -> None:
        self.start = start
        self.unit = unit
        self._shared = shared
        self._surrogates = surrogates
        self._own = shared.first(0)
        self._cached_sums: WeakKeyDictionary[BinnedDataset, _CachedSum] = WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cached_sums": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _cached_sums=WeakKeyDictionary())

    def __len__(self) -> int:
        return len(self._shared) + len(self._own)

    def copy(self) -> Ensemble:
        """Return an ensemble of the same trees that grows independently."""
        with _FREEZING:
            # From here on the trees so far are one object, so that every copy finds the leaves
            # of the rows it meets already computed.
            if len(self._own):
                self._shared = self._shared.followed_by(self._own)
                self._own = self._own.first(0)
            return Ensemble(self.start, self.unit, self._shared, self._surrogates)

    def with_surrogates(self, surrogates: SurrogateValues) -> Ensemble:
        """Return an ensemble of the same trees that read surrogate values for removed features."""
        copied = self.copy()
        copied._surrogates = surrogates
        return copied

    def trees(self, first: int, last: int) -> Trees:
        """Return the trees of the steps first + 1 .. last."""
        n_shared = len(self._shared)
        if first >= n_shared:
            return self._own.slice(first - n_shared, last - n_shared)
        if last <= n_shared:
            return self._shared.slice(first, last)
        return self._shared.slice(first, n_shared).followed_by(self._own.first(last - n_shared))

    def append(self, grown: Trees, rows: BinnedDataset, raw: np.ndarray | None) -> None:
        """Add trees; `raw` is the sum of all leaf values on `rows` with them, where it is known."""
        self._own = self._own.followed_by(grown)
        if raw is not None:
            self._cached_sums[rows] = _CachedSum(len(self), raw)

    def truncate(self, step: int) -> None:
        """Drop the trees after `step`."""
        if step < len(self._shared):
            self._shared = self._shared.first(step)
        self._own = self._own.first(step - len(self._shared))
        later = [rows for rows, cached in self._cached_sums.items() if cached.step > step]
        for rows in later:
            del self._cached_sums[rows]

    def scale(self, step: int) -> float:
        """Return the factor that shrinkage has left of the sum of leaf values after `step`."""
        return float(self.trees(step - 1, step).scales[0]) if step else 1.0

    def outputs(self, rows: BinnedDataset) -> np.ndarray:
        """Return the outputs for these rows, shape (n_outputs, n)."""
        return self.start[:, None] + self.scale(len(self)) * self.raw(rows, len(self))

    def drawn_outputs(self, rows: BinnedDataset, drawn: dict[int, np.ndarray]) -> np.ndarray:
        """Return the outputs with other codes (m, n) in some features, shape (m, n_outputs, n)."""
        assert self._surrogates is None  # those of a warm start, which has no draws
        n_trees = len(self)
        sums = drawn_sums(self.trees(0, n_trees), rows.codes, self.raw(rows, n_trees), drawn)
        return self.start[:, None] + self.scale(n_trees) * sums

    def asks_for(self, features: Sequence[int]) -> bool:
        """Return whether some tree tests one of these features."""
        return bool(np.isin(self.trees(0, len(self)).features, features).any())

    def staged_outputs(self, rows: BinnedDataset, first_step: int) -> np.ndarray:
        """Return the outputs after each of the steps first_step .. the last, first_step > 0."""
        raw = self.raw(rows, first_step - 1).copy()
        trees = self.trees(first_step - 1, len(self))
        stages = np.empty((len(trees), *raw.shape))
        self._add(rows, trees, raw, stages)
        self._cached_sums[rows] = _CachedSum(len(self), raw)
        stages *= trees.scales[:, None, None]
        stages += self.start[:, None]
        return stages

    def raw(self, rows: BinnedDataset, step: int) -> np.ndarray:
        """Return the sum of leaf values after `step` trees, shape (n_outputs, n); not to write."""
        cached = self._cached_sums.get(rows)
        if cached is None or cached.step > step:
            cached = self._first_sum(rows, step)
        if cached.step < step:
            raw = cached.raw.copy()
            self._add(rows, self.trees(cached.step, step), raw, _NO_STAGES)
            cached = _CachedSum(step, raw)
        if step:
            self._cached_sums[rows] = cached
        return cached.raw

    def _first_sum(self, rows: BinnedDataset, step: int) -> _CachedSum:
        """Return the sum after the shared trees, from stored leaves, or that before any."""
        raw = np.zeros((len(self.start), len(rows)))
        trees = self._shared
        groups = rows.leaf_groups(trees) if 0 < len(trees) <= step else None
        if groups is None:
            return _CachedSum(0, raw)
        add_groups(groups, trees.group_size, *self._arguments(rows, trees), raw)
        return _CachedSum(len(trees), raw)

    def _add(self, rows: BinnedDataset, trees: Trees, raw: np.ndarray, stages: np.ndarray) -> None:
        add_trees(rows.codes, *self._arguments(rows, trees), raw, stages)

    def _arguments(self, rows: BinnedDataset, trees: Trees) -> tuple[np.ndarray, ...]:
        """Return what a pass over the trees asks of them and of what is removed."""
        return (
            trees.features,
            trees.thresholds,
            trees.values,
            trees.is_category,
            rows.removed,
            rows.fill_codes,
            *self._read_instead(rows, trees),
        )

    def _read_instead(self, rows: BinnedDataset, trees: Trees) -> tuple[np.ndarray, np.ndarray]:
        """Return the place of each feature among the surrogate values, and their codes."""
        surrogates = self._surrogates
        # Trees grown after the removal never ask for what is gone.
        if surrogates is None or not np.isin(trees.features, surrogates.imputation.removed).any():
            return np.full(len(trees.is_category), -1, dtype=np.int32), _NO_CODES
        return surrogates.places, surrogates.codes(rows)
