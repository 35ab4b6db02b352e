"""Features to bins: quantile borders learnt on the training rows, one code per value."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features

MISSING = 0
"""The code of a missing value; it has a bin of its own, below all others."""


@dataclass(frozen=True, eq=False)
class Column:
    """How one column becomes codes.

    Parameters
    ----------
    borders : ndarray of shape (n_bins - 1,), or None
        Ascending; a value above `b` of the borders has code ``b + 1``. None for a categorical
        column.
    levels : pandas.Index, or None
        The levels with a bin of their own, most frequent first; level `l` has code ``l + 1``.
    has_missing : bool
        Whether the training rows had missing values here; else no split tests for them.
    has_other : bool
        Whether the training rows had levels without a bin of their own.
    """

    borders: np.ndarray | None = None
    levels: pd.Index | None = None
    has_missing: bool = False
    has_other: bool = False

    @property
    def n_codes(self) -> int:
        """Codes run over 0 .. n_codes - 1."""
        if self.levels is not None:
            return len(self.levels) + 2
        assert self.borders is not None
        return len(self.borders) + 2

    @property
    def first_threshold(self) -> int:
        """The lowest threshold a split may have; a test at 0 asks for missing values."""
        return 0 if self.has_missing else 1

    @property
    def last_threshold(self) -> int:
        """The highest threshold a split may have."""
        if self.levels is None:
            return self.n_codes - 2
        # Of two values in all, a test for the one is a test for the other.
        n_values = len(self.levels) + self.has_missing + self.has_other
        return self.n_codes - 1 - (not self.has_other) - (n_values == 2)

    def encode(self, values: Any) -> np.ndarray:
        """Return the codes of `values`, uint8 of shape (n,)."""
        if self.levels is not None:
            return _encode_levels(values, self.levels)
        numbers = np.asarray(values, dtype=float)
        codes = np.searchsorted(self.borders, numbers, side="left") + 1
        return np.where(np.isnan(numbers), MISSING, codes).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class Borders:
    """How a table becomes codes, column by column."""

    columns: tuple[Column, ...]

    @classmethod
    def learn(cls, X: Features, n_bins: int) -> Borders:
        """Return the borders of the training rows `X`."""
        return cls(tuple(_learn_column(column, n_bins) for column in _columns_of(X)))

    def encode(self, X: Features) -> np.ndarray:
        """Return the codes of `X`, uint8 of shape (p, n): a feature's codes lie together."""
        columns = list(_columns_of(X))
        if len(columns) != len(self.columns):
            raise ValueError(
                f"X must have {len(self.columns)} columns, as in training; got {len(columns)}."
            )
        codes = np.empty((len(columns), len(X)), dtype=np.uint8)
        for feature, values in enumerate(columns):
            codes[feature] = self.columns[feature].encode(values)
        return codes

    def encode_value(self, feature: int, value: Any) -> int:
        """Return the code of one value of one feature."""
        column = self.columns[feature]
        if column.borders is None:
            return int(column.encode([value])[0])
        if value is None or np.isnan(value):
            return MISSING
        return bisect_left(column.borders, value) + 1

    @cached_property
    def is_category(self) -> np.ndarray:
        """Which features are categorical, shape (p,)."""
        return np.array([column.levels is not None for column in self.columns])

    @cached_property
    def n_codes(self) -> np.ndarray:
        """Codes of each feature, shape (p,)."""
        return np.array([column.n_codes for column in self.columns], dtype=np.int64)

    @cached_property
    def first_thresholds(self) -> np.ndarray:
        """Lowest threshold of each feature, shape (p,)."""
        return np.array([column.first_threshold for column in self.columns], dtype=np.int64)

    @cached_property
    def last_thresholds(self) -> np.ndarray:
        """Highest threshold of each feature, shape (p,)."""
        return np.array([column.last_threshold for column in self.columns], dtype=np.int64)


def quantile_borders(values: np.ndarray, n_bins: int) -> np.ndarray:
    """Return at most ``n_bins - 1`` borders that leave about equally many values in each bin.

    A border lies half way between two neighbouring values; missing values are passed over.

    Examples
    --------
    >>> quantile_borders(np.array([1.0, 2.0, 3.0, 4.0]), 2)
    array([2.5])
    """
    ordered = np.sort(values[~np.isnan(values)])
    if len(ordered) == 0:
        return np.empty(0)
    steps = np.flatnonzero(ordered[1:] > ordered[:-1])
    if len(steps) >= n_bins:
        wanted = np.arange(1, n_bins) * (len(ordered) / n_bins) - 1
        steps = np.unique(steps[np.minimum(np.searchsorted(steps, wanted), len(steps) - 1)])
    lower, upper = ordered[steps].astype(float), ordered[steps + 1].astype(float)
    # A half taken before adding cannot overflow; where it rounds up, `lower` itself separates.
    middle = lower / 2 + upper / 2
    return np.where(middle < upper, middle, lower)


def _learn_column(values: Any, n_bins: int) -> Column:
    if isinstance(values, pd.Series) and not pd.api.types.is_numeric_dtype(values.dtype):
        levels = values.value_counts().index  # ties are in order of appearance
        return Column(
            levels=pd.Index(np.asarray(levels, dtype=object)[: n_bins - 1]),
            has_missing=bool(values.isna().any()),
            has_other=len(levels) > n_bins - 1,
        )
    numbers = np.asarray(values, dtype=float)
    borders = quantile_borders(numbers, n_bins)
    return Column(borders=borders, has_missing=bool(np.isnan(numbers).any()))


def _encode_levels(values: Any, levels: pd.Index) -> np.ndarray:
    """Return codes where levels without a bin of their own, unseen ones too, share the last."""
    objects = pd.Series(values).astype(object)
    positions = levels.get_indexer(objects)
    codes = np.where(positions < 0, len(levels), positions) + 1
    return np.where(objects.isna(), MISSING, codes).astype(np.uint8)


def _columns_of(X: Features) -> Any:
    if isinstance(X, pd.DataFrame):
        return (X.iloc[:, column] for column in range(X.shape[1]))
    return (X[:, column] for column in range(X.shape[1]))
