"""Rows to learn from and rows to evaluate on, given apart, as one table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Vector
from lukewarm._validation import as_relative, check_readable, check_weights
from lukewarm.data import MINIMUM_ROWS, as_pandas, column_names
from lukewarm.estimators._problem import warn_of_order


def stack_rows(X: Any, y: Any, X_eval: Any, y_eval: Any) -> tuple[Any, Any, int]:
    """Return one table and target, the rows to learn from first, and how many evaluate."""
    if (X_eval is None) != (y_eval is None):
        raise ValueError("X_eval and y_eval belong together; pass both or neither.")
    above, below = as_pandas(X), as_pandas(X_eval)
    if not isinstance(above, pd.DataFrame):
        above, below = check_readable("X", above), check_readable("X_eval", below)
    targets = [_as_column("y", y), _as_column("y_eval", y_eval)]
    tables = zip(("", "_eval"), (above, below), (y, y_eval), targets, strict=True)
    for name, table, given, values in tables:
        if np.ndim(table) != 2:
            raise ValueError(
                f"X{name} must have two dimensions, rows and features; got shape {np.shape(table)}."
            )
        if len(table) != len(values):
            raise ValueError(
                f"X{name} and y{name} must have the same number of rows; X{name} has "
                f"{len(table)}, y{name} has {len(values)}."
            )
        warn_of_order(table, as_pandas(given), name)
    if len(above) < MINIMUM_ROWS or len(below) < 2:
        raise ValueError(
            f"X must have at least {MINIMUM_ROWS} rows and X_eval at least 2, for a standard "
            f"error; they have {len(above)} and {len(below)}."
        )
    target = _stacked_targets(y, y_eval, targets)
    if not isinstance(above, pd.DataFrame):
        if above.shape[1:] != below.shape[1:]:
            raise ValueError(
                f"X_eval must have the columns of X; X has shape {above.shape}, X_eval "
                f"{below.shape}."
            )
        return np.concatenate([above, below]), target, len(below)
    if not isinstance(below, pd.DataFrame) or set(below.columns) != set(above.columns):
        got = list(below.columns) if isinstance(below, pd.DataFrame) else type(below).__name__
        raise ValueError(f"X_eval must have the columns of X, {list(above.columns)}; got {got}.")
    column_names(above)  # refuses names that appear twice
    columns = {name: _stack(above[name], below[name]) for name in above.columns}
    return pd.DataFrame(columns), target, len(below)


def stack_weights(
    sample_weight: Any, sample_weight_eval: Any, n_fit: int, n_evaluation: int
) -> Vector | None:
    """Return the weights of the rows to learn from, then of those to evaluate on; 1 if not given.

    The two are compared with nothing but themselves, so each has mean 1 where positive.
    """
    if sample_weight is None and sample_weight_eval is None:
        return None
    parts = [
        check_weights(sample_weight, n_fit),
        check_weights(sample_weight_eval, n_evaluation, "sample_weight_eval"),
    ]
    return np.concatenate(
        [
            np.ones(n_rows) if part is None else as_relative(part)
            for part, n_rows in zip(parts, (n_fit, n_evaluation), strict=True)
        ]
    )


def _as_column(name: str, values: Any) -> np.ndarray:
    """Return a target as an array that can be stacked; as_problem checks what it holds."""
    column = check_readable(name, as_pandas(values))
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.ndim not in (1, 2):
        raise ValueError(f"{name} must have one value per row; got shape {column.shape}.")
    if column.dtype.kind in "mM":
        raise TypeError(f"{name} must hold numbers or labels; got {column.dtype}.")
    return column


def _stacked_targets(y: Any, y_eval: Any, arrays: list[np.ndarray]) -> Any:
    """Return both targets as one; a frame where several columns have names."""
    above, below = arrays
    if above.shape[1:] != below.shape[1:]:
        raise ValueError(
            f"y_eval must have the columns of y; y has shape {above.shape}, y_eval {below.shape}."
        )
    both, frame = np.concatenate([above, below]), as_pandas(y)
    if both.ndim == 1 or not isinstance(frame, pd.DataFrame):
        return both
    other = as_pandas(y_eval)
    if isinstance(other, pd.DataFrame) and list(other.columns) != list(frame.columns):
        raise ValueError(
            f"y_eval must have the columns of y, {list(frame.columns)}; got {list(other.columns)}."
        )
    return pd.DataFrame(both, columns=frame.columns)


def _stack(above: pd.Series, below: pd.Series) -> pd.Series:
    if isinstance(above.dtype, pd.CategoricalDtype):
        # The order of the levels is kept: a trained model may know them by their codes.
        levels = list(above.cat.categories)
        new = [level for level in pd.unique(below.dropna()) if level not in set(levels)]
        dtype = pd.CategoricalDtype([*levels, *new], ordered=above.cat.ordered)
        above, below = above.astype(dtype), below.astype(dtype)
    return pd.concat([above, below], ignore_index=True)
