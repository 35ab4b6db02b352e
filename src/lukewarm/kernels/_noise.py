"""The noise level and the gap's norm from data: what the theory takes as known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm._validation import check_vector
from lukewarm.kernels._spectra import Spectrum, spectrum

# Flow times tried: ten for every factor of ten, where eigenvalues span sixteen of these. The second
# is the least share of the rows' freedom that the fit must leave, for the noise to be seen in it.
_N_TIMES = 200
_LEAST_FREEDOM = 0.1


class _Smoothed(NamedTuple):
    """Residuals in the eigenbasis, and the shares of them that the best flow leaves."""

    parts: Vector
    left: Vector
    decomposed: Spectrum


def estimate_noise_std(kernel_matrix: Matrix, residuals: Vector) -> float:
    """Return the noise level sigma of ``residuals = gap + noise``, the gap being smooth.

    Parameters
    ----------
    kernel_matrix : array of shape (n, n)
        Divided by N.
    residuals : array of shape (n,)
        ``y - f_full`` on the rows with the features removed.

    Notes
    -----
    The gradient flow of the kernel from 0 towards the residuals leaves ``s_i = exp(-eta
    lambda_i)`` of each component. Generalised cross-validation (Craven and Wahba, 1979) chooses
    eta; then ``sigma**2 = sum s_i**2 r_i**2 / sum s_i**2``.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> x = np.linspace(-1, 1, 200)
    >>> kernel = np.exp(-((x[:, None] - x) ** 2)) / 200
    >>> estimate_noise_std(kernel, np.sin(3 * x) + 0.1 * generator.normal(size=200))
    0.1
    """
    return _noise_std(_smooth(kernel_matrix, residuals))


def estimate_gap_norm(kernel_matrix: Matrix, residuals: Vector) -> float:
    """Return C_H of the smooth part of the residuals, see :func:`estimate_noise_std`.

    Notes
    -----
    ``sqrt(sum (1 - s_i)**2 r_i**2 / lambda_i / N)``: the norm of the flow's own fit. Plugging
    noisy residuals into :func:`rkhs_gap_norm` itself would divide noise by eigenvalues near 0.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 200)
    >>> kernel = np.exp(-((x[:, None] - x) ** 2)) / 200
    >>> noise = 0.1 * np.random.default_rng(0).normal(size=200)
    >>> estimate_gap_norm(kernel, kernel[:, 50] * 200 + noise)  # the truth is 1
    1.0
    """
    return _gap_norm(_smooth(kernel_matrix, residuals))


def estimate_both(decomposed: Spectrum, residuals: Vector) -> tuple[float, float]:
    """Return the noise level and the gap's norm from one decomposition."""
    smoothed = _smooth_parts(decomposed, residuals)
    return _noise_std(smoothed), _gap_norm(smoothed)


def _smooth(kernel_matrix: Matrix, residuals: Vector) -> _Smoothed:
    decomposed = spectrum(kernel_matrix)
    residuals = check_vector("residuals", residuals, n_rows=len(decomposed.eigenvalues))
    return _smooth_parts(decomposed, residuals)


def _smooth_parts(decomposed: Spectrum, residuals: Vector) -> _Smoothed:
    parts = decomposed.eigenvectors.T @ residuals
    left = np.exp(-np.outer(_flow_times(decomposed), decomposed.eigenvalues))
    freedom = left.mean(axis=1)
    allowed = freedom >= _LEAST_FREEDOM
    # Generalised cross-validation goes to zero over zero as the fit uses up all freedom; times that
    # leave too little of it are not asked.
    scores = (left**2 @ parts**2)[allowed] / freedom[allowed] ** 2
    return _Smoothed(parts, left[allowed][np.argmin(scores)], decomposed)


def _flow_times(decomposed: Spectrum) -> Vector:
    largest = decomposed.eigenvalues[0]
    if largest == 0:
        return np.zeros(1)
    smallest = decomposed.eigenvalues[max(decomposed.rank - 1, 0)]
    # From where next to nothing is learnt to where every direction is.
    times = np.geomspace(1e-2 / largest, 1e2 / smallest, _N_TIMES)
    return np.append(0.0, times)


def _noise_std(smoothed: _Smoothed) -> float:
    left = smoothed.left**2
    return float(np.sqrt(left @ smoothed.parts**2 / left.sum()))


def _gap_norm(smoothed: _Smoothed) -> float:
    rank = smoothed.decomposed.rank
    learnt = (1 - smoothed.left[:rank]) ** 2 * smoothed.parts[:rank] ** 2
    scaled = learnt / smoothed.decomposed.eigenvalues[:rank]
    return float(np.sqrt(scaled.sum() / len(smoothed.parts)))
