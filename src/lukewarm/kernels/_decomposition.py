"""The error of a run, cut into bias, variance and drift."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm._validation import check_vector
from lukewarm.kernels._checks import check_kernel_matrix, check_learning_rate
from lukewarm.kernels._spectra import Spectrum, spectrum


@dataclass(frozen=True, eq=False)
class ErrorDecomposition:
    """The terms of the error bound after 0, 1, ..., T steps.

    Parameters
    ----------
    bias_term, variance_term, drift_term : ndarrays of shape (T + 1,)
        B**2, V and D**2 of the lemma.
    error : ndarray of shape (T + 1,)
        The actual ``||f_tau - f_target||**2 / N``.
    drift_norms : ndarray of shape (T,)
        ``||delta_tau||`` of each step.
    """

    bias_term: Vector
    variance_term: Vector
    drift_term: Vector
    error: Vector
    drift_norms: Vector

    @property
    def bound(self) -> Vector:
        """The sum of the three terms, at least the error at every step."""
        return self.bias_term + self.variance_term + self.drift_term


class _Problem(NamedTuple):
    """What a run starts from; the predictions are counted from those of the start."""

    decomposed: Spectrum
    gap: Vector
    noise: Vector
    rate: float


def error_decomposition(
    kernel_matrices: Iterable[Matrix],
    truth_gap: Vector,
    noise: Vector,
    learning_rate: float,
    stationary_kernel: Matrix | None = None,
) -> ErrorDecomposition:
    """Return the terms of the error bound along the run that these kernels make.

    Parameters
    ----------
    kernel_matrices : iterable of arrays of shape (n, n)
        K_0, K_1, ..., one per step, divided by N; ``[K] * n_steps`` for a fixed kernel.
    truth_gap : array of shape (n,)
        ``f_target - f_full`` on the rows with the features removed.
    noise : array of shape (n,)
        ``y - f_target``.
    learning_rate : float
    stationary_kernel : array of shape (n, n), optional
        K; the first of `kernel_matrices` where missing.

    Notes
    -----
    The run is ``f_{tau+1} = f_tau + eps K_tau (y - f_tau)`` from f_full. With ``K = U diag(lambda)
    U'``, ``S = 1 - eps lambda`` and ``delta_tau = (K_tau - K)(y - f_tau)`` the lemma of section
    4.1 says ``error <= 2/N sum S**(2 tau) (U' gap)**2 + 4/N sum (1 - S**tau)**2 (U' noise)**2
    + 4 eps**2/N || sum_i S**(tau-1-i) U' delta_i ||**2``.

    Examples
    --------
    >>> kernel = np.diag([1.0, 0.5, 0.0])
    >>> terms = error_decomposition([kernel] * 4, np.ones(3), np.zeros(3), learning_rate=1.0)
    >>> terms.error.round(3), float(terms.drift_term.max())
    (array([1.   , 0.417, 0.354, 0.339, 0.335]), 0.0)
    """
    kernels = iter(kernel_matrices)
    first = next(kernels, None)
    if first is None:
        raise ValueError("kernel_matrices must hold at least one matrix; got none.")
    stationary = first if stationary_kernel is None else stationary_kernel
    problem = _prepare(stationary, truth_gap, noise, learning_rate)
    matrix, target = np.asarray(stationary, dtype=float), problem.gap + problem.noise
    position = np.zeros_like(target)
    positions, drifts = [position], []
    for kernel in _checked(first, kernels):
        left = target - position
        # Predictions are counted from the start, so that position + gap left = target at every
        # step.
        update = kernel @ left
        # delta_tau = (K_tau - K)(y - f_tau): what the run does and the stationary kernel would not.
        drifts.append(update - matrix @ left)
        position = position + problem.rate * update
        positions.append(position)
    return _terms(problem, np.array(positions), np.array(drifts))


def run_decomposition(
    predictions: Matrix,
    y: Vector,
    truth: Vector,
    learning_rate: float,
    stationary_kernel: Matrix,
) -> ErrorDecomposition:
    """Return the terms of the error bound along any run, from its predictions alone.

    Parameters
    ----------
    predictions : array of shape (T + 1, n)
        f_0, ..., f_T on the training rows with the features removed.
    y, truth : arrays of shape (n,)
        The response and f_target on those rows.
    learning_rate : float
    stationary_kernel : array of shape (n, n)
        K, divided by N.

    Notes
    -----
    Here ``delta_tau = (f_{tau+1} - f_tau) / eps - K (y - f_tau)``: all by which a step departs
    from the step of the fixed kernel, a network's curvature and a tree's chance included.

    Examples
    --------
    >>> kernel, y = np.eye(2) / 2, np.array([1.0, 2.0])
    >>> run = np.array([0 * y, y / 2, 3 * y / 4])
    >>> run_decomposition(run, y, y, 1.0, kernel).drift_term
    array([0., 0., 0.])
    """
    path = np.asarray(predictions, dtype=float)
    y = check_vector("y", y)
    if path.ndim != 2 or path.shape[1] != len(y) or len(path) < 2:
        raise ValueError(
            "predictions must have one row per step, at least two, and one column per row of y "
            f"({len(y)}); got shape {path.shape}."
        )
    truth = check_vector("truth", truth, n_rows=len(y))
    problem = _prepare(stationary_kernel, truth - path[0], y - truth, learning_rate)
    matrix = np.asarray(stationary_kernel, dtype=float)
    # The run's own kernel is not needed: K_tau (y - f_tau) is the step it took, over the learning
    # rate. `matrix` is symmetric, so it may stand on the right of rows.
    drifts = np.diff(path, axis=0) / problem.rate - (y - path[:-1]) @ matrix
    return _terms(problem, path - path[0], drifts)


def _prepare(
    stationary: Matrix, truth_gap: Vector, noise: Vector, learning_rate: float
) -> _Problem:
    decomposed = spectrum(stationary)
    n_rows = len(decomposed.eigenvalues)
    gap = check_vector("truth_gap", truth_gap, n_rows=n_rows)
    noise = check_vector("noise", noise, n_rows=n_rows)
    rate = check_learning_rate(learning_rate, decomposed.eigenvalues[0])
    return _Problem(decomposed, gap, noise, rate)


def _checked(first: Matrix, rest: Iterable[Matrix]) -> Iterable[Matrix]:
    yield check_kernel_matrix("kernel_matrices[0]", first)
    for step, kernel in enumerate(rest, start=1):
        # The usual [K] * n_steps repeats one object, which need not be looked at again.
        yield kernel if kernel is first else check_kernel_matrix(f"kernel_matrices[{step}]", kernel)


def _terms(problem: _Problem, positions: Matrix, drifts: Matrix) -> ErrorDecomposition:
    n_rows, rotation = len(problem.gap), problem.decomposed.eigenvectors
    shrinkage = 1 - problem.rate * problem.decomposed.eigenvalues
    powers = shrinkage ** np.arange(len(positions))[:, None]
    # 2, 4, 4 are those of the lemma: (a + b + c)**2 <= 2 a**2 + 4 b**2 + 4 c**2.
    bias = 2 / n_rows * (powers**2 @ (rotation.T @ problem.gap) ** 2)
    variance = 4 / n_rows * ((1 - powers) ** 2 @ (rotation.T @ problem.noise) ** 2)
    carried, drift = np.zeros(n_rows), [0.0]
    for rotated in drifts @ rotation:
        # sum over s of S**(tau - s) delta_s by Horner's rule: one vector in place of tau of them.
        carried = shrinkage * carried + rotated
        drift.append(4 * problem.rate**2 / n_rows * float(carried @ carried))
    error = ((positions - problem.gap) ** 2).mean(axis=1)
    norms = np.linalg.norm(drifts, axis=1)
    return ErrorDecomposition(bias, variance, np.array(drift), error, norms)
