from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal

from lukewarm.learners.kernel._basis import LandmarkBasis
from lukewarm.learners.kernel._choice import PENALTIES, Training
from lukewarm.learners.kernel._kernel import Kernel
from lukewarm.learners.kernel._likelihood import Likelihood
from lukewarm.learners.kernel._path import EigenPath, ridge_filters

CLOSE = 1e-8


@pytest.fixture
def rows(generator):
    return generator.normal(size=(40, 3))


@pytest.fixture
def y(rows, generator):
    return rows[:, 0] + np.sin(2 * rows[:, 1]) + generator.normal(size=40)


def brute_force(kernel_rows, kernel_cross, y, weights, penalty):
    """Return predictions of weighted kernel ridge regression with a free constant."""
    n_rows = len(y)
    ridge = penalty * weights.sum() * np.diag(1 / weights)
    system = np.block([[kernel_rows + ridge, np.ones((n_rows, 1))], [np.ones(n_rows), 0.0]])
    solution = np.linalg.solve(system, np.append(y, 0.0))
    return kernel_cross @ solution[:-1] + solution[-1]


KERNELS = [
    Kernel("rbf", np.array([0.5, 1.0, 0.2]), np.zeros(3)),
    Kernel("rbf", np.array([0.5, 1.0, 0.2]), np.array([0.3, 0.1, 0.0])),
    Kernel("laplace", np.array([0.5, 1.0, 0.2]), np.array([0.3, 0.1, 0.2])),
    Kernel("polynomial", np.array([0.5, 1.0, 0.2]), np.zeros(3)),
    Kernel("ntk", np.array([0.5, 1.0, 0.2]), np.zeros(3), depth=2),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.shape)
def test_path_equals_ridge_regression_with_a_free_constant(kernel, rows, y, generator):
    weights = generator.uniform(0.5, 2.0, size=40)
    new = generator.normal(size=(7, 3))
    path = EigenPath.learn(
        LandmarkBasis.learn(kernel, rows), rows, y[:, None], weights / weights.sum()
    )
    penalties = np.array([1e-3, 0.1])
    found = path.outputs(path.eigenfeatures(new), ridge_filters(path.eigenvalues, penalties))
    for column, penalty in zip(found[0].T, penalties, strict=True):
        expected = brute_force(
            kernel.matrix(rows, rows), kernel.matrix(new, rows), y, weights, penalty
        )
        assert column == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.shape)
def test_leave_one_out_equals_fits_without_each_row(kernel, rows, y, generator):
    weights = generator.uniform(0.5, 2.0, size=40)
    penalty, shares = 0.01, weights / weights.sum()
    path = EigenPath.learn(LandmarkBasis.learn(kernel, rows), rows, y[:, None], shares)
    filters = ridge_filters(path.eigenvalues, np.array([penalty]))
    found = path.leave_one_out_residuals(path.eigenfeatures(rows), y[:, None], shares, filters)[
        0, :, 0
    ]
    gram = kernel.matrix(rows, rows)
    for row in range(40):
        others = np.arange(40) != row
        # The penalty stays what it was: it stands beside a sum, not a mean, here.
        scaled = penalty * weights.sum() / weights[others].sum()
        predicted = brute_force(
            gram[np.ix_(others, others)], gram[[row]][:, others], y[others], weights[others], scaled
        )
        assert found[row] == pytest.approx(y[row] - predicted[0], abs=CLOSE)


def test_blocks_of_rows_do_not_change_the_path(rows, y, monkeypatch):
    kernel, shares = KERNELS[1], np.full(40, 1 / 40)
    basis = LandmarkBasis.learn(kernel, rows[:10])
    whole = EigenPath.learn(basis, rows, y[:, None], shares)
    monkeypatch.setattr("lukewarm.learners.kernel._basis._BLOCK_NUMBERS", 70)
    pieces = EigenPath.learn(basis, rows, y[:, None], shares)
    assert pieces.training_features is None
    filters = 1 / (whole.eigenvalues + 0.01)
    assert pieces.coefficients(filters) == pytest.approx(whole.coefficients(filters), abs=CLOSE)


def test_judging_by_kept_features_equals_judging_by_rows(rows, y, monkeypatch):
    training = Training(rows, y[:, None], np.ones(40))
    path = training.path(KERNELS[1], 10)
    kept = training.validation_rows(10).row_losses(path, PENALTIES)
    monkeypatch.setattr("lukewarm.learners.kernel._basis._BLOCK_NUMBERS", 70)
    computed = training.validation_rows(10).row_losses(training.path(KERNELS[1], 10), PENALTIES)
    assert computed == pytest.approx(kept, abs=CLOSE)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.shape)
def test_kernel_without_columns_is_the_kernel_of_the_others(kernel, rows):
    others = [0, 2]
    expected = replace(
        kernel, inverse_scales=kernel.inverse_scales[others], slopes=kernel.slopes[others]
    ).matrix(rows[:, others], rows[:, others])
    found = kernel.without(np.array([False, True, False])).matrix(rows, rows)
    assert found == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("shape", ["rbf", "laplace"])
def test_kernel_without_a_column_is_the_kernel_divided_by_its_factor(shape, rows):
    scales = np.array([0.5, 1.0, 0.2])
    kernel = Kernel(shape, scales, np.zeros(3))
    factor = Kernel(shape, np.array([0.0, 1.0, 0.0]), np.zeros(3))
    divided = kernel.matrix(rows, rows) / factor.matrix(rows, rows)
    found = kernel.without(np.array([False, True, False])).matrix(rows, rows)
    assert found == pytest.approx(divided, abs=CLOSE)


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_tangent_kernel_is_the_recursion_of_arc_cosines(depth, rows):
    scales = np.array([0.5, 1.0, 0.2])
    inputs = rows * scales
    covariance = 2 * inputs @ inputs.T + 1
    tangent = covariance.copy()
    for _ in range(depth):
        lengths = np.sqrt(covariance.diagonal())
        angle = np.arccos(np.clip(covariance / np.outer(lengths, lengths), -1, 1))
        arc = np.sin(angle) + (np.pi - angle) * np.cos(angle)
        covariance = np.outer(lengths, lengths) * arc / np.pi + 1
        tangent = covariance + tangent * (np.pi - angle) / np.pi
    found = Kernel("ntk", scales, np.zeros(3), depth).matrix(rows, rows)
    # The arc cosine knows an angle near zero to the root of the machine epsilon only.
    assert found == pytest.approx(tangent / (depth + 1), abs=1e-6)


def test_gradient_of_the_likelihood_equals_differences(rows, y, generator):
    # Columns 1 and 2 share their parameters.
    likelihood = Likelihood(
        rows, np.column_stack([y, y**2]), generator.uniform(0.5, 2.0, size=40), np.array([0, 1, 1])
    )
    parameters = generator.normal(size=6) / 2
    _, gradient = likelihood(parameters)
    numeric = approx_fprime(parameters, lambda at: likelihood(at)[0], 1e-6)
    assert gradient == pytest.approx(numeric, abs=1e-5)


def test_growths_are_derivatives_by_squared_inverse_scales(rows, y, generator):
    likelihood = Likelihood(rows, y[:, None], np.ones(40), np.arange(3))
    parameters = generator.normal(size=8) / 2
    parameters[2] = np.log(1e-8)
    squares = np.exp(2 * parameters[:3])

    def log_likelihood(at):
        changed = np.concatenate([np.log(at) / 2, parameters[3:]])
        return -40 * likelihood.value(changed)

    numeric = approx_fprime(squares, log_likelihood, 1e-6)
    # One-sided differences err by half the step times the second derivative.
    assert likelihood.growths(parameters) == pytest.approx(numeric, rel=1e-4, abs=1e-3)
    # Its gradient does not see the column whose scale is next to none.
    assert abs(likelihood(parameters)[1][2]) < 1e-8


def test_likelihood_is_that_of_the_normal_distribution(rows, y, generator):
    spread = generator.uniform(0.5, 2.0, size=40)
    likelihood = Likelihood(rows, y[:, None], spread, np.array([0, 1, 1]))
    parameters = generator.normal(size=6) / 2
    scales, slopes, amplitude, noise = likelihood.unpack(parameters)
    covariance = amplitude * Kernel("rbf", scales, slopes).matrix(rows, rows)
    covariance += noise * np.diag(spread)
    expected = -multivariate_normal(cov=covariance).logpdf(y) - 20 * np.log(2 * np.pi)
    assert likelihood.value(parameters) == pytest.approx(expected / 40, rel=CLOSE)


def test_calls_of_the_likelihood_leave_nothing_behind_for_the_next_one(rows, y, generator):
    likelihood = Likelihood(rows, y[:, None], np.ones(40), np.arange(3))
    here, there = generator.normal(size=(2, 8)) / 2
    value, gradient = likelihood(here)
    assert likelihood(there)[0] != value
    assert likelihood.value(here) == value
    again, same = likelihood(here)
    assert again == value
    assert np.array_equal(same, gradient)


def test_diagonal_is_that_of_the_matrix(rows):
    for kernel in KERNELS:
        expected = kernel.matrix(rows, rows).diagonal()
        assert kernel.diagonal(rows) == pytest.approx(expected, abs=CLOSE)
