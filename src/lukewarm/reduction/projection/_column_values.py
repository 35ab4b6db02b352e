"""The values of one column of a table: as numbers or levels, and those there are, where few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features, Vector
from lukewarm.data import as_levels, as_quantity

# A numeric column with no more values than these is drawn value by value.
_MOST_VALUES = 10
# Levels beyond these are drawn in proportion to their share only.
_MOST_LEVELS = 12


def column_of(X: Features, column: int) -> Any:
    """Return one column as floats, or as levels."""
    if not isinstance(X, pd.DataFrame):
        return np.asarray(X[:, column], dtype=float)
    values = as_quantity(X.iloc[:, column])
    return as_levels(X.iloc[:, column]) if values is None else values


def few_values(values: Any) -> tuple[Any, ...] | None:
    """Return the values of a column that is drawn value by value; None for a quantity."""
    if isinstance(values, pd.Series):
        counts = values.value_counts(dropna=False)
        counts = counts[counts > 0]
        return tuple(None if pd.isna(each) else each for each in counts.index[:_MOST_LEVELS])
    distinct = np.unique(values)  # nan once, at the end
    return tuple(distinct.tolist()) if len(distinct) <= _MOST_VALUES else None


def is_value(values: Any, value: Any) -> Vector:
    """Return one where a column has a value, a gap where that is None; else zero."""
    if pd.isna(value):
        return np.asarray(pd.isna(values), dtype=float)
    return np.asarray(values == value, dtype=float)


def codes_of(train: Any, others: Any) -> tuple[Vector, Vector]:
    """Return the values of training and other rows as numbers: codes of levels and gaps."""
    if not isinstance(train, pd.Series):
        gap = -1.0 if np.isnan(train).all() else np.nanmin(train) - 1
        return np.where(np.isnan(train), gap, train), np.where(np.isnan(others), gap, others)
    codes, levels = pd.factorize(train)
    # Gaps have the code -1; levels that the training rows lack are one more.
    known, others = (
        pd.Index(list(each), dtype=object, tupleize_cols=False) for each in (levels, others)
    )
    found = known.get_indexer(others)
    found[(found < 0) & ~others.isna()] = len(levels)
    return codes.astype(float), found.astype(float)
