"""Rows of the tables that `lukewarm reproduce` writes, and how pages speak of their numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from paper_page import results, slope

Row = dict[str, Any]
WIDTH = 118


def rows_of(name: str, scale: str, **wanted: Any) -> list[Row]:
    """Return the rows of an experiment's table that have these values."""
    table = results(name, scale)
    assert table is not None, (name, scale)
    return [row for row in table if all(row[key] == value for key, value in wanted.items())]


def row_of(name: str, scale: str, **wanted: Any) -> Row:
    """Return the one row that has these values."""
    (found,) = rows_of(name, scale, **wanted)
    return found


def said(*sentences: str) -> str:
    """Return sentences as lines of a page."""
    return textwrap.fill(" ".join(sentences), WIDTH, break_long_words=False)


def spread(values: Iterable[float], form: str) -> str:
    """Return "a to b", or one of them where they read the same."""
    found = list(values)
    low, high = f"{min(found):{form}}", f"{max(found):{form}}"
    return low if low == high else f"{low} to {high}"


def fixed(value: float, decimals: int) -> str:
    """Return a number with so many decimals, and no minus before a zero."""
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def exponent(row: Row) -> str:
    """Return a fitted exponent with its interval."""
    return slope(row["slope_low"], row["slope"], row["slope_high"])
