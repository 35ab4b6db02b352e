"""Complexities, critical radii and stopping times."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from lukewarm.kernels import (
    KernelWarning,
    critical_radius,
    kernel_eigenvalues,
    local_complexity,
    max_theoretical_step,
    optimal_step,
    population_critical_radius,
    rkhs_gap_norm,
    tree_kernel,
)

SPECTRA = {
    "polynomial": 1 / np.arange(1, 201) ** 2.0,
    "exponential": np.exp(-np.arange(200) / 3),
    "finite rank": np.r_[np.ones(5) / 2, np.zeros(100)],
}


def scanned_step(eigenvalues, learning_rate, noise_std, gap):
    """The definition, step by step."""
    for step in range(1, 100_000):
        eta = step * learning_rate
        complexity = math.sqrt(np.minimum(eigenvalues, 1 / eta).sum() / len(eigenvalues))
        if complexity > gap / (2 * math.e * noise_std * eta):
            return step - 1
    raise AssertionError("the scan did not stop")


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("gap_power", [1, 2])
def test_step_by_scan_equals_the_closed_form(name, gap_power):
    generator = np.random.default_rng(0)
    steps = set()
    for _ in range(30):
        rate = generator.uniform(0.02, 1)
        noise, gap = 10 ** generator.uniform(-1, 0.5), 10 ** generator.uniform(-0.3, 0.3)
        step = max_theoretical_step(
            SPECTRA[name], learning_rate=rate, noise_std=noise, rkhs_gap_norm=gap,
            gap_power=gap_power,
        )  # fmt: skip
        radius = critical_radius(SPECTRA[name], noise, gap, gap_power=gap_power)
        assert step == scanned_step(SPECTRA[name], rate, noise, gap**gap_power)
        assert step == math.floor(1 / (rate * radius**2))
        steps.add(step)
    assert len(steps) > 10


def test_a_tie_does_not_stop():
    # One eigenvalue 1, N = 1, C_H = 2 e sigma: R(1/sqrt(eta)) = 1/sqrt(eta) against 1/eta, equal
    # at eta = 1 only, which is step 4 here.
    arguments = {"noise_std": 1.0, "rkhs_gap_norm": 2 * math.e}
    assert max_theoretical_step([1.0], learning_rate=0.25, **arguments) == 4


@pytest.mark.parametrize("scale", [1e-3, 1e4])
def test_step_is_free_of_the_scale_of_y_only_with_the_first_power(scale):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2))
    kernel = tree_kernel(X, borders=[np.linspace(-1, 1, 5)] * 2, depth=2)
    gap = kernel @ generator.normal(size=60)

    def step(factor, gap_power):
        return max_theoretical_step(
            kernel_eigenvalues(kernel), learning_rate=0.1, noise_std=0.05 * factor,
            rkhs_gap_norm=rkhs_gap_norm(kernel, factor * gap), gap_power=gap_power,
        )  # fmt: skip

    assert 2 < step(1, 1) < 10_000
    assert step(scale, 1) == step(1, 1)
    assert step(scale, 2) != step(1, 2)


def test_zero_means_at_once_and_infinity_never():
    spectrum, arguments = SPECTRA["polynomial"], {"learning_rate": 0.5}
    at_once = max_theoretical_step(spectrum, **arguments, noise_std=1e3, rkhs_gap_norm=1.0)
    assert at_once == 0
    assert isinstance(at_once, int)
    assert max_theoretical_step(spectrum, **arguments, noise_std=1.0, rkhs_gap_norm=0.0) == 0
    for eigenvalues, noise in ((spectrum, 0.0), (np.zeros(5), 1.0)):
        step = max_theoretical_step(eigenvalues, **arguments, noise_std=noise, rkhs_gap_norm=1.0)
        assert step == math.inf


@pytest.mark.parametrize("name", SPECTRA)
def test_complexity_crosses_the_line_at_the_critical_radius(name):
    eigenvalues, noise, gap, n = SPECTRA[name], 0.3, 0.8, 500
    radius = critical_radius(eigenvalues, noise, gap, n_samples=n)
    line = gap / (2 * math.e * noise)
    assert local_complexity(eigenvalues, radius, n) == pytest.approx(line * radius**2, rel=1e-12)
    below, above = local_complexity(eigenvalues, np.array([0.99, 1.01]) * radius, n)
    assert below > line * (0.99 * radius) ** 2
    assert above < line * (1.01 * radius) ** 2


def test_population_radius_has_the_factor_forty():
    eigenvalues, noise, gap = SPECTRA["polynomial"], 0.3, 0.8
    radius = population_critical_radius(eigenvalues, noise, gap, n_samples=1000)
    expected = gap * radius**2 / (40 * noise)
    assert local_complexity(eigenvalues, radius, 1000) == pytest.approx(expected, rel=1e-12)


def test_local_complexity_by_hand():
    assert local_complexity([4.0, 1.0, 0.0], 2.0) == pytest.approx(math.sqrt(5 / 3))
    assert local_complexity([4.0, 1.0, 0.0], 1.0, n_samples=8) == pytest.approx(0.5)
    assert_allclose(local_complexity([4.0, 1.0], [0.0, 100.0]), [0, math.sqrt(2.5)])


def test_gap_norm_recovers_the_norm_of_a_kernel_expansion():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 2))
    kernel = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    alpha = generator.normal(size=30)
    # The kernel matrix has a condition number of 1e9 or so: eps * 1e9.
    norm = rkhs_gap_norm(kernel / 30, kernel @ alpha)
    assert norm == pytest.approx(math.sqrt(alpha @ kernel @ alpha), rel=1e-6)


def test_gap_norm_passes_over_what_the_kernel_cannot_reach():
    vectors = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0]
    kernel = vectors[:, :2] @ np.diag([0.5, 0.1]) @ vectors[:, :2].T
    inside, outside = vectors[:, 1], vectors[:, 4]
    expected = math.sqrt(9 / 0.1 / 6)
    assert rkhs_gap_norm(kernel, 3 * inside + 100 * outside) == pytest.approx(expected, rel=1e-9)


def test_optimal_step_is_the_least_of_the_sum():
    drift = 0.003 * np.arange(200) ** 1.5
    total = [math.inf] + [0.7 / (0.05 * step) + drift[step] for step in range(1, 200)]
    best = int(np.argmin(total))
    assert 1 < best < 199
    assert optimal_step(drift, 0.7, 0.05, math.inf) == best
    assert optimal_step(drift, 0.7, 0.05, best - 1) == best - 1
    assert optimal_step(drift, 0.7, 0.05, 0) == 0


def test_without_drift_all_the_steps_are_taken():
    assert optimal_step(np.zeros(50), 1.0, 0.1, 30) == 30


def test_large_step_sizes_are_warned_about():
    with pytest.warns(KernelWarning, match="learning_rate 0.6 exceeds 0.5"):
        max_theoretical_step([2.0, 1.0], learning_rate=0.6, noise_std=1.0, rkhs_gap_norm=1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"noise_std": -0.1}, "noise_std must be at least 0"),
        ({"rkhs_gap_norm": -1.0}, "rkhs_gap_norm must be at least 0"),
        ({"eigenvalues": [1.0, -0.1]}, "must not be negative beyond round-off"),
        ({"eigenvalues": []}, "must not be empty"),
        ({"learning_rate": 0.0}, "learning_rate must be greater than 0"),
        ({"gap_power": 3}, "gap_power must be in 1..2"),
        ({"n_samples": 0}, "n_samples must be at least 1"),
    ],
)
def test_bad_arguments_are_named(change, message):
    arguments = {
        "eigenvalues": [1.0], "learning_rate": 0.1, "noise_std": 1.0, "rkhs_gap_norm": 1.0, **change
    }  # fmt: skip
    with pytest.raises(ValueError, match=message):
        max_theoretical_step(**arguments)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (np.array([[1.0, 0.5], [0.4, 1.0]]), "must be symmetric"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), "not a kernel's"),
        (np.ones((2, 3)), "must be square"),
    ],
)
def test_matrices_that_are_no_kernel_are_refused(kernel, message):
    with pytest.raises(ValueError, match=message):
        rkhs_gap_norm(kernel, np.ones(2))


def test_round_off_below_zero_is_forgiven_in_the_matrix_own_precision():
    X = np.random.default_rng(0).normal(size=(200, 2))
    kernel = np.exp(-((X[:, None] - X) ** 2).sum(axis=2)).astype(np.float32)
    assert np.linalg.eigvalsh(kernel).min() < -1e-9
    assert kernel_eigenvalues(kernel).min() == 0
