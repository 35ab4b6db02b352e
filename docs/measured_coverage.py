"""Measured blocks on how often intervals cover, tests flag and selections err; see measured.py."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Sequence
from typing import Any

from measured_tables import BENCHMARKS, results, table


def _bias(row: dict[str, Any]) -> str:
    share = f" ({100 * row['bias'] / row['truth']:+.1f} %)" if row["truth"] else ""
    return f"{row['bias']:+.4f}{share}"


def _coverage(model: str, columns: Sequence[tuple[str, str]], decimals: int) -> str:
    """Return the coverage of each method and inference by correlation, and the biases."""
    found = {
        (row["correlation"], row["method"], row["inference"]): row
        for row in results(f"coverage_{model}")
    }
    methods = list(dict.fromkeys(method for method, _ in columns))
    words = {
        method: method.replace("retrain", "retraining").replace("_", " ") for method in methods
    }
    heads = [
        "correlation (truth)",
        *(f"{words[method]}, {inference}" for method, inference in columns),
        *(f"bias of {words[method]}" for method in methods),
    ]
    rows = []
    for correlation in sorted({key[0] for key in found}):
        at = {each: found[(correlation, *each)] for each in columns}
        truth = at[columns[0]]["truth"]
        rows.append(
            [
                f"{correlation:g} ({truth:.4g})",
                *(f"{at[each]['coverage']:.{decimals}f}" for each in columns),
                *(_bias(found[correlation, method, "paired"]) for method in methods),
            ]
        )
    rejected = {
        inference: 100 * found[1.0, "early_stopping", inference]["rejection"]
        for inference in ("split", "paired")
    }
    return "\n".join(
        [
            table(heads, rows),
            "",
            f"At correlation 1, where the importance is zero, the test of early stopping at 5 % "
            f"rejects in {rejected['split']:.2g} % of the data sets by split and in "
            f"{rejected['paired']:.2g} % by paired evaluation.",
        ]
    )


def coverage_boosting() -> str:
    """Return the table of docs/coverage.md for our trees."""
    columns = [("early_stopping", "paired"), ("early_stopping", "split"), ("retrain", "paired")]
    return _coverage("boosting", columns, 3)


def coverage_network() -> str:
    """Return the table of docs/coverage.md for the network."""
    columns = [
        *(("early_stopping", each) for each in ("paired", "split")),
        *(("kernel_flow", each) for each in ("paired", "split")),
        ("retrain", "paired"),
    ]
    return _coverage("network", columns, 2)


def coverage_catboost() -> str:
    """Return the table of docs/coverage.md for CatBoost."""
    columns = [("early_stopping", "paired"), ("early_stopping", "split"), ("retrain", "paired")]
    return _coverage("catboost", columns, 2)


def coverage_of_truth() -> str:
    """Return what paired intervals around the true functions cover."""
    found = results("coverage_of_truth")
    said = ", ".join(f"{each:.3f}" for each in found["coverage"].values())
    return (
        f"Around the *true* functions, with nothing learnt at all, the paired interval covers in "
        f"{said} of {found['replicates']} data sets at correlations "
        f"{', '.join(f'{float(each):g}' for each in found['coverage'])}."
    )


def level_of_the_test() -> str:
    """Return how many useless features the test flags, over all problems of a size."""
    parts = []
    for name in ("trust", "trust_2000"):
        known = [row for row in results(name)["rows"] if row["nulls_flagged"] is not None]
        # The test does not depend on the measure, so a problem with two of them counts once.
        rows = list({row["problem"]: row for row in known}.values())
        counts = [_count(row) for row in rows]
        flagged = sum(row["nulls_flagged"] * n for row, n in zip(rows, counts, strict=True))
        share, total = flagged / sum(counts), sum(counts)
        error = (share * (1 - share) / total) ** 0.5
        parts.append(
            f"{100 * share:.1f} ± {100 * error:.1f} % of {total:,} useless features with "
            f"{rows[0]['n']:,} rows"
        )
    return f"On the [published problems](trust.md) the test at 5 % flags {parts[0]} and {parts[1]}."


def lower_ends() -> str:
    """Return how often lower ends are above the truth, over all problems of a size."""
    parts = []
    for name in ("trust", "trust_2000"):
        rows = [row for row in results(name)["rows"] if row["measure"] != "accuracy"]
        useful, useless = (
            _weighted([(row[key], row[count]) for row in rows if row[count]])
            for key, count in (("too_high", "n_useful"), ("nulls_above", "n_useless"))
        )
        parts.append(
            f"with {rows[0]['n']:,} rows {useful[0]:.1f} % of {useful[1]:,} intervals of useful "
            f"features begin above the importance, and {useless[0]:.1f} % of {useless[1]:,} of "
            "useless features above zero"
        )
    return f"Of 95 % intervals 2.5 % may. On the [published problems](trust.md) {'; '.join(parts)}."


def _weighted(shares: list[tuple[float, int]]) -> tuple[float, int]:
    """Return the mean of shares in per cent, each of so many, and their total."""
    total = sum(count for _, count in shares)
    return 100 * sum(share * count for share, count in shares) / total, total


def _count(row: dict[str, Any]) -> int:
    """Return how many useless features were tested: data sets times those of the problem."""
    return row["data_sets"] * _n_nulls()[row["problem"], row["measure"]]


def _n_nulls() -> dict[tuple[str, str], int]:
    problems = runpy.run_path(str(BENCHMARKS / "problems.py"))["PROBLEMS"]
    return {
        (name, measure): sum(value == 0 for value in truth.values())
        for name, problem in problems.items()
        for measure, truth in problem.truth.items()
    }


def linear_choice() -> str:
    """Return coverage and power of projection and retraining of least squares."""
    found = {
        (row["problem"], row["method"]): row
        for method in ("projection", "retrain")
        for row in results(f"linear_{method}")["rows"]
    }
    labels = {
        "nonlinear": "`nonlinear`: y linear, a column is a parabola of another",
        "linear": "`linear`, correlation 0.8",
        "weak": "`weak`, importances of 0.0144 and 0.0036",
    }
    columns = [
        (key, method) for key in ("coverage", "power") for method in ("projection", "retrain")
    ]
    heads = ["", *(f"{key}, {method}" for key, method in columns)]
    rows = [
        [label, *(f"{found[name, method][key]:.2f}" for key, method in columns)]
        for name, label in labels.items()
    ]
    first = next(iter(found.values()))
    return "\n".join(
        [
            f"Least squares on three problems of `benchmarks/problems.py`, N = {first['n']}, "
            f"{first['data_sets']} data sets each, a small trial "
            "(`python benchmarks/trust.py --model linear --method retrain`):",
            "",
            table(heads, rows),
        ]
    )


def selection() -> str:
    """Return the false discovery rates of `select` with real fits."""
    found = results("selection")
    rows = [
        [
            f"`{row['model']}`",
            str(row["n_datasets"]),
            f"{row['fdr_asked']:g}",
            f"{row['fdr']:.3f} ± {row['fdr_std_error']:.3f}",
            f"{row['power']:.2f}",
            f"{row['nulls_flagged']:.3f} ± {row['nulls_flagged_std_error']:.3f}",
        ]
        for row in found["by_model"]
    ]
    heads = [
        "`model`",
        "data sets",
        "`fdr` asked for",
        "share of useless features among those selected",
    ]
    worst = max(
        (row for row in found["by_design"] if row["fdr_asked"] == 0.1), key=lambda row: row["fdr"]
    )
    return "\n".join(
        [
            table([*heads, "power", "useless features with p < 0.05"], rows),
            "",
            f"Data sets of {found['n_rows']} rows "
            f"(`python benchmarks/selection.py`, seed {found['seed']}); ± is the error of "
            f"the simulation. The largest share at 0.1 is that of {worst['design']} with "
            f"`{worst['model']}`, {worst['fdr']:.3f} ± {worst['fdr_std_error']:.3f}.",
        ]
    )


def estimate_law() -> str:
    """Return the exact law of an importance by kernel ridge regression, by number of rows."""
    found = results("estimate_law")
    heads = [
        *("rows", "without x0", "bias", "standard deviation", "share of training"),
        *("skewness", "exact 95 % interval", "normal interval", "normal coverage"),
    ]
    return (
        table(
            heads,
            [
                [
                    f"{row['n']}",
                    {"retrain": "retrained", "projection": "averaged over x0"}[row["way"]],
                    f"{row['bias']:+.3f}",
                    f"{row['standard_deviation']:.3f}",
                    f"{row['share_of_training']:.3f}",
                    f"{row['skewness']:.3f}",
                    *(
                        f"[{row[f'{kind}_low']:+.3f}, {row[f'{kind}_high']:+.3f}]"
                        for kind in ("exact", "normal")
                    ),
                    f"{row['normal_coverage']:.3f}",
                ]
                for row in found["rows"]
            ],
        )
        + f"\n\nMeans over {found['draws']} draws of the rows, three at 2,000; intervals are those "
        "of the estimate minus the truth."
    )


BLOCKS: tuple[Callable[[], str], ...] = (
    coverage_boosting,
    coverage_network,
    coverage_catboost,
    coverage_of_truth,
    level_of_the_test,
    lower_ends,
    linear_choice,
    selection,
    estimate_law,
)
