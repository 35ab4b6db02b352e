"""Runs of a kernel that stays: closed forms against steps taken one by one, and simulations."""

import math

import numpy as np
import pytest

from lukewarm.exceptions import KernelWarning
from lukewarm.kernels import (
    error_decomposition,
    fixed_kernel_run,
    max_theoretical_step,
    rkhs_gap_norm,
    run_decomposition,
)


@pytest.fixture(name="kernel")
def _kernel(generator):
    X = generator.normal(size=(40, 2))
    kernel = np.exp(-np.abs(X[:, None] - X[None]).sum(axis=2)) / 40
    return kernel / np.linalg.eigvalsh(kernel)[-1]


@pytest.fixture(name="gap")
def _gap(kernel, generator):
    return 12 * kernel @ generator.normal(size=40)


def test_terms_are_those_of_the_steps_taken_one_by_one(kernel, gap, generator):
    noise = generator.normal(size=40)
    stepped = error_decomposition([kernel] * 30, gap, noise, learning_rate=0.7)
    steps = [0, 1, 2, 7, 30]
    closed = fixed_kernel_run(kernel, gap, 1.0, 0.7).decomposition(noise, steps)
    for name in ("bias_term", "variance_term", "error", "drift_term"):
        np.testing.assert_allclose(
            getattr(closed, name), getattr(stepped, name)[steps], rtol=1e-9, atol=1e-12
        )
    assert closed.error[0] > 2 * closed.error.min()


def test_drift_of_a_run_whose_kernel_moves_is_its_distance_from_the_fixed_run(
    kernel, gap, generator
):
    y, path = gap + generator.normal(size=40), [np.zeros(40)]
    for step in range(12):
        path.append(path[-1] + 0.5 * (1 + 0.05 * step) * kernel @ (y - path[-1]))
    stepped = run_decomposition(np.array(path), y, gap, 0.5, kernel)
    closed = fixed_kernel_run(kernel, gap, 1.0, 0.5).decomposition(y - gap, range(13), path)
    assert stepped.drift_term[-1] > 1e-4
    np.testing.assert_allclose(closed.drift_term, stepped.drift_term, rtol=1e-8, atol=1e-14)


def test_expected_error_and_its_law_are_those_of_simulated_noise(kernel, gap, generator):
    run, step, n_draws = fixed_kernel_run(kernel, gap, 0.8, 1.0), 4, 20_000
    smoother = np.linalg.matrix_power(np.eye(40) - kernel, step)
    noise = 0.8 * generator.normal(size=(n_draws, 40))
    errors = np.square(-smoother @ gap + noise - noise @ smoother).mean(axis=1)
    tolerance = 4 * errors.std() / math.sqrt(n_draws)
    bias, variance = run.expected_error([step])
    assert bias[0] > 10 * tolerance
    assert variance[0] > 10 * tolerance
    assert bias[0] + variance[0] == pytest.approx(errors.mean(), abs=tolerance)
    law = run.error_law(step)
    assert law.mean == pytest.approx(bias[0] + variance[0], rel=1e-10)
    for probability in (0.05, 0.5, 0.95):
        share = np.mean(errors <= law.quantile(probability))
        margin = 4 * math.sqrt(probability * (1 - probability) / n_draws)
        assert share == pytest.approx(probability, abs=margin)


@pytest.mark.parametrize("noise_std", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("decay", [0.6, 1.0, 3.0])
def test_the_bounds_are_in_their_order_up_to_the_last_step(noise_std, decay, generator):
    eigenvalues = np.arange(1.0, 201.0) ** -decay
    gap = np.sqrt(eigenvalues) * generator.normal(size=200)
    run = fixed_kernel_run(np.diag(eigenvalues), gap, noise_std, 0.9)
    last = int(run.max_step)
    assert last >= 1
    steps = np.unique(np.geomspace(1, last, 20).astype(int))
    bias, variance = run.expected_error(steps)
    bound = run.bound(steps)
    # The lemma's factors 2 and 4 stand before the exact parts.
    assert (2 * bias <= run.rkhs_gap_norm**2 / (math.e * 0.9 * steps)).all()
    assert (2 * bias + 4 * variance <= bound).all()
    assert bound[-1] <= run.rate_bound


def test_the_quantities_are_those_of_the_functions_of_their_own(kernel, gap):
    run = fixed_kernel_run(kernel, gap, 0.5, 1.0)
    norm = rkhs_gap_norm(kernel, gap)
    assert run.rkhs_gap_norm == pytest.approx(norm, rel=1e-9)
    expected = max_theoretical_step(
        run.decomposed.eigenvalues, learning_rate=1.0, noise_std=0.5, rkhs_gap_norm=norm
    )
    assert run.max_step == expected == math.floor(1 / run.critical_radius**2)


@pytest.mark.filterwarnings("ignore", category=KernelWarning)
def test_steps_that_overshoot_are_refused(kernel, gap):
    with pytest.raises(ValueError, match="learning_rate must be at most"):
        fixed_kernel_run(kernel, gap, 0.5, 1.5)
