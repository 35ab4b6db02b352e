"""Kernels along runs of networks, and the infinite-width limit of the tangent kernel."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lukewarm.kernels import (
    follow_run,
    kernel_eigenvalues,
    network_kernel,
    ntk,
    oracle_stop,
    run_decomposition,
)

pytest.importorskip("torch")

from lukewarm.learners import Network, ObliviousBoosting

SCALES = {"weight_scale": math.sqrt(1 - 0.1**2), "bias_scale": 0.1}


def data(n: int = 30):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n, 3))
    X = (X - X.mean(axis=0)) / X.std(axis=0)  # so that the network's own scaling changes nothing
    truth = np.sin(2 * X[:, 1])
    return X, truth, truth + X[:, 0] + 0.1 * generator.normal(size=n)


def network(width, seed=0, n_rows=30, learning_rate=0.1, n_hidden_layers=1, **changes):
    return Network(
        widths=(width,) * n_hidden_layers, optimizer="sgd", learning_rate=learning_rate,
        batch_size=n_rows, seed=seed, **{**SCALES, **changes},
    )  # fmt: skip


def barely_trained(X, y, width, seed, n_hidden_layers):
    """Return a network that has met its rows, but whose parameters are those it was drawn with."""
    learner = network(width, seed, len(X), 1e-12, n_hidden_layers)
    learner.advance(X, y, 1)
    return learner


@pytest.mark.parametrize("n_hidden_layers", [1, 2])
def test_tangent_kernels_of_wide_networks_approach_the_ntk(n_hidden_layers):
    X, _, y = data(8)
    limit = ntk(X, n_hidden_layers=n_hidden_layers, **SCALES) / 8
    n_seeds, spreads = 40, []
    for width in (32, 512):
        kernels = np.array(
            [
                network_kernel(barely_trained(X, y, width, seed, n_hidden_layers), X)
                for seed in range(n_seeds)
            ]
        )
        error = kernels.std(axis=0, ddof=1) / math.sqrt(n_seeds)
        spreads.append(kernels.std(axis=0).mean())
        # 36 distinct entries at 4.5 standard errors, and a bias of order 1 / width.
        distance = np.abs(kernels.mean(axis=0) - limit)
        assert (distance < 4.5 * error + limit.max() / width).all()
    # width**-1/2 makes a factor of 4, give or take the noise of two standard deviations.
    assert 2.8 < spreads[0] / spreads[1] < 5.7


def test_a_small_step_of_gradient_descent_is_the_kernels_step():
    X, _, y = data()
    changes = []
    for rate in (1e-2, 1e-3):
        learner = network(64, learning_rate=rate)
        learner.advance(X, y, 20)
        before, kernel = learner.predict(X), network_kernel(learner, X)
        learner.advance(X, y, 1)
        step = learner.predict(X) - before
        expected = 2 * rate * kernel @ (y - before)
        changes.append(np.linalg.norm(step - expected) / np.linalg.norm(expected))
    # The rest is of second order in the rate, above the round-off of float32 predictions.
    assert changes[0] < 0.02
    assert changes[1] < 0.003


def test_kernel_of_a_trained_network_is_a_kernel():
    X, _, y = data()
    learner = network(32)
    learner.advance(X, y, 10)
    kernel = network_kernel(learner, X)
    assert_array_equal(kernel, kernel.T)
    assert kernel_eigenvalues(kernel)[0] > 0.05


def test_wider_networks_drift_less():
    X, truth, y = data()
    X_removed = X * [0, 1, 1]
    limit = ntk(X_removed, n_hidden_layers=1, **SCALES) / 30
    moved, drift = [], []
    for width in (64, 1024):
        runs = []
        for seed in range(6):
            full = network(width, seed)
            full.advance(X, y, 50)
            runs.append(
                follow_run(full, X_removed, y, 40, kernel=network_kernel, kernel_steps=[0, 40])
            )
        moved.append(np.mean([run.distances()[1] for run in runs]))
        terms = [run_decomposition(run.predictions, y, truth, 0.2, limit) for run in runs]
        assert all((term.error <= term.bound).all() for term in terms)
        drift.append(np.mean([math.sqrt(term.drift_term[-1]) for term in terms]))
    # A factor of 4 at slope -1/2; the kernel's own movement falls faster.
    assert drift[0] > 2 * drift[1]
    assert moved[0] > 3 * moved[1]


def test_oracle_stop_of_a_network():
    X, truth, y = data()
    X_removed = X * [0, 1, 1]
    full = network(512)
    full.advance(X, y, 50)
    run = follow_run(full, X_removed, y, 60, kernel=network_kernel)
    stop = oracle_stop(
        run.predictions, y, truth, learning_rate=0.2,
        stationary_kernel=network_kernel(full, X_removed), noise_std=1.0,
    )  # fmt: skip
    assert 0 <= stop.optimal_step <= stop.max_step
    assert (stop.terms.error <= stop.terms.bound).all()
    assert_allclose(stop.terms.error[0], np.mean((run.predictions[0] - truth) ** 2))


def test_learners_without_a_tangent_kernel_are_refused():
    with pytest.raises(TypeError, match="must be a network"):
        network_kernel(ObliviousBoosting(), np.ones((2, 2)))


def test_networks_with_several_outputs_are_refused():
    X, _, _ = data()
    learner = network(8).for_classes(3)
    learner.advance(X, np.arange(30) % 3, 1)
    with pytest.raises(ValueError, match="must have one output; got 3"):
        network_kernel(learner, X)
