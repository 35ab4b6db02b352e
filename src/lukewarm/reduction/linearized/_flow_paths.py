"""Coefficients of the linearised model along the gradient flow of its loss."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from lukewarm._typing import Matrix, Vector
from lukewarm.reduction.linearized._spectral import Spectrum, flow_filter, steps_filter

# Largest curvature of the cross entropy in the logits: p (1 - p) for one logit, and Boehning's
# bound (1992) for the softmax.
_CURVATURE_OF_ONE_LOGIT = 0.25
_CURVATURE_OF_SOFTMAX = 0.5
# 15 per factor of ten: the loss is flat between neighbours.
POINTS_OF_PATH = 120
# In units of one over the largest eigenvalue: from 2 % of the quickest direction learnt, to
# directions a million times slower.
_PATH_ENDS = (0.02, 1e6)


def step_sizes_of_path(eigenvalues: Vector) -> Vector:
    """Return cumulative step sizes from zero to where even faint directions are learnt."""
    quickest = 1 / max(float(eigenvalues[-1]), np.finfo(float).tiny)
    return np.concatenate([[0.0], quickest * np.geomspace(*_PATH_ENDS, POINTS_OF_PATH)])


def step_counts_of_path(learning_rate: float, eigenvalues: Vector) -> np.ndarray:
    """Return numbers of gradient steps from zero to a million, ever further apart."""
    largest = 2 / float(eigenvalues[-1])
    if learning_rate > largest:
        raise ValueError(
            f"learning_rate must be at most {largest:.3g}, 2 over the kernel's largest eigenvalue, "
            f"for gradient steps to converge; got {learning_rate:g}."
        )
    return np.unique(np.append(0, np.geomspace(1, _PATH_ENDS[1], POINTS_OF_PATH).round()))


def squared_error_flow(spectrum: Spectrum, cumulative_step_sizes: Vector) -> Matrix:
    """Return the coefficients (n_step_sizes, rank), in closed form.

    Notes
    -----
    Section 4 of the paper writes every step as f <- (I - eps K) f + eps K Y; the flow is its limit
    of small steps, solved rather than iterated.
    """
    filters = flow_filter(spectrum.eigenvalues, cumulative_step_sizes)
    return spectrum.coefficients(filters).T


def squared_error_steps(spectrum: Spectrum, n_steps: np.ndarray, learning_rate: float) -> Matrix:
    """Return the coefficients (len(n_steps), rank) after so many steps of one size."""
    return spectrum.coefficients(steps_filter(spectrum.eigenvalues, n_steps, learning_rate)).T


def cross_entropy_flow(
    features: Matrix,
    logits: Matrix,
    codes: Vector,
    shares: Vector,
    spectrum: Spectrum,
    cumulative_step_sizes: Vector,
) -> Matrix:
    """Return the coefficients (n_step_sizes, rank) along the flow of the cross entropy.

    Parameters
    ----------
    features : ndarray of shape (n k, rank)
        Row by row, the k outputs of a row side by side.
    logits : ndarray of shape (n, k)
        Where the flow starts; k = 1 is the logit of the second of two classes.
    codes : ndarray of shape (n,)
    shares : ndarray of shape (n,)
        Weights of the rows, with sum one.
    spectrum : Spectrum
        Of these features, whatever the residuals.
    cumulative_step_sizes : ndarray
        Ascending from zero.

    Notes
    -----
    An exponential integrator: between two points of the path the curvature is held at its upper
    bound, in whose eigenbasis the step is exact. The bound makes every step size stable.
    """
    n_outputs = logits.shape[1]
    curvature = _CURVATURE_OF_ONE_LOGIT if n_outputs == 1 else _CURVATURE_OF_SOFTMAX
    steps = flow_filter(curvature * spectrum.eigenvalues, np.diff(cumulative_step_sizes))
    eigenfeatures = features @ spectrum.basis
    wanted = codes[:, None] if n_outputs == 1 else np.eye(n_outputs)[codes.astype(int)]
    path = np.zeros((len(cumulative_step_sizes), features.shape[1]))
    for number, step in enumerate(steps):
        current = logits + (eigenfeatures @ path[number]).reshape(logits.shape)
        chance = expit(current) if n_outputs == 1 else softmax(current, axis=1)
        slope = (wanted - chance) * shares[:, None]
        path[number + 1] = path[number] + step * (eigenfeatures.T @ slope.ravel())
    return path @ spectrum.basis.T
