"""Write the table of docs/shapley.md from what benchmarks/trust_shapley.py measured.

python docs/shapley_table.py          # benchmarks/results/shapley_trust.json
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from trust_page import as_table

from lukewarm._files import write_text

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "benchmarks" / "results" / "shapley_trust.json"
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->"
COLUMNS = (
    "problem",
    "n",
    "data sets",
    "coverage",
    "worst feature",
    "nulls covered",
    "nulls flagged",
    "nulls far",
    "largest bias",
    "coalitions",
    "seconds",
)


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    """Return the cells of one problem and size."""
    return (
        row["problem"],
        f"{row['n']:,}",
        str(row["data_sets"]),
        _with_error(row["coverage"], row["coverage_error"]),
        _number(row["worst_feature"]),
        _number(row["nulls_covered"]),
        _with_error(row["nulls_flagged"], row["flagged_error"]),
        _number(row["nulls_far"]),
        _number(row["largest_bias"], "+.1%").replace("%", " %"),
        _number(row["n_fits"], ".0f"),
        _number(row["seconds"], ".1f"),
    )


def _number(value: float | None, form: str = ".3f") -> str:
    return "" if value is None else f"{value:{form}}"


def _with_error(value: float | None, error: float | None) -> str:
    return _number(value) + ("" if error is None else f" ± {error:.3f}")


def page(text: str, found: dict[str, Any]) -> str:
    """Return the page with the table renewed."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    rows = sorted(found["rows"], key=lambda row: row["n"])
    table = as_table(COLUMNS, [cells(row) for row in rows])
    return f"{before}{BEGIN}Seed of the data sets: {found['seed']}.\n\n{table}{END}{after}"


@click.command()
@click.argument("file", type=click.Path(exists=True, path_type=Path), default=RESULTS)
def main(file: Path) -> None:
    """Renew the table from FILE."""
    target = DOCS / "shapley.md"
    found = json.loads(file.read_text("utf-8"))
    write_text(target, page(target.read_text("utf-8"), found))


if __name__ == "__main__":
    main()
