"""Bars with intervals and the table behind them, from columns of numbers.

Positions are percentages of the width of the track that a bar is drawn in, so that an SVG without
a viewBox stays sharp at every width of the page. `script.js` draws the same from `BarTable.data`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lukewarm._typing import Vector
from lukewarm.reporting._words import clean, number, percent, power, probability, short

# As many fit on a screen; a button shows the others.
SHOWN_BARS = 30
# Fewer would not tell the scale.
_LEAST_TICKS = 5
# Digits of the numbers that the script draws and the download holds; those of p-values, and of
# intervals at other levels. Of 1,000 features each digit is 10 kB.
_DIGITS, _FEWER_DIGITS = 5, 4


@dataclass(frozen=True)
class Axis:
    """A range of values and the round numbers marked on it."""

    low: float
    high: float
    marks: tuple[tuple[float, str], ...]

    @classmethod
    def over(cls, values: Vector) -> Axis:
        """Return an axis that holds zero and all finite values.

        Examples
        --------
        >>> axis = Axis.over(np.array([-0.3, 1.7]))
        >>> axis.low, axis.high, [label for _, label in axis.marks]
        (-0.3, 1.7, ['0.0', '0.5', '1.0', '1.5'])
        """
        finite = values[np.isfinite(values)]
        low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
        if low == high:
            high = 1.0
        step = _round_step((high - low) / _LEAST_TICKS)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        empty = cls(low, high, ())
        places = range(math.ceil(low / step), math.floor(high / step) + 1)
        marks = ((empty.place(step * place), number(step * place, decimals)) for place in places)
        return cls(low, high, tuple(marks))

    def place(self, value: float) -> float:
        """Return where a value stands, in percent of the width."""
        clipped = min(max(value, self.low), self.high)
        return round(100 * (clipped - self.low) / (self.high - self.low), 2)


def uncertainty_heads(level: float) -> dict[str, str]:
    """Return the heads of the columns that say how well a value is known, in their order."""
    return {
        "low": f"{percent(level)} from",
        "high": "to",
        "std_error": "Std. error",
        "p_value": "p",
        "p_holm": "p (Holm)",
        "p_bh": "p (BH)",
    }


def _round_step(least: float) -> float:
    size = 10.0 ** math.floor(math.log10(least))
    return next(size * factor for factor in (1, 2, 5, 10) if size * factor >= least * 0.999)


@dataclass(frozen=True)
class Row:
    """A feature set: what its cells say, and the start and length of its bar and its whisker."""

    name: str
    short_name: str
    is_clear: bool
    is_filled: bool
    cells: tuple[str, ...]
    summary: str
    bar: tuple[float, float]
    whisker: tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class BarTable:
    """Values with intervals and p-values, ready to be drawn.

    Parameters
    ----------
    names : tuple of str
        Of the features, in the order in which they stand on the page.
    columns : mapping from str to ndarray
        "value", "low", "high", "p_value", "p_holm", "p_bh" and others, in the units of the result.
    heads : mapping from str to str
        Heads of the columns that the table shows, in order.
    intervals : mapping from float to pair of ndarray
        Ends of the intervals at other levels.
    level : float
        Level of "low" and "high"; p-values are compared with one minus it.
    scale : float
        What the values are multiplied by where they are shown, such as 100.
    unit : str
        What the values are, for the axis.
    quantity : str
        The name of the values in the download.
    n_left_out : int
        Features that the page has no room for.
    sort : str
        The column by which they are in order.
    is_one_sided : bool
        Whether p-values are about values above zero: a bar below it is then not filled, which
        would read as significantly below.
    """

    names: tuple[str, ...]
    columns: Mapping[str, Vector]
    heads: Mapping[str, str]
    intervals: Mapping[float, tuple[Vector, Vector]]
    level: float
    scale: float
    unit: str
    quantity: str
    n_left_out: int = 0
    sort: str = "value"
    is_one_sided: bool = False

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def exponent(self) -> int:
        """The power of ten that is taken out of very large and very small values."""
        largest = self._largest
        if largest == 0 or 1e-3 <= largest < 1e6:
            return 0
        return 3 * math.floor(math.log10(largest) / 3)

    @property
    def _largest(self) -> float:
        values = self.columns["value"]
        return self.scale * float(np.abs(values[np.isfinite(values)]).max(initial=0.0))

    @cached_property
    def shown_scale(self) -> float:
        """What values are multiplied by in cells and on the axis."""
        return self.scale * 10.0**-self.exponent

    @property
    def label(self) -> str:
        """What stands below the axis."""
        return f"{self.unit}, in units of {power(self.exponent)}" if self.exponent else self.unit

    @cached_property
    def decimals(self) -> int:
        """Decimals of the cells: the largest value has four digits."""
        largest = self._largest * 10.0**-self.exponent
        return 3 if largest == 0 else min(max(3 - math.floor(math.log10(largest)), 0), 6)

    @property
    def alpha(self) -> float:
        """What p-values are compared with."""
        return round(1 - self.level, 12)

    @property
    def level_name(self) -> str:
        """The level of the intervals as text."""
        return percent(self.level)

    @property
    def level_names(self) -> list[str]:
        """The levels to choose from."""
        return [percent(level) for level in sorted({*self.intervals, self.level})]

    @cached_property
    def axis(self) -> Axis:
        """The axis of the bars shown at first."""
        shown = [self.columns[key][:SHOWN_BARS] for key in ("value", "low", "high")]
        return Axis.over(self.shown_scale * np.concatenate(shown))

    @cached_property
    def rows(self) -> list[Row]:
        """One per feature."""
        cells = [self._cells(key) for key in self.heads]
        ends = [self._cells(key) for key in ("value", "low", "high")]
        return [
            self._row(place, tuple(column[place] for column in cells), [e[place] for e in ends])
            for place in range(len(self))
        ]

    def _cells(self, key: str) -> list[str]:
        column = self.columns[key]
        if key.startswith("p_"):
            return [probability(each) for each in column]
        return [number(self.shown_scale * each, self.decimals) for each in column]

    def _row(self, place: int, cells: tuple[str, ...], said: list[str]) -> Row:
        value, low, high = (
            self.shown_scale * float(self.columns[key][place]) for key in ("value", "low", "high")
        )
        is_known = math.isfinite(low) and math.isfinite(high)
        is_clear = bool(self.columns["p_holm"][place] < self.alpha)
        return Row(
            name=clean(self.names[place]),
            short_name=short(self.names[place]),
            is_clear=is_clear,
            is_filled=is_clear and not (self.is_one_sided and value < 0),
            cells=cells,
            summary=f"{said[0]} [{said[1]}, {said[2]}]" if is_known else said[0],
            bar=_span(self.axis.place(0.0), self.axis.place(value)),
            whisker=_span(self.axis.place(low), self.axis.place(high)) if is_known else None,
        )

    def data(self) -> dict[str, Any]:
        """Return what the script draws from and the download holds: numbers, no names."""
        return {
            "quantity": self.quantity,
            "sort": self.sort,
            "one_sided": self.is_one_sided,
            "scale": self.shown_scale,
            "decimals": self.decimals,
            "alpha": self.alpha,
            "level": self.level_name,
            "columns": {
                key: _plain(column, _FEWER_DIGITS if key.startswith("p_") else _DIGITS)
                for key, column in self.columns.items()
            },
            "intervals": {
                percent(level): [_plain(end, _FEWER_DIGITS) for end in ends]
                for level, ends in self.intervals.items()
            },
        }


def _span(first: float, second: float) -> tuple[float, float]:
    """Return where a bar starts and how long it is."""
    return min(first, second), round(abs(second - first), 2)


def _plain(values: Vector, digits: int) -> list[float | None]:
    return [float(f"{each:.{digits}g}") if math.isfinite(each) else None for each in values]
