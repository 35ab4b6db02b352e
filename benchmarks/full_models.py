"""How well do full models predict: `auto` against models of other libraries.

python benchmarks/full_models.py --sizes 500,2000 --replicates 2 --jobs 2
LUKEWARM_DATA=FOLDER python benchmarks/full_models.py ...      # gas turbines as well

Every problem of `prediction_problems.py` is drawn, every model is trained on the same rows and
judged on others: squared error or log-loss; on simulators the excess over the best predictor, free
of the test rows' noise. Everybody has the same rows: `auto` sets a quarter aside to choose by. Each
rival runs with its defaults and with a light tuning on a fifth of the rows. One thread each.
Settings of `auto` (its leaf penalty, how candidates are weighted) were chosen on the test rows of
seed 0, sizes 500 and 2000: judge it by another --seed.
Finished fits are kept in results/runs/full_models.jsonl, so a stopped run goes on;
results/full_models.json holds one row per problem, size and model.
"""

import json
import os
import warnings
import zlib
from functools import cache
from pathlib import Path
from time import process_time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import click
import numpy as np
import pandas as pd
from prediction_problems import NAMES, SIMULATORS, Data, data_of, most_rows
from rivals import RIVALS, fit_rival
from sklearn.model_selection import train_test_split

from lukewarm.data import Rows
from lukewarm.learners import AutoLearner, train_until
from lukewarm.parallel import read_records, run_resumable
from lukewarm.stopping import Patience

FOLDER = Path(__file__).parent / "results"
MODELS = ("auto", *RIVALS)
# Their time and memory grow with the square of the rows and more.
MOST_ROWS = {"kernel": 5000, "kernel_tuned": 5000}
SMALLEST = 500
TINY = 1e-15


def fit_auto(data, seed):
    """Return predict, and what was tried."""
    strata = None if data.n_classes is None else data.y
    numbers = train_test_split(
        np.arange(len(data.y)), test_size=0.25, random_state=seed, stratify=strata
    )
    rows = Rows(data.X, data.y)
    learner = AutoLearner(n_classes=data.n_classes, seed=seed)
    learner.learn_stopping_rows()  # as the default run does
    train, stopping = (rows.at(np.sort(each)) for each in numbers)
    rule = Patience(learner.traits.patience)
    trained, _ = train_until(learner, train, stopping, rule, learner.traits.max_steps)
    tried = [[each.name, each.loss, each.seconds] for each in trained.candidates]
    return trained.predict, {"chosen": trained.chosen_name, "tried": tried}


def losses(data, prediction):
    """Return the loss on the test rows, its floor or None, and the loss of a constant."""
    if data.n_classes is None:
        constant = np.mean((data.y_test - data.y.mean()) ** 2)
        if data.best is None:
            return float(np.mean((data.y_test - prediction) ** 2)), None, float(constant)
        # Without the test rows' noise: only what is lost beyond the best predictor is uncertain.
        excess = np.mean((prediction - data.best) ** 2)
        constant = np.mean((data.best - data.y.mean()) ** 2) + data.floor
        return float(excess + data.floor), data.floor, float(constant)
    shares = np.bincount(data.y.astype(int), minlength=data.n_classes) / len(data.y)
    logs = np.log(np.clip(_columns(prediction), TINY, 1))
    constant_logs = np.log(np.clip(shares, TINY, 1))
    truth = np.eye(data.n_classes)[data.y_test.astype(int)]
    if data.best is not None:
        truth = _columns(data.best)
    entropy = -np.mean(np.sum(truth * np.log(np.clip(truth, TINY, 1)), axis=1))
    loss, constant = (-np.mean(np.sum(truth * each, axis=1)) for each in (logs, constant_logs))
    return float(loss), None if data.best is None else float(entropy), float(constant)


def _columns(probabilities):
    if probabilities.ndim == 2:
        return probabilities
    return np.column_stack([1 - probabilities, probabilities])


@cache
def warm_up():
    """Have our engine compiled before the clock starts."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2))
    for n_classes, y in ((None, X[:, 0]), (2, (X[:, 0] > 0) + 0.0), (3, np.arange(60.0) % 3)):
        fit_auto(Data(X, y, X, y, n_classes), 0)


def fit(job):
    """Return the losses of one model on one data set, and its seconds."""
    if job["model"] == "auto":
        warm_up()
    key = zlib.crc32(job["problem"].encode())
    generator = np.random.default_rng([job["seed"], key, job["n"], job["replicate"]])
    data = data_of(job["problem"], job["n"], generator)
    seed = job["replicate"]
    started = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if job["model"] == "auto":
            predict, told = fit_auto(data, seed)
        else:
            predict, told = fit_rival(job["model"], data, seed), {}
        seconds = process_time() - started
        loss, floor, constant = losses(data, np.asarray(predict(data.X_test)))
    return {"loss": loss, "floor": floor, "constant": constant, "seconds": seconds, **told}


def summary(records):
    """Return one row per problem, size and model: means over data sets."""
    frame = pd.DataFrame(records)
    frame["excess"] = frame.loss - frame.floor.astype(float)
    frame["skill"] = 1 - frame.loss / frame.constant
    keys = ["problem", "n", "model"]
    table = frame.groupby(keys, sort=False).agg(
        data_sets=("loss", "size"),
        loss=("loss", "mean"),
        excess=("excess", "mean"),
        skill=("skill", "mean"),
        seconds=("seconds", "mean"),
    )
    return table.reset_index()


@click.command()
@click.option("--problems", default=",".join(NAMES), help="Names, comma-separated.")
@click.option("--models", default=",".join(MODELS), help="Names, comma-separated.")
@click.option("--sizes", default="500,2000,5000,20000,100000", show_default=True)
@click.option("--replicates", default=5, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=1, show_default=True)
@click.option(
    "--store", type=click.Path(path_type=Path), default=FOLDER / "runs" / "full_models.jsonl"
)
@click.option("--finished", is_flag=True, help="Sum up what the store holds, and run nothing.")
@click.option("--out", type=click.Path(path_type=Path), default=FOLDER / "full_models.json")
def main(problems, models, sizes, replicates, seed, jobs, store, finished, out):
    work = [
        {"problem": problem, "n": n, "model": model, "replicate": replicate, "seed": seed}
        for n in map(int, sizes.split(","))
        for replicate in range(replicates)
        for problem in problems.split(",")
        for model in models.split(",")
        # A table with fewer rows than the smallest size is used whole, once.
        if n <= MOST_ROWS.get(model, np.inf) and (n <= most_rows(problem) or n == SMALLEST)
    ]
    if finished:
        records = read_records(store)
    else:
        records = run_resumable(fit, work, store, n_jobs=jobs, description="fits")
    table = summary(records)
    rows = json.loads(table.to_json(orient="records", double_precision=15))
    simulated = [problem for problem in problems.split(",") if problem in SIMULATORS]
    out.write_text(json.dumps({"seed": seed, "simulated": simulated, "rows": rows}))


if __name__ == "__main__":
    main()
