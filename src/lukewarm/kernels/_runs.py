"""Along a real run: the kernel at chosen steps, how far it moves, and the step that was best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lukewarm._typing import Features, Matrix, Vector
from lukewarm._validation import check_count, check_number, check_vector
from lukewarm.kernels._decomposition import ErrorDecomposition, run_decomposition
from lukewarm.kernels._fixed_kernel import BOUND_CONSTANT
from lukewarm.kernels._spectra import kernel_eigenvalues, rkhs_gap_norm
from lukewarm.kernels._stopping_times import max_theoretical_step, optimal_step

if TYPE_CHECKING:
    from lukewarm.learners import BaseLearner

KernelOf: TypeAlias = "Callable[[BaseLearner, Features, Vector], Matrix]"
"""A learner where it stands, the rows and the response -> its kernel matrix, divided by N."""


@dataclass(frozen=True, eq=False)
class KernelRun:
    """What a run showed on its training rows; means over seeds where there are several.

    Parameters
    ----------
    predictions : ndarray of shape (n_steps + 1, n)
    steps : ndarray of shape (n_kernels,)
        The steps after which the kernel was taken.
    kernel_matrices : ndarray of shape (n_kernels, n, n)
    """

    predictions: Matrix
    steps: np.ndarray
    kernel_matrices: np.ndarray

    def distances(self, reference: Matrix | None = None) -> Vector:
        """Return ``||K_tau - reference||`` (Frobenius), from the first kernel where missing."""
        base = self.kernel_matrices[0] if reference is None else reference
        return np.linalg.norm(self.kernel_matrices - base, axis=(1, 2))


@dataclass(frozen=True, eq=False)
class OracleStop:
    """The stopping times that knowledge of the truth gives.

    Parameters
    ----------
    optimal_step : int
        T_op.
    max_step : int or math.inf
        T_max.
    rkhs_gap_norm : float
        C_H.
    terms : ErrorDecomposition
    """

    optimal_step: int
    max_step: float
    rkhs_gap_norm: float
    terms: ErrorDecomposition


def follow_run(
    learner: BaseLearner,
    X: Features,
    y: Vector,
    n_steps: int,
    *,
    kernel: KernelOf,
    kernel_steps: Sequence[int] = (),
    seeds: Sequence[int] = (0,),
) -> KernelRun:
    """Return the predictions of every step and the kernels of some, along a warm-started run.

    Parameters
    ----------
    learner : BaseLearner
        The full model; copies of it are trained.
    X, y
        Rows with the features removed, and the response.
    n_steps : int
    kernel : callable
        :func:`boosting_kernel`, :func:`network_kernel`, or any function of (learner, X, y).
    kernel_steps : sequence of int
        The steps, 0 .. `n_steps`, after which the kernel is taken.
    seeds : sequence of int, default (0,)
        One run per seed, averaged: for trees the theory speaks of the mean over their chance.

    Examples
    --------
    >>> from lukewarm.kernels import boosting_kernel
    >>> from lukewarm.learners import ObliviousBoosting
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> full = ObliviousBoosting(depth=2, n_bins=4, random_strength=10.0)
    >>> full.advance(X, X[:, 0], 20)
    >>> X_removed = np.column_stack([X[:, 0], np.zeros(60)])
    >>> run = follow_run(
    ...     full, X_removed, X[:, 0], 5, kernel=boosting_kernel, kernel_steps=[0, 5]
    ... )
    >>> run.predictions.shape, run.kernel_matrices.shape
    ((6, 60), (2, 60, 60))
    """
    check_count("n_steps", n_steps)
    wanted = sorted(
        {check_count("kernel_steps", s, minimum=0, maximum=n_steps) for s in kernel_steps}
    )
    y = check_vector("y", y, n_rows=len(X))
    predictions = np.zeros((n_steps + 1, len(y)))
    kernels = np.zeros((len(wanted), len(y), len(y)))
    for seed in seeds:
        # The same start for every seed: what is averaged is the randomness of the steps alone.
        model = learner.copy(seed)
        for step in range(n_steps + 1):
            # Step 0 is the start itself; the kernel there is the one the theory takes for fixed.
            if step:
                model.advance(X, y, 1)
            predictions[step] += model.predict(X) / len(seeds)
            if step in wanted:
                kernels[wanted.index(step)] += kernel(model, X, y) / len(seeds)
    return KernelRun(predictions, np.array(wanted, dtype=np.int64), kernels)


def oracle_stop(
    predictions: Matrix,
    y: Vector,
    truth: Vector,
    *,
    learning_rate: float,
    stationary_kernel: Matrix,
    noise_std: float,
) -> OracleStop:
    """Return T_op and T_max of a run whose truth is known: a simulation.

    Parameters
    ----------
    predictions : array of shape (n_steps + 1, n)
        As of :class:`KernelRun`.
    y, truth : arrays of shape (n,)
        The response and its mean given the features that are left.
    learning_rate : float
    stationary_kernel : array of shape (n, n)
    noise_std : float
        sigma of ``y - truth``.

    Notes
    -----
    The paper calls T_op infeasible for want of the drift's bound g. Here g is the drift term of
    the run itself, and ``C = C_H**2 (1/e + 1/e**2)``: up to T_max the bias term is at most
    ``C_H**2 / (e eta)`` and the mean of the variance term at most ``C_H**2 / (e**2 eta)``.

    Examples
    --------
    >>> kernel, truth = np.diag([1.0, 0.5, 0.1]), np.array([1.0, 1.0, 0.0])
    >>> y = truth + np.array([0.1, -0.1, 0.1])
    >>> path = [np.zeros(3)]
    >>> for _ in range(9):
    ...     path.append(path[-1] + 0.5 * kernel @ (y - path[-1]))
    >>> stop = oracle_stop(
    ...     np.array(path), y, truth, learning_rate=0.5, stationary_kernel=kernel, noise_std=0.1
    ... )
    >>> stop.optimal_step, stop.max_step  # a fixed kernel does not drift
    (8, 8)
    """
    terms = run_decomposition(predictions, y, truth, learning_rate, stationary_kernel)
    norm = rkhs_gap_norm(stationary_kernel, np.asarray(truth, dtype=float) - predictions[0])
    last = max_theoretical_step(
        kernel_eigenvalues(stationary_kernel),
        learning_rate=learning_rate,
        noise_std=check_number("noise_std", noise_std, minimum=0),
        rkhs_gap_norm=norm,
    )
    # The start is the target already: every step only learns noise.
    if norm == 0:
        return OracleStop(0, last, norm, terms)
    step = optimal_step(terms.drift_term, norm**2 * BOUND_CONSTANT, learning_rate, last)
    return OracleStop(step, last, norm, terms)
