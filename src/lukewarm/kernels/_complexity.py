"""The local Rademacher complexity of a kernel, and where it meets the line."""

from __future__ import annotations

import math

import numpy as np

from lukewarm._typing import Vector
from lukewarm._validation import check_count, check_number
from lukewarm.kernels._checks import check_eigenvalues

# Of the paper: its definitions of the critical radius, on the rows and in the population.
EMPIRICAL_FACTOR = 2 * math.e
POPULATION_FACTOR = 40.0


def local_complexity(
    eigenvalues: Vector, radius: float | Vector, n_samples: int | None = None
) -> float | Vector:
    """Return the local Rademacher complexity of a kernel at one radius or several.

    Parameters
    ----------
    eigenvalues : array
        Of the empirical kernel matrix (divided by N), or of the population's kernel operator.
    radius : float or array
    n_samples : int, optional
        N; the number of eigenvalues where missing.

    Notes
    -----
    ``R(radius) = sqrt(sum_i min(lambda_i, radius**2) / N)``, section 4.2 of the paper.

    Examples
    --------
    >>> local_complexity([1.0, 0.25, 0.0, 0.0], 0.5)
    0.3535
    """
    eigenvalues = check_eigenvalues("eigenvalues", eigenvalues)
    n_samples = check_n_samples(n_samples, eigenvalues)
    squared = np.asarray(radius, dtype=float) ** 2
    clipped = np.minimum(eigenvalues, squared[..., None])
    complexity = np.sqrt(clipped.sum(axis=-1) / n_samples)
    return float(complexity) if complexity.ndim == 0 else complexity


def critical_radius(
    eigenvalues: Vector,
    noise_std: float,
    rkhs_gap_norm: float,
    n_samples: int | None = None,
    gap_power: int = 1,
) -> float:
    """Return the critical empirical radius: where the complexity meets the line.

    Parameters
    ----------
    eigenvalues, n_samples
        As for :func:`local_complexity`.
    noise_std : float
        sigma; at 0 the radius is 0.
    rkhs_gap_norm : float
        C_H; at 0 the radius is infinite.
    gap_power : {1, 2}, default 1
        The printed equation has C_H**2; the first power leaves the rule free of the scale of y.

    Notes
    -----
    The smallest rho > 0 with ``R(rho) <= rho**2 C_H / (2 e sigma)``. Between two eigenvalues this
    is a quadratic equation in rho**2, so the answer is exact.

    Examples
    --------
    >>> import math
    >>> radius = critical_radius([1.0, 0.1], noise_std=0.1, rkhs_gap_norm=1.0)
    >>> math.isclose(local_complexity([1.0, 0.1], radius), radius**2 / (0.2 * math.e))
    True
    """
    slope = line_slope(noise_std, rkhs_gap_norm, gap_power, EMPIRICAL_FACTOR)
    eigenvalues = check_eigenvalues("eigenvalues", eigenvalues)
    return meeting_radius(eigenvalues, slope, check_n_samples(n_samples, eigenvalues))


def population_critical_radius(
    eigenvalues: Vector,
    noise_std: float,
    rkhs_gap_norm: float,
    n_samples: int,
    gap_power: int = 1,
) -> float:
    """Return the critical population radius: as :func:`critical_radius`, with the factor 40.

    Parameters
    ----------
    eigenvalues : array
        Of the population's kernel operator, as many as matter.
    noise_std, rkhs_gap_norm, gap_power
        As for :func:`critical_radius`.
    n_samples : int
        N: it cannot be told from the eigenvalues.

    Notes
    -----
    The smallest rho > 0 with ``R(rho) <= rho**2 C_H / (40 sigma)``, section 4.2 of the paper.

    Examples
    --------
    >>> small = critical_radius([1.0, 0.1], 0.1, 1.0, n_samples=100)
    >>> small < population_critical_radius([1.0, 0.1], 0.1, 1.0, n_samples=100)
    True
    """
    slope = line_slope(noise_std, rkhs_gap_norm, gap_power, POPULATION_FACTOR)
    eigenvalues = check_eigenvalues("eigenvalues", eigenvalues)
    return meeting_radius(eigenvalues, slope, check_n_samples(n_samples, eigenvalues))


def line_slope(noise_std: float, rkhs_gap_norm: float, gap_power: int, factor: float) -> float:
    """Return what multiplies rho**2 on the line's side: infinite without noise.

    Parameters
    ----------
    noise_std, rkhs_gap_norm : float
        sigma and C_H.
    gap_power : {1, 2}
        The power of C_H.
    factor : float
        EMPIRICAL_FACTOR or POPULATION_FACTOR.
    """
    check_number("noise_std", noise_std, minimum=0)
    check_number("rkhs_gap_norm", rkhs_gap_norm, minimum=0)
    check_count("gap_power", gap_power, minimum=1, maximum=2)
    if noise_std == 0:
        return math.inf
    return rkhs_gap_norm**gap_power / (factor * noise_std)


def meeting_radius(eigenvalues: Vector, slope: float, n_samples: int) -> float:
    """Return the smallest rho with ``R(rho) <= slope rho**2``; eigenvalues descending."""
    if slope == math.inf or eigenvalues[0] == 0:
        return 0.0
    if slope == 0:
        return math.inf
    # With the k largest eigenvalues above x = rho**2: slope**2 N x**2 = k x + (sum of the rest).
    above = np.arange(len(eigenvalues) + 1)
    rest = np.append(eigenvalues[::-1].cumsum()[::-1], 0.0)
    steepness = slope**2 * n_samples
    roots = (above + np.sqrt(above**2 + 4 * steepness * rest)) / (2 * steepness)
    # The root of the right k is also the smallest: R**2 is the least of these lines.
    return math.sqrt(roots.min())


def check_n_samples(n_samples: int | None, eigenvalues: Vector) -> int:
    """Return N, by default the number of eigenvalues."""
    return len(eigenvalues) if n_samples is None else check_count("n_samples", n_samples)
