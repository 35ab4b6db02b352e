"""T_max as a stopping rule on real data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm._validation import check_vector
from lukewarm.kernels._noise import estimate_both
from lukewarm.kernels._spectra import spectrum
from lukewarm.kernels._stopping_times import max_theoretical_step
from lukewarm.stopping import FixedSteps


@dataclass(frozen=True)
class TheoreticalStop:
    """Take T_max steps, whatever the losses say.

    It is a stopping rule like any other; `learn` sets it from data.

    Parameters
    ----------
    max_step : int or math.inf
        T_max. Infinite: only the training loop's own limit ends the training.
    noise_std, rkhs_gap_norm : float
        What T_max was computed from.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> x = np.linspace(-1, 1, 100)
    >>> kernel = np.exp(-((x[:, None] - x) ** 2)) / 100
    >>> residuals = x + generator.normal(size=100)
    >>> rule = TheoreticalStop.learn(kernel, residuals, learning_rate=0.5)
    >>> rule.should_stop([1.0] * (int(rule.max_step) + 1))
    True
    """

    max_step: float
    noise_std: float
    rkhs_gap_norm: float

    @classmethod
    def learn(
        cls,
        kernel_matrix: Matrix,
        residuals: Vector,
        *,
        learning_rate: float,
        noise_std: float | None = None,
        rkhs_gap_norm: float | None = None,
        gap_power: int = 1,
    ) -> TheoreticalStop:
        """Return the rule for these residuals.

        Parameters
        ----------
        kernel_matrix : array of shape (n, n)
            Of the training rows with the features removed, divided by N.
        residuals : array of shape (n,)
            ``y - f_full`` on those rows.
        learning_rate : float
        noise_std, rkhs_gap_norm : float, optional
            Estimated where missing, see :func:`estimate_noise_std`.
        gap_power : {1, 2}, default 1
            See :func:`max_theoretical_step`.
        """
        decomposed = spectrum(kernel_matrix)
        residuals = check_vector("residuals", residuals, n_rows=len(decomposed.eigenvalues))
        # One decomposition serves both estimates and the spectrum: it is the cost of the rule.
        noise, norm = estimate_both(decomposed, residuals)
        noise = noise if noise_std is None else noise_std
        norm = norm if rkhs_gap_norm is None else rkhs_gap_norm
        step = max_theoretical_step(
            decomposed.eigenvalues,
            learning_rate=learning_rate,
            noise_std=noise,
            rkhs_gap_norm=norm,
            gap_power=gap_power,
        )
        return cls(step, noise, norm)

    def should_stop(self, losses: Sequence[float]) -> bool:
        """Return whether `max_step` steps are taken, or the last loss is nan."""
        # Without noise the theory never stops; the most steps of the training loop do.
        if math.isinf(self.max_step):
            return bool(np.isnan(losses[-1]))
        return FixedSteps(int(self.max_step)).should_stop(losses)

    def best_step(self, losses: Sequence[float]) -> int:
        """Return `max_step`, or the last step taken when there are fewer."""
        return int(min(self.max_step, len(losses) - 1))
