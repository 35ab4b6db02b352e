"""Columns of text that were meant as something else: numbers, dates, names of rows.

Nothing is converted: a guess may be wrong, and the user knows. The remark gives the line that
repairs the column.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features
from lukewarm.results import Remark

_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"[+-]?\d+")
_DECIMAL_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_STARTS_LIKE_A_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}")
_DAYS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y")
_CLOCKS = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f")
_TIMES = ("", *(f"{gap}{clock}{zone}" for zone in ("", "%z") for gap in " T" for clock in _CLOCKS))
# A column is taken for numbers or dates from this share of its rows on.
_MOST_OF_THEM = 0.8
# A column with more levels than this share of its rows has hardly a level twice.
_ID_SHARE = 0.9
# Enough to know a share of 0.8 to a percent; a table is looked through whole only after that.
_SAMPLE = 2000
# Parsing dates is slow; as many levels tell a column of dates from one that has a few.
_DATES_TRIED = 50
# Levels shown in a message; the others are counted.
_EXAMPLES = 3


def text_doubts(X: Any, table: Features) -> tuple[Remark, ...]:
    """Return remarks on columns of levels that look like numbers, dates or names of rows.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        As the user passed it; columns with category dtype were declared, and are not doubted.
    table : Features
        What `as_table` made of it.

    Examples
    --------
    >>> X = pd.DataFrame({"size": ["1.5", "2.0", "3.1", "2.2", "n/a?"] * 5})
    >>> remark, = text_doubts(X, X.astype("category"))
    >>> remark.name, remark.feature
    ('numbers_as_text', 'size')
    """
    if not isinstance(table, pd.DataFrame):
        return ()
    remarks = []
    for number, name in enumerate(table.columns):
        column = table.iloc[:, number]
        if not isinstance(column.dtype, pd.CategoricalDtype):
            continue
        is_declared = isinstance(X, pd.DataFrame) and isinstance(
            X.dtypes.iloc[number], pd.CategoricalDtype
        )
        place = f"X[{X.columns[number]!r}]" if isinstance(X, pd.DataFrame) else f"X[:, {number}]"
        doubt = None if is_declared else _as_numbers(column, place) or _as_dates(column, place)
        doubt = doubt or _as_row_names(column)
        if doubt is not None:
            kind, severity, message = doubt
            remarks.append(Remark(kind, severity, str(name), message))
    return tuple(remarks)


_Found = tuple[str, str, str]


def _as_numbers(column: pd.Series, place: str) -> _Found | None:
    if _numbers_among(_counts(column, _SAMPLE))[1] < _MOST_OF_THEM:
        return None
    counts = _counts(column)
    numbers, share = _numbers_among(counts)
    text = [level for level in numbers if isinstance(level, str)]
    if share < _MOST_OF_THEM or _are_codes(text):
        return None
    distinct = set(numbers)
    odd = [level for level in counts.index if level not in distinct]
    with_comma = [level for level in text if "," in level]
    if with_comma:
        return "decimal_comma", "warning", _on_commas(with_comma, odd, place)
    if odd:
        message = (
            f"{100 * share:.4g}% of its rows are numbers, but {_examples(odd)} {_are(odd)} not, so "
            f"the column counts as text with {len(counts)} levels. If it holds numbers, write "
            f'{place} = pd.to_numeric({place}, errors="coerce") first.'
        )
        return "numbers_as_text", "warning", message
    is_whole = all(_WHOLE.fullmatch(level.strip()) for level in text)
    message = (
        f"all its values are numbers, but they are text, so the column counts as {len(counts)} "
        f"levels without order. If it holds a quantity, write {place} = pd.to_numeric({place}) "
        "first."
    )
    # Whole numbers are often made text on purpose: months, districts, grades.
    return "numbers_as_text", "note" if is_whole else "warning", message


def _on_commas(with_comma: list[str], odd: list[Any], place: str) -> str:
    """Return the message on numbers with commas, and the line for their kind of comma."""
    if all(_THOUSANDS.fullmatch(level.strip()) for level in with_comma):
        steps = '.str.replace(",", "")'
        kind = "commas, by their places between thousands,"
    elif any("." in level for level in with_comma):
        steps = '.str.replace(".", "").str.replace(",", ".")'
        kind = "decimal commas"
    else:
        steps = '.str.replace(",", ".")'
        kind = "decimal commas"
    series = f"pd.Series({place})" if place.startswith("X[:") else place
    besides = f" (and {_examples(odd)})" if odd else ""
    return (
        f"it holds numbers with {kind} such as {_examples(with_comma)}{besides}, so the column "
        f"counts as text. If it holds numbers, write {place} = "
        f'pd.to_numeric({series}.astype(str){steps}, errors="coerce") first, or read the file with '
        "the right decimal and thousands."
    )


def _as_dates(column: pd.Series, place: str) -> _Found | None:
    levels = list(_counts(column, _SAMPLE).index[:_DATES_TRIED])
    if levels and sum(isinstance(level, date) for level in levels) >= _MOST_OF_THEM * len(levels):
        line = f"{place} = pd.to_datetime({place})"
        seen = _examples([str(level) for level in levels])
    else:
        text = [level for level in levels if isinstance(level, str)]
        fitting = _date_formats(text, len(levels))
        if not fitting:
            return None
        order = f" (or {fitting[1]}: day and month are not told apart)" if fitting[1:] else ""
        line = f'{place} = pd.to_datetime({place}, format="{fitting[0]}", errors="coerce"){order}'
        seen = _examples(text)
    message = (
        f"it holds dates such as {seen}, but not as a dtype of dates, so each is a level of its "
        f"own without order. Write {line} first."
    )
    return "dates_as_text", "warning", message


def _date_formats(text: list[str], n_levels: int) -> list[str]:
    """Return the formats that most levels follow, those with the most levels first."""
    if not text or sum(map(bool, map(_STARTS_LIKE_A_DATE.match, text))) < _MOST_OF_THEM * n_levels:
        return []
    followed = {
        form: sum(_follows(level, form) for level in text)
        for form in (day + time for time in _TIMES for day in _DAYS)
    }
    most = max(followed.values())
    if most < _MOST_OF_THEM * n_levels:
        return []
    return [form for form, count in followed.items() if count == most]


def _follows(level: str, form: str) -> bool:
    try:
        datetime.strptime(level.strip(), form)
    except ValueError:
        return False
    return True


def _as_row_names(column: pd.Series) -> _Found | None:
    codes = column.cat.codes.to_numpy()
    present = codes[codes >= 0]
    n_levels = len(np.unique(present))
    if n_levels < max(_ID_SHARE * len(present), 2):
        return None
    message = (
        f"it has {n_levels} levels in {len(present)} rows: it names rows, and nothing that is "
        "learnt of one level holds for another. Leave the column out."
    )
    return "id_like", "warning", message


def _counts(column: pd.Series, most_rows: int | None = None) -> pd.Series:
    """Return how many rows have each level, the most frequent first; of a sample if asked for."""
    if most_rows is not None and len(column) > most_rows:
        column = column.sample(most_rows, random_state=0)
    codes = column.cat.codes.to_numpy()
    numbers, counts = np.unique(codes[codes >= 0], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return pd.Series(
        counts[order], index=pd.Index(column.cat.categories[numbers[order]], dtype=object)
    )


def _numbers_among(counts: pd.Series) -> tuple[list[Any], float]:
    """Return the levels that are numbers, and the share of rows that have one of them."""
    is_number = np.array([_is_number(level) for level in counts.index], dtype=bool)
    share = counts.to_numpy()[is_number].sum() / max(counts.sum(), 1)
    return list(counts.index[is_number]), float(share)


def _is_number(level: Any) -> bool:
    if isinstance(level, Number) and not isinstance(level, bool):
        return True
    if not isinstance(level, str):
        return False
    token = level.strip()
    return any(form.fullmatch(token) for form in (_PLAIN, _DECIMAL_COMMA, _THOUSANDS))


def _are_codes(text: list[str]) -> bool:
    """Return whether digits are names, as in postal codes: some start with a zero."""
    return any(len(level) > 1 and level.startswith("0") and level.isdigit() for level in text)


def _examples(levels: list[Any]) -> str:
    shown = ", ".join(repr(level) for level in levels[:_EXAMPLES])
    more = len(levels) - _EXAMPLES
    return f"{shown} and {more} more" if more > 0 else shown


def _are(levels: list[Any]) -> str:
    return "is" if len(levels) == 1 else "are"
