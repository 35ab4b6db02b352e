"""Shapley values: seconds, fits and error of the paper's scheme and of ours, in one run.

Three tasks: (i) linear, Gaussian features with AR(1) correlation 0.8, truth known; (ii) the paper's
logistic data; (iii) gas turbines (NOX), if the folder LUKEWARM_DATA has the file. Error is the root
mean square over features, to the truth on (i), to exact Shapley values of the retrained game on
(ii) and (iii). Run it on an idle machine:

    python benchmarks/shapley.py --task linear logistic turbines
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from catboost import CatBoostRegressor
from matplotlib import pyplot as plt

import lukewarm as lw
from lukewarm.data import split_rows
from lukewarm.datasets import LinearGaussianDataset
from lukewarm.estimators._linear_game import LinearGame
from lukewarm.shapley import ProxyGame, solve
from lukewarm.shapley._coalitions import all_membership, as_coalition
from lukewarm.shapley._exact import shapley_of_table
from lukewarm.shapley._sampling import marginal_draws

RESULTS = Path(__file__).parent / "results"
SEED = 0
DRAWS_PER_FEATURE = 50
DEPTH_OF_TURBINES = 6
REFERENCE = "retrain, all coalitions"
DROPOUT = "dropout, all coalitions"
BUDGETS = (40, 80, 160, 320)
SOLVERS = ("marginal", "permutation", "kernel", "regression_adjusted")


def linear_task():
    n_features = 10
    covariance = 0.8 ** np.abs(np.subtract.outer(np.arange(n_features), np.arange(n_features)))
    coefficients = np.array([0, 1, 2, 0, -1, 1.5, 0, 0.5, 0, 1.0])
    generator = np.random.default_rng(SEED)
    X = generator.multivariate_normal(np.zeros(n_features), covariance, size=5000)
    y = X @ coefficients + 0.5 * generator.normal(size=5000)
    frame = pd.DataFrame(X, columns=[f"X{number + 1}" for number in range(n_features)])
    return LinearGaussianDataset(frame, pd.Series(y), coefficients, covariance, 0.5)


def logistic_task():
    return lw.datasets.make_logistic(random_state=SEED)


def turbines_task():
    table = pd.read_csv(Path(os.environ["LUKEWARM_DATA"]) / "gas_turbine_2015.csv")
    y = (table["NOX"] - table["NOX"].mean()) / table["NOX"].std()
    return lw.datasets.Dataset(table.drop(columns=["CO", "NOX"]), y)


TASKS = {"linear": linear_task, "logistic": logistic_task, "turbines": turbines_task}


def catboost(data):
    return CatBoostRegressor(
        depth=DEPTH_OF_TURBINES if "TIT" in data.X else 3,
        learning_rate=0.1,
        iterations=1000,
        thread_count=2,
        verbose=0,
        allow_writing_files=False,
    )


MODELS = {"boosting": lambda data: "boosting", "catboost": catboost}


class NativeRetraining:
    """CatBoost's own training and early stopping, without anything of ours around it."""

    def __init__(self, data):
        self.data = data
        self.X, self.y = data.X.to_numpy(float), data.y.to_numpy(float)
        self.split = split_rows(len(self.y), 0.75, np.random.default_rng(SEED))

    def value(self, kept):
        split = self.split
        if not kept:
            constant = self.y[split.train].mean()
            return -np.mean((self.y[split.evaluation] - constant) ** 2)
        X = self.X[:, list(kept)]
        model = catboost(self.data)
        model.set_params(early_stopping_rounds=10)
        stopping = (X[split.stopping], self.y[split.stopping])
        model.fit(X[split.train], self.y[split.train], eval_set=stopping)
        error = self.y[split.evaluation] - model.predict(X[split.evaluation])
        return -np.mean(error**2)


def paper_scheme(value, n_features):
    """Fifty marginal contributions per feature, two fits for each, nothing reused."""
    rounds = marginal_draws(n_features, np.random.default_rng(SEED))
    totals = np.zeros(n_features)
    n_fits = 0
    for _ in range(DRAWS_PER_FEATURE):
        unit = next(rounds)
        for player, (before, after) in enumerate(zip(unit[::2], unit[1::2], strict=True)):
            totals[player] += value(after) - value(before)
            n_fits += 2 - (not before)
    return totals / DRAWS_PER_FEATURE, n_fits


PAPER = {"method": "early_stopping", "inference": "paired"}


def without_memory(data, **options):
    """Return the value function of an estimator, fitting anew at every call."""
    estimator = lw.ShapleyImportance(n_coalitions=20, random_state=SEED, **PAPER, **options)
    run = estimator.fit(data.X, data.y)._run
    return lambda kept: run._fit(run.game.removed(kept)).skills[0].value


def timed(work):
    started = time.perf_counter()
    outcome = work()
    return outcome, time.perf_counter() - started


def ours(data, model, n_coalitions, n_jobs, **options):
    estimator = lw.ShapleyImportance(
        model=model, n_coalitions=n_coalitions, random_state=SEED, n_jobs=n_jobs, **PAPER, **options
    )
    return estimator.fit(data.X, data.y).result_


def table_of(result):
    """Return the values of all coalitions in the order of bit masks."""
    place = {coalition: number for number, coalition in enumerate(result.coalitions)}
    rows = [as_coalition(row) for row in all_membership(len(result))]
    return np.array([result.values[place[row]] for row in rows])


class TableGame:
    def __init__(self, table):
        self.table, self.n_players = table, len(table).bit_length() - 1

    def values(self, coalitions):
        return self.table[[sum(1 << player for player in kept) for kept in coalitions]]


def solver_errors(table, data, n_seeds=30):
    """Return root mean square errors to the table's own Shapley values, by solver and fits."""
    game, exact = TableGame(table), shapley_of_table(table)
    split = split_rows(len(data.y), 0.75, np.random.default_rng(SEED))
    is_evaluation = np.zeros(len(data.y), dtype=bool)
    is_evaluation[split.evaluation] = True
    linear = LinearGame(
        data.X.to_numpy(float),
        data.y.to_numpy(float)[:, None],
        is_evaluation,
        [(column,) for column in range(game.n_players)],
    )
    proxies = [ProxyGame.enumerate(linear)]
    errors = {}
    for solver in SOLVERS:
        for n_fits in BUDGETS:
            squares = []
            for seed in range(n_seeds):
                solution = solve(game, solver, n_fits, seed, proxies)
                estimate = solution.weights @ game.values(solution.coalitions)
                squares.append(np.mean((estimate - exact) ** 2))
            errors.setdefault(solver, []).append(float(np.sqrt(np.mean(squares))))
    return errors


def rmse(first, second):
    return float(np.sqrt(np.mean(np.square(first - second))))


class Rows:
    """What was run, how long it took, and the Shapley values it gave."""

    def __init__(self):
        self.rows = []

    def add(self, model, way, work):
        (values, n_fits, kept), seconds = timed(work)
        self.rows.append(
            {"model": model, "way": way, "seconds": seconds, "fits": n_fits, "values": values}
        )
        print(f"  {model:9s} {way:34s} {seconds:8.2f} s  {n_fits:5d} fits", flush=True)
        return kept

    def add_ours(self, model, way, data, n_coalitions, n_jobs, **options):
        def work():
            result = ours(data, MODELS[model](data), n_coalitions, n_jobs, **options)
            return result.shapley_value, result.n_fits, result

        return self.add(model, way, work)

    def add_paper(self, model, way, value, n_features):
        self.add(model, way, lambda: (*paper_scheme(value, n_features), None))


def catboost_rows(rows, data, n_coalitions):
    """Return the values of all coalitions, by CatBoost's own training."""
    n_features = data.X.shape[1]
    native = NativeRetraining(data)
    rows.add_paper("catboost", "retrain, paper's scheme", native.value, n_features)
    rows.add_ours("boosting", "ours, again", data, n_coalitions, 2)
    rows.add_ours("catboost", "ours", data, n_coalitions, None)
    rows.add_ours("catboost", DROPOUT, data, None, None, method="dropout", solver="exact")
    value = without_memory(data, model=catboost(data))
    rows.add_paper("catboost", "early stopping, paper's scheme", value, n_features)

    def everything():
        table = np.array([native.value(as_coalition(row)) for row in all_membership(n_features)])
        return shapley_of_table(table), len(table) - 2, table

    return rows.add("catboost", REFERENCE, everything)


def boosting_rows(rows, data):
    """Return the values of all coalitions, by early stopping."""
    n_features = data.X.shape[1]
    value = without_memory(data, method="retrain")
    rows.add_paper("boosting", "retrain, paper's scheme", value, n_features)
    value = without_memory(data)
    rows.add_paper("boosting", "early stopping, paper's scheme", value, n_features)
    rows.add_ours("boosting", DROPOUT, data, None, 2, method="dropout", solver="exact")
    everything = rows.add_ours("boosting", "ours, all coalitions", data, None, 2, solver="exact")
    rows.add_ours("boosting", REFERENCE, data, None, 2, method="retrain", solver="exact")
    return table_of(everything)


def run_task(name, models, n_coalitions):
    data = TASKS[name]()
    rows = Rows()
    ours(data, "boosting", 20, 1)  # compile
    for _ in range(3):
        rows.add_ours("boosting", "ours", data, n_coalitions, 2)
    games = {}
    if "catboost" in models:
        games["catboost, retrained"] = catboost_rows(rows, data, n_coalitions)
    games["boosting, early stopping"] = boosting_rows(rows, data)
    references = {each["model"]: each["values"] for each in rows.rows if each["way"] == REFERENCE}
    for each in rows.rows:
        each["error_to_retraining"] = rmse(each["values"], references[each["model"]])
        if isinstance(data, LinearGaussianDataset):
            each["error_to_truth"] = rmse(each["values"], data.true_shapley())
        each["values"] = each["values"].tolist()
    errors = {game: solver_errors(table, data) for game, table in games.items()}
    return {"rows": rows.rows, "solver_errors": errors, "budgets": BUDGETS}


def report(name, outcome):
    frame = pd.DataFrame(outcome["rows"]).drop(columns="values")
    print(f"\n{name}\n{frame.to_string(index=False, float_format=lambda value: f'{value:.4g}')}")
    is_baseline = (frame["model"] == "catboost") & (frame["way"] == "retrain, paper's scheme")
    for seconds in frame.loc[is_baseline, "seconds"]:
        for model, runs in frame[frame["way"].isin(["ours", "ours, again"])].groupby("model"):
            ratios = seconds / runs["seconds"]
            print(
                "time of CatBoost retraining by the paper's scheme over ours with "
                f"{model}: {ratios.min():.0f} to {ratios.max():.0f}"
            )
    for game, errors in outcome["solver_errors"].items():
        table = pd.DataFrame(errors, index=pd.Index(outcome["budgets"], name="fits"))
        print(f"error to exact Shapley values of the same game ({game})")
        print(table.to_string(float_format=lambda value: f"{value:.3g}"), flush=True)


def draw(outcomes, path):
    figure, axes = plt.subplots(1, len(outcomes), figsize=(4.2 * len(outcomes), 3.6), squeeze=False)
    for ax, (name, outcome) in zip(axes[0], outcomes.items(), strict=True):
        for solver, errors in outcome["solver_errors"]["boosting, early stopping"].items():
            ax.loglog(outcome["budgets"], errors, "o-", label=solver)
        ax.set(title=name, xlabel="reduced models fitted", ylabel="error (root mean square)")
    axes[0][0].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", nargs="+", choices=TASKS, default=["linear", "logistic"])
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--coalitions", type=int, default=40)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    warnings.simplefilter("ignore", lw.ImportanceWarning)
    options.out.mkdir(parents=True, exist_ok=True)
    outcomes = {}
    for name in options.task:
        print(name, flush=True)
        outcomes[name] = run_task(name, options.models, options.coalitions)
        report(name, outcomes[name])
        (options.out / f"shapley_{name}.json").write_text(json.dumps(outcomes[name], indent=1))
    draw(outcomes, options.out / "shapley.png")


if __name__ == "__main__":
    main()
