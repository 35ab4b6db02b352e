"""The columns of a file by the part the user gave them: features, target, weights, groups."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import click

from lukewarm.cli._options import failure


def names(listed: str | None) -> list[str] | None:
    return None if listed is None else [name.strip() for name in listed.split(",") if name.strip()]


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
    table: Any, file: Path, roles: dict[str, str | None], dropped: list[str], dates: list[str]
) -> tuple[Any, dict[str, Any]]:
    """Return the features, and the column of each role that one was named for."""
    from lukewarm.data import separator_hint

    named = {option: column for option, column in roles.items() if column is not None}
    for column in (*named.values(), *dropped, *dates):
        if column not in table:
            raise failure(
                f"{str(file)!r} has no column {column!r}; it has {list(table)}."
                f"{separator_hint(table)}"
            )
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


def _as_dates(option: str, column: Any) -> Any:
    import pandas as pd

    try:
        return pd.to_datetime(column)
    except (ValueError, TypeError, OverflowError) as error:
        raise failure(f"{option}: column {column.name!r} does not hold dates; {error}.") from error


def without_gaps(X: Any, columns: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the rows that have a target."""
    known = columns["--target"].notna()
    if not known.all():
        click.echo(f"Note: {int((~known).sum())} rows without a target are left out.", err=True)
    return X[known], {option: column[known] for option, column in columns.items()}


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
