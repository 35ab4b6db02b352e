"""Class probabilities in the eigenbasis of a kernel: logistic and softmax regression.

The machine minimises mean log-loss + penalty / 2 |f|**2. Its curvature in the eigenbasis is at
most `bound` * eigenvalue + penalty, a diagonal; divided by its root, the coefficients are so well
conditioned that quasi-Newton steps (L-BFGS) need no factorisation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax

from lukewarm._typing import Matrix, Prediction, Vector

# Bounds the time of weak penalties, along which L-BFGS crawls; what it has by then is used.
_MAX_ITERATIONS = 100
# Of the preconditioned gradient, in units of log-loss: far below what an evaluation can tell.
_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Rows in the eigenbasis with their classes.

    Parameters
    ----------
    features : ndarray of shape (n, rank)
    targets : ndarray of shape (n, n_outputs)
        Indicators, or probabilities: of the second of two classes, else of every class.
    shares : ndarray of shape (n,)
        Of sum one.
    offset : ndarray of shape (n, n_outputs)
        Outputs of a model that this one is added to.
    """

    features: Matrix
    targets: Matrix
    shares: Vector
    offset: Matrix


def indicators(codes: np.ndarray, n_outputs: int) -> Matrix:
    """Return the indicators of class codes, (n, n_outputs); of the second class for one output."""
    if n_outputs == 1:
        return (codes == 1).astype(float)[:, None]
    return (codes[:, None] == np.arange(n_outputs)).astype(float)


def probabilities(outputs: Matrix) -> Prediction:
    """Return probabilities (n,) of the second class for one output, else (n, n_classes)."""
    return expit(outputs[:, 0]) if outputs.shape[1] == 1 else softmax(outputs, axis=1)


def as_columns(prediction: Prediction) -> Matrix:
    """Return one column for every output."""
    return prediction[:, None] if prediction.ndim == 1 else prediction


def log_losses(outputs: Matrix, targets: Matrix) -> Vector:
    """Return the log-loss of each row."""
    if outputs.shape[1] == 1:
        return np.logaddexp(0.0, outputs[:, 0]) - targets[:, 0] * outputs[:, 0]
    return -np.sum(targets * log_softmax(outputs, axis=1), axis=1)


def fit_log_loss(
    rows: ClassRows, eigenvalues: Vector, penalty: float, start: Matrix | None = None
) -> Matrix:
    """Return constants and coefficients, shape (1 + rank, n_outputs).

    Parameters
    ----------
    rows : ClassRows
    eigenvalues : ndarray of shape (rank,)
    penalty : float
    start : ndarray, optional
        Coefficients near the answer.
    """
    n_outputs = rows.targets.shape[1]
    # Largest curvature of the log-loss in the outputs: p (1 - p), and Boehning's bound for several.
    bound = 0.25 if n_outputs == 1 else 0.5
    scale = 1 / np.sqrt(np.append(bound, bound * eigenvalues + penalty))[:, None]

    def objective(scaled: Vector) -> tuple[float, Vector]:
        coefficients = scaled.reshape(-1, n_outputs) * scale
        outputs = outputs_of(rows, coefficients)
        value = rows.shares @ log_losses(outputs, rows.targets)
        value += penalty / 2 * np.sum(coefficients[1:] ** 2)
        pull = rows.shares[:, None] * (_as_shares(outputs) - rows.targets)
        gradient = np.vstack(
            [pull.sum(axis=0), rows.features.T @ pull + penalty * coefficients[1:]]
        )
        return float(value), (gradient * scale).ravel()

    first = np.zeros(scale.shape[0] * n_outputs) if start is None else (start / scale).ravel()
    # A relative fall of the loss that no evaluation can see.
    options = {"maxiter": _MAX_ITERATIONS, "gtol": _TOLERANCE, "ftol": 1e-9}
    optimum = minimize(objective, first, jac=True, method="L-BFGS-B", options=options)
    return optimum.x.reshape(-1, n_outputs) * scale


def fit_shares(
    features: Matrix, targets: Matrix, shares: Vector, offset: Matrix
) -> tuple[Vector, Matrix]:
    """Return constants (n_outputs,) and coefficients (m, n_outputs) that follow probabilities.

    Those of mean log-loss + |coefficients|**2 / 2.

    Parameters
    ----------
    features : ndarray of shape (n, m)
        Divided by the roots of their penalties.
    targets, offset : ndarrays of shape (n, n_outputs)
        Probabilities, and log-odds (logarithms of several) that the outputs are added to.
    shares : ndarray of shape (n,)
        Of sum one.
    """
    centre = shares @ features
    centred = features - centre
    rooted = centred * np.sqrt(shares)[:, None]
    second = rooted.T @ rooted
    if not len(second):
        eigenvalues, vectors = np.zeros(0), second
    else:
        eigenvalues, vectors = linalg.eigh(second, driver="evd", check_finite=False)
    rows = ClassRows(centred @ vectors, targets, shares, offset)
    fitted = fit_log_loss(rows, np.maximum(eigenvalues, 0.0), 1.0)
    coefficients = vectors @ fitted[1:]
    return fitted[0] - centre @ coefficients, coefficients


def outputs_of(rows: ClassRows, coefficients: Matrix) -> Matrix:
    """Return the outputs of the rows, shape (n, n_outputs)."""
    return rows.offset + coefficients[0] + rows.features @ coefficients[1:]


def _as_shares(outputs: Matrix) -> Matrix:
    return expit(outputs) if outputs.shape[1] == 1 else softmax(outputs, axis=1)
