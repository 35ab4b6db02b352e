"""Times of the kernel room, as ratios taken in one process with both sides interleaved.

Run: ``python benchmarks/kernels.py`` (writes ``benchmarks/results/kernels.json``).

- network: the tangent kernel of 5000 rows and three hidden layers, over one exp of that matrix;
- trees: the stationary kernel, against adding one matrix per tree to the rows' kernel. The plain
  way is timed on a few trees and scaled to all of them.
"""

from __future__ import annotations

import itertools
import json
import math
import resource
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from lukewarm.kernels import ntk, tree_distribution, tree_kernel, tree_kernel_at

N_REPEATS = 3
RESULTS = Path(__file__).parent / "results" / "kernels.json"


def best_seconds(*sides: Callable[[], object]) -> list[float]:
    """Return the best time of each side; the sides take turns."""
    best = [math.inf] * len(sides)
    for _ in range(N_REPEATS):
        for number, side in enumerate(sides):
            start = time.perf_counter()
            side()
            best[number] = min(best[number], time.perf_counter() - start)
    return best


def plain_trees(X: np.ndarray, borders: list[np.ndarray], depth: int, n_trees: int) -> np.ndarray:
    """Add the kernels of the first `n_trees` trees, one by one, over all pairs of rows."""
    splits = [(feature, border) for feature, edges in enumerate(borders) for border in edges]
    kernel = np.zeros((len(X), len(X)))
    for tree in itertools.islice(itertools.combinations(splits, depth), n_trees):
        codes = sum(
            (X[:, j] > border).astype(int) << level for level, (j, border) in enumerate(tree)
        )
        counts = np.bincount(codes, minlength=2**depth)
        kernel += (codes[:, None] == codes) / counts[codes]
    return kernel


def measure_network() -> dict[str, float]:
    X = np.random.default_rng(0).normal(size=(5000, 10))
    scales = {"n_hidden_layers": 3, "weight_scale": 1.2, "bias_scale": 0.1}
    kernel = ntk(X, **scales)
    result = np.empty_like(kernel)
    own, exponential = best_seconds(
        lambda: ntk(X, **scales), lambda: np.exp(np.negative(kernel, out=result), out=result)
    )
    return {"seconds": own, "exp_seconds": exponential, "ratio_to_exp": own / exponential}


def measure_trees(X: np.ndarray, borders: list[np.ndarray], depth: int) -> dict[str, float]:
    n_all = math.comb(sum(len(edges) for edges in borders), depth)
    n_timed = min(n_all, 20)
    tree_kernel(X, borders=borders, depth=depth)  # loads the compiled loops
    own, plain = best_seconds(
        lambda: tree_kernel(X, borders=borders, depth=depth),
        lambda: plain_trees(X, borders, depth, n_timed),
    )
    whole = plain / n_timed * n_all
    return {
        "seconds": own,
        "n_trees": n_all,
        "plain_seconds": whole,
        "plain_trees_timed": n_timed,
        "times_faster_than_plain": whole / own,
    }


def measure_law(X: np.ndarray, borders: list[np.ndarray]) -> dict[str, float]:
    settings = {"borders": borders, "depth": 2, "random_strength": 1.0}
    law, kernel = best_seconds(
        lambda: tree_distribution(X, X[:, 0], **settings),
        lambda: tree_kernel_at(X, X[:, 0], **settings),
    )
    return {"distribution_seconds": law, "kernel_at_seconds": kernel}


def main() -> None:
    generator = np.random.default_rng(0)
    small = generator.integers(4, size=(2000, 3)).astype(float)
    few = [np.array([0.5, 1.5, 2.5])] * 3
    large = generator.normal(size=(2000, 10))
    many = [np.quantile(column, np.linspace(0, 1, 34)[1:-1]) for column in large.T]
    results: dict[str, dict[str, float]] = {
        "trees, depth 2, 2000 rows, 3 features x 4 values": measure_trees(small, few, 2),
        "trees, depth 3, 2000 rows, 3 features x 4 values": measure_trees(small, few, 3),
        "trees, depth 1, 2000 rows, 10 features x 32 borders": measure_trees(large, many, 1),
        "trees, depth 2, 2000 rows, 10 features x 32 borders": measure_trees(large, many, 2),
        "law, depth 2, 2000 rows, 10 features x 32 borders": measure_law(large, many),
    }
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    results["memory of all the above"] = {"peak_gigabytes": peak}
    results["network, 5000 x 5000, three hidden ReLU layers"] = measure_network()
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
