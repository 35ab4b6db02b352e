"""What jobs side by side cost and save: bytes sent, overhead, speed-up per back end, the store.

    python benchmarks/parallel.py              # all parts, some minutes, on an idle machine
    python benchmarks/parallel.py bytes        # bytes per job under loky
    python benchmarks/parallel.py time         # speed-up at two workers, and the cost of a job
    python benchmarks/parallel.py store        # what keeping a job adds to it
    python benchmarks/parallel.py memory       # of many feature sets, with a store and without
    python benchmarks/parallel.py time --backends loky,threading,dask,ray --job-seconds 0.1

`bytes` counts what joblib writes to the queue of its workers, job by job, and the one array that
they map into memory. `time` interleaves one worker and two, and takes the best of several, workers
being up already; a job works for `--job-seconds` of processor time, or waits as long: other work on
the machine takes from the first, but not from the second, which shows the machinery alone. Numbers
go to ``benchmarks/results/parallel.json``, those of parts not asked for are left as they are.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from joblib.externals.loky.backend import queues
from kept_results import earlier_results, write_results
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Ridge

import lukewarm as lw
from lukewarm.parallel import _run, blas_for, run_jobs
from lukewarm.store import Entry, Store

RESULTS = Path(__file__).parent / "results" / "parallel.json"
MODELS = {
    "ridge, 10,000 rows": (Ridge, 10_000),
    "forest of 50 trees, 2,000 rows": (lambda: RandomForestRegressor(50, n_jobs=1), 2_000),
    "boosting, 2,000 rows": (lambda: "boosting", 2_000),
}


def table(n_rows, n_columns=20):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n_rows, n_columns))
    y = X[:, 0] + X[:, 1] * X[:, 2] + generator.normal(size=n_rows)
    return pd.DataFrame(X, columns=[f"x{column}" for column in range(n_columns)]), y


@contextmanager
def counting(counts):
    """Write down the bytes of every message to a worker, and of what is shared."""
    dumps, of = queues.dumps, _run.SharedFunction.of

    def counted(obj, **options):
        data = dumps(obj, **options)
        if b"call_shared" in bytes(data):  # engines may use joblib for themselves
            counts["sent"].append(len(data))
        return data

    def packed(function):
        shared = of(function)
        counts["shared"].append(shared.data.nbytes)
        return shared

    queues.dumps, _run.SharedFunction.of = counted, packed
    try:
        yield
    finally:
        queues.dumps, _run.SharedFunction.of = dumps, of


def bytes_per_job():
    told = {}
    for name, (model, n_rows) in MODELS.items():
        X, y = table(n_rows)
        counts = {"sent": [], "shared": []}
        vi = lw.VariableImportance(model(), "dropout", inference="paired", random_state=0)
        with counting(counts), joblib.parallel_config("loky", n_jobs=2):
            vi.fit(X, y)
        # The last thing shared is what the feature sets need: rows and full models.
        told[name] = {
            "table_bytes": int(X.to_numpy().nbytes),
            "shared_once_bytes": counts["shared"][-1],
            "most_bytes_per_message": max(counts["sent"]),
            "n_messages": len(counts["sent"]),
        }
        print(name, told[name])
    return told


def work(seconds):
    """Keep a processor busy, holding no lock of Python for longer than a product of matrices."""
    values = np.ones((200, 200))
    end = time.thread_time() + seconds
    with blas_for(len(values)):
        while time.thread_time() < end:
            values = values @ values / 200
    return float(values[0, 0])


@contextmanager
def backend(name, n_workers):
    if name == "dask":
        from distributed import Client, LocalCluster

        with (
            LocalCluster(n_workers=n_workers, threads_per_worker=1) as cluster,
            Client(cluster),
            joblib.parallel_config("dask"),
        ):
            yield
    elif name == "ray":
        import ray
        from ray.util.joblib import register_ray

        register_ray()
        quiet = {"include_dashboard": False, "logging_level": "error", "log_to_driver": False}
        with (
            ray.init(num_cpus=n_workers, **quiet),
            joblib.parallel_config("ray", n_jobs=n_workers),
        ):
            yield
    else:
        with joblib.parallel_config(name, n_jobs=n_workers):
            yield


def timed(n_jobs, job, n_calls):
    started = time.perf_counter()
    run_jobs(job, range(n_calls), n_jobs=n_jobs)
    return time.perf_counter() - started


def speed_up(name, job_seconds, n_calls, repeats):
    with backend(name, 2):
        timed(None, abs, 4)  # workers are up
        found = {}
        for kind, job in (
            ("working", lambda _: work(job_seconds)),
            ("waiting", lambda _: time.sleep(job_seconds)),
        ):
            pairs = [(timed(1, job, n_calls), timed(None, job, n_calls)) for _ in range(repeats)]
            one, two = (min(each) for each in zip(*pairs, strict=True))
            found[f"speed_up_{kind}"] = one / two
        empty = min(timed(None, abs, 200) for _ in range(repeats)) / 200
    return {**found, "overhead_seconds_per_job": empty}


def times(backends, sizes):
    load = os.getloadavg()[0]
    found = {name: speed_up(name, *sizes) for name in backends}
    return {"job_seconds": sizes[0], "n_jobs": sizes[1], "backends": found, "load": load}


def store_overhead(job_seconds, n_calls, repeats):
    """Return the share of time that keeping predictions of 2,500 rows adds to a job.

    Processor time, of the thread that waits for the disk as well; claims are part of it.
    """

    def found():
        return Entry({"seconds": 0.0}, {"values": np.ones(2500)})

    def one_round(store, number):
        started = time.process_time()
        for job in range(n_calls):
            work(job_seconds)
            if store is not None:
                store.kept([number, job], found)
        return time.process_time() - started

    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        store = Store.opened(Path(folder) / "store", {}, seed=0)
        pairs = [(one_round(None, number), one_round(store, number)) for number in range(repeats)]
    without, kept = (min(each) for each in zip(*pairs, strict=True))
    return kept / without - 1


def peak_memory(n_sets, n_rows, has_store):
    """Return the most memory of its own that a fit of so many feature sets takes, in bytes."""
    generator = np.random.default_rng(0)
    X, y = table(4 * n_rows)
    sets = {
        tuple(sorted(generator.choice(X.shape[1], size=3 + number % 8, replace=False).tolist()))
        for number in range(2 * n_sets)
    }
    before, most, is_done = _own_bytes(), [0], threading.Event()

    def watch():
        while not is_done.wait(0.02):
            most[0] = max(most[0], _own_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        vi = lw.VariableImportance(
            Ridge(),
            "dropout",
            inference="paired",
            features=sorted(sets)[:n_sets],
            store=Path(folder) / "store" if has_store else None,
            random_state=0,
        )
        vi.fit(X, y).result_.to_frame()
    is_done.set()
    watcher.join()
    return {"n_sets": len(vi.result_), "n_rows": vi.result_.n_rows, "bytes": most[0] - before}


def _own_bytes():
    """Return the memory of this process that is not a file's: what the system cannot drop."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith("RssAnon"))
    return 1024 * int(kilobytes)


def memory(n_sets, n_rows):
    # Each in a process of its own, since memory is not always given back.
    told = {}
    for name, has_store in (("in memory", False), ("with a store", True)):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            told[name] = pool.submit(peak_memory, n_sets, n_rows, has_store).result()
        print(name, told[name])
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="?", choices=["bytes", "time", "memory", "store"])
    parser.add_argument("--backends", default="loky,threading,multiprocessing,dask,ray")
    parser.add_argument("--job-seconds", type=float, default=0.05)
    parser.add_argument("--jobs", type=int, default=120)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sets", type=int, default=5000)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    told = earlier_results(asked.out)
    sizes = (asked.job_seconds, asked.jobs, asked.repeats)
    parts = {
        "time": lambda: times(asked.backends.split(","), sizes),
        "store": lambda: {"job_seconds": asked.job_seconds, "overhead": store_overhead(*sizes)},
        "bytes": bytes_per_job,
        "memory": lambda: memory(asked.sets, asked.rows),
    }
    for part in parts if asked.part is None else [asked.part]:
        told[part] = parts[part]()
        print(part, json.dumps(told[part], indent=1), flush=True)
        write_results(asked.out, told)


if __name__ == "__main__":
    main()
