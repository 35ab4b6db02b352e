"""A table with other values in some of its columns."""

from __future__ import annotations

from typing import Any

import pandas as pd

from lukewarm._typing import Features
from lukewarm.data._columns import like_column


def filled(X: Features, values: dict[int, Any]) -> Features:
    """Return a copy of `X` with these values, in the terms of `as_quantity` and `as_levels`.

    Parameters
    ----------
    X : Features of shape (n, p)
    values : dict
        Values (n,) by column number.
    """
    if not isinstance(X, pd.DataFrame):
        X = X.copy()
        for column, each in values.items():
            X[:, column] = each
        return X
    frame = X.copy(deep=False)
    for column, each in values.items():
        series: Any = like_column(X.iloc[:, column], each)
        frame.isetitem(column, series)
    return frame
