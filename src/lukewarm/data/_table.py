"""The user's X and y, checked once and brought to the form used inside."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features
from lukewarm._validation import check_readable, check_squarable, check_vector, shown
from lukewarm.data._columns import as_levels, as_pandas, as_quantity

# Leaves five rows to evaluate and four to stop by.
MINIMUM_ROWS = 20
# Variances of squared errors take its fourth power, and floats end at 1e-308.
SMALLEST_SPREAD = 1e-70
# Sums of squares of larger values are no longer floats.
_LARGEST = 1e150


def as_table(X: Any, least_rows: int = MINIMUM_ROWS) -> tuple[Features, tuple[str, ...]]:
    """Return the features as a float matrix (or, with text or categories, a frame) and the names.

    Parameters
    ----------
    X : DataFrame (pandas, polars or pyarrow), ndarray, nested list or scipy.sparse matrix
        Of shape (n, p). Masked values are missing ones; a sparse matrix is made dense.
    least_rows : int
        Fewer are refused.

    Returns
    -------
    table : ndarray of shape (n, p), or DataFrame
        A float matrix when every column is numeric, boolean or a date (then in days since 1970),
        with nan for missing values; else a frame whose other columns have category dtype.
    names : tuple of str
        The column names as text, those of several levels joined by "_"; x0, x1, ... for arrays.

    Examples
    --------
    >>> table, names = as_table(pd.DataFrame({"a": [1, 2] * 10, "b": [True, False] * 10}))
    >>> names, table.dtype.name
    (('a', 'b'), 'float64')
    """
    X = as_pandas(X)
    if isinstance(X, pd.DataFrame):
        return _from_frame(X, least_rows)
    array = check_readable("X", X)
    if array.ndim != 2:
        got = f"shape {array.shape}" if array.ndim else shown(X)
        raise ValueError(f"X must have two dimensions, rows and features; got {got}.")
    names = tuple(f"x{column}" for column in range(array.shape[1]))
    if array.dtype.kind in "OSU":
        return _from_frame(pd.DataFrame(array, columns=list(names)).infer_objects(), least_rows)
    _check_shape(array, least_rows)
    matrix = np.array(array, dtype=float)
    _check_no_infinity(matrix, names)
    return matrix, names


def as_target(y: Any, n_rows: int) -> np.ndarray:
    """Return a numeric target as a finite float vector (n,) that is not constant."""
    values = getattr(y, "values", y)
    if np.asarray(values).dtype.kind in "OSU":
        try:
            values = np.asarray(values, dtype=float)
        except (TypeError, ValueError, OverflowError):
            first = np.asarray(values).tolist()[0]
            raise TypeError(
                f"y must be numeric for regression; got values such as {first!r}. Encode it "
                "as numbers, or use a classifier."
            ) from None
    vector = check_vector("y", values)
    if len(vector) != n_rows:
        raise ValueError(
            f"X and y must have the same number of rows; X has {n_rows}, y has {len(vector)}."
        )
    check_squarable("y", vector)
    spread = np.ptp(vector)
    if 0 < spread < SMALLEST_SPREAD:
        raise ValueError(
            f"y must vary by at least {SMALLEST_SPREAD:g}, for squares of smaller numbers are "
            f"zero; its range is {spread:g}. Multiply it by a constant."
        )
    if spread == 0:
        raise ValueError(
            f"y must not be constant; every value is {vector[0]:g}, so no feature can matter."
        )
    return vector


def output_names(y: Any) -> tuple[str, ...]:
    """Return the names of the columns of a target of several; none for one column.

    Examples
    --------
    >>> output_names(np.zeros((5, 2))), output_names(np.zeros((5, 1)))
    (('y0', 'y1'), ())
    """
    if isinstance(y, pd.DataFrame):
        names = column_names(y, "y")
    else:
        shape = check_readable("y", y).shape
        names = tuple(f"y{column}" for column in range(shape[1])) if len(shape) == 2 else ()
    return names if len(names) > 1 else ()


def target_name(y: Any) -> str | None:
    """Return what the user's column or frame calls the target; None where it has no name.

    Examples
    --------
    >>> target_name(pd.Series([1.0, 2.0], name="price")), target_name(pd.Series([1.0, 2.0]))
    ('price', None)
    """
    y = as_pandas(y)
    name: Any = None
    if isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        name = y.columns[0]
    elif isinstance(y, pd.Series):
        name = y.name
    # Numbers are places of columns in tables that have no names.
    return name if isinstance(name, str) and name.strip() else None


def as_targets(y: Any, n_rows: int, names: tuple[str, ...]) -> np.ndarray:
    """Return several numeric targets as a finite float matrix (n, k), none of them constant."""
    frame = y if isinstance(y, pd.DataFrame) else pd.DataFrame(np.asarray(y))
    columns = []
    for name, number in zip(names, range(len(names)), strict=True):
        try:
            columns.append(as_target(frame.iloc[:, number].infer_objects(), n_rows))
        except (TypeError, ValueError) as error:
            raise type(error)(f"output {name!r}: {error}") from None
    return np.column_stack(columns)


def _from_frame(frame: pd.DataFrame, least_rows: int) -> tuple[Features, tuple[str, ...]]:
    names = column_names(frame)
    _check_shape(frame, least_rows)
    frame = frame.reset_index(drop=True)
    quantities = [as_quantity(frame.iloc[:, column]) for column in range(len(names))]
    for name, values in zip(names, quantities, strict=True):
        if values is not None:
            _check_no_infinity(values[:, np.newaxis], (name,))
    if all(values is not None for values in quantities):
        return np.column_stack([values for values in quantities if values is not None]), names
    columns = {
        name: as_levels(frame.iloc[:, column]) if values is None else values
        for column, (name, values) in enumerate(zip(names, quantities, strict=True))
    }
    return pd.DataFrame(columns), names


def column_names(frame: pd.DataFrame, table: str = "X") -> tuple[str, ...]:
    """Return the names of the columns as text, or raise where two of them read alike."""
    names = tuple(_name(label) for label in frame.columns)
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise ValueError(
            f"{table} must have unique column names, also when read as text; {repeated} appear "
            "more than once."
        )
    return names


def _name(label: Any) -> str:
    """Return the name shown for a column: of several levels, those that are not empty."""
    if isinstance(label, tuple):
        return "_".join(str(part) for part in label if str(part))
    return str(label)


def _check_shape(table: Any, least_rows: int) -> None:
    n_rows, n_columns = table.shape
    if n_columns == 0:
        raise ValueError("X must have at least one feature; it has none.")
    if n_rows < least_rows:
        raise ValueError(
            f"X must have at least {least_rows} rows to split into training, stopping and "
            f"evaluation rows; got {n_rows}."
        )


def _check_no_infinity(matrix: np.ndarray, names: tuple[str, ...]) -> None:
    infinite = (np.abs(matrix) > _LARGEST).any(axis=0)
    if infinite.any():
        columns = [name for name, bad in zip(names, infinite, strict=True) if bad]
        raise ValueError(
            f"X must not hold infinite values, or beyond {_LARGEST:g}; columns {columns} do. Clip "
            "or drop them."
        )


def as_given(X: Any) -> pd.DataFrame | None:
    """Return the user's frame with its own names and dtypes; None for an array of numbers.

    Text and other names side by side become text, because scikit-learn refuses such a mixture.
    An array that holds text becomes a frame with numbered columns.

    Examples
    --------
    >>> as_given(pd.DataFrame({1: [True], "b": ["u"]})).dtypes.index.tolist()
    ['1', 'b']
    """
    if isinstance(X, pd.DataFrame):
        frame = X.reset_index(drop=True)
        is_text = {isinstance(label, str) for label in frame.columns}
        return frame if len(is_text) == 1 else frame.set_axis(list(column_names(frame)), axis=1)
    array = np.asarray(X)
    return pd.DataFrame(array).infer_objects() if array.dtype.kind in "OSU" else None


def with_labels(X: Features, labels: pd.Index) -> pd.DataFrame:
    """Return a table, as the library keeps it, as a frame with these column names."""
    if isinstance(X, pd.DataFrame):
        return X.set_axis(labels, axis=1)
    return pd.DataFrame(X, columns=labels)
