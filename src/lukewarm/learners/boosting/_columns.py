"""One column to codes: quantile borders of numbers, levels of categories."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pandas as pd

from lukewarm.learners.boosting._work import MISSING

# At 255 bins a bin's share is then known to 4 % of itself.
_MOST_ROWS_SORTED = 200_000


@dataclass(frozen=True, eq=False)
class NumericColumn:
    """A column of numbers, cut at its borders.

    Parameters
    ----------
    borders : ndarray of shape (n_bins - 1,)
        Ascending; a value above `b` of them has code ``b + 1``. A split asks ``code > threshold``.
    has_missing : bool
        Whether training rows lacked a value; only then a split may ask for that.
    """

    borders: np.ndarray
    has_missing: bool
    is_category = False

    @classmethod
    def learn(cls, values: np.ndarray, n_bins: int) -> NumericColumn:
        """Return the column of these training values."""
        missing = np.isnan(values)
        has_missing = bool(missing.any())
        present = values[~missing] if has_missing else values
        return cls(quantile_borders(present, n_bins), has_missing)

    @property
    def n_codes(self) -> int:
        """Codes run over 0 .. n_codes - 1."""
        return len(self.borders) + 2

    @property
    def thresholds(self) -> tuple[int, int]:
        """The lowest and the highest threshold a split may have."""
        return (0 if self.has_missing else 1), self.n_codes - 2

    @cached_property
    def values_of_codes(self) -> np.ndarray:
        """A value for every code, shape (256,): the middle of its bin, the mean for no value."""
        values = np.zeros(256)
        borders = self.borders
        if len(borders) > 1:
            first, last = borders[1] - borders[0], borders[-1] - borders[-2]
            edges = np.concatenate([[borders[0] - first], borders, [borders[-1] + last]])
            values[1 : len(edges)] = (edges[1:] + edges[:-1]) / 2
        elif len(borders):
            values[1:3] = borders[0] - 0.5, borders[0] + 0.5
        values[MISSING] = values[1 : len(borders) + 2].mean()
        return values

    def code_of(self, value: Any) -> int:
        """Return the code of one value."""
        return MISSING if pd.isna(value) else bisect_left(self.borders, value) + 1


@dataclass(frozen=True, eq=False)
class CategoryColumn:
    """A column of categories: a bin for each frequent level, one for all others.

    Parameters
    ----------
    levels : pandas.Index
        The levels with a bin of their own, most frequent first; level `l` has code ``l + 1``. A
        split asks ``code == threshold``.
    has_missing, has_other : bool
        Whether training rows lacked a value, or had levels without a bin of their own.
    """

    levels: pd.Index
    has_missing: bool
    has_other: bool
    is_category = True

    @classmethod
    def learn(cls, values: pd.Series, n_bins: int) -> CategoryColumn:
        """Return the column of these training values."""
        counts = values.astype(object).value_counts()  # ties stand in order of appearance
        levels = pd.Index(counts.index[: n_bins - 1], dtype=object)
        return cls(levels, bool(values.isna().any()), len(counts) > len(levels))

    @property
    def n_codes(self) -> int:
        """Codes run over 0 .. n_codes - 1."""
        return len(self.levels) + 2

    @property
    def thresholds(self) -> tuple[int, int]:
        """The lowest and the highest threshold a split may have."""
        n_values = len(self.levels) + self.has_missing + self.has_other
        # Of two values in all, a test for the one is a test for the other.
        last = self.n_codes - 1 - (not self.has_other) - (n_values == 2)
        return (0 if self.has_missing else 1), last

    def encode(self, values: Any) -> np.ndarray:
        """Return the codes of `values`; a level not met in training counts among the others."""
        found = values if isinstance(values, pd.Series) else pd.Series(values)
        if isinstance(found.dtype, pd.CategoricalDtype):
            places, distinct = found.cat.codes.to_numpy(), found.cat.categories
        else:
            places, distinct = pd.factorize(found.astype(object))
        # The table is encoded level by level; the last place is that of gaps, whose place is -1.
        positions = self.levels.get_indexer(pd.Index(distinct, dtype=object))
        codes = np.where(positions < 0, len(self.levels), positions) + 1
        return np.append(codes, MISSING).astype(np.uint8)[places]

    def code_of(self, value: Any) -> int:
        """Return the code of one value."""
        return int(self.encode([value])[0])


Column = NumericColumn | CategoryColumn


def quantile_borders(values: np.ndarray, n_bins: int) -> np.ndarray:
    """Return at most ``n_bins - 1`` borders that leave about equally many values in each bin.

    A border lies half way between two neighbouring values. Of more than 200 000 values a random
    200 000, always the same, decide.

    Examples
    --------
    >>> quantile_borders(np.array([1.0, 2.0, 3.0, 4.0]), 2)
    array([2.5])
    """
    if len(values) == 0:
        return np.empty(0)
    if len(values) > _MOST_ROWS_SORTED:
        values = values[_some_rows(len(values))]
    ordered = np.sort(values)
    steps = np.flatnonzero(ordered[1:] > ordered[:-1])
    if len(steps) >= n_bins:
        wanted = np.arange(1, n_bins) * (len(ordered) / n_bins) - 1
        steps = np.unique(steps[np.minimum(np.searchsorted(steps, wanted), len(steps) - 1)])
    lower, upper = ordered[steps].astype(float), ordered[steps + 1].astype(float)
    # A half taken before adding cannot overflow; where it rounds up, `lower` itself separates.
    middle = lower / 2 + upper / 2
    return np.where(middle < upper, middle, lower)


@lru_cache(maxsize=4)
def _some_rows(n_rows: int) -> np.ndarray:
    """Return one row of each of 200 000 stretches of equal length, ascending."""
    within = np.random.default_rng(0).random(_MOST_ROWS_SORTED)
    stretch = n_rows / _MOST_ROWS_SORTED
    return ((np.arange(_MOST_ROWS_SORTED) + within) * stretch).astype(np.uint32)
