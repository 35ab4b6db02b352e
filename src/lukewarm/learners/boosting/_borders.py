"""A table to codes: what was learnt of every column on the training rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features
from lukewarm.learners.boosting._columns import CategoryColumn, Column, NumericColumn
from lukewarm.learners.boosting._encode import PADDED_WIDTH, encode_numbers
from lukewarm.learners.boosting._warm_up import compile_once
from lukewarm.learners.boosting._work import Table

# Rows up to which so many bins find the splits that more of them find; more cost time.
_BINS = ((2_000, 32), (10_000, 64), (np.inf, 128))


def suitable_bins(n_rows: int) -> int:
    """Return as many bins as this many rows can fill.

    Examples
    --------
    >>> suitable_bins(500), suitable_bins(10**6)
    (32, 128)
    """
    return next(bins for most, bins in _BINS if n_rows <= most)


@dataclass(frozen=True, eq=False)
class Borders:
    """How a table becomes codes, column by column."""

    columns: tuple[Column, ...]

    @classmethod
    def learn(cls, X: Features, n_bins: int) -> Borders:
        """Return the borders of the training rows `X`."""
        # On one thread: what threads allocate and free stays with them, some 5 MB each.
        return cls(
            tuple(_learn_column(_column_of(X, column), n_bins) for column in range(X.shape[1]))
        )

    def encode(self, X: Features, n_threads: int = 1) -> np.ndarray:
        """Return the codes of `X`, uint8 of shape (p, n): a feature's codes lie together."""
        if X.shape[1] != len(self.columns):
            raise ValueError(
                f"X must have {len(self.columns)} columns, as in training; got {X.shape[1]}."
            )
        compile_once()
        codes = np.empty((len(self.columns), len(X)), dtype=np.uint8)
        if isinstance(X, np.ndarray):
            self._encode_matrix(X, codes, n_threads)
        else:
            for feature in range(len(self.columns)):
                codes[feature] = self.encode_column(feature, X.iloc[:, feature])
        return codes

    def _encode_matrix(self, X: np.ndarray, codes: np.ndarray, n_threads: int) -> None:
        if self.is_category.any():
            raise TypeError(
                "X must be a DataFrame, because the model was trained on one with categorical "
                "columns; got an array."
            )
        numbers = X if X.dtype in (np.float32, np.float64) else X.astype(float)
        edges = np.linspace(0, len(X), n_threads + 1).astype(int)

        def encode(part: int) -> None:
            encode_numbers(numbers, self._padded, codes, edges[part], edges[part + 1])

        list(_map(encode, range(n_threads), n_threads))

    def encode_column(self, feature: int, values: pd.Series | np.ndarray) -> np.ndarray:
        """Return the codes (n,) of one feature."""
        column = self.columns[feature]
        if isinstance(column, CategoryColumn):
            return column.encode(values)
        return self.encode_numeric(_as_numbers(values)[:, None], np.array([feature]))[0]

    def encode_numeric(self, values: np.ndarray, features: np.ndarray) -> np.ndarray:
        """Return the codes of values (n, k) of k numeric features, uint8 of shape (k, n)."""
        codes = np.empty(values.shape[::-1], dtype=np.uint8)
        encode_numbers(values, self._padded[features], codes, 0, len(values))
        return codes

    def table(self, codes: np.ndarray) -> Table:
        """Return codes of this encoding with what a split of each feature may be."""
        first, last = self.thresholds
        return Table(codes, self.n_codes, first, last, self.is_category)

    @cached_property
    def _padded(self) -> np.ndarray:
        """The borders filled up with infinity."""
        padded = np.full((len(self.columns), PADDED_WIDTH), np.inf)
        for feature, column in enumerate(self.columns):
            if isinstance(column, NumericColumn):
                padded[feature, : len(column.borders)] = column.borders
        return padded

    @cached_property
    def is_category(self) -> np.ndarray:
        """Which features are categorical, shape (p,)."""
        return np.array([column.is_category for column in self.columns])

    @cached_property
    def n_codes(self) -> np.ndarray:
        """Codes of each feature, shape (p,)."""
        return np.array([column.n_codes for column in self.columns], dtype=np.int64)

    @cached_property
    def thresholds(self) -> np.ndarray:
        """Lowest and highest threshold of each feature, shape (2, p)."""
        pairs = [column.thresholds for column in self.columns]
        return np.array(pairs, dtype=np.int64).T.copy()


def _learn_column(values: Any, n_bins: int) -> Column:
    if isinstance(values, pd.Series):
        if not pd.api.types.is_numeric_dtype(values.dtype):
            return CategoryColumn.learn(values, n_bins)
        values = _as_numbers(values)
    return NumericColumn.learn(values, n_bins)


def _column_of(X: Features, column: int) -> Any:
    return X.iloc[:, column] if isinstance(X, pd.DataFrame) else X[:, column]


def _as_numbers(values: pd.Series | np.ndarray) -> np.ndarray:
    if not isinstance(values, pd.Series):
        return np.asarray(values, dtype=float)
    return values.to_numpy(dtype=float, na_value=np.nan)


def _map(task: Callable[[int], Any], items: Iterable[int], n_threads: int) -> Iterable[Any]:
    if n_threads == 1:
        return map(task, items)
    with ThreadPoolExecutor(n_threads) as pool:
        return pool.map(task, items)
