"""The columns of a file by the part the user gave them: features, target, weights, groups."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from lukewarm.cli._options import failure


def names(listed: str | None) -> list[str] | None:
    """Return the names of a list; one that holds a comma or a blank at its ends is in quotes."""
    if listed is None:
        return None
    try:
        cells = next(csv.reader([listed], skipinitialspace=True, strict=True), [])
    except csv.Error as error:
        raise failure(f"the list {listed!r} cannot be read: {error}.") from error
    return [name for name in cells if name.strip()]


def complete_column(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the columns of FILE that start so, for the shell; none where it is no CSV file."""
    # An option that still lacks its value keeps click from taking FILE out of the arguments.
    file = ctx.params.get("file") or next(iter(ctx.args), "")
    try:
        with open(file, newline="", encoding=ctx.params.get("encoding") or "utf-8") as text:
            heads = next(csv.reader(text, delimiter=ctx.params.get("sep") or ","), [])
    except (OSError, ValueError, LookupError, csv.Error):
        return []
    return [name for name in heads if name.startswith(incomplete)]


def taken_apart(
    table: Any, file: Path, roles: dict[str, Any], dropped: list[str], dates: list[str]
) -> tuple[Any, dict[str, Any]]:
    """Return the features, and the column of each role that one was named for.

    Parameters
    ----------
    table : DataFrame
    file : Path
        Named in messages.
    roles : dict
        Columns by the option that names them, such as "--target"; None where it was not given.
    dropped, dates : lists of str
        Columns to leave out, and to read as dates.
    """
    roles = {option: column for option, column in roles.items() if column is not None}
    named = dict(zip(roles, _in_table(list(roles.values()), table, file), strict=True))
    dropped, dates = (_in_table(columns, table, file) for columns in (dropped, dates))
    for option, column in named.items():
        others = [each for each in named if named[each] == column and each != option]
        if others or column in dropped:
            raise failure(f"{others[0] if others else '--drop'} names {option[2:]}, {column!r}.")
    for column in dates:
        table[column] = _as_dates("--parse-dates", table[column])
    columns = {option: table[column] for option, column in named.items()}
    if "--time" in columns and columns["--time"].dtype.kind not in "iufbM":
        columns["--time"] = _as_dates("--time", columns["--time"])
    return table.drop(columns=[*named.values(), *dropped]), columns


def as_spelled(columns: Sequence[str], table: Any) -> list[str]:
    """Return names as the table has them, with the blanks at their ends; others as they are."""
    stripped = {name.strip(): name for name in table}
    return [each if each in table else stripped.get(each.strip(), each) for each in columns]


def _in_table(columns: Sequence[str], table: Any, file: Path) -> list[str]:
    spelled = as_spelled(columns, table)
    for column in spelled:
        if column not in table:
            raise failure(_no_column(table, file, column))
    return spelled


def _no_column(table: Any, file: Path, column: str) -> str:
    from lukewarm.data import separator_hint

    hint = separator_hint(table)
    if not hint:
        # Other letters than those asked for, or other cases of them.
        lowered = {name.lower(): name for name in table}
        close = get_close_matches(column.lower(), lowered, n=1)
        hint = f" Did you mean {lowered[close[0]]!r}?" if close else ""
    return f"{str(file)!r} has no column {column!r}; it has {list(table)}.{hint}"


def check_roles(columns: dict[str, Any]) -> None:
    """Raise where a column that is no feature has gaps, or weights are no numbers."""
    for option, column in columns.items():
        n_gaps = int(column.isna().sum())
        if n_gaps:
            hint = (
                "--missing-target drop leaves those rows out."
                if option == "--target"
                else "Fill them, or leave those rows out of the file."
            )
            # Rows keep their numbers where those without a target were left out.
            first = column.index[column.isna()][0] + 1
            raise failure(
                f"{option}: column {column.name!r} has no value in {n_gaps} of {len(column)} rows, "
                f"the first of them row {first} of the table. {hint}"
            )
    weights = columns.get("--weights")
    if weights is not None and weights.dtype.kind not in "iufb":
        raise failure(
            f"--weights: column {weights.name!r} must hold numbers; it holds {weights.iloc[0]!r}."
        )


def _as_dates(option: str, column: Any) -> Any:
    import pandas as pd

    try:
        return pd.to_datetime(column)
    except (ValueError, TypeError, OverflowError) as error:
        raise failure(f"{option}: column {column.name!r} does not hold dates; {error}.") from error


def without_gaps(X: Any, columns: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the rows that have a target."""
    is_given = columns["--target"].notna()
    if not is_given.all():
        click.echo(f"Note: {int((~is_given).sum())} rows without a target are left out.", err=True)
    return X[is_given], {option: column[is_given] for option, column in columns.items()}


def groups_of(path: Path | None, correlated: float | None) -> Any:
    if correlated is not None and path is not None:
        raise failure("give --groups or --correlated, not both.")
    if correlated is not None:
        return {"correlation": correlated}
    if path is None or (str(path) == "auto" and not path.exists()):
        return None if path is None else "auto"
    return _read_groups(path)


def _read_groups(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise failure(f"there is no file {str(path)!r}.")
    try:
        groups = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise failure(f"{str(path)!r} is not a JSON file: {error}.") from error
    if not isinstance(groups, dict):
        raise failure(f'{str(path)!r} must hold a mapping such as {{"name": ["column", ...]}}.')
    return groups


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"{repeated} appear more than once")
    return dict(pairs)
