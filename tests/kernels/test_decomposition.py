"""The terms of the error, against closed forms and the lemma's bound."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lukewarm.kernels import KernelWarning, error_decomposition, run_decomposition, tree_kernel

RATE, N_STEPS = 0.7, 40


def problem(seed: int = 0, n: int = 30, rank: int | None = None):
    """A kernel with largest eigenvalue 1, a gap that it partly reaches, and noise."""
    generator = np.random.default_rng(seed)
    vectors = np.linalg.qr(generator.normal(size=(n, n)))[0]
    eigenvalues = 1 / np.arange(1, n + 1) ** 1.5
    if rank is not None:
        eigenvalues[rank:] = 0
    kernel = vectors @ np.diag(eigenvalues) @ vectors.T
    kernel = (kernel + kernel.T) / 2
    gap = generator.normal(size=n)
    return kernel, gap, 0.5 * generator.normal(size=n), generator


def evolving(kernel, generator):
    """Kernels that wander away from `kernel` and stay positive definite."""
    factor = np.linalg.cholesky(kernel + 1e-12 * np.eye(len(kernel)))
    for step in range(N_STEPS):
        moved = factor + 0.02 * step / N_STEPS * generator.normal(size=factor.shape)
        yield moved @ moved.T / max(1, np.linalg.norm(moved, 2) ** 2)


@pytest.mark.parametrize("rank", [None, 7])
def test_a_fixed_kernel_has_no_drift_and_the_closed_form_error(rank):
    kernel, gap, noise, _ = problem(rank=rank)
    terms = error_decomposition([kernel] * N_STEPS, gap, noise, RATE)
    assert_array_equal(terms.drift_term, 0)
    shrink = np.eye(len(gap))
    for step in range(N_STEPS + 1):
        left = -shrink @ gap + (np.eye(len(gap)) - shrink) @ noise
        assert terms.error[step] == pytest.approx(np.mean(left**2), abs=1e-10)
        assert terms.bias_term[step] == pytest.approx(2 * np.mean((shrink @ gap) ** 2), abs=1e-10)
        learnt = noise - shrink @ noise
        assert terms.variance_term[step] == pytest.approx(4 * np.mean(learnt**2), abs=1e-10)
        shrink = shrink @ (np.eye(len(gap)) - RATE * kernel)
    assert terms.error[-1] < 0.9 * terms.error[0]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("case", ["fixed", "rank-deficient", "evolving"])
def test_the_bound_holds_at_every_step(seed, case):
    kernel, gap, noise, generator = problem(seed, rank=7 if case == "rank-deficient" else None)
    kernels = evolving(kernel, generator) if case == "evolving" else [kernel] * N_STEPS
    terms = error_decomposition(kernels, gap, noise, RATE, stationary_kernel=kernel)
    assert (terms.error <= terms.bound).all()
    if case == "evolving":
        # The kernels must have moved far enough for the last term to matter.
        assert terms.drift_term[-1] > 0.01 * terms.error[-1]
        assert terms.drift_term[0] == 0
        assert (terms.drift_norms > 0).any()


def test_drift_term_is_the_sum_of_the_lemma():
    kernel, gap, noise, generator = problem(n=12)
    kernels = list(evolving(kernel, generator))
    terms = error_decomposition(kernels, gap, noise, RATE, stationary_kernel=kernel)
    position, deltas = np.zeros(12), []
    for matrix in kernels:
        deltas.append((matrix - kernel) @ (gap + noise - position))
        position = position + RATE * matrix @ (gap + noise - position)
    for step in (1, 2, 17, N_STEPS):
        powers = [
            np.linalg.matrix_power(np.eye(12) - RATE * kernel, step - 1 - i) for i in range(step)
        ]
        total = sum(power @ delta for power, delta in zip(powers, deltas, strict=False))
        expected = 4 * RATE**2 / 12 * total @ total
        assert terms.drift_term[step] == pytest.approx(expected, rel=1e-10)


def test_terms_from_predictions_equal_terms_from_kernels():
    kernel, gap, noise, generator = problem()
    kernels = list(evolving(kernel, generator))
    start = generator.normal(size=len(gap))
    truth = start + gap
    path = [start]
    for matrix in kernels:
        path.append(path[-1] + RATE * matrix @ (truth + noise - path[-1]))
    by_kernels = error_decomposition(kernels, gap, noise, RATE, stationary_kernel=kernel)
    by_run = run_decomposition(np.array(path), truth + noise, truth, RATE, kernel)
    for name in ("bias_term", "variance_term", "drift_term", "error", "drift_norms"):
        assert_allclose(getattr(by_run, name), getattr(by_kernels, name), rtol=1e-9, atol=1e-13)


def test_the_first_kernel_is_the_stationary_one_by_default():
    kernel, gap, noise, generator = problem()
    kernels = list(evolving(kernel, generator))
    terms = error_decomposition(kernels, gap, noise, RATE)
    expected = error_decomposition(kernels, gap, noise, RATE, stationary_kernel=kernels[0])
    assert_array_equal(terms.drift_term, expected.drift_term)
    assert terms.drift_norms[0] == 0


def test_steps_beyond_the_largest_eigenvalue_are_warned_about():
    kernel, gap, noise, _ = problem()
    with pytest.warns(KernelWarning, match="exceeds"):
        error_decomposition([3 * kernel], gap, noise, RATE)


def test_tree_kernels_may_take_full_steps():
    X = np.random.default_rng(0).normal(size=(20, 2))
    kernel = tree_kernel(X, borders=[[0.0], [0.0]], depth=1)
    terms = error_decomposition([kernel], X[:, 0], np.zeros(20), 1.0)
    assert terms.error[1] < terms.error[0]


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        ([], "at least one matrix"),
        ([np.eye(3), np.triu(np.ones((3, 3)))], r"kernel_matrices\[1\] must be symmetric"),
        ([np.eye(2)], "truth_gap must have 2 rows"),
    ],
)
def test_bad_kernels_are_named(kernels, message):
    with pytest.raises(ValueError, match=message):
        error_decomposition(kernels, np.ones(3), np.zeros(3), 0.5)


def test_predictions_of_the_wrong_shape_are_named():
    with pytest.raises(ValueError, match="one row per step"):
        run_decomposition(np.ones((4, 2)), np.ones(3), np.ones(3), 0.5, np.eye(3))
