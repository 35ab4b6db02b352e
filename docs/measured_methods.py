"""Measured blocks on engines, networks, Shapley values and kernels; see measured.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import chain
from statistics import median
from typing import Any

from measured_tables import DOCS, digits, results, span, table

_ENGINES = {
    "boosting": "boosting",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "hist_gradient_boosting": "HistGradientBoosting",
    "catboost": "CatBoost",
    "gradient_boosting": "GradientBoosting",
    "mlp": "MLP",
    "sgd": "SGD",
}
_TASKS = ("linear", "logistic", "high_dimensional", "gas_turbine")


def engines_speed() -> str:
    """Return how much faster early stopping is than retraining, engine by engine."""
    found = results("engines")["default"]
    first_three = ("gas_turbine", "friedman", "classes")

    def cell(data: str, engine: str) -> str:
        row = found[data].get(engine)
        return "–" if row is None else f"{row['ratio']:.1f} ({row['gap_in_std_errors']:.1f})"

    rows = []
    for engine, label in _ENGINES.items():
        gaps = [gap for data in first_three for gap in found[data][engine]["gaps"]]
        cells = [cell(data, engine) for data in first_three]
        rows.append([label, *cells, f"{median(gaps):.2f}", cell("hastie", engine)])
    heads = [
        *("", "gas turbines (7,384)", "Friedman (20,000)", "two classes (20,000)"),
        *("gap over these", "Hastie (12,000)"),
    ]
    return table(heads, rows)


def engines_gaps() -> str:
    """Return how far two retrainings are apart, and which of the two ways predicts better."""
    found = results("engines")["default"]
    apart = {
        data: [row["gap_between_retrainings"] for row in found[data].values()] for data in found
    }
    better = {data: [100 * row["is_better"] for row in found[data].values()] for data in found}
    everywhere = chain.from_iterable(apart.values())
    return (
        "Two retrained estimates that are evaluated on the same rows, with the other rows dealt "
        "anew to training and stopping, are themselves apart by "
        f"{span(everywhere, '.1f')} standard errors in the median of an engine and "
        f"data set, by {span(apart['gas_turbine'], '.1f')} on the gas turbines. A warm-started "
        "model predicts better than the retrained one for "
        f"{span(better['hastie'], '.0f')} % of the feature sets on the Hastie data, "
        f"{span(better['friedman'], '.0f')} % on the Friedman data, "
        f"{span(better['classes'], '.0f')} % on the two classes and "
        f"{span(better['gas_turbine'], '.0f')} % on the gas turbines."
    )


def network_tasks() -> str:
    """Return test errors and seconds of the ways to a reduced network."""
    ways = ("early_stopping", "kernel_flow", "lazy", "retrain")
    rows = []
    for name in _TASKS:
        task = results("networks")["tasks"][name]
        methods = task["methods"]
        rows.append(
            [
                name.replace("_", " "),
                *(f"{methods[way]['test_mse']:.4g}" for way in ("dropout", *ways)),
                *(f"{methods[way]['seconds']:.3g}" for way in ways),
                f"{task['retrain_over_kernel_flow']:.0f}",
                f"{task['forward_passes_per_feature_set']:.2f}",
            ]
        )
    words = [way.replace("_", " ") for way in ways]
    heads = [
        *("task", "test error: dropout", *words),
        *(f"seconds: {words[0]}", *words[1:], "retrain / kernel flow", "forward passes"),
    ]
    return table(heads, rows)


def network_summary() -> str:
    """Return what the tasks have in common, and a large table."""
    found = results("networks")
    large = found["large"]
    high = found["tasks"]["high_dimensional"]
    return (
        f"Retraining over kernel flow is {found['retrain_over_kernel_flow']:.0f} in the geometric "
        f"mean, early stopping over kernel flow {found['early_stopping_over_kernel_flow']:.0f}; "
        "the test error of kernel flow is at most "
        f"{100 * found['largest_excess_test_mse']:.1f} % above the better of the two. All 100 "
        "importances of the high-dimensional task would take "
        f"{100 * high['all_features_over_full_fit']:.0f} % of the time of its one full fit. Memory "
        f"peaked at {found['peak_memory_gigabytes']:.1f} GB. With {large['n_rows']:,} rows and a "
        f"width of {large['width']} (`--large`) one flow takes "
        f"{large['methods']['kernel_flow']['seconds']:.1f} s, where a forward pass takes "
        f"{large['forward_pass_seconds']:.1f} s, and the process peaks at "
        f"{large['peak_memory_gigabytes']:.1f} GB."
    )


def learning_rate_factor() -> str:
    """Return importances and trees by the learning-rate factor, against the truth."""
    found = results("learning_rate_factor")
    rows = [
        [row["way"], f"{row['X1']:.3f}", f"{row['X4']:+.4f}", f"{row['trees']:.0f}"]
        for row in found["rows"]
    ]
    truth = ["truth", f"{found['truth']['X1']:.4g}", f"{found['truth']['X4']:g}", ""]
    return "\n".join(
        [
            table(["LightGBM", "X1", "X4", "trees"], [truth, *rows]),
            "",
            f"Correlated linear data, {found['n_rows']:,} rows, means over {found['replicates']} "
            "data sets, a patience of 10.",
        ]
    )


def _shapley_rows(task: str, error: str) -> list[list[str]]:
    labels = {
        ("catboost", "retrain, paper's scheme"): "CatBoost, retrained, paper's scheme",
        ("catboost", "early stopping, paper's scheme"): "CatBoost, early stopping, paper's scheme",
        ("catboost", "dropout, all coalitions"): "CatBoost, dropout, all coalitions",
        ("catboost", "ours"): "CatBoost, ours",
        ("boosting", "ours"): "boosting, ours",
        ("boosting", "ours, all coalitions"): "boosting, ours, all coalitions",
    }
    rows = []
    for (model, way), label in labels.items():
        runs = _runs(task, model, way)
        seconds = span((run["seconds"] for run in runs), ".2g")
        rows.append([label, seconds, f"{runs[0]['fits']}", digits(runs[0][error])])
    return rows


def _runs(task: str, model: str, way: str) -> list[dict[str, Any]]:
    rows = results(f"shapley_{task}")["rows"]
    return [run for run in rows if (run["model"], run["way"]) == (model, way)]


def shapley_seconds() -> str:
    """Return seconds and errors of ways to Shapley values on the paper's two tasks."""
    heads = ["seconds", "fits"]
    times = {
        task: [
            [
                _runs(task, "catboost", "retrain, paper's scheme")[0]["seconds"] / run["seconds"]
                for run in _runs(task, model, "ours")
            ]
            for model in ("boosting", "catboost")
        ]
        for task in ("linear", "logistic")
    }
    return "\n".join(
        [
            table(
                ["linear, AR(1) correlation 0.8", *heads, "error to the truth"],
                _shapley_rows("linear", "error_to_truth"),
            ),
            "",
            table(
                ["logistic", *heads, "error to exact retraining of the same model"],
                _shapley_rows("logistic", "error_to_retraining"),
            ),
            "",
            "CatBoost's retraining by the paper's scheme takes "
            f"{span(times['linear'][0], '.0f')} times as long as ours with boosting on the linear "
            f"task and {span(times['logistic'][0], '.0f')} times on the logistic one; with "
            f"CatBoost as our model {span(times['linear'][1], '.0f')} and "
            f"{span(times['logistic'][1], '.0f')} times.",
        ]
    )


def shapley_network() -> str:
    """Return what Shapley values of the paper's network cost by kernel flow."""
    found = results("shapley_network")
    to_game, to_truth = found["error_to_the_game"], found["error_to_truth"]
    return (
        f"By kernel flow the ten values from {found['n_fits']} coalitions take "
        f"{found['seconds']:.0f} s on two cores, the full fit included, and all 1,022 coalitions "
        f"{found['seconds_of_all_coalitions']:.0f} s. The {found['n_fits']} leave an error of "
        f"{digits(to_game['ours'])} to the values from all of them; the paper's scheme, 50 "
        "marginal contributions per feature played on the same table, one of "
        f"{digits(to_game['paper_scheme'])}. To the population's values they are "
        f"{digits(to_truth['ours'])} and {digits(to_truth['paper_scheme'])} off."
    )


def shapley_solvers() -> str:
    """Return the errors of the solvers at equal numbers of fits."""
    solvers = ("marginal", "permutation", "kernel", "regression_adjusted")
    labels = {"linear": "linear", "logistic": "logistic", "turbines": "gas turbines (NOX)"}
    rows = []
    for task, label in labels.items():
        found = results(f"shapley_{task}")
        (errors,) = found["solver_errors"].values()
        for budget in (40, 160):
            place = found["budgets"].index(budget)
            cells = [digits(errors[solver][place]) for solver in solvers]
            rows.append([label if budget == 40 else "", f"{budget}", *cells])
    return table(["task", "fits", *solvers], rows)


def shapley_trust() -> str:
    """Return coverage and level of Shapley values on problems with known ones."""

    def cell(value: float | None, form: str = ".3f") -> str:
        return "" if value is None else f"{value:{form}}"

    def with_error(value: float | None, error: float | None) -> str:
        return cell(value) + ("" if error is None else f" ± {error:.3f}")

    found = results("shapley_trust")
    rows = [
        [
            row["problem"],
            f"{row['n']:,}",
            str(row["data_sets"]),
            with_error(row["coverage"], row["coverage_error"]),
            cell(row["worst_feature"]),
            cell(row["nulls_covered"]),
            with_error(row["nulls_flagged"], row["flagged_error"]),
            cell(row["nulls_far"]),
            cell(row["largest_bias"], "+.1%").replace("%", " %"),
            cell(row["n_fits"], ".0f"),
            cell(row["seconds"], ".1f"),
        ]
        for row in sorted(found["rows"], key=lambda row: row["n"])
    ]
    heads = [
        *("problem", "n", "data sets", "coverage", "worst feature", "nulls covered"),
        *("nulls flagged", "nulls far", "largest bias", "coalitions", "seconds"),
    ]
    return f"Seed of the data sets: {found['seed']}.\n\n{table(heads, rows)}"


def theory_stops() -> str:
    """Return where T_max stops a run, beside the best steps."""
    found = _theory_numbers()
    sigma, estimated = found["sigma"], found["sigma, estimated"]
    stops = {
        f"T_max, σ = {sigma:.2f} and C_H known": "T_max, all known",
        f"T_max, both estimated (σ: {estimated:.2f})": "T_max, estimated",
        "best step on 500 held-out rows": "hold-out's best",
        "best step": "best",
    }
    rows = [["no step (dropout)", "0", f"{found['error at 0']:.3g}"]]
    rows += [
        [label, f"{found[name]:.0f}", f"{found[f'error at {name}']:.3g}"]
        for label, name in stops.items()
    ]
    return table(["stop", "step", "error on the rows"], rows)


def theory_width() -> str:
    """Return how fast the kernel's distance from its limit falls with the width."""
    found = _theory_numbers()
    limit, start = (found[f"slope by width, ‖K_τ − K{each}‖"] for each in ("", "_0"))
    return (
        f"The distance of K_τ from its limit falls with slope {_signed(limit)}, the drift term D "
        f"with {_signed(found['slope by width, drift term D'])}: the m^(−1/2) of the paper. The "
        f"movement during training alone, K_τ − K_0, falls faster ({_signed(start)}); most of the "
        "drift is the start's distance from the limit."
    )


def theory_strength() -> str:
    """Return how fast drift falls with the random strength of trees."""
    found = _theory_numbers()
    slopes = [found[f"slope by beta, {each}"] for each in ("‖K_0 − K‖", "largest drift term D")]
    drifts = {
        beta: found[f"our boosting, largest D at beta {beta}"] for beta in ("0.01", "1", "100")
    }
    said = ", ".join(f"{value:.3f} at β = {beta}" for beta, value in drifts.items())
    return (
        "Beyond the scale of the scores both the distance and D fall as 1/β (slopes "
        f"{' and '.join(map(_signed, slopes))}), so D² as β⁻², which is what the paper's condition "
        "β ≥ N^(5/4) rests on. Along real runs of our boosting (means of 100 seeds) the largest D "
        f"is {said}, where what is left is the chance of 100 runs."
    )


def _theory_numbers() -> dict[str, float]:
    return json.loads((DOCS / "figures" / "theory_numbers.json").read_text(encoding="utf-8"))


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def theoretical_stop() -> str:
    """Return the errors of stopping rules on the gas turbines."""
    rules = ("patience 10", "patience 50", "theoretical")
    rows = [
        [
            row["removed"],
            f"{row['dropout']:.1f}",
            *(f"{row[rule]:.1f} ({row[f'{rule} steps']})" for rule in rules),
        ]
        for row in results("theoretical_stop")
    ]
    return table(["removed", "dropout", *(f"{rule} (steps)" for rule in rules)], rows)


def kernel_costs() -> str:
    """Return what the kernels of trees and networks cost."""
    found = results("kernels")
    rows = [
        [
            case,
            f"{row['seconds']:.3f}",
            f"{row['plain_seconds']:.1f} s",
            f"{row['times_faster_than_plain']:.0f}",
        ]
        for case, row in found.items()
        if "plain_seconds" in row
    ]
    law = found["law, depth 2, 2000 rows, 10 features x 32 borders"]
    network = found["network, 5000 x 5000, three hidden ReLU layers"]
    heads = ["case", "seconds", "plain enumeration (from 20 trees)", "times faster"]
    return "\n".join(
        [
            table(heads, rows),
            "",
            f"The law p(ν | f, β) of the last case takes {law['distribution_seconds']:.2f} s and "
            f"K_τ {law['kernel_at_seconds']:.1f} s; all tree cases together peak at "
            f"{found['memory of all the above']['peak_gigabytes']:.2f} GB. The tangent kernel of "
            f"5000 x 5000 rows through three hidden ReLU layers takes {network['seconds']:.2f} s, "
            f"{network['ratio_to_exp']:.0f} times one exponential over the same matrix.",
        ]
    )


BLOCKS: tuple[Callable[[], str], ...] = (
    engines_speed,
    engines_gaps,
    learning_rate_factor,
    network_tasks,
    network_summary,
    shapley_seconds,
    shapley_network,
    shapley_solvers,
    shapley_trust,
    theory_stops,
    theory_width,
    theory_strength,
    theoretical_stop,
    kernel_costs,
)
