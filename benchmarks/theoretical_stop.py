"""The theoretical stopping time beside hold-out patience, on the gas turbines.

python benchmarks/theoretical_stop.py --data gas_turbine_2015.csv

Boosting of depth 2 with random strength 10,000, target NOX: 2000 training rows, 1000 stopping rows,
the other 4384 for the mean squared errors. Writes benchmarks/results/theoretical_stop.json.
"""

import json
from pathlib import Path

import click
import numpy as np
import pandas as pd

from lukewarm._files import write_text
from lukewarm.data import Removal, Rows
from lukewarm.datasets import load_gas_turbine
from lukewarm.kernels import TheoreticalStop, boosting_kernel
from lukewarm.learners import ObliviousBoosting, train_until
from lukewarm.stopping import FixedSteps, Patience

RESULTS = Path(__file__).parent / "results" / "theoretical_stop.json"
MOST_STEPS = 3000


def parts_of(data, seed):
    order = np.random.default_rng(seed).permutation(len(data.y))
    X, y = data.X.to_numpy(), data.y.to_numpy()
    return [Rows(X[rows], y[rows]) for rows in np.split(order, [2000, 3000])]


def compare(full, parts, removal, removed):
    train, stopping, evaluation = (part.without((removed,), removal) for part in parts)
    kernel = boosting_kernel(full, train.X)
    residuals = train.y - full.predict(train.X)
    rules = {
        "dropout": FixedSteps(0),
        "patience 10": Patience(10),
        "patience 50": Patience(50),
        "theoretical": TheoreticalStop.learn(kernel, residuals, learning_rate=0.1),
    }
    outcome = {}
    for name, rule in rules.items():
        reduced, trace = train_until(full.copy(1), train, stopping, rule, MOST_STEPS)
        error = np.mean((evaluation.y - reduced.predict(evaluation.X)) ** 2)
        outcome |= {name: float(error), f"{name} steps": trace.stopped_step}
    return outcome


@click.command()
@click.option("--data", "path", help="The CSV file; by default that of LUKEWARM_DATA.")
def main(path):
    data = load_gas_turbine(path)
    parts = parts_of(data, seed=0)
    learner = ObliviousBoosting(depth=2, random_strength=1e4, seed=0)
    full, _ = train_until(learner, *parts[:2], Patience(50), MOST_STEPS)
    removal = Removal.learn(parts[0].X)
    table = pd.DataFrame(
        {"removed": name, **compare(full, parts, removal, column)}
        for column, name in enumerate(data.X)
    )
    print(table.round(2).to_string(index=False))
    write_text(RESULTS, json.dumps(table.to_dict(orient="records"), indent=1) + "\n")


if __name__ == "__main__":
    main()
