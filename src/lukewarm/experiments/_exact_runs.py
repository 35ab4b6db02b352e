"""One warm start of a kernel machine, where the truth is known and the kernel cannot move."""

from __future__ import annotations

from typing import Any

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.data import Removal, Rows
from lukewarm.kernels import (
    FixedKernelRun,
    fixed_kernel_run,
    kernel_eigenvalues,
    local_complexity,
    optimal_step,
    population_critical_radius,
)
from lukewarm.learners import KernelMachineRegressor, train_until
from lukewarm.learners.kernel import KernelMachine, n_updates
from lukewarm.stopping import Patience

# Of y on x1, and of x1 with x2: without x1, x2 takes over 0.8 of the slope.
_SLOPE, _CORRELATION = 1.5, 0.8
_NOISE_STD = 1.0
# Of y given x2 and x3.
_SIGMA = float(np.sqrt(_NOISE_STD**2 + _SLOPE**2 * (1 - _CORRELATION**2)))
# Fixed, so that all sizes are runs in one space; its eigenvalues fall polynomially.
_KERNEL: dict[str, Any] = {"kernel": "laplace", "length_scale": 2.0, "ard": False}
# 1.5 * 2**21 updates: by then the noise has been learnt by heart.
_N_STEPS = 44
_TEST_ROWS = 1000
# Enough rows that their eigenvalues stand for those of the population.
_POPULATION_ROWS = 500
STARTS = ("other rows", "same rows")


def exact_run(
    n_rows: int, start: str, generator: np.random.Generator, *, with_curves: bool
) -> dict[str, Any]:
    """Return the theory's quantities for a warm start on `n_rows` rows, and what the run did.

    Parameters
    ----------
    n_rows : int
    start : "other rows" or "same rows"
        Where the full model was trained: on rows of its own, as the theory has it, or on the rows
        of the warm start, as Algorithm 1 has it.
    generator : Generator
    with_curves : bool
        Whether all steps are kept, for the figure.
    """
    train, stopping, others = (_rows(n_rows, generator) for _ in range(3))
    learner = KernelMachine(KernelMachineRegressor(**_KERNEL))
    of_full = train if start == "same rows" else others
    full: Any = train_until(learner, of_full, stopping, Patience(6), 70)[0]
    removal = Removal.learn(train.X)
    X, X_new = (removal.apply(each, (0,)) for each in (train.X, _features(_TEST_ROWS, generator)))
    begun, target = full.predict(X), best_without(X)
    reduced = full.copy(0)
    reduced.advance(X, train.y, _N_STEPS)
    rate = reduced.learning_rate
    run = fixed_kernel_run(full.kernel_matrix(X), target - begun, _SIGMA, rate)
    steps = n_updates(range(_N_STEPS + 1))
    path = reduced.staged_predict(X, full.n_steps)
    terms = run.decomposition(train.y - target, steps, path - begun)
    population = np.square(reduced.staged_predict(X_new, full.n_steps) - best_without(X_new)).mean(
        axis=1
    )
    last = int(run.max_step)
    at_last = run.decomposition(train.y - target, [last])
    outcome = {
        "max_step": last,
        "optimal_step": _optimal(run, steps, terms.drift_term),
        "best_step": int(steps[np.argmin(terms.error)]),
        "radius": run.critical_radius,
        "population_radius": _population_radius(full, removal, run, n_rows, generator),
        "gap_norm": run.rkhs_gap_norm,
        "trace": float(run.decomposed.eigenvalues.sum()),
        "drift": float(terms.drift_term.max()),
        "lemma_holds": bool((terms.error <= terms.bound).all()),
        "dropout": float(terms.error[0]),
        "best": float(terms.error.min()),
        "error": float(at_last.error[0]),
        "population": float(np.interp(np.log(last), np.log(steps[1:]), population[1:])),
        "expected": float(sum(part[0] for part in run.expected_error([last]))),
        "lemma": float(at_last.bound[0]),
        "step_bound": float(run.bound([last])[0]),
        "rate_bound": run.rate_bound,
        "exceeds": 1 - run.error_law(last).cdf(float(run.bound([last])[0])),
    }
    return {**outcome, "curves": _curves(run, steps, terms, population)} if with_curves else outcome


def best_without(X: Matrix) -> Vector:
    """Return the best prediction of y from x2 and x3."""
    return _SLOPE * _CORRELATION * X[:, 1] + _bumps(X)


def _bumps(X: Matrix) -> Vector:
    up = np.square(X[:, 1] - 1) + np.square(X[:, 2] - 1)
    down = np.square(X[:, 1] + 1) + np.square(X[:, 2])
    return 2 * np.exp(-up / 4.5) - 2 * np.exp(-down / 4.5)


def _features(n_rows: int, generator: np.random.Generator) -> Matrix:
    X = generator.standard_normal((n_rows, 3))
    X[:, 0] = _CORRELATION * X[:, 1] + np.sqrt(1 - _CORRELATION**2) * X[:, 0]
    return X


def _rows(n_rows: int, generator: np.random.Generator) -> Rows:
    X = _features(n_rows, generator)
    noise = _NOISE_STD * generator.standard_normal(n_rows)
    return Rows(X, _SLOPE * X[:, 0] + _bumps(X) + noise)


def _optimal(run: FixedKernelRun, steps: Vector, drift: Vector) -> int:
    """Return T_op, the measured drift standing for its bound between the steps measured."""
    every = np.interp(np.arange(int(run.max_step) + 1), steps, drift)
    constant = float(run.bound([1])[0]) * run.learning_rate
    return optimal_step(every, constant, run.learning_rate, run.max_step)


def _population_radius(
    full: Any, removal: Removal, run: FixedKernelRun, n_rows: int, generator: np.random.Generator
) -> float:
    many = removal.apply(_features(_POPULATION_ROWS, generator), (0,))
    eigenvalues = kernel_eigenvalues(full.kernel_matrix(many))
    return population_critical_radius(eigenvalues, _SIGMA, run.rkhs_gap_norm, n_rows)


def _curves(run: FixedKernelRun, steps: Vector, terms: Any, population: Vector) -> dict[str, Any]:
    radii = np.geomspace(run.critical_radius / 30, run.critical_radius * 8, 60)
    complexity = np.asarray(local_complexity(run.decomposed.eigenvalues, radii))
    bias, variance = run.expected_error(steps)
    laws = [run.error_law(int(step)) for step in steps[1:]]
    curves = {
        "radii": radii,
        "complexity": complexity,
        "line": radii**2 * run.rkhs_gap_norm / (2 * np.e * run.noise_std),
        "steps": steps,
        "error": terms.error,
        "population": population,
        "bias_term": terms.bias_term,
        "variance_term": terms.variance_term,
        "drift_term": terms.drift_term,
        "expected": bias + variance,
        "low": np.array([bias[0], *(law.quantile(0.025) for law in laws)]),
        "high": np.array([bias[0], *(law.quantile(0.975) for law in laws)]),
        "step_bound": run.bound(np.maximum(steps, 1)),
    }
    return {name: [float(f"{value:.6g}") for value in values] for name, values in curves.items()}
