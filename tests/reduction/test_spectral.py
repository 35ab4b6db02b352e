"""Spectral filters against what they stand for."""

import numpy as np
import pytest

from lukewarm.reduction.linearized._flow_paths import cross_entropy_flow, step_sizes_of_path
from lukewarm.reduction.linearized._spectral import (
    LandmarkBasis,
    Spectrum,
    flow_filter,
    ridge_filter,
    single_step_filter,
    steps_filter,
)


def kernel_problem(n_rows=30, rank=40, seed=0):
    generator = np.random.default_rng(seed)
    gradients = generator.normal(size=(n_rows, rank))
    return gradients @ gradients.T, generator.normal(size=n_rows)


def fitted(kernel, residuals, filters_of, weights=None):
    """What the filtered function adds at the rows themselves, all rows being landmarks."""
    basis = LandmarkBasis.learn(kernel, 1e-16)
    features = basis.features(kernel)
    spectrum = Spectrum.of_rows(features, residuals, weights)
    return features @ spectrum.coefficients(filters_of(spectrum.eigenvalues))


def test_steps_equal_the_kernel_update_equation_step_by_step():
    kernel, target = kernel_problem()
    scaled = kernel / len(target)
    learning_rate = 0.5 / np.linalg.eigvalsh(scaled)[-1]
    function = np.zeros(len(target))
    for _ in range(37):
        function = function - learning_rate * scaled @ (function - target)
    closed = fitted(kernel, target, lambda values: steps_filter(values, [37], learning_rate))
    assert np.abs(function).max() > 0.1
    np.testing.assert_allclose(closed[:, 0], function, atol=1e-8)


def test_flow_is_the_limit_of_small_steps():
    eigenvalues = np.array([0.0, 0.3, 2.0])
    # First order in the step size 1e-6 of a path of length 1.
    np.testing.assert_allclose(
        flow_filter(eigenvalues, np.array([1.0])),
        steps_filter(eigenvalues, [1_000_000], 1e-6),
        atol=5e-6,
    )


def test_flow_without_time_adds_nothing():
    assert not flow_filter(np.array([0.0, 1.0, 5.0]), np.zeros(1)).any()


def test_endless_flow_interpolates():
    kernel, target = kernel_problem()
    endless = fitted(kernel, target, lambda values: flow_filter(values, np.array([1e12])))
    np.testing.assert_allclose(endless[:, 0], target, atol=1e-8)


def test_ridge_equals_kernel_ridge_regression():
    kernel, target = kernel_problem()
    penalty = 0.7
    expected = kernel @ np.linalg.solve(kernel + penalty * len(target) * np.eye(30), target)
    closed = fitted(kernel, target, lambda values: ridge_filter(values, [penalty]))
    np.testing.assert_allclose(closed[:, 0], expected, atol=1e-8)


def test_single_step_equals_one_gradient_step():
    kernel, target = kernel_problem()
    closed = fitted(kernel, target, lambda values: single_step_filter(values, [0.4]))
    np.testing.assert_allclose(closed[:, 0], 0.4 * kernel @ target / 30, atol=1e-8)


def test_whole_weights_equal_repeated_rows():
    kernel, target = kernel_problem()
    counts = np.arange(30) % 3 + 1
    repeated = np.repeat(np.arange(30), counts)
    weighted = fitted(
        kernel, target, lambda values: ridge_filter(values, [0.3]), counts / counts.sum()
    )
    expected = np.linalg.solve(
        kernel[np.ix_(repeated, repeated)] + 0.3 * len(repeated) * np.eye(len(repeated)),
        target[repeated],
    )
    np.testing.assert_allclose(weighted[:, 0], kernel[:, repeated] @ expected, atol=1e-8)


def test_landmarks_that_others_span_are_left_out():
    kernel, _ = kernel_problem(n_rows=30, rank=7)
    basis = LandmarkBasis.learn(kernel, 1e-15)
    assert len(basis.pivots) == 7
    features = basis.features(kernel)
    np.testing.assert_allclose(features @ features.T, kernel, atol=1e-8)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_cross_entropy_flow_follows_its_gradient(n_outputs):
    """Against very many plain gradient steps of the same total length."""
    generator = np.random.default_rng(0)
    n_rows, rank = 40, 5
    features = generator.normal(size=(n_rows * n_outputs, rank))
    logits = generator.normal(size=(n_rows, n_outputs))
    codes = generator.integers(2 if n_outputs == 1 else 3, size=n_rows).astype(float)
    shares = np.full(n_rows, 1 / n_rows)
    spectrum = Spectrum.of_rows(features, np.zeros(len(features)), np.repeat(shares, n_outputs))
    step_sizes = step_sizes_of_path(spectrum.eigenvalues)[:75]
    path = cross_entropy_flow(features, logits, codes, shares, spectrum, step_sizes)
    n_steps = 20_000
    plain = np.zeros(rank)
    wanted = codes[:, None] if n_outputs == 1 else np.eye(3)[codes.astype(int)]
    for _ in range(n_steps):
        current = logits + (features @ plain).reshape(logits.shape)
        odds = np.exp(current)
        chance = odds / (1 + odds) if n_outputs == 1 else odds / odds.sum(axis=1, keepdims=True)
        plain += (
            step_sizes[-1] / n_steps * features.T @ ((wanted - chance) * shares[:, None]).ravel()
        )
    assert np.abs(plain).max() > 0.1
    # The integrator is of first order; neighbouring points of its path are 16 % apart.
    np.testing.assert_allclose(path[-1], plain, atol=0.05 * np.abs(plain).max())
