"""Tables in files: CSV, Parquet, Excel."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from lukewarm._optional import require
from lukewarm._validation import shown

_PARQUET = (".parquet", ".pq")
_EXCEL = (".xlsx", ".xlsm")


def read_table(path: Path, sep: str = ",", encoding: str = "utf-8") -> pd.DataFrame:
    """Return the table in a file, whose columns have different names.

    Parameters
    ----------
    path : Path
        Parquet and Excel by their endings, the first sheet of the latter; else CSV.
    sep : str
        The character between the cells of a CSV file.
    encoding : str
        Of a CSV file.
    """
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}.")
    if path.suffix.lower() in _PARQUET:
        table = pd.read_parquet(path)
        header = [str(name) for name in table.columns]
    elif path.suffix.lower() in _EXCEL:
        table, header = _read_excel(path)
    else:
        table, header = _read_csv(path, sep, encoding)
    table.columns = [
        str(name) for name in table.columns
    ]  # a year at the head of a column, in Excel
    # pandas would call the second one of two "price" columns "price.1".
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise ValueError(f"{str(path)!r} has more than one column called {repeated}; rename them.")
    return table


def separator_hint(table: pd.DataFrame) -> str:
    """Return what to do about a file whose cells are not separated by what was said."""
    header = " ".join(str(name) for name in table.columns)
    # A name may hold a separator or two; a whole header has more of them than there are columns.
    likely = [each for each in (";", "\t", "|", ",") if header.count(each) >= table.shape[1]]
    return f" Its cells are separated by {likely[0]!r}; say so by --sep." if likely else ""


def _read_csv(path: Path, sep: str, encoding: str) -> tuple[pd.DataFrame, list[str]]:
    if len(sep) != 1:
        raise ValueError(f"--sep must be one character, or \\t for a tab; got {shown(sep)}.")
    try:
        table = pd.read_csv(path, sep=sep, encoding=encoding)
        first = pd.read_csv(path, sep=sep, encoding=encoding, header=None, nrows=1, dtype=str)
    except LookupError as error:
        raise ValueError(f"--encoding must be one that Python knows; {error}.") from error
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{str(path)!r} is not a readable CSV file: {error}. Say its --encoding, such as "
            "latin-1 or utf-16."
        ) from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeError) as error:
        raise ValueError(f"{str(path)!r} is not a readable CSV file: {error}.") from error
    if not isinstance(table.index, pd.RangeIndex):
        raise ValueError(f"the rows of {str(path)!r} have more cells than its header.")
    return table, list(first.iloc[0].dropna())


def _read_excel(path: Path) -> tuple[pd.DataFrame, list[str]]:
    require("openpyxl", "excel")
    try:
        table = pd.read_excel(path, engine="openpyxl")
        first = pd.read_excel(path, header=None, nrows=1, dtype=str, engine="openpyxl")
    except Exception as error:  # whatever a damaged archive makes openpyxl raise
        raise ValueError(f"{str(path)!r} is not a readable Excel file: {error}.") from error
    return table, [] if first.empty else list(first.iloc[0].dropna())
