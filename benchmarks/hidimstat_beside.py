"""CFI and LOCO of the package hidimstat beside projection: the same trained models, the same rows.

    python benchmarks/hidimstat_beside.py [--rows 1000] [--replicates 5] [--out FILE]

Three problems of `problems.py` with known importances, gradient boosting trained on three quarters
of the rows. Root mean square error to the truth over the features, and process seconds. CFI's
expectation under squared error is twice the importance, so that it is halved here. LOCO trains a
model for each feature. Without hidimstat nothing is run.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from problems import PROBLEMS
from sklearn.ensemble import HistGradientBoostingRegressor

import lukewarm as lw

NAMES = ("linear", "friedman", "nonlinear")


def ways(model, X, y, n_train, hidimstat):
    """Yield each way's name and a function that returns its importances."""
    train, test = slice(None, n_train), slice(n_train, None)

    def projection():
        vi = lw.VariableImportance(model, measure="neg_mse", prefit=True, random_state=0)
        vi.fit(X[train], y[train], X_eval=X[test], y_eval=y[test])
        return vi.result_.importance

    def theirs(kind, factor, **options):
        def importances():
            method = kind(model, **options)
            method.fit(X[train], y[train])
            return factor * np.asarray(method.importance(X[test], y[test]))

        return importances

    yield "projection", projection
    yield "CFI / 2", theirs(hidimstat.CFI, 0.5, random_state=0)
    yield "LOCO", theirs(hidimstat.LOCO, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--replicates", type=int, default=5)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    try:
        import hidimstat
    except ImportError:
        print("hidimstat is not installed; nothing to compare with.")
        return
    warnings.simplefilter("ignore")
    records = []
    for name in NAMES:
        problem = PROBLEMS[name]
        known = problem.truth["neg_mse"]
        columns, truth = [int(each[1:]) for each in known], np.array(list(known.values()))
        for replicate in range(arguments.replicates):
            generator = np.random.default_rng([replicate, len(name)])
            X, y = problem.draw(arguments.rows, generator)
            n_train = arguments.rows * 3 // 4
            model = HistGradientBoostingRegressor(max_iter=100, learning_rate=0.1, random_state=0)
            model.fit(X[:n_train], y[:n_train])
            for way, importances in ways(model, X, y, n_train, hidimstat):
                begun = time.process_time()
                found = importances()
                seconds = time.process_time() - begun
                error = float(np.sqrt(np.mean((found[columns] - truth) ** 2)))
                records.append({"problem": name, "way": way, "error": error, "seconds": seconds})
        for way in dict.fromkeys(each["way"] for each in records):
            own = [each for each in records if (each["problem"], each["way"]) == (name, way)]
            error, seconds = (np.mean([each[key] for each in own]) for key in ("error", "seconds"))
            print(f"{name}, {way}: error {error:.4f}, {seconds:.2f} s", flush=True)
    if arguments.out:
        settings = {"rows": arguments.rows, "hidimstat": hidimstat.__version__}
        arguments.out.write_text(json.dumps({**settings, "records": records}, indent=1))


if __name__ == "__main__":
    main()
