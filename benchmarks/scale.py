"""A billion rows of a thousand columns on a hundred machines: a plan from measured job times.

    python benchmarks/scale.py measure     # what one block of rows costs, on one core
    python benchmarks/scale.py simulate    # the whole, from these numbers

`measure` writes a Parquet file, fits on a sample of it and evaluates blocks of it, and takes the
processor time of every part. `simulate` hands blocks to workers as they become free, on machines
that fail now and then, and adds up bytes. Numbers go to ``benchmarks/results/scale.json``.
"""

from __future__ import annotations

import argparse
import heapq
import json
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from kept_results import earlier_results, write_results
from lightgbm import LGBMRegressor

import lukewarm as lw
from lukewarm.estimators import _blocks
from lukewarm.parallel._shared import SharedFunction

RESULTS = Path(__file__).parent / "results" / "scale.json"
# What the plan assumes of the machines, and not measured here.
ASSUMED = {
    "n_machines": 100,
    "cores_per_machine": 16,
    "network_bytes_per_second": 1.25e9,
    "failures_per_machine_and_day": 0.1,
    "restart_seconds": 120.0,
}


def dataset(folder, n_rows, n_columns, block_rows):
    """Write a dataset whose neighbouring columns are correlated."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n_rows, n_columns))
    X[:, 1:] = 0.6 * X[:, :-1] + 0.8 * X[:, 1:]
    y = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(2 * X[:, 3]) + generator.normal(size=n_rows)
    frame = pd.DataFrame(X, columns=[f"x{column}" for column in range(n_columns)]).assign(y=y)
    frame.to_parquet(folder / "rows.parquet", row_group_size=block_rows)
    return folder / "rows.parquet"


def seconds_of(call):
    started = time.process_time()
    found = call()
    return time.process_time() - started, found


def measured(n_columns, n_learnt, block_rows, n_blocks, n_sets):
    with tempfile.TemporaryDirectory() as name:
        n_rows = n_learnt + n_blocks * block_rows
        path = dataset(Path(name), n_rows, n_columns, block_rows)
        rows = lw.ParquetRows(path, target="y")
        read_seconds, _ = seconds_of(lambda: [list(rows.batches(n)) for n in range(n_blocks)])
        sample_seconds, sample = seconds_of(lambda: rows.sample(n_learnt, random_state=0))
        features = [f"x{column}" for column in np.linspace(0, n_columns - 1, n_sets, dtype=int)]
        vi = lw.VariableImportance(
            LGBMRegressor(n_estimators=200, verbose=-1, n_jobs=1),
            "projection",
            inference="learning_curve",
            features=features,
            cv=[(np.arange(n_learnt - 100), np.arange(n_learnt - 100, n_learnt))],
            random_state=0,
        )
        vi.fit(sample.X, sample.y)
        prepared = vi._prepared
        reduce_seconds, predictors = seconds_of(
            lambda: _blocks._predictors(prepared, vi.result_.removed, None, False)
        )
        shared_bytes = SharedFunction.of(lambda _: predictors).data.nbytes
        one_set = [_blocks._Predictors(each.full, each.reduced[:1]) for each in predictors]
        with_one = SharedFunction.of(lambda _: one_set).data.nbytes
        block_seconds = []
        for block in range(n_blocks):
            batch = next(iter(rows.batches(block)))
            X = np.asarray(batch.X, dtype=float)
            for each in predictors:
                full_seconds, _ = seconds_of(lambda j=each, X=X: j.full.predict(X))
                spent = [seconds_of(lambda m=m, X=X: m.predict(X))[0] for m in each.reduced]
                block_seconds.append((full_seconds, float(np.mean(spent[1:])), spent[0]))
        full, reduced, first = np.array(block_seconds).T / block_rows
        n_models = len(predictors)
        return {
            "n_columns": n_columns,
            "n_learnt": n_learnt,
            "block_rows": block_rows,
            "n_models": n_models,
            "file_bytes_per_cell": path.stat().st_size / (n_rows * (n_columns + 1)),
            "read_seconds_per_cell": read_seconds / (n_blocks * block_rows * (n_columns + 1)),
            "sample_seconds_per_cell": sample_seconds / (n_rows * (n_columns + 1)),
            "full_model_seconds": vi.result_.full_seconds / n_models,
            "reduce_seconds_per_set": reduce_seconds / (n_models * n_sets),
            "full_predict_seconds_per_row": float(full.mean()),
            "predict_seconds_per_row_and_set": float(reduced.mean()),
            # The first set of a block prepares what all share.
            "prepare_seconds_per_row": float(max(first.mean() - reduced.mean(), 0.0)),
            "spread_of_block_seconds": float(reduced.std() / reduced.mean()),
            "shared_bytes": with_one,
            "shared_bytes_per_set": (shared_bytes - with_one) / (n_sets - 1),
        }


def simulated(found, n_rows=10**9, n_columns=1000, block_rows=65_536):
    """Return what the plan takes, from the costs of one row."""
    generator = np.random.default_rng(0)
    n_machines, n_cores = ASSUMED["n_machines"], ASSUMED["cores_per_machine"]
    n_workers, n_sets, n_models = n_machines * n_cores, n_columns, found["n_models"]
    n_blocks = -(-n_rows // block_rows)
    block_bytes = found["file_bytes_per_cell"] * block_rows * n_columns
    work = block_rows * (
        found["read_seconds_per_cell"] * n_columns
        + n_models
        * (
            found["full_predict_seconds_per_row"]
            + found["prepare_seconds_per_row"]
            + n_sets * found["predict_seconds_per_row_and_set"]
        )
    )
    transfer = block_bytes / (ASSUMED["network_bytes_per_second"] / n_cores)
    times = transfer + work * np.maximum(
        1 + found["spread_of_block_seconds"] * generator.normal(size=n_blocks), 0.2
    )
    models_bytes = found["shared_bytes"] + n_sets * found["shared_bytes_per_set"]
    # Models are learnt on one machine; sending them takes the network of that machine.
    learn = (
        n_models * found["full_model_seconds"]
        + n_models * n_sets * found["reduce_seconds_per_set"] / n_cores
    )
    sampling = found["sample_seconds_per_cell"] * n_rows * n_columns
    send = n_machines * models_bytes / ASSUMED["network_bytes_per_second"]
    makespan, n_lost = _scheduled(times, n_machines, n_cores, generator)
    sums_bytes = 8 * (1 + n_models * (1 + n_sets) + 2 * n_sets)  # of the one cell of a block
    return {
        "n_rows": n_rows,
        "n_columns": n_columns,
        "n_blocks": n_blocks,
        "seconds_per_block": float(times.mean()),
        "core_hours": float(times.sum() / 3600),
        "sampling_core_hours": sampling / 3600,
        "learning_hours": learn / 3600,
        "sending_models_seconds": send,
        "evaluation_hours": makespan / 3600,
        "busy_share": float(times.sum() / (n_workers * makespan)),
        "n_blocks_repeated": n_lost,
        "dataset_bytes": block_bytes * n_blocks,
        "models_bytes": models_bytes,
        "results_bytes": sums_bytes * n_blocks,
        "batch_bytes_per_worker": 8 * block_rows * n_columns,
    }


def _scheduled(times, n_machines, n_cores, generator):
    """Return when the last block is done, and how many were begun again.

    Workers take the next block when they are free. A machine that fails loses the blocks at work
    on it, which go back to the queue.
    """
    rate = ASSUMED["failures_per_machine_and_day"] / 86_400
    next_failure = generator.exponential(1 / rate, size=n_machines)
    queue = list(range(len(times)))[::-1]
    free = [(0.0, machine, core) for machine in range(n_machines) for core in range(n_cores)]
    heapq.heapify(free)
    last, n_lost = 0.0, 0
    while queue:
        start, machine, core = heapq.heappop(free)
        block = queue.pop()
        end = start + times[block]
        if end > next_failure[machine]:
            n_lost += 1
            queue.append(block)
            end = max(next_failure[machine], start) + ASSUMED["restart_seconds"]
            if core == 0:
                next_failure[machine] = end + generator.exponential(1 / rate)
        else:
            last = max(last, end)
        heapq.heappush(free, (end, machine, core))
    return last, n_lost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["measure", "simulate"])
    parser.add_argument("--columns", type=int, default=1000)
    parser.add_argument("--learnt", type=int, default=10_000)
    parser.add_argument("--block-rows", type=int, default=5000)
    parser.add_argument("--blocks", type=int, default=2)
    parser.add_argument("--sets", type=int, default=5)
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    told = earlier_results(asked.out)
    if asked.part == "measure":
        sizes = (asked.columns, asked.learnt, asked.block_rows, asked.blocks, asked.sets)
        told["measured"] = measured(*sizes)
    told["assumed"] = ASSUMED
    told["plan"] = simulated(told["measured"])
    print(json.dumps(told, indent=1))
    write_results(asked.out, told)


if __name__ == "__main__":
    main()
