"""Truths that lie where the models can reach them: a random network, random trees."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lukewarm._typing import Matrix, Vector

Truth = Callable[[Matrix], Vector]


def random_network(width: int, generator: np.random.Generator) -> Truth:
    """Return a random network with one hidden ReLU layer of all features but the first."""
    weights = generator.standard_normal((2, width))
    biases, readout = generator.standard_normal((2, width))

    def truth(X: Matrix) -> Vector:
        hidden = np.maximum(X[:, 1:] @ weights / np.sqrt(3) + 0.1 * biases, 0)
        return hidden @ readout / np.sqrt(width)

    return truth


def random_trees(generator: np.random.Generator, n_trees: int = 50) -> Truth:
    """Return a sum of random trees of depth 2 in the second and third of three features.

    Feature j takes the values j - 1, j, j + 1, j + 2, counted from 1.
    """
    features = generator.integers(1, 3, size=(n_trees, 2))
    thresholds = features + generator.integers(3, size=(n_trees, 2)) + 0.5
    leaves = generator.standard_normal((n_trees, 4)) / np.sqrt(n_trees)

    def truth(X: Matrix) -> Vector:
        sides = X[:, features] > thresholds
        return leaves[np.arange(n_trees), 2 * sides[:, :, 0] + sides[:, :, 1]].sum(axis=1)

    return truth
