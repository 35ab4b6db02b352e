"""Write measured numbers into the pages of the documentation, from benchmarks/results/*.json.

python docs/measured.py            # all pages
python docs/measured.py --check    # only say which pages would change

A page marks what is measured: between ``<!-- measured: NAME -->`` and ``<!-- /measured -->`` stands
what the function NAME of this file, or of the other files measured_*.py, makes of the results.
tests/test_docs.py checks that they agree.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from scipy.stats import spearmanr

# The tests run this file by its path.
sys.path.insert(0, str(Path(__file__).parent))
import measured_comparisons
import measured_directions
import measured_methods
import measured_paper
from measured_tables import BENCHMARKS, DOCS, results, table

from lukewarm._files import write_text
from lukewarm.inference import adjust_p_values

PAGES = [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"<!-- measured: (\w+) -->\n(.*?)<!-- /measured -->", re.DOTALL)


def filled(text: str) -> str:
    """Return a page with its measured blocks made anew."""

    def made(match: re.Match[str]) -> str:
        return f"<!-- measured: {match[1]} -->\n{BLOCKS[match[1]]()}\n<!-- /measured -->"

    return BLOCK.sub(made, text)


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


def boosting_shapley() -> str:
    """Return the table of the paper's Shapley task."""
    labels = {
        "ours, greedy": "greedy, early stopped",
        "ours, greedy, 64 bins": "greedy, 64 bins, early stopped",
        "ours, beta = 10000": "beta = 10000, early stopped",
    }
    rows = [
        [
            labels.get(name, name),
            f"{row['ms_per_model']:.1f}",
            f"{row['times_faster']:.2g}",
            f"{row['trees_per_model']:.0f}",
            f"{row['mse_over_reference']:.3f}",
        ]
        for name, row in results("boosting")["shapley"].items()
    ]
    heads = ["", "ms per model", "times faster", "trees", "mean test MSE / reference"]
    return table(heads, rows)


def boosting_fits() -> str:
    """Return the seconds of a full fit, over ours."""
    found = results("boosting")
    labels = {
        "ours": "ours",
        "lightgbm": "LightGBM",
        "xgboost": "XGBoost",
        "catboost": "CatBoost",
        "hist_gradient_boosting": "HistGradientBoosting",
    }
    sizes = ("small_fit", "medium_fit")

    def cell(name: str, size: str) -> str:
        row = found[size][name]
        return f"1 ({row['seconds']:.3g} s)" if name == "ours" else f"{row['over_ours']:.1f}"

    heads = [
        "",
        "N = 5000, 10 features, depth 3, 200 trees, 128 bins",
        "N = 100 000, 50 features, depth 6, 200 trees, 255 bins",
    ]
    return table(
        heads, [[label, *(cell(name, size) for size in sizes)] for name, label in labels.items()]
    )


def boosting_large() -> str:
    """Return the sentence on large tables."""
    found = results("boosting")["large_fit"]
    small, large = found["N = 100000"], found["N = 1000000"]
    return (
        f"50 features, depth 6, 50 trees, 255 bins, {results('boosting')['large_fit_threads']} "
        f"threads: {small['seconds']:.2g} s at N = 100 000 and {large['seconds']:.2g} s at "
        f"N = 1 000 000, an exponent of {large['time_exponent']:.2f}. The whole process, Python "
        f"and the libraries included, peaked at {large['process_peak_over_data']:.1f} times the "
        f"float32 features; beyond what it had occupied before there were data, at "
        f"{large['own_peak_over_data']:.1f} times."
    )


def boosting_quality() -> str:
    """Return held-out errors over CatBoost's."""
    rows = [
        [
            name,
            *(
                f"{row[f'{kind} / catboost']:.3f} ({row[f'{kind}, error']:.3f})"
                for kind in ("ours", "ours, regularised")
            ),
        ]
        for name, row in results("boosting")["quality"].items()
    ]
    return table(["", "ours, defaults", "ours, `l2_leaf=3`, `subsample=0.8`"], rows)


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


def linear_models() -> str:
    """Return what the closed form of retraining costs."""
    found = results("linear_models")
    said = ", ".join(
        f"`{row['model']}` {row['all_seconds'] / row['fit_seconds']:.2g} times"
        for row in found["rows"]
    )
    return (
        f"`python benchmarks/linear_models.py`, {found['n_train']:,} training rows, "
        f"{found['n_columns']} columns, all {found['n_columns']} models without a column with "
        f"their predictions, process time beside one fit: {said}."
    )


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
            f"{row['fdr_asked']:g}",
            f"{row['fdr']:.3f} ± {row['fdr_std_error']:.3f}",
            f"{row['power']:.2f}",
            f"{row['nulls_flagged']:.3f} ± {row['nulls_flagged_std_error']:.3f}",
        ]
        for row in found["by_model"]
    ]
    heads = ["`model`", "`fdr` asked for", "share of useless features among those selected"]
    worst = max(
        (row for row in found["by_design"] if row["fdr_asked"] == 0.1), key=lambda row: row["fdr"]
    )
    return "\n".join(
        [
            table([*heads, "power", "useless features with p < 0.05"], rows),
            "",
            f"{found['by_model'][0]['n_datasets']} data sets of {found['n_rows']} rows for each "
            f"model (`python benchmarks/selection.py`, seed {found['seed']}); ± is the error of "
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


def readme_permutation() -> str:
    """Return what permutation importance says where the truth is known, for the README."""
    found = {row["correlation"]: row for row in results("peers")}
    half, copy = found[0.5], found[1.0]
    assert copy["permutation ranks X1 first"] == 1
    return (
        f"On the data of the figure with correlation 0.5, permutation importance gives X1 "
        f"{half['permutation']:.2g} where the truth is {half['truth']:.3g} (early stopping: "
        f"{half['early_stopping']:.3g}). When X1 is a copy of X2, and so worth nothing, it still "
        f"ranks X1 first (`python benchmarks/peers.py`, boosted trees, means over ten data sets)."
    )


def readme_reading() -> str:
    """Return what the output of the first example says, from docs/start_output.txt."""
    lines = (DOCS / "start_output.txt").read_text(encoding="utf-8").splitlines()
    heads, *cells = [line.split() for line in lines]
    rows = [dict(zip(heads, line, strict=True)) for line in cells]
    adjusted = adjust_p_values(np.array([float(row["p_value"]) for row in rows]), "holm")
    first, *others = [row for row, p in zip(rows, adjusted, strict=True) if p < 0.05]
    points, low, high = (100 * float(first[key]) for key in ("importance", "ci_low", "ci_high"))
    sentences = [
        f"`{first['feature']}` matters most: without it the model explains {points:.2g} percentage "
        f"points less of the variance (95 % interval {low:.2g} to {high:.2g})."
    ]
    if others:
        names = _listed(others)
        sentences.append(
            f"{names} {'matters' if len(others) == 1 else 'matter'} too by the p-value, also after "
            '`to_frame(adjust="holm")`.'
        )
    vague = [row for row in (first, *others) if float(row["ci_low"]) <= 0]
    if vague:
        whose, verb = (
            ("its interval", "reaches") if len(vague) == 1 else ("their intervals", "reach")
        )
        sentences.append(
            f"How much {_listed(vague)} {'is' if len(vague) == 1 else 'are'} worth is uncertain: "
            f"{whose} {verb} zero."
        )
    n_left = len(rows) - 1 - len(others)
    if n_left:
        sentences.append(f"The other {n_left} cannot be told from zero.")
    return " ".join(sentences)


def _listed(rows: list[dict[str, str]]) -> str:
    *most, last = [f"`{row['feature']}`" for row in rows]
    return f"{', '.join(most)} and {last}" if most else last


def start_output() -> str:
    """Return what the first example prints."""
    return f"```text\n{(DOCS / 'start_output.txt').read_text(encoding='utf-8')}```"


def speed() -> str:
    """Return what importances cost beside the full fit, model by model."""
    rows, ratios = [], []
    for name, row in results("speed").items():
        if "retrain_over_ours" not in row:
            continue
        if not name.endswith(("network", "diamonds")):
            ratios.append(row["retrain_over_ours"])
        numbers = [
            row["ours_all_over_fit"],
            row["retrain_over_ours"],
            row["ours_error_over_retrain"],
            row["retrain_over_early_stopping"],
            row["early_stopping_error_over_retrain"],
        ]
        size = f"{row['n_rows']:,} x {row['n_features']}"
        rows.append([name, size, *map("{:.2f}".format, numbers)])
    heads = [
        *("model, data", "table", "all importances / full fit", "retraining / projection"),
        *("error", "retraining / early stopping", "error"),
    ]
    mean = np.exp(np.mean(np.log(ratios)))
    large = [
        f"{name}: {row['ours_all_over_fit']:.1f}"
        for name, row in results("speed").items()
        if "n_rows" in row and "retrain_over_ours" not in row
    ]
    return (
        f"{table(heads, rows)}\n\nBoosters without levels: retraining / projection is {mean:.1f} "
        f"in the geometric mean, {min(ratios):.1f} at the lowest.\n\n"
        f"Larger tables with our boosting, all importances / full fit: {'; '.join(large)}."
    )


def forests() -> str:
    """Return what a forest without a column costs and how well it predicts, beside retraining."""
    names = {
        "gas_turbine": ["AT", "AP", "AH", "AFDP", "GTEP", "TIT", "TAT", "TEY", "CDP"],
        "diamonds": ["carat", "cut", "color", "clarity", "depth", "table", "x", "y", "z"],
    }
    rows = [
        (
            data.replace("_", " "),
            columns[int(column)],
            f"{projected:.4f}",
            f"{retrained:.4f}",
            f"{100 * (projected / retrained - 1):+.1f} %",
            f"{slow / quick:.0f}",
        )
        for data, columns in names.items()
        for column, retrained, projected, slow, quick in results(f"forests_{data}")["rows"]
    ]
    return table(("data", "without", "test error", "retrained", "difference", "times faster"), rows)


def rank_agreement() -> str:
    """Return how alike projection and retraining order the features of black boxes."""
    found = results("rank_agreement")
    records = {(each["data"], each["model"]): each for each in found["records"]}
    models = list(dict.fromkeys(model for _, model in records))

    def cell(record: dict[str, Any], left_out: str) -> str:
        kept = [place for place, name in enumerate(record["features"]) if name != left_out]
        projected, retrained, elsewhere = (
            np.array(record[key])[kept] for key in ("projection", "retrain", "elsewhere")
        )
        agreements = (spearmanr(each, retrained).statistic for each in (projected, elsewhere))
        return "{:.2f} ({:.2f})".format(*agreements)

    rows = [
        (
            data.replace("_", " ") + (f" without `{left_out}`" if left_out else ""),
            *(cell(records[data, model], left_out) for model in models),
        )
        for data, left_out in (
            *((data, "") for data in dict.fromkeys(data for data, _ in records)),
            ("Computers", "trend"),
        )
    ]
    return table((f"{found['rows']:,} rows", *models), rows)


def hidimstat() -> str:
    """Return how far CFI, LOCO and projection are from the truth, and what each costs."""
    found = results("hidimstat")
    records = found["records"]
    ways = list(dict.fromkeys(each["way"] for each in records))
    problems = list(dict.fromkeys(each["problem"] for each in records))

    def median(problem: str, way: str, key: str) -> float:
        return float(
            np.median([r[key] for r in records if (r["problem"], r["way"]) == (problem, way)])
        )

    rows = [
        (
            f"`{problem}`",
            *(
                f"{median(problem, way, 'error'):.3f}, {median(problem, way, 'seconds'):.2f} s"
                for way in ways
            ),
        )
        for problem in problems
    ]
    n_sets = len(records) // (len(ways) * len(problems))
    heads = (f"{found['rows']:,} rows, {n_sets} data sets", *ways)
    return table(heads, rows) + f"\n\nhidimstat {found['hidimstat']}."


BLOCKS: dict[str, Callable[[], str]] = {
    function.__name__: function
    for function in (
        *runpy.run_path(str(DOCS / "paper_page.py"))["SUMMARIES"],
        coverage_boosting,
        coverage_network,
        coverage_catboost,
        coverage_of_truth,
        boosting_shapley,
        boosting_fits,
        boosting_large,
        boosting_quality,
        level_of_the_test,
        linear_models,
        linear_choice,
        forests,
        rank_agreement,
        hidimstat,
        selection,
        estimate_law,
        readme_permutation,
        readme_reading,
        start_output,
        speed,
        *measured_methods.BLOCKS,
        *measured_paper.BLOCKS,
        *measured_comparisons.BLOCKS,
        *measured_directions.BLOCKS,
    )
} | runpy.run_path(str(DOCS / "scale_tables.py"))["BLOCKS"]


@click.command()
@click.option("--check", is_flag=True, help="Change nothing; fail where a page would change.")
def main(check: bool) -> None:
    """Fill in the measured numbers of all pages."""
    changed = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if filled(text) != text:
            changed.append(page.name)
            if not check:
                write_text(page, filled(text))
    click.echo(f"changed: {', '.join(changed) or 'none'}")
    if check and changed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
