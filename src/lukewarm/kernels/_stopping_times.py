"""How many steps the theory allows, and how many are best."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lukewarm._typing import Vector
from lukewarm._validation import check_number, check_vector
from lukewarm.kernels._checks import check_eigenvalues, check_learning_rate
from lukewarm.kernels._complexity import (
    EMPIRICAL_FACTOR,
    check_n_samples,
    line_slope,
    meeting_radius,
)


def max_theoretical_step(
    eigenvalues: Vector,
    *,
    learning_rate: float,
    noise_std: float,
    rkhs_gap_norm: float,
    n_samples: int | None = None,
    gap_power: int = 1,
) -> float:
    """Return T_max, the last step before the complexity rises over the line.

    Parameters
    ----------
    eigenvalues : array
        Of the kernel matrix (divided by N).
    learning_rate : float
        The step size; a warning is given beyond min(1, 1 / largest eigenvalue).
    noise_std, rkhs_gap_norm, n_samples, gap_power
        As for :func:`critical_radius`.

    Returns
    -------
    int or math.inf
        0: stop at once. `math.inf`: never, because all eigenvalues or the noise are 0.

    Notes
    -----
    With ``eta = step * learning_rate``, the first step at which
    ``R(1 / sqrt(eta)) > C_H / (2 e sigma eta)``, less one (section 4.2 of the paper, where C_H is
    squared: ``gap_power=2``). A tie does not stop. It equals ``floor(1 / (learning_rate rho**2))``
    at the critical radius rho.

    Examples
    --------
    >>> eigenvalues = 1 / np.arange(1, 101) ** 2
    >>> max_theoretical_step(eigenvalues, learning_rate=0.1, noise_std=1.0, rkhs_gap_norm=1.0)
    16
    >>> max_theoretical_step(eigenvalues, learning_rate=0.1, noise_std=0.0, rkhs_gap_norm=1.0)
    inf
    """
    eigenvalues = check_eigenvalues("eigenvalues", eigenvalues)
    rate = check_learning_rate(learning_rate, eigenvalues[0])
    slope = line_slope(noise_std, rkhs_gap_norm, gap_power, EMPIRICAL_FACTOR)
    n_samples = check_n_samples(n_samples, eigenvalues)
    radius = meeting_radius(eigenvalues, slope, n_samples)
    # No noise, or a kernel of rank 0: nothing can be overfitted.
    if radius == 0:
        return math.inf
    # Where the quotient is a whole number, rounding must not take a step away.
    return math.floor(1 / (rate * radius**2) * (1 + 4 * np.finfo(float).eps))


def optimal_step(
    drift_bound: Sequence[float] | Vector, constant: float, learning_rate: float, max_step: float
) -> int:
    """Return T_op, the step that balances what is learnt against the kernel's drift.

    Parameters
    ----------
    drift_bound : array
        g(0), g(1), ...: bounds on, or values of, the drift term after each step.
    constant : float
        C of the bound ``bias + variance <= C / eta``.
    learning_rate : float
    max_step : int or math.inf
        T_max of :func:`max_theoretical_step`; steps beyond `drift_bound` are not considered.

    Notes
    -----
    The smallest step with the least ``C / (step * learning_rate) + g(step)`` (section 4.2 of the
    paper); 0 only where `max_step` is 0, since the first part is infinite there.

    Examples
    --------
    >>> drift = 0.01 * np.arange(50) ** 2
    >>> optimal_step(drift, constant=1.0, learning_rate=0.1, max_step=40)
    8
    """
    drift = check_vector("drift_bound", drift_bound)
    check_number("constant", constant, above=0)
    rate = check_number("learning_rate", learning_rate, above=0)
    last = int(min(check_number("max_step", max_step, minimum=0), len(drift) - 1))
    if last < 1:
        return 0
    # Step 0 is left out: its first term is infinite.
    steps = np.arange(1, last + 1)
    return 1 + int(np.argmin(constant / (rate * steps) + drift[1 : last + 1]))
