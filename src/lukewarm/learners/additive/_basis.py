"""Functions of single columns: lines, parabolas, hinges, levels, gaps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features, Matrix, Vector
from lukewarm.data import as_levels, as_quantity, like_column

# A value may lie beyond those of the training rows by so many times their range, on either side;
# what lies farther is held there. Of tails like those of Student's t with 3 degrees of freedom the
# farthest of as many new rows lies within in 96 of 100 tables.
_REACH = 1.0
# In standard deviations: beyond, a parabola goes on as a straight line. One row in 15,000 of a
# normal column lies there; the few rows of a heavy tail must not decide how the parabola bends.
_STRAIGHT_FROM = 4.0
# Enough to follow a function with a few turns; more cost rows that small tables do not have.
_N_KNOTS = 7
# Rarer levels than the first twenty share what the mean says of them.
_MOST_LEVELS = 20
# A spread below is rounding: the column is constant.
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class _NumericColumn:
    centre: float
    spread: float
    low: float
    high: float
    knots: Vector
    is_curved: bool
    has_gaps: bool

    @classmethod
    def learn(cls, values: Vector, curved: bool) -> _NumericColumn:
        is_gap = np.isnan(values)
        present = values[~is_gap]
        if not len(present):
            return cls(0.0, 1.0, 0.0, 0.0, np.zeros(0), False, bool(is_gap.any()))
        centre, spread = float(present.mean()), float(present.std())
        spread = spread if spread > _NOTHING * max(1.0, abs(centre)) else 1.0
        scaled = (present - centre) / spread
        low, high = float(scaled.min()), float(scaled.max())
        margin = _REACH * (high - low)
        knots = np.zeros(0)
        if curved:
            shares = np.linspace(0, 1, _N_KNOTS + 2)[1:-1]
            knots = np.unique(np.quantile(scaled, shares))
            knots = knots[(knots > low) & (knots < high)]
        # Two values have lines only.
        is_curved = len(knots) > 0
        has_gaps = bool(is_gap.any())
        return cls(centre, spread, low - margin, high + margin, knots, is_curved, has_gaps)

    def functions(self, values: Vector) -> list[Vector]:
        values = np.asarray(values, dtype=float)
        is_gap = np.isnan(values)
        scaled = np.clip((values - self.centre) / self.spread, self.low, self.high)
        scaled = np.where(is_gap, 0.0, scaled)
        columns = [scaled]
        if self.is_curved:
            columns += [_parabola(scaled), *(np.maximum(scaled - knot, 0) for knot in self.knots)]
        if self.has_gaps:
            columns.append(is_gap.astype(float))
        return columns


@dataclass(frozen=True, eq=False)
class _LevelColumn:
    levels: tuple[Any, ...]

    @classmethod
    def learn(cls, values: pd.Series) -> _LevelColumn:
        counts = values.value_counts()
        return cls(tuple(counts[counts > 0].index[:_MOST_LEVELS]))

    def functions(self, values: pd.Series) -> list[Vector]:
        places = pd.Index(self.levels, dtype=object).get_indexer(values.cat.categories)
        codes = np.append(places, -1)[values.cat.codes]
        return [(codes == level).astype(float) for level in range(len(self.levels))]


@dataclass(frozen=True)
class Line:
    """What is offset + slope * function at the training rows: a column, or one of its levels."""

    place: int
    offset: float
    slope: float


@dataclass(frozen=True, eq=False)
class AdditiveBasis:
    """Functions of single columns, standardised on the training rows.

    Parameters
    ----------
    columns : tuple
        How each column of the table becomes functions.
    owner : ndarray of shape (m,), int
        The column each function is one of.
    is_line : ndarray of shape (m,), bool
        Whether the function belongs to the linear part: lines, levels and gaps.
    centre, spread : ndarray of shape (m,)
    """

    columns: tuple[_NumericColumn | _LevelColumn, ...]
    owner: np.ndarray
    is_line: np.ndarray
    centre: Vector
    spread: Vector

    @classmethod
    def learn(cls, X: Features, *, curved: bool = True) -> AdditiveBasis:
        """Return the basis of the training rows `X`.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n, p)
        curved : bool, default True
            Whether numeric columns get parabolas and hinges beside their lines.

        Examples
        --------
        >>> basis = AdditiveBasis.learn(np.arange(40.0).reshape(20, 2), curved=False)
        >>> basis.transform(np.array([[19.0, 20.0]])).round(12)
        array([[0., 0.]])
        """
        columns = tuple(
            _LevelColumn.learn(values)
            if isinstance(values, pd.Series)
            else _NumericColumn.learn(values, curved)
            for values in _columns_of(X)
        )
        raw = [
            column.functions(values) for column, values in zip(columns, _columns_of(X), strict=True)
        ]
        owner = np.repeat(np.arange(len(raw)), [len(each) for each in raw])
        is_line = np.concatenate(
            [_is_line(column, len(each)) for column, each in zip(columns, raw, strict=True)]
        )
        matrix = np.column_stack([each for one in raw for each in one])
        spread = matrix.std(axis=0)
        spread[spread < _NOTHING] = 1.0
        return cls(columns, owner, is_line, matrix.mean(axis=0), spread)

    def transform(self, X: Features) -> Matrix:
        """Return the functions at the rows of `X`, shape (n, m)."""
        if isinstance(X, np.ndarray) and self._numeric is not None:
            return self._numeric.functions(X, self)
        matrix = np.empty((len(X), len(self.owner)))
        place = 0
        for column, values in zip(self.columns, _columns_of(X), strict=True):
            for each in column.functions(values):
                matrix[:, place] = each
                place += 1
        matrix -= self.centre
        matrix /= self.spread
        return matrix

    def functions_of(self, X: Features, values: dict[int, Any]) -> tuple[np.ndarray, Matrix]:
        """Return the places of some columns' functions, and the functions at other values (n, k).

        Parameters
        ----------
        X : Features of shape (n, p)
            The table that the values would stand in.
        values : dict
            Values (n,) by column number.
        """
        raw: list[Vector] = []
        for number, each in values.items():
            is_frame = isinstance(X, pd.DataFrame)
            read = _values_of(like_column(X.iloc[:, number], each)) if is_frame else each
            raw += self.columns[number].functions(read)
        return self._standardised(raw, tuple(values))

    def functions_of_columns(self, X: Features, numbers: tuple[int, ...]) -> Matrix:
        """Return the functions of some columns of `X`, (n, k)."""
        raw: list[Vector] = []
        for number in numbers:
            is_frame = isinstance(X, pd.DataFrame)
            read = _values_of(X.iloc[:, number]) if is_frame else X[:, number]
            raw += self.columns[number].functions(read)
        return self._standardised(raw, numbers)[1]

    def combined(self, X: Features, coefficients: Vector) -> Vector:
        """Return the functions times coefficients (m,) without those that have none, (n,).

        As ``transform(X) @ coefficients`` up to rounding, one column in memory at a time.
        """
        total = np.zeros(len(X))
        for number in np.unique(self.owner[np.flatnonzero(coefficients)]).tolist():
            own = coefficients[self.owner == number]
            total += self.functions_of_columns(X, (number,)) @ own
        return total

    def _standardised(
        self, raw: list[Vector], numbers: tuple[int, ...]
    ) -> tuple[np.ndarray, Matrix]:
        places = np.concatenate([np.flatnonzero(self.owner == number) for number in numbers])
        return places, (np.column_stack(raw) - self.centre[places]) / self.spread[places]

    @cached_property
    def levels(self) -> dict[int, dict[Any, Line]]:
        """The levels that have an indicator, by column."""
        starts = np.searchsorted(self.owner, np.arange(len(self.columns))).tolist()
        return {
            number: {
                level: Line(place, float(self.centre[place]), float(self.spread[place]))
                for place, level in enumerate(column.levels, start)
            }
            for number, (column, start) in enumerate(zip(self.columns, starts, strict=True))
            if isinstance(column, _LevelColumn)
        }

    @cached_property
    def lines(self) -> dict[int, Line]:
        """The columns of numbers that have no other function than their line."""
        line_of = {}
        starts = np.searchsorted(self.owner, np.arange(len(self.columns)))
        for number, (column, place) in enumerate(zip(self.columns, starts.tolist(), strict=True)):
            if isinstance(column, _LevelColumn):
                continue
            if not column.is_curved and not column.has_gaps:
                offset = column.centre + column.spread * self.centre[place]
                line_of[number] = Line(place, offset, column.spread * self.spread[place])
        return line_of

    @cached_property
    def _numeric(self) -> _NumericColumns | None:
        """All columns at once, where all are numbers."""
        columns = [column for column in self.columns if isinstance(column, _NumericColumn)]
        return _NumericColumns(columns) if len(columns) == len(self.columns) else None


class _NumericColumns:
    """The functions of columns of numbers, all at once: the same as one column after another."""

    def __init__(self, columns: list[_NumericColumn]) -> None:
        self.centre = np.array([column.centre for column in columns])
        self.spread = np.array([column.spread for column in columns])
        self.low = np.array([column.low for column in columns])
        self.high = np.array([column.high for column in columns])
        knots, is_square, is_gap = [], [], []
        for column in columns:
            own = [np.nan, np.nan, *column.knots] if column.is_curved else [np.nan]
            knots += own + [np.nan] * column.has_gaps
            is_square += [place == 1 for place in range(len(own))] + [False] * column.has_gaps
            is_gap += [False] * len(own) + [True] * column.has_gaps
        self.knots = np.array(knots)
        self.squares, self.gaps = np.flatnonzero(is_square), np.flatnonzero(is_gap)
        self.hinges = np.flatnonzero(~np.isnan(self.knots))

    def functions(self, X: Matrix, basis: AdditiveBasis) -> Matrix:
        """Return the standardised functions at the rows of `X`, shape (n, m)."""
        scaled = np.clip((X - self.centre) / self.spread, self.low, self.high)
        is_gap = np.isnan(scaled)
        scaled[is_gap] = 0.0
        matrix = scaled if len(basis.owner) == X.shape[1] else scaled[:, basis.owner]
        if len(self.squares):
            matrix[:, self.squares] = _parabola(matrix[:, self.squares])
            hinges = matrix[:, self.hinges] - self.knots[self.hinges]
            matrix[:, self.hinges] = np.maximum(hinges, 0.0, out=hinges)
        if len(self.gaps):
            matrix[:, self.gaps] = is_gap[:, basis.owner[self.gaps]]
        matrix -= basis.centre
        matrix /= basis.spread
        return matrix


def _parabola(scaled: np.ndarray) -> np.ndarray:
    """Return the squares of standardised values, straight far out."""
    near = np.clip(scaled, -_STRAIGHT_FROM, _STRAIGHT_FROM)
    return near * (2 * scaled - near)


def _columns_of(X: Features) -> list[Any]:
    """Return the columns: float vectors, and series of levels."""
    if not isinstance(X, pd.DataFrame):
        return list(np.asarray(X, dtype=float).T)
    return [_values_of(X.iloc[:, number]) for number in range(X.shape[1])]


def _values_of(column: pd.Series) -> Any:
    values = as_quantity(column)
    return as_levels(column) if values is None else values


def _is_line(column: _NumericColumn | _LevelColumn, n_functions: int) -> np.ndarray:
    if isinstance(column, _LevelColumn):
        return np.ones(n_functions, dtype=bool)
    lines = np.zeros(n_functions, dtype=bool)
    lines[0] = True
    if column.has_gaps:
        lines[-1] = True
    return lines
