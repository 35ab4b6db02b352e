"""Write docs/paper_tables.md, the tables behind docs/paper.md, from docs/results/*.json.

python docs/paper_page.py

Every number comes from the tables that `lukewarm reproduce` writes; tests/test_docs.py checks that
the page is what this makes of them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from lukewarm._files import write_text

DOCS = Path(__file__).parent
RESULTS = DOCS / "results"
PAGE = DOCS / "paper_tables.md"
Row = dict[str, Any]
Table = list[Row]

HEAD = """# The paper's tables

<!-- Made by docs/paper_page.py; do not edit. -->

The numbers behind [The paper, reproduced](paper.md) and [Open directions](open_directions.md), one
section per experiment, first at the paper's sizes where such a run exists. Each table is written by
the command above it; make this page with `python docs/paper_page.py`. Seconds are processor seconds
of one thread.
"""

MODELS = {"boosting": "trees", "network": "network", "catboost": "CatBoost"}
METHODS = {
    "dropout": "dropout",
    "retrain": "retraining",
    "early_stopping": "early stopping",
    "kernel_flow": "kernel flow",
    "lazy": "LazyVI",
    "distil": "distillation",
}


def results(name: str, scale: str) -> Table | None:
    """Return the table of a run, or None where there is no such run."""
    path = RESULTS / f"{name}-{scale}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def best_results(name: str) -> Table:
    """Return the table of the run at the paper's sizes, or of the quick one."""
    found = results(name, "paper") or results(name, "quick")
    assert found is not None, name
    return found


def markdown(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table of Markdown."""
    lines = [f"| {' | '.join(map(str, line))} |" for line in (heads, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(heads), *lines[1:]])


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with that many digits that count; a dash for none."""
    if value is None or math.isnan(value):
        return "–"
    if value != 0 and not 1e-3 <= abs(value) < 1e5:
        return f"{value:.{digits - 1}e}"
    return f"{value:.{digits}g}" if abs(value) < 10 ** (digits - 1) else f"{value:.0f}"


def slope(low: float, value: float, high: float) -> str:
    """Return an exponent with its interval."""
    return f"{value:.2f} [{low:.2f}, {high:.2f}]"


def said(row: Row, *keys: str) -> list[str]:
    """Return the words of a row for model, method and whatever is text already."""
    return [str({**MODELS, **METHODS}.get(row[key], row[key])).replace("_", " ") for key in keys]


def pivot(table: Table, keys: Sequence[str], column: str, value: Callable[[Row], str]) -> str:
    """Return a row per combination of `keys` and a column per value of `column`."""
    columns = list(dict.fromkeys(row[column] for row in table))
    groups: dict[tuple[str, ...], dict[Any, str]] = {}
    for row in table:
        groups.setdefault(tuple(said(row, *keys)), {})[row[column]] = value(row)
    rows = [[*key, *(cells.get(each, "–") for each in columns)] for key, cells in groups.items()]
    return markdown([*keys, *columns], rows)


def bounds(table: Table) -> str:
    """Return the errors at T_max by number of rows."""
    rows = [
        [
            *said(row, "model", "norm"),
            *(row["n_rows"], row["replicates"], number(row["error"]), f"{row['steps']:.1f}"),
            slope(row["slope_low"], row["slope"], row["slope_high"]),
        ]
        for row in table
    ]
    heads = ("model", "norm", "N", "data sets", "squared error", "T_max", "exponent [95 %]")
    return markdown(heads, rows)


def tangent_stability(table: Table) -> str:
    """Return both distances by width or random strength."""
    return _distances(table, "model", "width or β")


def _distances(table: Table, kind: str, size: str) -> str:
    rows = [
        [
            *said(row, kind, "distance"),
            *(f"{row['size']:g}", row["replicates"], number(row["mean"])),
            slope(row["slope_low"], row["slope"], row["slope_high"]),
        ]
        for row in table
    ]
    return markdown((kind, "distance", size, "data sets", "mean", "exponent [95 %]"), rows)


def correlation(table: Table) -> str:
    """Return the importances of X1 by correlation."""
    truth = [
        {"model": "", "method": "truth", "correlation": correlation, "estimate": value}
        for correlation, value in sorted({(row["correlation"], row["truth"]) for row in table})
    ]
    wanted = [*truth, *table]
    return pivot(wanted, ("model", "method"), "correlation", lambda row: f"{row['estimate']:.3f}")


def high_dimension(table: Table) -> str:
    """Return precision and speed of every method."""
    rows = [
        [
            *said(row, "model", "method"),
            *(row["replicates"], f"{row['truth']:.2f}", f"{row['estimate']:.2f}"),
            *(f"{100 * row[key]:.1f} %" for key in ("error_to_retrain", "error_to_truth")),
            *(number(row["seconds"]), number(row["speed_up"])),
        ]
        for row in table
    ]
    heads = ("model", "method", "data sets", "truth", "estimate")
    further = ("from retraining", "from the truth", "seconds", "times faster than retraining")
    return markdown((*heads, *further), rows)


def shapley_logistic(table: Table) -> str:
    """Return precision and speed of Shapley values."""
    rows = [
        [
            *said(row, "model", "method"),
            *(row["replicates"], row["n_fits"]),
            *(f"{row[key]:.4f}" for key in ("error_to_truth", "error_to_retrain")),
            f"{row['seconds']:.2f} ± {row['seconds_spread']:.2f}",
            *(number(row["speed_up"], 2), number(row["paper_speed_up"], 2)),
        ]
        for row in table
    ]
    heads = ("model", "method", "data sets", "fits", "error to the truth", "to retraining")
    return markdown((*heads, "seconds", "times faster", "the paper's"), rows)


def coverage(table: Table) -> str:
    """Return the coverage by correlation, and rejections where the importance is zero."""
    keys = ("model", "method", "inference")
    covered = pivot(table, keys, "correlation", lambda row: f"{row['coverage']:.2f}")
    last = max(row["correlation"] for row in table)
    rejected = [
        [*said(row, *keys), f"{row['rejection']:.2f}", row["replicates"]]
        for row in table
        if row["correlation"] == last
    ]
    heads = (*keys, "rejected at zero", "data sets")
    return f"{covered}\n\n{markdown(heads, rejected)}"


def gas_turbine(table: Table) -> str:
    """Return importances and Shapley values of the sensors, and how far from retraining."""
    parts = []
    for kind, title in (("importance", "Importances"), ("shapley", "Shapley values")):
        chosen = [row for row in table if row["kind"] == kind]
        if chosen:
            keys = ("target", "model", "method")
            made = pivot(chosen, keys, "feature", lambda row: f"{row['estimate']:.3f}")
            parts.append(f"{title}:\n\n{made}")
    return "\n\n".join(parts)


def symmetric(table: Table) -> str:
    """Return the gaps of the ways to compare."""
    rows = [
        [
            *said(row, "model", "task", "method", "comparison"),
            row["estimates"],
            *(_four(row[key]) for key in ("gap_to_retrain", "gap_to_truth", "bias")),
            "–" if row["at_zero"] is None else number(row["at_zero"], 2),
        ]
        for row in table
    ]
    heads = ("model", "task", "method", "comparison", "estimates")
    gaps = ("gap to retraining", "gap to the truth", "bias", "mean at zero importance")
    return markdown((*heads, *gaps), rows)


def _four(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.4f}"


def exact_case(table: Table) -> str:
    """Return the theory's quantities of kernel machines."""
    rows = [
        [
            *(row["start"], row["n_rows"], row["replicates"]),
            *(f"{row[key]:.0f}" for key in ("max_step", "optimal_step", "best_step")),
            *(number(row[key]) for key in ("gap_norm", "radius", "population_radius")),
            *(number(row[key]) for key in ("best", "error", "expected", "population")),
            *(number(row[key]) for key in ("lemma", "step_bound", "rate_bound", "drift")),
        ]
        for row in table
    ]
    heads = ("full model of", "N", "data sets", "T_max", "T_op", "best step", "C_H", "radius")
    further = ("population's", "error: best", "at T_max", "expected", "new rows")
    bounds_of = ("B² + V + D²", "C / η", "rate bound", "largest D²")
    return markdown((*heads, *further, *bounds_of), rows)


def regular_trees(table: Table) -> str:
    """Return what the kernels of regular and oblivious trees do."""
    rows = [
        [
            *(row["kind"], row["depth"], "greedy" if row["size"] == 0 else f"{row['size']:g}"),
            *(row["replicates"], number(row["kernel_change"]), number(row["prediction_gap"])),
            *(f"{row[key]:.0f}" for key in ("max_step", "best_step")),
            *(number(row[key]) for key in ("dropout", "error", "best", "drift", "bound")),
        ]
        for row in table
    ]
    heads = ("trees", "depth", "β", "data sets", "kernel change", "prediction gap", "T_max")
    further = ("best step", "error: start", "at T_max", "best", "D² at T_max", "bound at T_max")
    return markdown((*heads, *further), rows)


def architectures(table: Table) -> str:
    """Return both distances of each kind of network by width."""
    return _distances(table, "kind", "width")


def exact_case_summary() -> str:
    """Return the bounds beside the error, for starts that have not seen the noise."""
    chosen = [row for row in best_results("exact-case") if row["start"] == "other rows"]
    errors = ("error", "expected", "population", "lemma", "step_bound", "rate_bound")
    rows = [
        [
            *(row["n_rows"], f"{row['max_step']:.0f}", f"{row['best_step']:.0f}"),
            *(number(row[key]) for key in ("gap_norm", "radius", "best", *errors)),
        ]
        for row in chosen
    ]
    slopes = [f"{chosen[0][f'{key}_slope'][0]:.2f}" for key in errors]
    heads = ("N", "T_max = T_op", "best step", "C_H", "critical radius", "error at the best step")
    further = ("at T_max", "expected", "on new rows", "lemma", "C / η", "rate bound")
    return markdown((*heads, *further), [*rows, ["exponent", *[""] * 5, *slopes]])


def regular_trees_summary() -> str:
    """Return what trees of depth 2 do at some random strengths."""
    rows = [
        [
            *(row["kind"], "greedy" if row["size"] == 0 else f"{row['size']:g}"),
            *(number(row["kernel_change"]), slope_of(row, "kernel_change")),
            *(f"{row['max_step']:.0f}", number(row["dropout"]), number(row["error"])),
            *(number(row["drift"]), number(row["bound"])),
        ]
        for row in best_results("regular-trees")
        if row["depth"] == 2 and row["size"] in (0, 0.1, 1, 100, 10000)
    ]
    heads = ("trees", "β", "kernel change", "exponent in β [95 %]", "T_max", "error at the start")
    return markdown((*heads, "at T_max", "D² there", "bound there"), rows)


def slope_of(row: Row, name: str) -> str:
    """Return the exponent of a distance with its interval."""
    value, low, high = row[f"{name}_slope"]
    return slope(low, value, high)


def architectures_summary() -> str:
    """Return how both distances of each kind of network fall with its width."""
    table = best_results("architectures")
    rows = []
    for kind in dict.fromkeys(row["kind"] for row in table):
        cells = [kind]
        for distance in ("prediction_gap", "kernel_change"):
            chosen = [row for row in table if (row["kind"], row["distance"]) == (kind, distance)]
            ends = [number(chosen[place]["mean"], 2) for place in (0, -1)]
            cells += [" to ".join(ends), slope(*(chosen[0][f"slope{end}"] for end in _ENDS))]
        rows.append(cells)
    widths = f"{min(row['size'] for row in table)} to {max(row['size'] for row in table)}"
    heads = ("network", f"prediction gap, width {widths}", "exponent [95 %]")
    return markdown((*heads, "kernel change", "exponent [95 %]"), rows)


_ENDS = ("_low", "", "_high")
SUMMARIES = (exact_case_summary, regular_trees_summary, architectures_summary)
TABLES: dict[str, Callable[[Table], str]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        *(bounds, tangent_stability, correlation, high_dimension, shapley_logistic, coverage),
        *(gas_turbine, symmetric, exact_case, regular_trees, architectures),
    )
}


def page() -> str:
    """Return the page."""
    parts = [HEAD]
    for name, make in TABLES.items():
        parts.append(f"## {name}\n")
        for scale in ("paper", "quick"):
            table = results(name, scale)
            if table is not None:
                option = " --scale paper" if scale == "paper" else ""
                parts.append(f"`lukewarm reproduce {name}{option}`\n\n{make(table)}\n")
    return "\n".join(parts)


@click.command()
def main() -> None:
    """Write the page."""
    write_text(PAGE, page())


if __name__ == "__main__":
    main()
