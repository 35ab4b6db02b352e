"""Stored fits that are killed (SIGKILL) at random moments and go on: ``python kills.py 100``.

A program of its own with one thread, so that it can fork: a fit then begins in milliseconds, and a
hundred kills take a minute or two. Each child has a process group of its own. Prints one JSON line.
"""

import argparse
import json
import os
import shutil
import signal
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

import lukewarm as lw
from lukewarm.exceptions import StoreWarning
from lukewarm.reduction import Dropout

N_JOBS = 2


class Logged(Dropout):
    """Dropout that takes a while, and writes down what it was asked for."""

    def __init__(self, log=None):
        self.log = log

    def reduce(self, full, data, removed, seed):
        time.sleep(0.004)
        if self.log is not None:
            # In one go: lines of several threads and processes must not mix.
            name = f"{len(data.train.y)}-{hash(data.train.y.tobytes())}-{removed}\n"
            handle = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(handle, name.encode())
            os.close(handle)
        return super().reduce(full, data, removed, seed)


def fitted(store=None, log=None):
    """Return every number of a fit as bytes."""
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(120, 8)), columns=list("abcdefgh"))
    y = X["b"] + 3 * X["c"] + generator.normal(size=120)
    # A Logged with another log is the same method: what it writes down is no setting.
    method = Logged(None if log is None else Path(log))
    model = DecisionTreeRegressor(max_features=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", StoreWarning)
        vi = lw.VariableImportance(model, method, store=store, n_jobs=N_JOBS, random_state=0)
        result = vi.fit(X, y).result_
    influences = [each.influence for each in result.reduced]
    return np.concatenate([result.importance, result.p_value(), *influences]).tobytes()


def started(store, log, out):
    """Return the process id of a fit that writes its numbers to `out` when it is done."""
    child = os.fork()
    if child:
        return child
    os.setsid()
    try:
        data = fitted(store, log)
        temporary = Path(f"{out}-{os.getpid()}")
        temporary.write_bytes(data)
        temporary.replace(out)
        os._exit(0)
    except BaseException as error:
        Path(f"{out}.error").write_text(repr(error), encoding="utf-8")
        os._exit(1)


def n_repeated(log):
    lines = Path(log).read_text(encoding="utf-8").splitlines()
    return len(lines) - len(set(lines))


def killed_and_resumed(folder, n_kills, seed):
    """Return what became of fits that were killed so many times."""
    generator = np.random.default_rng(seed)
    expected = fitted()
    began = time.monotonic()
    fitted(folder / "timed")
    duration = time.monotonic() - began
    told = {"n_kills": 0, "n_runs": 0, "n_wrong": 0, "most_repeated_per_kill": 0.0, "errors": []}
    while told["n_kills"] < n_kills:
        store, log, out = folder / "store", folder / "log", folder / "out"
        kills = 0
        while not out.exists() and not (folder / "out.error").exists():
            child = started(store, log, out)
            if told["n_kills"] + kills < n_kills:
                time.sleep(generator.uniform(0, 0.6 * duration))
                # Before it has a group of its own, the child is killed by itself.
                kill = os.killpg if os.getpgid(child) == child else os.kill
                kill(child, signal.SIGKILL)
                kills += 1
            os.waitpid(child, 0)
        told["n_runs"] += 1
        told["n_kills"] += kills
        if (folder / "out.error").exists():
            told["errors"].append((folder / "out.error").read_text(encoding="utf-8"))
        elif out.read_bytes() != expected:
            told["n_wrong"] += 1
        if kills and log.exists():
            repeated = n_repeated(log) / kills
            told["most_repeated_per_kill"] = max(told["most_repeated_per_kill"], repeated)
        for path in (out, log, folder / "out.error"):
            path.unlink(missing_ok=True)
        shutil.rmtree(store, ignore_errors=True)
    return told


def side_by_side(folder):
    """Return what became of two fits that share a store."""
    outs = [folder / "one", folder / "other"]
    children = [started(folder / "store", folder / "log", out) for out in outs]
    for child in children:
        os.waitpid(child, 0)
    errors = [path.read_text(encoding="utf-8") for path in folder.glob("*.error")]
    same = all(out.exists() and out.read_bytes() == fitted() for out in outs)
    return {"are_the_same": same, "n_repeated": n_repeated(folder / "log"), "errors": errors}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n_kills", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shared", action="store_true", help="two fits at once, none killed")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        told = (
            side_by_side(home)
            if asked.shared
            else killed_and_resumed(home, asked.n_kills, asked.seed)
        )
    print(json.dumps(told))
