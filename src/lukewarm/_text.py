"""Text that is shown or exported: names of a user's table made harmless, durations in words."""

from __future__ import annotations

import unicodedata

import pandas as pd

# Controls, line and paragraph separators, and formats such as those that turn the direction of
# writing: a terminal or an editor acts on them instead of showing them. Lone surrogates cannot be
# written at all.
_UNPRINTABLE = ("Cc", "Cf", "Cs", "Zl", "Zp")
# A spreadsheet takes a cell that starts so for a formula (also in their full-width forms).
_FORMULA_STARTS = tuple("=+-@＝＋－＠")


def printable(text: str, *, keep: str = "") -> str:
    r"""Return the text with control codes spelled out, other than those in `keep`.

    Examples
    --------
    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return "".join(
        character.encode("unicode_escape").decode()
        if unicodedata.category(character) in _UNPRINTABLE and character not in keep
        else character
        for character in text
    )


def csv_cell(text: str) -> str:
    """Return the text as a cell that no spreadsheet takes for a formula.

    Examples
    --------
    >>> csv_cell("=1+1"), csv_cell("age")
    ("'=1+1", 'age')
    """
    shown = printable(text)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA_STARTS) else shown


def frame_to_csv(frame: pd.DataFrame) -> str:
    """Return the table as CSV in which texts are harmless; numbers stay as they are."""
    harmless = frame.rename(columns=lambda name: csv_cell(str(name)))
    for place in range(harmless.shape[1]):
        if not pd.api.types.is_numeric_dtype(frame.dtypes.iloc[place]):
            cells = [csv_cell(str(cell)) for cell in frame.iloc[:, place]]
            harmless.isetitem(place, cells)
    return harmless.to_csv(index=False)


def duration(value: float) -> str:
    """Return seconds as they are said.

    Examples
    --------
    >>> duration(0.004), duration(7.31), duration(3900)
    ('under 0.1 s', '7.3 s', '1 h 5 min')
    """
    if value < 0.1:
        return "under 0.1 s"
    if value < 90:
        return f"{value:.1f} s"
    minutes = round(value / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
