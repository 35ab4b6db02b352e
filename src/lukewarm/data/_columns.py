"""One column of a user's frame: as floats where it holds quantities, else as levels."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._validation import check_real, unmasked

_SECONDS_PER_DAY = 86_400
# 2 GiB: a sparse matrix that grows beyond would fill a common machine with its copies.
_MOST_DENSE_BYTES = 2**31


def as_pandas(X: Any) -> Any:
    """Return a polars or pyarrow table or column in pandas; most else as it is.

    Dictionary-coded text is spelled out, so that levels have the same order whatever table they
    come from. Sparse matrices become dense, masked arrays arrays with gaps.
    """
    X = unmasked(_dense(X))
    if hasattr(X, "collect") and hasattr(X, "lazy"):
        X = X.collect()
    if isinstance(X, pd.DataFrame | pd.Series) or not hasattr(X, "to_pandas"):
        return X
    if type(X).__module__.startswith("pyarrow") and hasattr(X, "schema"):
        X = _spelled_out(X)
    try:
        frame = X.to_pandas()
    except ImportError as error:
        raise ImportError(
            'polars frames need pyarrow; run: pip install "lukewarm[polars]"'
        ) from error
    if isinstance(frame, pd.Series):
        return frame
    for place, dtype in enumerate(frame.dtypes):
        if isinstance(dtype, pd.CategoricalDtype):
            frame.isetitem(place, frame.iloc[:, place].astype(object))
    return frame


def _dense(X: Any) -> Any:
    # scipy.sparse need not be loaded to know that X is none of its matrices.
    if not type(X).__module__.startswith("scipy.sparse"):
        return X
    n_bytes = float(np.prod(X.shape, dtype=float)) * 8
    if n_bytes > _MOST_DENSE_BYTES:
        raise ValueError(
            f"X is a sparse matrix of shape {X.shape}; models here take dense tables, and it would "
            f"take {n_bytes / 2**30:.1f} GiB as one, where at most {_MOST_DENSE_BYTES / 2**30:g} "
            "are allowed. Keep fewer columns, or pass X.toarray() if you have the memory."
        )
    return X.toarray()


def _spelled_out(table: Any) -> Any:
    """Return a pyarrow table without dictionaries, not all of which it can hand to pandas."""
    schema = table.schema
    for place, field in enumerate(schema):
        if hasattr(field.type, "index_type"):
            schema = schema.set(place, field.with_type(field.type.value_type))
    return table.cast(schema)


def as_quantity(column: pd.Series) -> np.ndarray | None:
    """Return the column as floats with nan for gaps, or None where it holds levels.

    Numbers, booleans and their nullable and Arrow kinds are quantities; so are dates (days since
    1970) and durations (days), and objects that are all numbers.

    Examples
    --------
    >>> as_quantity(pd.Series([True, None], dtype="boolean"))
    array([ 1., nan])
    >>> as_quantity(pd.Series(pd.to_datetime(["1970-01-02 00:00", "1970-01-03 12:00"])))
    array([1. , 2.5])
    >>> as_quantity(pd.Series(["red", "green"])) is None
    True
    """
    check_real(f"column {column.name!r} of X", column)
    if isinstance(column.dtype, pd.CategoricalDtype):
        return None
    if is_time(column):
        return _days(column)
    types = pd.api.types
    if types.is_numeric_dtype(column.dtype) or types.is_bool_dtype(column.dtype):
        return column.to_numpy(dtype=float, na_value=np.nan)
    present = column.dropna()
    if column.dtype == object and all(isinstance(value, Number | np.bool_) for value in present):
        check_real(f"column {column.name!r} of X", np.array(present.tolist()))
        try:
            return np.array([np.nan if gap else float(value) for value, gap in _with_gaps(column)])
        except (TypeError, OverflowError) as error:
            raise ValueError(
                f"X must hold numbers that fit into a float; column {column.name!r} does not: "
                f"{error}."
            ) from error
    return None


def like_column(column: pd.Series, values: Any) -> pd.Series:
    """Return values in the terms of `as_quantity` and `as_levels` as a column like this one.

    Levels and text keep their dtype, dates and durations are dates again (to the second), and
    quantities are floats, since a mean of whole numbers or flags is none.

    Parameters
    ----------
    column : Series of length n
    values : sequence of length n

    Examples
    --------
    >>> dates = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-03"]))
    >>> like_column(dates, [18262.0, 18263.5]).dt.strftime("%d %H:%M").tolist()
    ['01 00:00', '02 12:00']
    """
    dtype: Any = column.dtype
    if is_time(column):
        days = pd.to_timedelta(np.asarray(values, dtype=float), unit="D").round("s")
        if dtype.kind == "m":
            return pd.Series(days, index=column.index).astype(dtype)
        moments = (pd.Timestamp(0, tz="UTC") + days).tz_convert(column.dt.tz)
        return pd.Series(moments, index=column.index).astype(dtype)
    if pd.api.types.is_numeric_dtype(dtype) and dtype.kind != "f":
        dtype = np.dtype(float)
    # Of objects pandas would guess a dtype first, which a list leaves to the one given.
    is_float = isinstance(values, np.ndarray) and values.dtype.kind == "f"
    return pd.Series(values if is_float else list(values), index=column.index, dtype=dtype)


def first_if_repeated(values: Any) -> Any:
    """Return one value of an array that repeats it; other arrays as they are.

    Examples
    --------
    >>> first_if_repeated(np.broadcast_to(2.0, 5))
    array([2.])
    """
    is_repeated = isinstance(values, np.ndarray) and values.strides == (0,)
    return values[:1] if is_repeated else values


def as_levels(column: pd.Series) -> pd.Series:
    """Return the column with category dtype, its levels plain Python objects."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        try:
            column = column.astype(object).where(column.notna(), None).astype("category")
        except TypeError as error:
            raise TypeError(
                f"X must hold numbers, dates or levels; column {column.name!r} does not: {error}."
            ) from error
    plain = pd.Index(list(column.cat.categories), dtype=object)
    levels = pd.Categorical.from_codes(column.cat.codes, plain, ordered=column.cat.ordered)
    return pd.Series(levels, index=column.index)


def _with_gaps(column: pd.Series) -> Any:
    return zip(column, column.isna(), strict=True)


def is_time(column: pd.Series) -> bool:
    """Return whether the column holds dates or durations."""
    kind = getattr(column.dtype, "kind", "")
    return kind in ("M", "m") or pd.api.types.is_datetime64_any_dtype(column.dtype)


def _days(column: pd.Series) -> np.ndarray:
    if column.dtype.kind == "m":
        return pd.to_timedelta(column).dt.total_seconds().to_numpy(float) / _SECONDS_PER_DAY
    moments = pd.to_datetime(column, utc=True)
    since = moments - pd.Timestamp("1970-01-01", tz="UTC")
    return since.dt.total_seconds().to_numpy(float) / _SECONDS_PER_DAY
