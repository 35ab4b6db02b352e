"""What all importances of a linear model cost, beside one fit of it.

    python benchmarks/linear_models.py [--rows 100000] [--columns 100]

Process time of one fit by scikit-learn, and of the p models without a column with their predictions
of the evaluation rows, interleaved; the best of five. The full model is given, as in any fit. Also
the largest difference to three refits.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge

from lukewarm.data import Rows
from lukewarm.learners import from_model
from lukewarm.measures import Task

MODELS = {
    "LinearRegression": LinearRegression,
    "Ridge": Ridge,
    "LogisticRegression": lambda: LogisticRegression(tol=1e-8, max_iter=1000),
}
OUT = Path(__file__).parent / "results" / "linear_models.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=100)
    arguments = parser.parse_args()
    n_rows, n_columns = arguments.rows, arguments.columns
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n_rows, n_columns)) + generator.normal(size=(n_rows, 1))
    line = X @ np.linspace(0, 0.3, n_columns)
    y = line - line.mean() + generator.normal(size=n_rows)
    n_train = n_rows * 3 // 4
    rows = []
    for name, make in MODELS.items():
        is_logistic = name == "LogisticRegression"
        target = (y > 0).astype(float) if is_logistic else y
        times = [once(make, is_logistic, X, target, n_train) for _ in range(5)]
        fit, all_sets = np.min(times, axis=0)
        gap = largest_gap(make, is_logistic, X[:n_train], target[:n_train])
        rows.append(
            {"model": name, "fit_seconds": fit, "all_seconds": all_sets, "largest_gap": float(gap)}
        )
        print(
            f"{name}: one fit {fit:.2f} s, all {n_columns} without a column {all_sets:.2f} s, "
            f"ratio {all_sets / fit:.2f}; largest difference to refits {gap:.1e}"
        )
    record = {"n_train": n_train, "n_columns": n_columns, "rows": rows}
    OUT.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def once(make, is_logistic, X, y, n_train):
    learner = from_model(make(), task=Task(2 if is_logistic else None), seed=0)
    rows, evaluation = Rows(X[:n_train], y[:n_train]), X[n_train:]
    learner.advance(rows.X, rows.y, 1)
    start = time.process_time()
    make().fit(X[:n_train], y[:n_train])
    fitted = time.process_time()
    for column in range(X.shape[1]):
        learner.refit_without(rows, (column,)).predict(evaluation)
    return fitted - start, time.process_time() - fitted


def largest_gap(make, is_logistic, X, y):
    learner = from_model(make(), task=Task(2 if is_logistic else None), seed=0)
    gaps = []
    for column in (0, X.shape[1] // 2, X.shape[1] - 1):
        model = learner.refit_without(Rows(X, y), (column,))
        settings = {"tol": 1e-12, "solver": "newton-cg"} if is_logistic else {}
        others = np.delete(X, column, axis=1)
        again = make().set_params(**settings).fit(others, y)
        known = again.predict_proba(others)[:, 1] if is_logistic else again.predict(others)
        gaps.append(np.abs(model.predict(X) - known).max())
    return max(gaps)


if __name__ == "__main__":
    main()
