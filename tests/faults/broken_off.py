"""A stored fit that is broken off by Ctrl-C, and goes on: ``python broken_off.py dask FOLDER``.

As in a terminal, the signal goes to the whole process group, the workers of this machine included;
so the program must have a group of its own. Prints one JSON line.
"""

import json
import os
import signal
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

import lukewarm as lw
from lukewarm.reduction import Dropout

N_COLUMNS = 30


class Slow(Dropout):
    """Dropout that takes a while, so that there is something to break off."""

    def reduce(self, full, data, removed, seed):
        time.sleep(0.1)
        return super().reduce(full, data, removed, seed)


def estimator(store):
    model = DecisionTreeRegressor(max_features=3, max_depth=4)
    return lw.VariableImportance(model, Slow(), inference="paired", store=store, random_state=0)


def table():
    generator = np.random.default_rng(0)
    names = [f"x{column}" for column in range(N_COLUMNS)]
    X = pd.DataFrame(generator.normal(size=(200, N_COLUMNS)), columns=names)
    return X, X["x0"] + X["x1"] + generator.normal(size=200)


def keys(store):
    """Return the key of every line that was written, one for each job that was finished."""
    lines = [line for path in store.glob("journal/*") for line in path.read_text().splitlines()]
    return [json.loads(line)["key"] for line in lines]


def press_when_begun(store):
    while len(list(store.glob("arrays/*/*.npz"))) < 2 * N_COLUMNS // 3:
        time.sleep(0.01)
    os.killpg(0, signal.SIGINT)


if __name__ == "__main__":
    from killed_workers import cluster  # beside this program; not to be found where it is imported

    warnings.simplefilter("ignore")
    store = Path(sys.argv[2])
    told = {"message": None}
    with cluster(sys.argv[1]):
        threading.Thread(target=press_when_begun, args=[store], daemon=True).start()
        vi = estimator(store)
        try:
            vi.fit(*table())
        except KeyboardInterrupt as error:
            told["message"] = str(error)
            told["n_sets"] = len(vi.result_) if hasattr(vi, "result_") else 0
    found = estimator(store).fit(*table()).result_.to_frame()
    told["n_written"], told["n_finished"] = len(keys(store)), len(set(keys(store)))
    told["is_same"] = bool(found.equals(estimator(None).fit(*table()).result_.to_frame()))
    print(json.dumps(told), flush=True)
