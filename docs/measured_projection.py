"""Measured blocks on projection beside retraining and other libraries; see measured.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from measured_tables import results, table
from scipy.stats import spearmanr


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
        projected, retrained = (
            np.array(record[method])[:, kept] for method in ("projection", "retrain")
        )
        pairs = (projected, retrained), (retrained[::2], retrained[1::2])
        agreement, chance = (
            spearmanr(*(each.mean(axis=0) for each in pair)).statistic for pair in pairs
        )
        return f"{agreement:.2f} ({chance:.2f})"

    rows = [
        (
            data.replace("_", " ") + (f", ranked without `{left_out}`" if left_out else ""),
            *(cell(records[data, model], left_out) for model in models),
        )
        for data, left_out in (
            *((data, "") for data in dict.fromkeys(data for data, _ in records)),
            ("Computers", "trend"),
        )
    ]
    splits = {model: len(each["retrain"]) for (_, model), each in records.items()}
    said = ", ".join(f"{model} {number}" for model, number in splits.items())
    return table((f"{found['rows']:,} rows", *models), rows) + f"\n\nSplits: {said}."


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


BLOCKS: tuple[Callable[[], str], ...] = (
    linear_models,
    speed,
    forests,
    rank_agreement,
    hidimstat,
)
