"""Measured blocks of docs/boosting.md; see measured.py."""

from __future__ import annotations

from collections.abc import Callable

from measured_tables import results, table


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


BLOCKS: tuple[Callable[[], str], ...] = (
    boosting_shapley,
    boosting_fits,
    boosting_large,
    boosting_quality,
)
