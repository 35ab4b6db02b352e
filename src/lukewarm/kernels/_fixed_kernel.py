"""A run whose kernel never moves: every quantity of the theory in closed form.

With K = U diag(lambda) U' and S = 1 - eps lambda, the run f <- f + eps K (y - f) from f_0 is, after
tau steps,

    f_tau - f_target = U [S**tau U'(f_0 - f_target) + (1 - S**tau) U' noise].

The first part is what is left of the gap, the second the noise that was learnt. For a start that
has not seen the noise they are uncorrelated, so the expected error is the sum of two squares, and
with Gaussian noise the error is a quadratic form whose law is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm._validation import check_number, check_vector
from lukewarm.kernels._checks import check_learning_rate
from lukewarm.kernels._complexity import critical_radius
from lukewarm.kernels._decomposition import ErrorDecomposition
from lukewarm.kernels._estimate_law import QuadraticForm
from lukewarm.kernels._spectra import Spectrum, gap_norm_in, spectrum
from lukewarm.kernels._stopping_times import max_theoretical_step

# Up to T_max the bias term is at most C_H**2 / (e eta), for (1 - x)**(2 tau) x <= 1 / (2 e tau).
# The mean of the variance term is at most 4 sigma**2 eta R(1 / sqrt(eta))**2, which the rule keeps
# below C_H**2 / (e**2 eta).
BOUND_CONSTANT = 1 / math.e + 1 / math.e**2


@dataclass(frozen=True, eq=False)
class FixedKernelRun:
    """Steps of a kernel that stays, from a start to a target, before the noise is drawn.

    Parameters
    ----------
    decomposed : Spectrum
        Of the kernel matrix.
    gap : ndarray of shape (n,)
        ``f_target - f_start`` in the eigenbasis.
    noise_std : float
        sigma.
    learning_rate : float
    """

    decomposed: Spectrum
    gap: Vector
    noise_std: float
    learning_rate: float

    @property
    def rkhs_gap_norm(self) -> float:
        """C_H."""
        return gap_norm_in(self.decomposed, self.gap)

    @property
    def critical_radius(self) -> float:
        """Where the complexity meets the line."""
        return critical_radius(self.decomposed.eigenvalues, self.noise_std, self.rkhs_gap_norm)

    @property
    def max_step(self) -> float:
        """T_max, which is T_op as well: nothing drifts."""
        return max_theoretical_step(
            self.decomposed.eigenvalues,
            learning_rate=self.learning_rate,
            noise_std=self.noise_std,
            rkhs_gap_norm=self.rkhs_gap_norm,
        )

    def expected_error(self, steps: Sequence[int] | Vector) -> tuple[Vector, Vector]:
        """Return what is left of the gap and what was learnt of the noise, after each step.

        Their sum is the mean of ``||f_tau - f_target||**2 / N`` over the noise.
        """
        left = self._left(steps)
        n_rows = len(self.gap)
        bias = left**2 @ self.gap**2 / n_rows
        return bias, self.noise_std**2 / n_rows * np.square(1 - left).sum(axis=1)

    def decomposition(
        self, noise: Vector, steps: Sequence[int] | Vector, predictions: Matrix | None = None
    ) -> ErrorDecomposition:
        """Return the terms of the lemma after each of the steps, for noise that was drawn.

        Parameters
        ----------
        noise : array of shape (n,)
            ``y - f_target``.
        steps : array of shape (T,)
        predictions : array of shape (T, n), optional
            ``f_tau - f_start`` of a run whose kernel may have moved; all by which it departs from
            the run of the fixed kernel is drift. Without it there is none.
        """
        rotation, n_rows = self.decomposed.eigenvectors, len(self.gap)
        drawn = rotation.T @ check_vector("noise", noise, n_rows=n_rows)
        left = self._left(steps)
        fixed = (1 - left) * (self.gap + drawn)
        moved = fixed if predictions is None else np.asarray(predictions) @ rotation
        # The sum of all drifts, each carried on by the fixed kernel, is the distance of the runs.
        drift = np.zeros(len(left)) if predictions is None else np.square(moved - fixed).sum(axis=1)
        return ErrorDecomposition(
            bias_term=2 / n_rows * (left**2 @ self.gap**2),
            variance_term=4 / n_rows * (np.square(1 - left) @ drawn**2),
            drift_term=4 / n_rows * drift,
            error=np.square(moved - self.gap).mean(axis=1),
            drift_norms=np.sqrt(drift),
        )

    def error_law(self, step: int) -> QuadraticForm:
        """Return the law of the error after `step` steps under Gaussian noise."""
        left, n_rows = self._left([step])[0], len(self.gap)
        learnt = self.noise_std * (1 - left)
        return QuadraticForm(
            float(np.sum((left * self.gap) ** 2)) / n_rows,
            -2 / n_rows * left * self.gap * learnt,
            np.diag(learnt**2) / n_rows,
        )

    def bound(self, steps: Sequence[int] | Vector) -> Vector:
        """Return C / eta, which bias and mean variance term keep to up to T_max."""
        eta = self.learning_rate * np.asarray(steps, dtype=float)
        with np.errstate(divide="ignore"):
            return self.rkhs_gap_norm**2 * BOUND_CONSTANT / eta

    @property
    def rate_bound(self) -> float:
        """The bound of Theorem 1 at T_max >= 1, with its constant.

        Notes
        -----
        ``4 (1 + 1/e) sigma C_H sqrt(trace(K) / N)``: at the critical radius rho the complexity is
        at most sqrt(trace / N), so ``rho**2 <= 2 e sigma sqrt(trace / N) / C_H``, and rounding
        1 / (eps rho**2) down to a step costs a factor of two at most.
        """
        trace = self.decomposed.eigenvalues.sum()
        root = math.sqrt(trace / len(self.gap))
        return 4 * (1 + 1 / math.e) * self.noise_std * self.rkhs_gap_norm * root

    def _left(self, steps: Sequence[int] | Vector) -> Matrix:
        """Return S**tau, shape (T, n)."""
        counts = np.asarray(steps, dtype=float)[:, None]
        # At a learning rate of one over the largest eigenvalue, rounding makes the first of them
        # negative.
        shrinkage = np.maximum(1 - self.learning_rate * self.decomposed.eigenvalues, 0.0)
        return np.where(counts == 0, 1.0, shrinkage**counts)


def fixed_kernel_run(
    kernel_matrix: Matrix, truth_gap: Vector, noise_std: float, learning_rate: float
) -> FixedKernelRun:
    """Return the run of a kernel that stays, with all that the theory says of it.

    Parameters
    ----------
    kernel_matrix : array of shape (n, n)
        Divided by N.
    truth_gap : array of shape (n,)
        ``f_target - f_start`` on the rows.
    noise_std : float
    learning_rate : float
        At most ``min(1, 1 / largest eigenvalue)``.

    Examples
    --------
    >>> run = fixed_kernel_run(np.diag([1.0, 0.5]), np.array([0.0, 2.0]), 0.1, 1.0)
    >>> bias, variance = run.expected_error([0, 1])
    >>> bias, variance
    (array([2. , 0.5]), array([0.     , 0.00625]))
    """
    decomposed = spectrum(kernel_matrix)
    rate = check_learning_rate(learning_rate, decomposed.eigenvalues[0])
    # One over the eigenvalue itself must pass, rounding included.
    if rate * decomposed.eigenvalues[0] > 1 + 1e-9:
        raise ValueError(
            f"learning_rate must be at most one over the largest eigenvalue, "
            f"{1 / decomposed.eigenvalues[0]:.4g}; got {rate:g}."
        )
    gap = check_vector("truth_gap", truth_gap, n_rows=len(decomposed.eigenvalues))
    std = check_number("noise_std", noise_std, minimum=0)
    return FixedKernelRun(decomposed, decomposed.eigenvectors.T @ gap, std, rate)
