"""How far a warm start leaves the fixed kernel: predictions and kernel, along the run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.data import Removal
from lukewarm.datasets import make_correlated_linear
from lukewarm.experiments._random_functions import random_trees
from lukewarm.kernels import kernel_eigenvalues, network_kernel, tree_kernel, tree_kernel_at

# Where the kernel is looked at: few steps, denser at the start.
_KERNEL_STEPS = (1, 2, 5, 10, 20, 50, 100)
_N_STEPS = 100
# The paper's for trees; that of networks, and the share of one over the largest eigenvalue that
# other architectures take, are judgement.
_NETWORK_RATE, _TREE_RATE = 0.5, 0.1
_SHARE_OF_LARGEST_RATE = 0.5
_DEPTH = 2


def network_drift(width: int, n_rows: int, generator: np.random.Generator) -> dict[str, float]:
    """Return the largest distances from the linearisation and from the kernel at the start.

    Both are relative: to the spread of y, and to the kernel's own norm.
    """
    from lukewarm.learners import Network

    data = make_correlated_linear(n_rows, random_state=generator)
    X, y = data.X.to_numpy(), data.y.to_numpy()
    network = Network(
        (width, width),
        weight_scale=0.99**0.5,
        bias_scale=0.1,
        optimizer="sgd",
        # The mean squared error has twice the gradient of the paper's loss.
        learning_rate=_NETWORK_RATE / 2,
        batch_size=n_rows,
        seed=int(generator.integers(2**31)),
    )
    return drift_after_warm_start(network, X, y, _NETWORK_RATE)


def architecture_drift(
    name: str, width: int, n_rows: int, generator: np.random.Generator
) -> dict[str, float]:
    """Return the same two distances for a network of another kind, by its name."""
    from lukewarm.experiments._architectures import ARCHITECTURES
    from lukewarm.learners import TorchLearner

    data = make_correlated_linear(n_rows, random_state=generator)
    X, y = data.X.to_numpy(), data.y.to_numpy()
    module = ARCHITECTURES[name](X.shape[1], width)
    seed = int(generator.integers(2**31))
    settings: dict[str, Any] = {"optimizer": "sgd", "batch_size": n_rows}
    begun = TorchLearner(module, **settings).fresh(seed)
    # Kinds of networks differ in the size of their kernels; steps are as long in their own units.
    rate = _SHARE_OF_LARGEST_RATE / float(kernel_eigenvalues(network_kernel(begun, X))[0])
    learner = TorchLearner(module, **settings, learning_rate=rate / 2).fresh(seed)
    return drift_after_warm_start(learner, X, y, rate)


def drift_after_warm_start(
    network: Any, X: Matrix, y: Vector, learning_rate: float
) -> dict[str, float]:
    """Return how far a network trained with all columns strays once the first is removed."""
    network.advance(X, y, 300)
    X_removed = Removal.learn(X).apply(X, (0,))
    start = network_kernel(network, X_removed)
    linear = list(_linear_path(start, y, network.predict(X_removed), learning_rate))
    gaps, changes = [], []
    for step in range(1, _N_STEPS + 1):
        network.advance(X_removed, y, 1)
        gaps.append(_size(network.predict(X_removed) - linear[step]))
        if step in _KERNEL_STEPS:
            changes.append(np.linalg.norm(network_kernel(network, X_removed) - start))
    return {
        "prediction_gap": max(gaps) / float(y.std()),
        "kernel_change": float(max(changes) / np.linalg.norm(start)),
    }


def tree_drift(
    random_strength: float, n_rows: int, generator: np.random.Generator
) -> dict[str, float]:
    """Return the same two distances for trees: from the stationary kernel and its path.

    The mean tree of every step is taken exactly, so no chance of single trees blurs the distance.
    """
    from lukewarm.learners import ObliviousBoosting

    firsts = np.arange(3)
    X = generator.integers(firsts, firsts + 4, size=(n_rows, 3)).astype(float)
    y = random_trees(generator)(X) + X[:, 0] - 1.5 + 0.1 * generator.standard_normal(n_rows)
    full = ObliviousBoosting(
        depth=_DEPTH,
        learning_rate=_TREE_RATE,
        random_strength=random_strength,
        seed=int(generator.integers(2**31)),
    )
    full.advance(X, y, 100)
    X_removed = Removal.learn(X).apply(X, (0,))
    borders = [np.empty(0), *(first + np.array([0.5, 1.5, 2.5]) for first in firsts[1:])]
    laws: dict[str, Any] = {"borders": borders, "depth": _DEPTH}
    stationary = tree_kernel(X_removed, **laws)
    position = full.predict(X_removed)
    linear = list(_linear_path(stationary, y, position, _TREE_RATE))
    gaps, changes = [], []
    for step in range(1, _N_STEPS + 1):
        kernel = tree_kernel_at(X_removed, y - position, random_strength=random_strength, **laws)
        changes.append(np.linalg.norm(kernel - stationary))
        position = position + _TREE_RATE * (kernel @ (y - position))
        gaps.append(_size(position - linear[step]))
    return {
        "prediction_gap": max(gaps) / float(y.std()),
        "kernel_change": float(max(changes) / np.linalg.norm(stationary)),
    }


def _linear_path(kernel: Matrix, y: Vector, start: Vector, rate: float) -> Iterable[Vector]:
    """Yield f_0, f_1, ... of ``f_{t+1} = f_t + rate K (y - f_t)``."""
    position = start
    for _ in range(_N_STEPS + 1):
        yield position
        position = position + rate * (kernel @ (y - position))


def _size(difference: Vector) -> float:
    return float(np.sqrt(np.mean(difference**2)))
