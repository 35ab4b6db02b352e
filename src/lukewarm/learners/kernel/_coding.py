"""A table as numbers whose distances a kernel can measure: every column at unit spread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features, Matrix, Vector
from lukewarm.data import as_levels, as_quantity
from lukewarm.learners._imputation import LinearImputation
from lukewarm.learners._scaling import Scaling
from lukewarm.learners.kernel._normal_scores import NormalScores, has_heavy_tails

# The middle eight tenths of a column, lengthened by so many of their own length on both sides.
# Within the first (7.7 standard deviations of a normal column) a column's spread is taken, so that
# heavy tails do not squeeze the rest; what lies beyond the second is moved to the border, where a
# line still goes through the tails of a squared normal column.
_REACH_OF_SPREAD = 2.5
_REACH_OF_VALUES = 6.0
# Levels beyond the most frequent are one level to the kernel.
_MAX_LEVELS = 50
# A block of indicators is brought to unit spread, but a rare level not further out than this.
_LARGEST_INDICATOR = 8.0


@dataclass(frozen=True, eq=False)
class QuantityColumn:
    """How a column of numbers is clipped and scaled; gaps take the mean and are flagged.

    Parameters
    ----------
    low, high : float
        Values beyond are clipped.
    scaling, gap_scaling : Scaling
        Of the values, and of the indicator of gaps; None where the training rows had none.
    normal_scores : NormalScores, optional
        What stands for the values.
    """

    low: float
    high: float
    scaling: Scaling
    gap_scaling: Scaling | None
    normal_scores: NormalScores | None = None

    @property
    def width(self) -> int:
        """Number of coded columns."""
        return 1 if self.gap_scaling is None else 2

    @classmethod
    def learn(cls, values: Vector, weights: Vector, *, by_rank: bool = False) -> QuantityColumn:
        """Return the coding of one column.

        Parameters
        ----------
        values, weights : ndarray of shape (n,)
        by_rank : bool, default False
            Whether heavy tails are brought in.
        """
        gaps = np.isnan(values)
        present = values[~gaps] if not gaps.all() else np.zeros(1)
        shares = weights[~gaps] if not gaps.all() else np.ones(1)
        scores = None
        if by_rank and has_heavy_tails(present, shares):
            scores = NormalScores.learn(present, shares)
            present = scores.of(present)
        scaling = Scaling.learn(
            np.clip(present, *_borders(present, shares, _REACH_OF_SPREAD)), shares
        )
        low, high = _borders(present, shares, _REACH_OF_VALUES)
        gap_scaling = Scaling.learn(gaps.astype(float), weights) if gaps.any() else None
        return cls(low, high, scaling, gap_scaling, scores)

    def code(self, values: Vector | pd.Series) -> list[Vector]:
        """Return the coded columns, one or two."""
        if isinstance(values, pd.Series):
            values = pd.to_numeric(values).to_numpy(float)
        values = np.asarray(values, dtype=float)
        gaps = np.isnan(values)
        if self.normal_scores is not None:
            values = self.normal_scores.of(values)
        scaled = self.scaling.scale(np.clip(values, self.low, self.high))
        columns = [np.where(gaps, 0.0, scaled)]
        if self.gap_scaling is not None:
            columns.append(self.gap_scaling.scale(gaps.astype(float)))
        return columns


@dataclass(frozen=True, eq=False)
class LevelColumn:
    """The levels of a categorical column, each an indicator of this height; a gap is a level.

    Parameters
    ----------
    levels : tuple
        Others, and those never met, have no indicator.
    height : float
        Two rows of different levels are sqrt(2) of it apart: the overlap kernel.
    shares : ndarray of shape (n_levels,)
        Subtracted from the indicators, so that the linear part is centred.
    """

    levels: tuple[Any, ...]
    height: float
    shares: Vector

    @property
    def width(self) -> int:
        """Number of coded columns."""
        return len(self.levels)

    @classmethod
    def learn(cls, column: pd.Series, weights: Vector) -> LevelColumn:
        """Return the coding of one column."""
        counts: dict[Any, float] = {}
        for value, weight in zip(_plain_levels(column), weights, strict=True):
            counts[value] = counts.get(value, 0.0) + weight
        # Ties by name: the order of the rows must not matter.
        kept = sorted(counts, key=lambda level: (-counts[level], str(level)))[:_MAX_LEVELS]
        shares = np.array([counts[level] for level in kept]) / weights.sum()
        spread = np.sqrt(max(1 - float(shares @ shares), _LARGEST_INDICATOR**-2))
        return cls(tuple(kept), 1 / spread, shares)

    def code(self, column: pd.Series | Vector) -> list[Vector]:
        """Return one coded column per level."""
        place = {level: number for number, level in enumerate(self.levels)}
        values: Any
        if isinstance(column, pd.Series) and isinstance(column.dtype, pd.CategoricalDtype):
            found, values = column.cat.codes.to_numpy(), column.cat.categories
        else:  # a column of levels may hold numbers alone in the rows at hand
            found, values = pd.factorize(np.asarray(column, dtype=object))
        # The last place is that of gaps, which have the code -1.
        places = np.array([place.get(value, -1) for value in (*values, None)])
        codes = places[found]
        return [
            self.height * ((codes == number) - share) for number, share in enumerate(self.shares)
        ]


@dataclass(frozen=True, eq=False)
class Coding:
    """How a table becomes a matrix of columns at unit spread.

    Parameters
    ----------
    columns : tuple of QuantityColumn or LevelColumn
        One per column of the table.
    owner : ndarray of int of shape (q,)
        The table's column that each coded column comes from.
    block : ndarray of int of shape (q,)
        Coded columns of the same block (the levels of one column) share a length scale.
    imputation : LinearImputation, optional
        How some coded columns are guessed from the others, instead of being read.
    """

    columns: tuple[QuantityColumn | LevelColumn, ...]
    owner: np.ndarray
    block: np.ndarray
    imputation: LinearImputation | None = None

    @classmethod
    def learn(cls, X: Features, weights: Vector | None = None, *, by_rank: bool = False) -> Coding:
        """Return the coding learnt on training rows.

        Parameters
        ----------
        X : Features of shape (n, p)
        weights : ndarray of shape (n,), optional
        by_rank : bool, default False
            Whether columns with heavy tails count by their ranks.

        Examples
        --------
        >>> frame = pd.DataFrame({"a": [1.0, 3.0, np.nan], "b": ["u", "v", "u"]})
        >>> coding = Coding.learn(frame)
        >>> coding.owner, coding.code(frame).shape
        (array([0, 0, 1, 1]), (3, 4))
        """
        shares = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=float)
        columns: list[QuantityColumn | LevelColumn] = []
        owner: list[int] = []
        block: list[int] = []
        n_blocks = 0
        for number, values in enumerate(_columns_of(X)):
            is_levels = isinstance(values, pd.Series)
            column: QuantityColumn | LevelColumn
            if is_levels:
                column = LevelColumn.learn(values, shares)
            else:
                column = QuantityColumn.learn(values, shares, by_rank=by_rank)
            columns.append(column)
            owner += [number] * column.width
            block += [n_blocks + (0 if is_levels else part) for part in range(column.width)]
            n_blocks = block[-1] + 1
        return cls(tuple(columns), np.array(owner), np.array(block))

    def code(self, X: Features) -> Matrix:
        """Return the coded rows, shape (n, q)."""
        if self._plain is not None and not isinstance(X, pd.DataFrame):
            low, high, centre, spread = self._plain
            rows = (np.clip(np.asarray(X, dtype=float), low, high) - centre) / spread
            rows[np.isnan(rows)] = 0.0
            return self.guessed(rows)
        return self.guessed(self.code_columns(range(len(self.columns)), _columns_of(X)))

    def code_columns(self, numbers: Iterable[int], values: Iterable[Any]) -> Matrix:
        """Return some of the table's columns coded, those of one column side by side."""
        coded: list[Vector] = []
        for number, each in zip(numbers, values, strict=True):
            coded += self.columns[number].code(each)
        return np.column_stack(coded)

    @cached_property
    def _plain(self) -> tuple[Vector, Vector, Vector, Vector] | None:
        """Borders, centre and spread of all columns; None unless all are numbers without gaps."""
        columns = []
        for column in self.columns:
            if not isinstance(column, QuantityColumn) or column.width > 1:
                return None
            if column.normal_scores is not None:
                return None
            scaling = column.scaling
            columns.append((column.low, column.high, float(scaling.centre), float(scaling.spread)))
        low, high, centre, spread = np.array(columns).T
        return low, high, centre, spread

    def guessed(self, rows: Matrix) -> Matrix:
        """Return coded rows with the columns that are imputed as the others make one expect."""
        if self.imputation is None:
            return rows
        over = self.imputation
        rows = rows.copy()
        rows[:, over.removed] = over.offset + rows[:, over.kept] @ over.slopes
        return rows


def _columns_of(X: Features) -> Iterator[Any]:
    """Yield numbers as vectors, levels as series."""
    if not isinstance(X, pd.DataFrame):
        yield from np.asarray(X, dtype=float).T
        return
    for number in range(X.shape[1]):
        column = X.iloc[:, number]
        quantity = as_quantity(column)
        yield as_levels(column) if quantity is None else quantity


def _plain_levels(column: pd.Series) -> list[Any]:
    values = column.astype(object)
    return list(values.where(values.notna(), None))


def _borders(values: Vector, weights: Vector, reach: float) -> tuple[float, float]:
    """Return where to clip; the range itself where most rows have one value."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    # A sum that misses its share by rounding alone has reached it.
    places = np.searchsorted(reached, np.array([0.1, 0.9]) * reached[-1] * (1 - 1e-12))
    low, high = values[order][np.minimum(places, len(values) - 1)]
    if low == high:
        return float(values.min()), float(values.max())
    margin = reach * (high - low)
    return float(low - margin), float(high + margin)


def any_heavy_tails(X: Features, weights: Vector | None = None) -> bool:
    """Return whether a column of numbers has tails for which ranks are worth a try.

    Examples
    --------
    >>> incomes = np.exp(np.random.default_rng(0).normal(size=500))
    >>> any_heavy_tails(pd.DataFrame({"income": incomes, "group": ["a", "b"] * 250}))
    True
    """
    shares = np.ones(len(X)) if weights is None else weights
    for values in _columns_of(X):
        if not isinstance(values, pd.Series):
            present = ~np.isnan(values) & (shares > 0)
            if present.any() and has_heavy_tails(values[present], shares[present]):
                return True
    return False
