"""Our oblivious boosting beside the public boosters: time, memory and held-out error.

    python -P benchmarks/boosting.py [--only shapley quality ...] [--data FOLDER] [--threads 2]

Times are ratios: both sides run in turns in one process and the best of several turns counts.
``-P`` keeps this folder off the import path. The results go to benchmarks/results/boosting.json;
sections not run keep their last figures.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from kept_results import earlier_results, write_results

from lukewarm.data import Removal, Rows, split_rows
from lukewarm.learners import ObliviousBoosting, ObliviousBoostingRegressor, train_until
from lukewarm.reduction import EarlyStopping, ReductionData
from lukewarm.stopping import Patience

RESULTS = Path(__file__).parent / "results" / "boosting.json"
PATIENCE, MOST_TREES = 10, 1000
N_SPLITS = 40


def best_in_turns(tasks, n_turns):
    """The best wall and processor seconds of each task, all taking turns; and what each returned.

    Processor seconds count all threads; on a busy machine they tell the work apart better.
    """
    wall, processor = dict.fromkeys(tasks, np.inf), dict.fromkeys(tasks, np.inf)
    returned = {}
    for _ in range(n_turns):
        for name, task in tasks.items():
            started, started_processor = perf_counter(), process_time()
            returned[name] = task()
            processor[name] = min(processor[name], process_time() - started_processor)
            wall[name] = min(wall[name], perf_counter() - started)
    return wall, processor, returned


def squared_error(y, prediction):
    return float(np.mean((y - prediction) ** 2))


def catboost_regressor(threads, **settings):
    from catboost import CatBoostRegressor

    return CatBoostRegressor(
        thread_count=threads, verbose=False, allow_writing_files=False, random_seed=0, **settings
    )


# The paper's Shapley task


class ShapleyTask:
    """Reduced models of the paper's "logistic" data for random sets of removed features."""

    def __init__(self, n_sets, seed=0):
        from lukewarm.datasets import make_logistic

        data = make_logistic(random_state=seed)
        self.X, self.y = data.X.to_numpy(), data.y.to_numpy()
        self.split = split_rows(len(self.y), 0.75, np.random.default_rng(seed))
        generator = np.random.default_rng(seed + 1)
        self.removed_sets = [
            tuple(sorted(generator.choice(10, generator.integers(1, 10), replace=False).tolist()))
            for _ in range(n_sets)
        ]
        self.removal = Removal.learn(self.X[self.split.train])

    def ours(self, **settings):
        """A function from nothing to all reduced models, from a full one that is trained here."""
        split, y = self.split, self.y
        learner = ObliviousBoosting(depth=3, learning_rate=0.1, **settings)
        parts = (split.train, split.stopping, split.evaluation)
        train, stopping, evaluation = learner.datasets(*(self.X[part] for part in parts))
        data = ReductionData(
            Rows(train, y[split.train]), Rows(stopping, y[split.stopping]), self.removal
        )
        full, _ = train_until(learner, data.train, data.stopping, Patience(PATIENCE), MOST_TREES)
        # The paper's start: what is compared are the engines.
        reduction = EarlyStopping(Patience(PATIENCE), MOST_TREES, conditional_imputation=False)
        reduction.reduce(full, data, (0,), 0)  # the full model's leaves are stored

        def reduce_all():
            return [reduction.reduce(full, data, removed, 0) for removed in self.removed_sets]

        def describe(models):
            errors = [squared_error(y[split.evaluation], m.predict(evaluation)) for m in models]
            return errors, [m.trace.n_steps_taken for m in models]

        return reduce_all, describe

    def catboost(self, random_strength):
        """The same, each model retrained by CatBoost with the paper's options."""
        split, y = self.split, self.y

        def retrain(removed):
            train, stopping = (
                self.removal.apply(self.X[part], removed) for part in (split.train, split.stopping)
            )
            model = catboost_regressor(
                1,
                depth=3,
                learning_rate=0.1,
                iterations=MOST_TREES,
                early_stopping_rounds=PATIENCE,
                random_strength=random_strength,
                score_function="L2",
                feature_border_type="Median",
            )
            return model.fit(train, y[split.train], eval_set=(stopping, y[split.stopping]))

        def describe(models):
            X = self.X[split.evaluation]
            errors = [
                squared_error(y[split.evaluation], m.predict(self.removal.apply(X, removed)))
                for m, removed in zip(models, self.removed_sets, strict=True)
            ]
            return errors, [m.tree_count_ for m in models]

        return lambda: [retrain(removed) for removed in self.removed_sets], describe


def shapley(_options):
    """200 reduced models, one thread each, CatBoost's retrained with the paper's options."""
    task = ShapleyTask(n_sets=200)
    sides = {
        "ours, greedy": task.ours(),
        "ours, greedy, 64 bins": task.ours(n_bins=64),
        "ours, beta = 10000": task.ours(random_strength=1e4),
        "catboost, random_strength 10000": task.catboost(1e4),
        "catboost, greedy": task.catboost(0),
    }
    wall, processor, models = best_in_turns(
        {name: train_all for name, (train_all, _) in sides.items()}, n_turns=2
    )
    rows = {}
    reference = "catboost, random_strength 10000"
    for name, (_, describe) in sides.items():
        errors, trees = describe(models[name])
        rows[name] = {
            "ms_per_model": 1e3 * wall[name] / 200,
            "cpu_ms_per_model": 1e3 * processor[name] / 200,
            "trees_per_model": float(np.mean(trees)),
            "mean_test_mse": float(np.mean(errors)),
            "times_faster": wall[reference] / wall[name],
            "cpu_times_faster": processor[reference] / processor[name],
        }
    for row in rows.values():
        row["mse_over_reference"] = row["mean_test_mse"] / rows[reference]["mean_test_mse"]
    return rows


# Full fits


def regressors(n_trees, depth, n_bins, threads):
    """The boosters at equal depth, trees and bins, without what the others do not have."""
    from lightgbm import LGBMRegressor
    from sklearn.ensemble import HistGradientBoostingRegressor
    from xgboost import XGBRegressor

    rate = 0.1
    return {
        "ours": lambda: ObliviousBoostingRegressor(
            n_trees=n_trees, depth=depth, n_bins=n_bins, learning_rate=rate, n_jobs=threads
        ),
        "catboost": lambda: catboost_regressor(
            threads,
            iterations=n_trees,
            depth=depth,
            border_count=min(n_bins, 254),
            learning_rate=rate,
            random_strength=0,
            bootstrap_type="No",
        ),
        "lightgbm": lambda: LGBMRegressor(
            n_estimators=n_trees,
            max_depth=depth,
            num_leaves=2**depth,
            max_bin=n_bins,
            learning_rate=rate,
            n_jobs=threads,
            verbose=-1,
        ),
        "xgboost": lambda: XGBRegressor(
            n_estimators=n_trees,
            max_depth=depth,
            max_bin=n_bins,
            learning_rate=rate,
            tree_method="hist",
            n_jobs=threads,
        ),
        "hist_gradient_boosting": lambda: HistGradientBoostingRegressor(
            max_iter=n_trees,
            max_depth=depth,
            max_leaf_nodes=2**depth,
            max_bins=min(n_bins, 255),
            learning_rate=rate,
            early_stopping=False,
        ),
    }


def wide_data(n_rows, n_features=50, seed=0):
    """Single-precision features and a target of which ten of them tell."""
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((n_rows, n_features), dtype=np.float32)
    y = 2.0 * X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 2] * X[:, 3]
    y += 0.3 * X[:, 4:10].sum(axis=1) + 0.5 * generator.standard_normal(n_rows, dtype=np.float32)
    return X, y.astype(float)


def fit_times(X, y, options, n_turns, **settings):
    from threadpoolctl import threadpool_limits

    made = regressors(**settings, threads=options.threads)
    ObliviousBoostingRegressor(n_trees=1, n_jobs=options.threads).fit(X[:100], y[:100])
    with threadpool_limits(options.threads):  # the only way to bound scikit-learn's threads
        wall, processor, _ = best_in_turns(
            {name: lambda make=make: make().fit(X, y) for name, make in made.items()}, n_turns
        )
    return {
        name: {
            "seconds": wall[name],
            "cpu_seconds": processor[name],
            "over_ours": wall[name] / wall["ours"],
            "cpu_over_ours": processor[name] / processor["ours"],
        }
        for name in made
    }


def small_fit(options):
    """N = 5000, 10 features, depth 3, 200 trees, 128 bins."""
    from lukewarm.datasets import make_logistic

    data = make_logistic(random_state=0)
    X, y = data.X.to_numpy(), data.y.to_numpy()
    return fit_times(X, y, options, n_turns=5, n_trees=200, depth=3, n_bins=128)


def medium_fit(options):
    """N = 100 000, 50 features, depth 6, 200 trees, 255 bins."""
    X, y = wide_data(100_000)
    return fit_times(X, y, options, n_turns=2, n_trees=200, depth=6, n_bins=255)


def one_large_fit(n_rows, threads):
    """Fit in this process; print seconds and peak memory.

    The peak is given for the whole process and without what it had before there were data:
    Python, the libraries and the compiled code.
    """
    settings = {"depth": 6, "n_bins": 255, "n_jobs": threads}
    ObliviousBoostingRegressor(n_trees=1, **settings).fit(*wide_data(100))
    before = peak_bytes()
    X, y = wide_data(n_rows)
    started, started_processor = perf_counter(), process_time()
    ObliviousBoostingRegressor(n_trees=50, **settings).fit(X, y)
    found = {
        "seconds": perf_counter() - started,
        "cpu_seconds": process_time() - started_processor,
        "process_peak_over_data": peak_bytes() / X.nbytes,
        "own_peak_over_data": (peak_bytes() - before) / X.nbytes,
    }
    print(json.dumps(found))


def peak_bytes():
    # Not ru_maxrss: a process inherits that of the one which started it.
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def large_fit(options):
    """50 features, depth 6, 50 trees, 255 bins, each size in a process of its own."""
    rows = {}
    for n_rows in (100_000, 1_000_000):
        command = [sys.executable, "-P", __file__, "--threads", str(options.threads)]
        turns = [
            json.loads(
                subprocess.run(
                    [*command, "--large-fit", str(n_rows)],
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout
            )
            for _ in range(2)
        ]
        rows[f"N = {n_rows}"] = min(turns, key=lambda turn: turn["seconds"])
    small, large = rows.values()
    large["time_exponent"] = float(np.log10(large["seconds"] / small["seconds"]))
    large["cpu_exponent"] = float(np.log10(large["cpu_seconds"] / small["cpu_seconds"]))
    return rows


# Held-out error


def quality_tasks(folder):
    # Here, so that the process whose memory is measured does not load it.
    import pandas as pd
    from sklearn.datasets import make_friedman1, make_friedman2

    from lukewarm.datasets import make_logistic

    logistic = make_logistic(random_state=0)
    tasks = {
        "logistic": (logistic.X.to_numpy(), logistic.y.to_numpy(), 3),
        "friedman1": (*make_friedman1(5000, noise=1.0, random_state=0), 4),
        "friedman2": (*make_friedman2(5000, noise=50.0, random_state=0), 4),
    }
    path = Path(folder) / "gas_turbine_2015.csv" if folder else None
    if path is not None and path.exists():
        turbines = pd.read_csv(path)
        X = turbines.drop(columns=["CO", "NOX"]).to_numpy()
        for target in ("NOX", "CO"):
            tasks[f"gas turbines, {target}"] = (X, turbines[target].to_numpy(), 8)
    return tasks


def quality(options):
    """Mean held-out MSE over forty splits, all greedy and stopped by the same rows.

    CatBoost regularises by default; "ours, regularised" has the same l2 and share of rows. A
    ratio's error is its standard error over the splits.
    """
    rows = {}
    for name, (X, y, depth) in quality_tasks(options.data).items():
        errors = {"ours": [], "ours, regularised": [], "catboost": []}
        for seed in range(N_SPLITS):
            split = split_rows(len(y), 0.75, np.random.default_rng(seed))
            train, stopping, held_out = split.train, split.stopping, split.evaluation
            for side, found in errors.items():
                model = quality_model(side, depth, X[train], y[train], X[stopping], y[stopping])
                found.append(squared_error(y[held_out], model.predict(X[held_out])))
        theirs = np.array(errors.pop("catboost"))
        row = {"catboost_mse": float(theirs.mean())}
        for side, found in errors.items():
            ratio = np.mean(found) / theirs.mean()
            spread = np.std(found - ratio * theirs) / theirs.mean()
            row[f"{side} / catboost"] = float(ratio)
            row[f"{side}, error"] = float(spread / np.sqrt(N_SPLITS))
        rows[f"{name}, depth {depth}"] = row
    return rows


def quality_model(side, depth, X, y, X_stopping, y_stopping):
    if side == "catboost":
        return catboost_regressor(
            1,
            iterations=MOST_TREES,
            depth=depth,
            learning_rate=0.1,
            early_stopping_rounds=PATIENCE,
            random_strength=0,
        ).fit(X, y, eval_set=(X_stopping, y_stopping))
    settings = {} if side == "ours" else {"l2_leaf": 3.0, "subsample": 0.8}
    model = ObliviousBoostingRegressor(
        n_trees=MOST_TREES, depth=depth, patience=PATIENCE, random_state=0, **settings
    )
    return model.fit(X, y, X_val=X_stopping, y_val=y_stopping)


SECTIONS = {
    "shapley": shapley,
    "small_fit": small_fit,
    "medium_fit": medium_fit,
    "large_fit": large_fit,
    "quality": quality,
}


def print_table(name, section):
    print(f"\n{name}: {SECTIONS[name].__doc__.splitlines()[0]}")
    columns = list(dict.fromkeys(column for row in section.values() for column in row))
    print(f"{'':34s}" + "".join(f"{column:>28s}" for column in columns))
    for label, row in section.items():
        cells = "".join(f"{row[c]:28.4g}" if c in row else f"{'':28s}" for c in columns)
        print(f"{label:34s}{cells}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--data", default=os.environ.get("LUKEWARM_DATA"))
    parser.add_argument("--large-fit", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.large_fit:
        one_large_fit(options.large_fit, options.threads)
        return
    results = earlier_results(RESULTS)
    results["machine"] = {"processor": platform.machine(), "cores": os.cpu_count()}
    for name in options.only:
        results[name] = SECTIONS[name](options)
        results[name + "_threads"] = 1 if name in ("shapley", "quality") else options.threads
        print_table(name, results[name])
        RESULTS.parent.mkdir(exist_ok=True)
        write_results(RESULTS, results)


if __name__ == "__main__":
    main()
