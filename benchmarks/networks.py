"""Reduced networks by every method, on the paper's four tasks: seconds against test error.

Run: ``python benchmarks/networks.py [--width 2048] [--tasks linear,logistic] [--repeats 3]``

The full model and retraining use the paper's settings (SGD, batches of 32, learning rate 0.1,
NTK scaling, min_delta 1e-3, patience 3) in the learner's plain torch loop. A method's seconds are
those of obtaining the reduced model and predicting the evaluation rows. They are processor
seconds of one thread: on a machine shared with others the wall clock says little. Cheap methods
are timed before and after each dear one and the best is kept. Tasks not run keep their last
figures.
"""

from __future__ import annotations

import argparse
import json
import resource
from pathlib import Path
from time import perf_counter, process_time

import matplotlib.pyplot as plt
import numpy as np
import torch

from lukewarm import datasets
from lukewarm.data import Removal, Rows, split_rows
from lukewarm.learners import Network, train_until
from lukewarm.reduction import (
    Dropout,
    EarlyStopping,
    KernelFlow,
    KernelRidge,
    Lazy,
    OneStep,
    ReductionData,
    Retrain,
)
from lukewarm.stopping import Patience

RULE = Patience(3, min_delta=1e-3)
# The paper's start, from the mean of what is removed: what is compared are ways on from there.
FLOW = KernelFlow(conditional_imputation=False)
RESULTS = Path(__file__).parent / "results"
MARKERS = {"dropout": "x", "early_stopping": "s", "kernel_flow": "o", "lazy": "^", "retrain": "D"}


def tasks(n_rows: int) -> dict:
    """Return (X, y, removed columns) of each task; gas turbines where the file is at hand."""
    linear = datasets.make_correlated_linear(n_rows, random_state=0)
    high = datasets.make_high_dimensional_network(n_rows, random_state=0)
    logistic = datasets.make_logistic(n_rows, random_state=0)
    chosen = {
        "linear": (linear, (0,)),
        "logistic": (logistic, (6, 7, 8, 9)),
        "high_dimensional": (high, (0,)),
    }
    try:
        chosen["gas_turbine"] = (datasets.load_gas_turbine(), (6,))
    except (FileNotFoundError, ValueError) as error:
        print(f"gas turbines left out: {error}")
    return {
        name: (data.X.to_numpy(float), np.asarray(data.y, dtype=float), removed)
        for name, (data, removed) in chosen.items()
    }


def prepare(X: np.ndarray, y: np.ndarray) -> tuple[ReductionData, Rows]:
    split = split_rows(len(y), 0.75, np.random.default_rng(0))
    train, stopping, evaluation = (
        Rows(X[part], y[part]) for part in (split.train, split.stopping, split.evaluation)
    )
    return ReductionData(train, stopping, Removal.learn(train.X)), evaluation


def measure(reduction, full, data, evaluation, removed, before=None) -> dict:
    """Return seconds, error and steps of one reduction; the better time of this and `before`."""
    cpu, wall = process_time(), perf_counter()
    model = reduction.reduce(full, data, removed, 0)
    prediction = model.predict(evaluation.X)
    seconds, wall_seconds = process_time() - cpu, perf_counter() - wall
    if before is not None:
        seconds = min(seconds, before["seconds"])
        wall_seconds = min(wall_seconds, before["wall_seconds"])
    return {
        "seconds": seconds,
        "wall_seconds": wall_seconds,
        "test_mse": float(np.mean(np.square(evaluation.y - prediction))),
        "stopped_step": model.trace.stopped_step,
        "n_steps_taken": model.trace.n_steps_taken,
    }


def run_task(X, y, removed, width: int, repeats: int) -> dict:
    data, evaluation = prepare(X, y)
    network = Network(
        (width, width), weight_scale=0.99**0.5, bias_scale=0.1, optimizer="sgd",
        learning_rate=0.1, batch_size=32,
    )  # fmt: skip
    cpu = process_time()
    full, trace = train_until(network.fresh(0), data.train, data.stopping, RULE, 800)
    outcome = {
        "n_rows": len(y),
        "removed": list(removed),
        "full": {
            "seconds": process_time() - cpu,
            "n_steps_taken": trace.n_steps_taken,
            "test_mse": float(np.mean(np.square(evaluation.y - full.predict(evaluation.X)))),
        },
        "forward_pass_seconds": min(_forward_seconds(full, X) for _ in range(repeats)),
    }
    cheap = {each.name: each for each in (Dropout(), FLOW, Lazy(), KernelRidge(), OneStep())}
    dear = {
        each.name: each
        for each in (EarlyStopping(RULE, 100, conditional_imputation=False), Retrain(RULE, 800))
    }
    methods: dict = {}
    for name, reduction in dear.items():
        for _ in range(repeats):
            for other, quick in cheap.items():
                methods[other] = measure(quick, full, data, evaluation, removed, methods.get(other))
        methods[name] = measure(reduction, full, data, evaluation, removed)
    methods["kernel_flow_nothing_removed"] = measure(FLOW, full, data, evaluation, ())
    outcome["methods"] = methods
    flow, best = methods["kernel_flow"], min(methods[name]["test_mse"] for name in dear)
    outcome["retrain_over_kernel_flow"] = methods["retrain"]["seconds"] / flow["seconds"]
    outcome["early_stopping_over_kernel_flow"] = (
        methods["early_stopping"]["seconds"] / flow["seconds"]
    )
    outcome["excess_test_mse"] = flow["test_mse"] / best - 1
    outcome["forward_passes_per_feature_set"] = flow["seconds"] / outcome["forward_pass_seconds"]
    outcome["peak_memory_gigabytes"] = _peak_gigabytes()
    outcome["all_features_over_full_fit"] = (
        X.shape[1] * flow["seconds"] / outcome["full"]["seconds"]
    )
    return outcome


def run_large(n_rows: int = 100_000, width: int = 512) -> dict:
    """Return seconds and peak memory of one flow over many rows; the full fit is five epochs."""
    data = datasets.make_correlated_linear(n_rows, random_state=0)
    reduction_data, evaluation = prepare(data.X.to_numpy(float), np.asarray(data.y, dtype=float))
    full = Network((width, width), batch_size=256).fresh(0)
    full.advance(reduction_data.train.X, reduction_data.train.y, 5)
    found = {
        method.name: measure(method, full, reduction_data, evaluation, (0,))
        for method in (Dropout(), FLOW)
    }
    return {
        "n_rows": n_rows,
        "width": width,
        "forward_pass_seconds": _forward_seconds(full, data.X.to_numpy(float)),
        "methods": found,
        "peak_memory_gigabytes": _peak_gigabytes(),
    }


def _peak_gigabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _forward_seconds(full, X) -> float:
    started = process_time()
    full.predict(X)
    return process_time() - started


def draw(results: dict, path: Path) -> None:
    tasks_done = results["tasks"]
    figure, panels = plt.subplots(1, len(tasks_done), figsize=(4 * len(tasks_done), 3.4))
    for panel, (name, outcome) in zip(np.atleast_1d(panels), tasks_done.items(), strict=True):
        for method, marker in MARKERS.items():
            point = outcome["methods"][method]
            label = method.replace("_", " ")
            panel.scatter(point["seconds"], point["test_mse"], s=45, marker=marker, label=label)
        panel.set(xscale="log", xlabel="processor seconds", title=name.replace("_", " "))
    np.atleast_1d(panels)[0].set_ylabel("test mean squared error")
    handles, labels = np.atleast_1d(panels)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=len(labels), frameon=False)
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--tasks", default="linear,logistic,gas_turbine,high_dimensional")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS / "networks.json")
    parser.add_argument("--large", action="store_true", help="100,000 rows, width 512, alone")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.large:
        results = json.loads(arguments.out.read_text())
        results["large"] = run_large()
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")
        print(json.dumps(results["large"]))
        return
    results: dict = {"width": arguments.width, "torch": torch.__version__, "tasks": {}}
    if arguments.out.exists():
        kept = json.loads(arguments.out.read_text())
        if kept["width"] == arguments.width:
            results = {**results, **kept}
    available = tasks(arguments.rows)
    for name in arguments.tasks.split(","):
        if name not in available:
            continue
        results["tasks"][name] = run_task(*available[name], arguments.width, arguments.repeats)
        _summarise(results)
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")
        print(name, json.dumps(results["tasks"][name]), flush=True)
    draw(results, arguments.out.with_suffix(".png"))


def _summarise(results: dict) -> None:
    done = list(results["tasks"].values())
    for ratio in ("retrain_over_kernel_flow", "early_stopping_over_kernel_flow"):
        results[ratio] = float(np.exp(np.mean([np.log(outcome[ratio]) for outcome in done])))
    results["largest_excess_test_mse"] = max(outcome["excess_test_mse"] for outcome in done)
    results["peak_memory_gigabytes"] = max(outcome["peak_memory_gigabytes"] for outcome in done)


if __name__ == "__main__":
    main()
