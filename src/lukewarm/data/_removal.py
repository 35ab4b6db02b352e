"""Taking features away: their columns are held at a value learnt on the training rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features, FeatureSet


@dataclass(frozen=True, eq=False)
class Removal:
    """The value each column takes when it is removed.

    Parameters
    ----------
    fill_values : tuple of length p
        A number per numeric column, a level per categorical one.

    Notes
    -----
    X^(I) of the paper. The fill is the mean of the *training* rows wherever it is applied; filling
    each split with its own mean would leak the evaluation rows into the prediction.
    """

    fill_values: tuple[Any, ...]

    @classmethod
    def learn(cls, X: Features, fill: Any = "mean") -> Removal:
        """Return the fill values of the training rows `X`.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n, p)
        fill : "mean", "zero", a number, or a mapping from columns to values
            Numeric columns take their mean (missing values left out), zero, or the number;
            categorical columns their most frequent level. A mapping from column numbers gives
            some columns a value of their own; the others are filled as by "mean".

        Examples
        --------
        >>> removal = Removal.learn(np.array([[1.0, 10.0], [3.0, 30.0]]))
        >>> removal.apply(np.array([[7.0, 7.0]]), (1,))
        array([[ 7., 20.]])
        """
        if isinstance(fill, Mapping):
            means = cls.learn(X).fill_values
            return cls(tuple(fill.get(column, mean) for column, mean in enumerate(means)))
        if isinstance(X, pd.DataFrame):
            return cls(tuple(_fill_of_column(X[column], fill) for column in X.columns))
        matrix = np.asarray(X, dtype=float)
        if fill == "mean":
            present = ~np.isnan(matrix)
            count = np.maximum(present.sum(axis=0), 1)
            values = np.where(present, matrix, 0.0).sum(axis=0) / count
        else:
            values = np.full(matrix.shape[1], 0.0 if fill == "zero" else float(fill))
        return cls(tuple(float(value) for value in values))

    def apply(self, X: Features, removed: FeatureSet) -> Features:
        """Return a copy of `X` with the columns in `removed` at their fill values."""
        if not removed:
            return X
        if hasattr(X, "without"):
            return X.without(removed, self.fill_values)
        filled = X.copy()
        if isinstance(filled, pd.DataFrame):
            for column in removed:
                name = filled.columns[column]
                filled[name] = _constant_like(filled[name], self.fill_values[column])
        else:
            filled[:, list(removed)] = [self.fill_values[column] for column in removed]
        return filled


def _fill_of_column(column: pd.Series, fill: Any) -> Any:
    if pd.api.types.is_numeric_dtype(column.dtype):
        if fill == "mean":
            mean = pd.to_numeric(column).mean()
            return float(mean) if pd.notna(mean) else 0.0
        return 0.0 if fill == "zero" else float(fill)
    levels = column.mode(dropna=True)
    return levels.iloc[0] if len(levels) else None


def _constant_like(column: pd.Series, value: Any) -> pd.Series:
    dtype = float if pd.api.types.is_numeric_dtype(column.dtype) else column.dtype
    return pd.Series([value] * len(column), index=column.index, dtype=dtype)
