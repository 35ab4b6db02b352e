"""One warm start of boosted trees, regular or oblivious, by its mean over the trees' chance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor

from lukewarm._typing import Matrix, Vector
from lukewarm.data import Removal
from lukewarm.experiments._random_functions import random_trees
from lukewarm.kernels import RegularTrees, oracle_stop, tree_kernel, tree_kernel_at

KINDS = ("regular", "oblivious")
# The paper's learning rate.
_RATE = 0.1
# Past T_max, so that the best step is seen as well.
_N_STEPS = 200
_NOISE_STD = 0.1
_FIRSTS = np.arange(3)
# Of the first feature, which is removed: without it, its part of y is noise.
_SIGMA = float(np.sqrt(1.25 + _NOISE_STD**2))
_BORDERS = [np.empty(0), *(first + np.array([0.5, 1.5, 2.5]) for first in _FIRSTS[1:])]


def regular_run(
    kind: str, depth: int, random_strength: float, n_rows: int, generator: np.random.Generator
) -> dict[str, Any]:
    """Return how far the kernel moves along a warm start, its spectrum's T_max, and the errors.

    Parameters
    ----------
    kind : "regular" or "oblivious"
        Whether every node has a split of its own, or all nodes of a level share one.
    depth : int
    random_strength : float
        beta; 0 for greedy trees.
    n_rows : int
    generator : Generator

    Notes
    -----
    The start is scikit-learn's booster of regular trees, trained with all features. The mean over
    the next tree is exact at every step, so that the distances carry no chance.
    """
    X = generator.integers(_FIRSTS, _FIRSTS + 4, size=(n_rows, 3)).astype(float)
    truth = random_trees(generator)(X)
    y = truth + X[:, 0] - 1.5 + _NOISE_STD * generator.standard_normal(n_rows)
    full = GradientBoostingRegressor(max_depth=depth, learning_rate=_RATE, random_state=0)
    X_removed = Removal.learn(X).apply(X, (0,))
    position = full.fit(X, y).predict(X_removed)
    kernel_of = _kernels(kind, X_removed, depth, random_strength)
    stationary = kernel_of(None)
    path, changes, linear = [position], [], [position]
    for _ in range(_N_STEPS):
        residuals = y - path[-1]
        kernel = kernel_of(residuals)
        changes.append(np.linalg.norm(kernel - stationary))
        path.append(path[-1] + _RATE * (kernel @ residuals))
        linear.append(linear[-1] + _RATE * (stationary @ (y - linear[-1])))
    stop = oracle_stop(
        np.array(path),
        y,
        truth,
        learning_rate=_RATE,
        stationary_kernel=stationary,
        noise_std=_SIGMA,
    )
    error, last = stop.terms.error, int(min(stop.max_step, _N_STEPS))
    gaps = np.square(np.array(path) - np.array(linear)).mean(axis=1)
    return {
        "prediction_gap": float(np.sqrt(gaps.max()) / y.std()),
        "kernel_change": float(max(changes) / np.linalg.norm(stationary)),
        "trace": float(np.trace(stationary)),
        "max_step": last,
        "optimal_step": stop.optimal_step,
        "best_step": int(np.argmin(error)),
        "dropout": float(error[0]),
        "error": float(error[last]),
        "best": float(error.min()),
        "drift": float(stop.terms.drift_term[last]),
        "bound": float(stop.terms.bound[last]),
        "path": [float(f"{value:.5g}") for value in error],
    }


def _kernels(
    kind: str, X: Matrix, depth: int, random_strength: float
) -> Callable[[Vector | None], Matrix]:
    """Return the function from residuals, or None for the stationary kernel, to a kernel matrix."""
    if kind == "regular":
        trees = RegularTrees(X, borders=_BORDERS, depth=depth)
        return lambda residuals: trees.kernel_matrix(
            residuals, math.inf if residuals is None else random_strength
        )
    laws: dict[str, Any] = {"borders": _BORDERS, "depth": depth}
    return lambda residuals: (
        tree_kernel(X, **laws)
        if residuals is None
        else tree_kernel_at(X, residuals, random_strength=random_strength, **laws)
    )
