"""Taking features away: what stands in their columns instead.

`Removal` holds a column at one value learnt on the training rows. Draws given the other columns are
another `Fill` (``reduction/projection/_fill.py``): they need regressions, which this room does not
know.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from lukewarm._typing import Features, FeatureSet, Matrix, Prediction
from lukewarm.data._columns import as_quantity, like_column


class Fill(Protocol):
    """Values in the place of removed columns, the same for all rows or row by row."""

    def apply(self, X: Features, removed: FeatureSet) -> Features:
        """Return a copy of `X` to train on: in each row one value for every removed column."""
        ...

    def predict(self, learner: Any, X: Features, removed: FeatureSet) -> Prediction:
        """Return what `learner` predicts without `removed`: the mean over all fills of a row."""
        ...


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
    def learn(
        cls, X: Features, fill: Any = "mean", levels: Collection[int] = frozenset()
    ) -> Removal:
        """Return the fill values of the training rows `X`.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n, p)
        fill : "mean", "zero", "conditional", a number, or a mapping from columns to values
            Numeric columns take their mean (missing values left out), zero, or the number;
            categorical columns their most frequent level. A mapping from column numbers gives
            some columns a value of their own; the others are filled as by "mean". So are all by
            "conditional", for those who do not draw.
        levels : collection of int, optional
            Columns of numbers that stand for levels: between two codes there is nothing.

        Examples
        --------
        >>> removal = Removal.learn(np.array([[1.0, 10.0], [3.0, 30.0]]))
        >>> removal.apply(np.array([[7.0, 7.0]]), (1,))
        array([[ 7., 20.]])
        """
        if isinstance(fill, Mapping):
            means = cls.learn(X, levels=levels).fill_values
            return cls(tuple(fill.get(column, mean) for column, mean in enumerate(means)))
        if not isinstance(X, pd.DataFrame):
            matrix = np.asarray(X, dtype=float)
            filled = _fill_of_numbers(matrix, fill)
            return cls(
                tuple(
                    _most_frequent(pd.Series(matrix[:, column])) if column in levels else value
                    for column, value in enumerate(filled)
                )
            )
        columns = [X.iloc[:, column] for column in range(X.shape[1])]
        quantities = [as_quantity(column) for column in columns]
        numbers = [values for values in quantities if values is not None]
        # All in one matrix: a frame of numbers is filled as the array of them, to the bit.
        numbered = iter(_fill_of_numbers(np.column_stack(numbers), fill) if numbers else ())
        values = [None if each is None else next(numbered) for each in quantities]
        return cls(
            tuple(
                _most_frequent(column) if value is None or place in levels else value
                for place, (column, value) in enumerate(zip(columns, values, strict=True))
            )
        )

    def apply(self, X: Features, removed: FeatureSet) -> Features:
        """Return a copy of `X` with the columns in `removed` at their fill values."""
        if not removed:
            return X
        if hasattr(X, "without"):
            return X.without(removed, self.fill_values)
        if isinstance(X, pd.DataFrame):
            filled = X.copy(deep=False)
            for column in removed:
                # As a series: pandas would infer a dtype of its own for a plain array of texts.
                value = self.fill_values[column]
                constant: Any = like_column(X.iloc[:, column], [value] * len(X))
                filled.isetitem(column, constant)
            return filled
        filled = X.copy()
        filled[:, list(removed)] = [self.fill_values[column] for column in removed]
        return filled

    def predict(self, learner: Any, X: Features, removed: FeatureSet) -> Prediction:
        """Return what `learner` predicts with the columns in `removed` at their fill values."""
        prediction: Prediction = learner.predict(self.apply(X, removed))
        return prediction


def _fill_of_numbers(matrix: Matrix, fill: Any) -> tuple[float, ...]:
    if fill in ("mean", "conditional"):
        present = ~np.isnan(matrix)
        count = np.maximum(present.sum(axis=0), 1)
        values = np.where(present, matrix, 0.0).sum(axis=0) / count
    else:
        values = np.full(matrix.shape[1], 0.0 if fill == "zero" else float(fill))
    return tuple(float(value) for value in values)


def _most_frequent(column: pd.Series) -> Any:
    levels = column.mode(dropna=True)
    return levels.iloc[0] if len(levels) else None


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
