"""Functions of single columns: lines, parabolas, hinges, levels, gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features, Matrix, Vector
from lukewarm.data import as_levels, as_quantity

# Standardised values beyond this are held there: one wild value must not bend a parabola.
_FARTHEST = 8.0
# Enough to follow a function with a few turns; more cost rows that small tables do not have.
_N_KNOTS = 7
# Rarer levels than the first twenty share what the mean says of them.
_MOST_LEVELS = 20
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class _NumericColumn:
    centre: float
    spread: float
    knots: Vector
    is_curved: bool
    has_gaps: bool

    @classmethod
    def learn(cls, values: Vector, curved: bool) -> _NumericColumn:
        is_gap = np.isnan(values)
        present = values[~is_gap]
        if not len(present):
            return cls(0.0, 1.0, np.zeros(0), False, bool(is_gap.any()))
        centre, spread = float(present.mean()), float(present.std())
        spread = spread if spread > _NOTHING * max(1.0, abs(centre)) else 1.0
        scaled = np.clip((present - centre) / spread, -_FARTHEST, _FARTHEST)
        shares = np.linspace(0, 1, _N_KNOTS + 2)[1:-1]
        knots = np.unique(np.quantile(scaled, shares))
        knots = knots[(knots > scaled.min()) & (knots < scaled.max())]
        # Two values have lines only.
        is_curved = curved and len(knots) > 0
        return cls(centre, spread, knots, is_curved, bool(is_gap.any()))

    def functions(self, values: Vector) -> list[Vector]:
        is_gap = np.isnan(values)
        scaled = np.clip((values - self.centre) / self.spread, -_FARTHEST, _FARTHEST)
        scaled = np.where(is_gap, 0.0, scaled)
        columns = [scaled]
        if self.is_curved:
            columns += [np.square(scaled), *(np.maximum(scaled - knot, 0) for knot in self.knots)]
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
        codes = pd.Index(self.levels).get_indexer(pd.Index(values.astype(object)))
        return [(codes == level).astype(float) for level in range(len(self.levels))]


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
        if isinstance(X, np.ndarray) and len(self.columns) == len(self.owner):
            return self._lines(X)
        matrix = np.empty((len(X), len(self.owner)))
        place = 0
        for column, values in zip(self.columns, _columns_of(X), strict=True):
            for each in column.functions(values):
                matrix[:, place] = each
                place += 1
        matrix -= self.centre
        matrix /= self.spread
        return matrix

    def _lines(self, X: Matrix) -> Matrix:
        """Return `transform` where every column has its line only, all columns at once."""
        centre = np.array([column.centre for column in self.columns])  # type: ignore[union-attr]
        spread = np.array([column.spread for column in self.columns])  # type: ignore[union-attr]
        scaled = np.clip((X - centre) / spread, -_FARTHEST, _FARTHEST)
        scaled[np.isnan(scaled)] = 0.0
        return (scaled - self.centre) / self.spread


def _columns_of(X: Features) -> list[Any]:
    """Return the columns: float vectors, and series of levels."""
    if not isinstance(X, pd.DataFrame):
        return list(np.asarray(X, dtype=float).T)
    columns = (X.iloc[:, number] for number in range(X.shape[1]))
    return [
        as_levels(column) if values is None else values
        for column, values in ((column, as_quantity(column)) for column in columns)
    ]


def _is_line(column: _NumericColumn | _LevelColumn, n_functions: int) -> np.ndarray:
    if isinstance(column, _LevelColumn):
        return np.ones(n_functions, dtype=bool)
    lines = np.zeros(n_functions, dtype=bool)
    lines[0] = True
    if column.has_gaps:
        lines[-1] = True
    return lines
