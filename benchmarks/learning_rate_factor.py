"""What the learning-rate factor after a warm start changes, against the truth.

python benchmarks/learning_rate_factor.py      # needs lightgbm

The paper's linear data (correlation 0.5, 5,000 rows), LightGBM with a patience of 10: importances
of X1 and of X4, which is worth nothing, and the trees of the models without them. Means over the
data sets go to benchmarks/results/learning_rate_factor.json.
"""

import json
import warnings
from pathlib import Path

import click
import numpy as np
from lightgbm import LGBMRegressor

import lukewarm as lw
from lukewarm._files import write_text
from lukewarm.reduction import EarlyStopping
from lukewarm.stopping import Patience

RESULTS = Path(__file__).parent / "results" / "learning_rate_factor.json"
FACTORS = (1.0, 2.0, 3.0)


def methods():
    for factor in FACTORS:
        yield (
            f"factor {factor:g}",
            EarlyStopping(Patience(10), max_steps=1000, learning_rate_factor=factor),
        )
    yield "retrain", "retrain"


@click.command()
@click.option("--replicates", default=8, show_default=True)
def main(replicates):
    warnings.simplefilter("ignore", lw.HealthWarning)
    found = {name: [] for name, _ in methods()}
    for seed in range(replicates):
        data = lw.datasets.make_correlated_linear(correlation=0.5, random_state=seed)
        for name, method in methods():
            model = LGBMRegressor(n_estimators=1000, n_jobs=1, verbose=-1)
            vi = lw.VariableImportance(
                model,
                method,
                features=["X1", "X4"],
                inference="paired",
                patience=10,
                random_state=seed,
            )
            frame = vi.fit(data.X, data.y).result_.to_frame()
            found[name].append([*frame["importance"], frame["steps"].mean()])
    rows = [
        {"way": name, **dict(zip(("X1", "X4", "trees"), np.mean(runs, axis=0), strict=True))}
        for name, runs in found.items()
    ]
    truth = {name: data.true_importance(name) for name in ("X1", "X4")}
    record = {"replicates": replicates, "n_rows": len(data.y), "truth": truth, "rows": rows}
    for row in rows:
        print(row)
    write_text(RESULTS, json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
