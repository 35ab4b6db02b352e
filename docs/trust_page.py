"""Write docs/trust.md from what benchmarks/trust.py and random_problems.py measured.

python docs/trust_page.py                    # benchmarks/results/trust*.json
python docs/trust_page.py FILE [FILE ...]    # other runs

Every number of the page comes from the JSON files, every source from benchmarks/problems.py.
"""

from __future__ import annotations

import ast
import json
import re
from itertools import groupby
from pathlib import Path
from typing import Any

import click
from measured_tables import BENCHMARKS, DOCS, table

from lukewarm._files import write_text

# What the intervals and the test are asked to reach; the nominal values less some allowance for
# chance.
LEAST_COVERAGE = 0.92
# With fewer data sets the extremes of many rows are chance.
MANY = 25
MOST_FLAGGED = 0.065

HEAD = """# How far to trust the numbers

<!-- Made by docs/trust_page.py; do not edit. -->

Data sets are drawn from problems whose importances are known exactly, explained by the library,
and compared with the truth. Reproduce a row with
`python benchmarks/trust.py --problems NAME --sizes N`; make this page with
`python docs/trust_page.py`.

How to read a row:

- **coverage**: share of 95 % intervals that hold the true importance, over features that matter,
  with its Monte-Carlo standard error; **worst feature**: the lowest share of any single one.
  Intervals wholly below zero are counted as reaching it (`interval(reach_zero=True)`).
- **nulls flagged**: share of worthless features with a p-value below 0.05, with its Monte-Carlo
  standard error; **nulls far**: share of them whose estimate is more than three standard errors
  from zero.
- **largest bias**: of the mean estimate, relative to the importance, for the feature where it is
  largest.
- **width**: median over features that matter, over the importance; in brackets over the width of
  the plain interval around the true functions, with nothing learnt, on as many rows.
- **ceiling**: coverage of those intervals around the true functions, low where tails are heavy.
- **power**: share of features that matter with a p-value below 0.05; in brackets that of the
  feature found least often.
- **underfit said**: share of data sets with an `UnderfitWarning`.
- **seconds**: processor time of one fit, all features.
"""

RANDOM = """## Problems drawn at random

Every data set comes from a problem of its own: correlated roots of several laws, columns that are
lines, curves or functions of two roots with noise, a target that is a random sum of functions of
some of them, noise of several laws (`benchmarks/random_problems.py` says how, and how importances
are known). **too low** and **too high** are the shares of intervals that miss on either side,
**bias** is the median over features that matter.
"""

RANDOM_COLUMNS = (
    "task", "n", "model", "measure", "data sets", "features that matter", "coverage", "too low",
    "too high", "bias", "power", "useless features", "nulls flagged", "underfit said", "seconds",
    "seed",
)  # fmt: skip

COLUMNS = (
    "problem",
    "n",
    "measure",
    "data sets",
    "coverage",
    "worst feature",
    "nulls flagged",
    "nulls far",
    "largest bias",
    "width",
    "ceiling",
    "power",
    "underfit said",
    "seconds",
)


def sources() -> list[tuple[str, str]]:
    """Return the problems' names and where each comes from, as benchmarks/problems.py tells."""
    text = ast.get_docstring(ast.parse((BENCHMARKS / "problems.py").read_text("utf-8"))) or ""
    table = re.split(r"^=+ +=+$", text, flags=re.MULTILINE)[1]
    found = []
    for line in filter(None, map(str.strip, table.splitlines())):
        name, source = re.split(r"\s{2,}", line, maxsplit=1)
        found.append((name, source))
    return found


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    """Return the cells of one problem, size and measure."""
    return (
        row["problem"],
        f"{row['n']:,}",
        row["measure"],
        str(row["data_sets"]),
        _with_error(row["coverage"], row["coverage_error"]),
        _number(row["worst_feature"]),
        _with_error(row["nulls_flagged"], row["flagged_error"]),
        _number(row["nulls_far"]),
        _number(row["largest_bias"], "+.1%").replace("%", " %"),
        f"{_number(row['width'])} ({_number(row['width_ratio'], '.2f')})",
        _number(row["ideal_coverage"]),
        f"{_number(row['power'])} ({_number(row['least_power'])})",
        _number(row["underfit"]),
        _number(row["seconds"], ".1f"),
    )


def random_table(rows: list[dict[str, Any]]) -> str:
    """Return the table of problems drawn at random."""
    ordered = sorted(rows, key=lambda row: (row["model"] != "auto", row["task"] != "numbers"))
    return table(
        RANDOM_COLUMNS,
        [
            (
                row["task"],
                f"{row['n']:,}",
                row["model"],
                row["measure"],
                str(row["data_sets"]),
                str(row["n_useful"]),
                _with_error(row["coverage"], row["coverage_error"]),
                _number(row["too_low"]),
                _number(row["too_high"]),
                _number(row["bias"], "+.1%").replace("%", " %"),
                _number(row["power"]),
                str(row["n_useless"]),
                _with_error(row["nulls_flagged"], row["flagged_error"]),
                _number(row["underfit"]),
                _number(row["seconds"], ".1f"),
                str(row["seed"]),
            )
            for row in ordered
        ],
    )


def in_short(rows: list[dict[str, Any]]) -> str:
    """Return the means of each size, and the extremes among rows of many data sets, in words."""
    lines = [
        _means([row for row in rows if row["n"] == n], n)
        for n in sorted({row["n"] for row in rows})
    ]
    many = [row for row in rows if row["data_sets"] >= MANY]
    if many:
        among = f"Among the {len(many)} rows of at least {MANY} data sets"
        lines += [
            _extreme(many, "coverage", min, f"{among}, lowest coverage of features that matter"),
            _extreme(many, "worst_feature", min, "Lowest coverage of a single feature"),
            _extreme(many, "nulls_flagged", max, "Most nulls flagged"),
            _extreme(many, "nulls_far", max, "Most nulls far"),
        ]
        misses = [row for row in many if (row["coverage"] or 0) < LEAST_COVERAGE]
        flags = [row for row in many if (row["nulls_flagged"] or 0) > MOST_FLAGGED]
        lines += [
            _listed(f"Coverage below {LEAST_COVERAGE}", misses, len(many), "underfit said in"),
            _listed(f"Nulls flagged above {MOST_FLAGGED}", flags, len(many), None),
        ]
    return "".join(f"- {line}\n" for line in lines if line)


def _means(rows: list[dict[str, Any]], n: int) -> str:
    """Return what rows of one size show on average; the errors are those of independent rows."""
    parts = []
    for key, error, words in (
        ("coverage", "coverage_error", "coverage"),
        ("nulls_flagged", "flagged_error", "nulls flagged"),
    ):
        known = [row for row in rows if row[key] is not None]
        if known:
            mean = sum(row[key] for row in known) / len(known)
            # A row of one data set has no error.
            spread = (
                sum(row[error] ** 2 for row in known) ** 0.5 / len(known)
                if all(row[error] is not None for row in known)
                else None
            )
            parts.append(f"{words} {_with_error(mean, spread)}")
    sets = sorted({row["data_sets"] for row in rows})
    counts = f"{sets[0]}" if len(sets) == 1 else f"{sets[0]} to {sets[-1]}"
    unit = "data set" if counts == "1" else "data sets"
    return f"n = {n:,}, {len(rows)} rows of {counts} {unit}, means: {', '.join(parts)}."


def _extreme(rows: list[dict[str, Any]], key: str, choose: Any, words: str) -> str:
    known = [row for row in rows if row[key] is not None]
    if not known:
        return ""
    row = choose(known, key=lambda each: each[key])
    return f"{words}: {row[key]:.3f} ({_name(row)})."


def _listed(words: str, rows: list[dict[str, Any]], n_rows: int, told: str | None) -> str:
    named = ", ".join(
        _name(row) + (f" ({told} {row['underfit']:.0%})".replace("%", " %") if told else "")
        for row in rows
    )
    return f"{words}: {len(rows)} of {n_rows} rows" + (f": {named}." if rows else ".")


def _name(row: dict[str, Any]) -> str:
    return f"{row['problem']}, n = {row['n']:,}, {row['measure']}"


def _number(value: float | None, form: str = ".3f") -> str:
    return "" if value is None else f"{value:{form}}"


def _with_error(value: float | None, error: float | None) -> str:
    return _number(value) + ("" if error is None else f" ± {error:.3f}")


def page(files: list[Path]) -> str:
    """Return the text of the page."""
    loaded = [json.loads(file.read_text("utf-8")) for file in files]
    rows = [row for each in loaded for row in each["rows"]]
    seeds = ", ".join(str(seed) for seed in dict.fromkeys(each["seed"] for each in loaded))
    parts = [HEAD, f"Seed of the data sets: {seeds}.\n"]

    def settings(row: dict[str, Any]) -> tuple[str, str, str]:
        return row["model"], row["method"], row["inference"]

    ordered = sorted(rows, key=lambda row: (settings(row) != ("auto",) * 3, settings(row)))
    for (model, method, inference), group in groupby(ordered, settings):
        own = sorted(group, key=lambda row: row["n"])
        is_default = (model, method, inference) == ("auto",) * 3
        title = "The defaults" if is_default else f"{model}, {method}, {inference}"
        named = f'model="{model}", method="{method}", inference="{inference}"'
        measured = table(COLUMNS, [cells(row) for row in own]) + "\n"
        parts += [f"## {title}\n", f"`{named}`\n", in_short(own), measured]
    drawn = BENCHMARKS / "results" / "random_problems.json"
    if drawn.exists():
        parts += [RANDOM, random_table(json.loads(drawn.read_text("utf-8"))["rows"]) + "\n"]
    parts += ["## Where the problems come from\n", table(("problem", "source"), sources()) + "\n"]
    return "\n".join(parts)


@click.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), default=DOCS / "trust.md")
def main(files: tuple[Path, ...], out: Path) -> None:
    """Write the page from FILES."""
    write_text(out, page(list(files) or sorted((BENCHMARKS / "results").glob("trust*.json"))))


if __name__ == "__main__":
    main()
