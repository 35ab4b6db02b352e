"""What a feature set costs by early stopping and by retraining, on every engine.

Run ``python -P benchmarks/engines.py`` (``--engines lightgbm,xgboost``, ``--data friedman``) with
``LUKEWARM_DATA`` naming the folder of gas_turbine_2015.csv. Both sides are timed in turn in one
process on one thread, and the best of several is taken; only the ratios mean anything. Medians
over feature sets and splits go to benchmarks/results/engines.json, beside those of other engines,
and at the end the median of the gaps over all data sets is printed;
"is_better" is the share of them whose warm-started model predicts better than retraining's, and
"gap_between_retrainings" the distance of two retrained estimates that are evaluated on the same
rows, with the other rows dealt to training and stopping anew.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import warnings
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from kept_results import earlier_results, write_results
from sklearn.datasets import make_classification, make_friedman1, make_hastie_10_2
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lukewarm as lw
from lukewarm.data import RowSplit
from lukewarm.estimators._full_model import FullModel, train_full
from lukewarm.estimators._problem import as_problem
from lukewarm.estimators._runs import plan_runs
from lukewarm.learners import from_model
from lukewarm.measures import as_measure
from lukewarm.reduction import EarlyStopping, Retrain
from lukewarm.stopping import Patience

RESULTS = Path(__file__).parent / "results" / "engines.json"
N_TREES = 1000


def catboost(is_class):
    from catboost import CatBoostClassifier, CatBoostRegressor

    kind = CatBoostClassifier if is_class else CatBoostRegressor
    return kind(iterations=N_TREES, learning_rate=0.1, thread_count=1)


def lightgbm(is_class):
    from lightgbm import LGBMClassifier, LGBMRegressor

    kind = LGBMClassifier if is_class else LGBMRegressor
    return kind(n_estimators=N_TREES, learning_rate=0.1, n_jobs=1)


def xgboost(is_class):
    from xgboost import XGBClassifier, XGBRegressor

    kind = XGBClassifier if is_class else XGBRegressor
    return kind(n_estimators=N_TREES, learning_rate=0.1, n_jobs=1)


def histograms(is_class):
    kind = HistGradientBoostingClassifier if is_class else HistGradientBoostingRegressor
    return kind(max_iter=N_TREES)


def exact_trees(is_class):
    kind = GradientBoostingClassifier if is_class else GradientBoostingRegressor
    return kind(n_estimators=N_TREES)


def mlp(is_class):
    kind = MLPClassifier if is_class else MLPRegressor
    return make_pipeline(StandardScaler(), kind(max_iter=1000))


def sgd(is_class):
    model = SGDClassifier(loss="log_loss") if is_class else SGDRegressor()
    return make_pipeline(StandardScaler(), model)


ENGINES = {
    "boosting": lambda is_class: "boosting",
    "catboost": catboost,
    "lightgbm": lightgbm,
    "xgboost": xgboost,
    "hist_gradient_boosting": histograms,
    "gradient_boosting": exact_trees,
    "mlp": mlp,
    "sgd": sgd,
}


def gas_turbine():
    data = lw.datasets.load_gas_turbine()
    return data.X, data.y


def friedman():
    X, y = make_friedman1(n_samples=20_000, n_features=10, noise=1.0, random_state=0)
    return X, y


def classes():
    # No redundant columns: they are linear in the others, so that none would be worth anything and
    # no paired standard error be valid.
    X, y = make_classification(
        n_samples=20_000, n_features=10, n_informative=10, n_redundant=0, random_state=0
    )
    return X, np.where(y == 1, "yes", "no")


def hastie():
    X, y = make_hastie_10_2(n_samples=12_000, random_state=0)
    return X, np.where(y > 0, "yes", "no")


DATA = {"gas_turbine": gas_turbine, "friedman": friedman, "classes": classes, "hastie": hastie}


def compare(model, X, y, *, n_features, n_splits=1, n_repeats=1, learning_rate_factor=None):
    """Return seconds of both ways and the gap between them, a row per split and feature set."""
    problem = as_problem(X, y, None, model, None)
    columns = np.linspace(0, len(problem.index) - 1, min(n_features, len(problem.index)))
    settings = Settings(problem, model, columns.astype(int), n_repeats, learning_rate_factor)
    return pd.DataFrame([row for seed in range(n_splits) for row in compare_once(settings, seed)])


@dataclass
class Settings:
    problem: Any
    model: Any
    columns: np.ndarray
    n_repeats: int
    learning_rate_factor: float | None


def compare_once(settings, seed):
    problem = settings.problem
    generator = np.random.default_rng(seed)
    n_rows, strata = len(problem.y), problem.strata
    split = plan_runs(n_rows, 0, 0.75, None, generator, strata, with_halves=False).splits[0]
    full, ways, measure = trained(settings, split, seed)
    start = {name: skill(full, way, (), measure, seed) for name, way in ways.items()}
    other = trained(settings, dealt_anew(split, generator), seed)[0]
    retrain = ways["retrain"]
    other_start = skill(other, retrain, (), measure, seed)
    for column in settings.columns:
        removed = (int(column),)
        seconds, skills, steps = {}, {}, {}
        for _ in range(settings.n_repeats):
            for name, way in ways.items():
                begun = perf_counter()
                reduced = full.reduce(way, removed, seed)
                seconds[name] = min(seconds.get(name, np.inf), perf_counter() - begun)
                steps[name] = reduced.trace.stopped_step
                prediction = reduced.predict(full.evaluation.X)
                skills[name] = measure.evaluate(full.evaluation.y, prediction)
        warm, anew = (start[name] - skills[name] for name in ways)
        again = other_start - skill(other, retrain, removed, measure, seed)
        # The reference's own: where a feature does not matter, the two models of a warm start
        # are so alike that their difference has next to no error.
        error = np.std(anew.influence) / np.sqrt(len(anew.influence))
        yield {
            "split": seed,
            "feature": problem.index.names[column],
            "retrain_seconds": seconds["retrain"],
            "early_stopping_seconds": seconds["early_stopping"],
            "ratio": seconds["retrain"] / seconds["early_stopping"],
            "retrain_steps": steps["retrain"],
            "early_stopping_steps": steps["early_stopping"],
            "gap_in_std_errors": abs(warm.value - anew.value) / error,
            "gap_between_retrainings": abs(again.value - anew.value) / error,
            "is_better": float(skills["early_stopping"].value > skills["retrain"].value),
        }


def trained(settings, split, seed):
    """Return the full model of a split, the ways to reduced ones, and the measure."""
    problem = settings.problem
    learner = from_model(settings.model, task=problem.task, seed=seed)
    rule, max_steps = Patience(learner.traits.patience), learner.traits.max_steps
    factor = settings.learning_rate_factor or learner.traits.learning_rate_factor
    ways = {
        "early_stopping": EarlyStopping(
            rule.for_longer_steps(factor), max_steps, learning_rate_factor=factor
        ),
        "retrain": Retrain(rule, max_steps),
    }
    measure = as_measure(problem.task.default_measure)
    full = train_full(problem.read_by(learner), split, learner, rule, max_steps, "mean")
    return full, ways, measure


def dealt_anew(split, generator):
    rows = generator.permutation(np.concatenate([split.train, split.stopping]))
    train, stopping = np.split(rows, [len(split.train)])
    return RowSplit(np.sort(train), np.sort(stopping), split.evaluation)


def skill(full: FullModel, way, removed, measure, seed):
    prediction = full.reduce(way, removed, seed).predict(full.evaluation.X)
    return measure.evaluate(full.evaluation.y, prediction)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--data", default=",".join(DATA))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--features", type=int, default=10, help="feature sets, spread evenly")
    parser.add_argument("--learning-rate-factor", type=float, help="by default each engine's own")
    parser.add_argument("--details", action="store_true")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    results = earlier_results(RESULTS)
    factor = chosen.learning_rate_factor
    name = "default" if factor is None else f"learning_rate_factor {factor:g}"
    summary = []
    for source in chosen.data.split(","):
        X, y = DATA[source]()
        for engine in chosen.engines.split(","):
            model = ENGINES[engine](source in ("classes", "hastie"))
            frame = compare(
                model,
                X,
                y,
                n_features=chosen.features,
                n_splits=chosen.splits,
                n_repeats=chosen.repeats,
                learning_rate_factor=chosen.learning_rate_factor,
            )
            if chosen.details:
                print(source, engine, frame.to_string(index=False), sep="\n", flush=True)
            columns = frame.drop(columns=["split", "feature"])
            medians = columns.median()
            medians["is_better"] = columns["is_better"].mean()
            summary.append({"data": source, "engine": engine, **medians.to_dict()})
            print(
                pd.DataFrame(summary[-1:]).to_string(index=False, header=len(summary) == 1),
                flush=True,
            )
            # A gap without a standard error, where neither model learns anything, is none.
            known = {key: None if np.isnan(value) else value for key, value in medians.items()}
            known |= {"splits": chosen.splits, "feature_sets": frame["feature"].nunique()}
            known["gaps"] = frame["gap_in_std_errors"].dropna().round(2).tolist()
            results.setdefault(name, {}).setdefault(source, {})[engine] = known
            write_results(RESULTS, results)
    for engine in chosen.engines.split(","):
        of_engine = [
            by_engine[engine] for by_engine in results[name].values() if engine in by_engine
        ]
        gaps = np.concatenate([each["gaps"] for each in of_engine])
        print(f"{engine}: median gap over all {len(of_engine)} data sets {np.median(gaps):.2f}")


if __name__ == "__main__":
    main()
