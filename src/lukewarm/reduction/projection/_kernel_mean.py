"""The mean of a kernel machine over normal draws of some columns, in closed form.

With scaled coordinates u = s * x, a landmark v, drawn columns R with mean m_R and covariance C (in
scaled coordinates) and the others S,

    E exp(-|u - v|^2 / 2) = det(I + C)^-1/2 exp(-|u_S - v_S|^2 / 2 - |L'(m_R - v_R)|^2 / 2)

with L L' = (I + C)^-1, and E (1 + u'v)^2 = (1 + u_S'v_S + m_R'v_R)^2 + v_R' C v_R. A linear part is
its own value at the mean. One evaluation of the kernel takes the place of one for every draw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.data import filled
from lukewarm.learners import BaseLearner
from lukewarm.learners.kernel import HasMachine, Machine, QuantityColumn, rbf_matrix
from lukewarm.reduction.projection._conditional import ConditionalDraws

if TYPE_CHECKING:
    from lukewarm.reduction.projection._prepared_rows import PreparedRows

_CLOSED_FORMS = ("rbf", "polynomial", "none")


def closed_form_machine(model: BaseLearner, columns: tuple[int, ...]) -> Machine | None:
    """Return the kernel machine whose mean over these columns is known; None for other models."""
    machine = model.machine if isinstance(model, HasMachine) else None
    if machine is None or machine.kernel.shape not in _CLOSED_FORMS:
        return None
    return machine if all(_spread_of(machine, column) for column in columns) else None


def _spread_of(machine: Machine, column: int) -> float | None:
    """Return what a machine divides a column of numbers by; None for levels, gaps and ranks."""
    coded = machine.coding.columns[column]
    if not isinstance(coded, QuantityColumn) or coded.width > 1 or coded.normal_scores is not None:
        return None
    return float(coded.scaling.spread)


def kernel_mean(machine: Machine, draws: ConditionalDraws, rows: PreparedRows) -> Vector:
    """Return the machine's mean prediction over normal draws, shape (n,).

    Parameters
    ----------
    machine : Machine
        With one output and a kernel of closed form.
    draws : ConditionalDraws
        Of quantities alone; their guesses, and the mean and covariance of their residuals.
    rows : PreparedRows
    """
    columns, guess, covariance = draws.moments(rows)
    coding, kernel = machine.coding, machine.kernel
    coded = coding.code(filled(rows.X, dict(zip(columns, guess.T, strict=True))))
    drawn = [int(np.flatnonzero(coding.owner == column)[0]) for column in columns]
    spread = np.array([_spread_of(machine, column) for column in columns], dtype=float)
    covariance = covariance / np.outer(spread, spread)
    values = _mean_shape(machine, coded, drawn, covariance) @ machine.weights[:, 0]
    if kernel.slopes.any():
        slopes = np.square(kernel.slopes) * (machine.weights[:, 0] @ machine.landmarks)
        values = values + coded @ slopes
    return machine.constant[0] + values


def _mean_shape(machine: Machine, coded: Matrix, drawn: list[int], covariance: Matrix) -> Matrix:
    kernel = machine.kernel
    if kernel.shape == "none":
        return np.zeros((len(coded), len(machine.landmarks)))
    scales = kernel.inverse_scales
    A, B = coded * scales, machine.landmarks * scales
    covariance = covariance * np.outer(scales[drawn], scales[drawn])
    if kernel.shape == "polynomial":
        # E(1 + a.b)**2 is the square at the mean plus the variance of a.b.
        spread = np.einsum("zi,ij,zj->z", B[:, drawn], covariance, B[:, drawn], optimize=True)
        return np.square(1 + A @ B.T) + spread
    # A Gaussian kernel averaged over a normal law is a wider one: (I + S) takes the place of I.
    widened = np.eye(len(drawn)) + covariance
    root = np.linalg.cholesky(np.linalg.inv(widened))
    A[:, drawn], B[:, drawn] = A[:, drawn] @ root, B[:, drawn] @ root
    # Columns with no scale are not in the kernel; leaving them out only saves time.
    used = scales != 0
    return rbf_matrix(A[:, used], B[:, used]) / np.sqrt(np.linalg.det(widened))
