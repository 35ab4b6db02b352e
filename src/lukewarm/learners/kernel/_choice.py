"""Training rows, and the machine that predicts validation rows best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.learners.kernel._basis import LandmarkBasis
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._kernel import Kernel
from lukewarm.learners.kernel._machine import Machine
from lukewarm.learners.kernel._path import EigenPath, ridge_filters
from lukewarm.learners.kernel._validation_rows import ValidationRows

# Four a decade: between two of them the loss hardly differs.
PENALTIES = 10.0 ** np.arange(-8, 1.01, 0.25)
# Of the standard error within which a larger penalty counts as good as the best one.
_AS_GOOD = 0.5
# Spread of the function that a penalty may expect, in standard deviations of y: products and
# parabolas reach ten of them within the rows, and long length scales need some room.
_LARGEST_SPREAD = 30.0
# Rows that validate by being left out; their mean is precise to a hundredth and better.
_JUDGING_ROWS = 5000


@dataclass(frozen=True, eq=False)
class Training:
    """Training rows in random order, the first of which serve as landmarks.

    Parameters
    ----------
    rows, y : ndarrays of shape (n, q) and (n, n_outputs)
    weights : ndarray of shape (n,)
        Of mean one.
    held_out : ValidationRows, optional
        Rows that choose; without them the training rows do, each by being left out.
    """

    rows: Matrix
    y: Matrix
    weights: Vector
    held_out: ValidationRows | None = None

    @property
    def shares(self) -> Vector:
        """Weights of sum one."""
        return self.weights / self.weights.sum()

    def first(self, n_rows: int) -> Training:
        """Return the training on the first rows alone."""
        return Training(self.rows[:n_rows], self.y[:n_rows], self.weights[:n_rows], self.held_out)

    def validation_rows(self, n_landmarks: int) -> ValidationRows:
        """Return what chooses.

        A row that is a landmark is predicted better than others even by a machine that never saw
        its y, so other rows validate; where all rows are landmarks, all of them.
        """
        if self.held_out is not None:
            return self.held_out
        n_rows = len(self.y)
        first = 0 if n_landmarks >= n_rows else max(n_landmarks, n_rows - _JUDGING_ROWS)
        return self.validation_rows_from(first)

    def validation_rows_from(self, first: int) -> ValidationRows:
        """Return the training rows from number `first` on, each to be left out."""
        few = slice(first, first + _JUDGING_ROWS)
        return ValidationRows(
            self.rows[few], self.y[few], self.weights[few], self.shares[few], first
        )

    def unit_scale(self) -> float:
        """Return one over the typical distance of a row from the mean row."""
        from_mean = np.square(self.rows - self.shares @ self.rows)
        spread = np.sqrt(self.shares @ from_mean.sum(axis=1))
        return float(1 / spread) if spread > 0 else 1.0

    def path(self, kernel: Kernel, n_landmarks: int) -> EigenPath:
        """Return all penalties of this kernel."""
        basis = LandmarkBasis.learn(kernel, self.rows[:n_landmarks])
        return EigenPath.learn(basis, self.rows, self.y, self.shares)


@dataclass(frozen=True, eq=False)
class Choice:
    """A machine chosen among penalties.

    Parameters
    ----------
    path : EigenPath
    penalty : float
    loss : float
        That chose it.
    n_landmarks : int
        First training rows that were offered as landmarks.
    """

    path: EigenPath
    penalty: float
    loss: float
    n_landmarks: int

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self.path.basis.kernel

    def machine(self, coding: Coding) -> Machine:
        """Return the machine under the chosen penalty."""
        filters = ridge_filters(self.path.eigenvalues, np.array([self.penalty]))[0]
        return Machine.of_path(coding, self.path, filters)


def choose_penalty(
    training: Training, kernel: Kernel, n_landmarks: int, penalty: float | None
) -> Choice:
    """Return the best machine of one kernel.

    Parameters
    ----------
    training : Training
    kernel : Kernel
    n_landmarks : int
        The first rows of `training`, so many, are landmarks.
    penalty : float, or None
        Of the squared norm, beside the mean loss; None compares several.
    """
    path = training.path(kernel, n_landmarks)
    return best_on(path, training.validation_rows(n_landmarks), penalty, n_landmarks)


def best_on(
    path: EigenPath, validation: ValidationRows, penalty: float | None, n_landmarks: int
) -> Choice:
    """Return the machine that predicts the validation rows best, or smoother and as well.

    Losses often hardly differ over many penalties, and the smallest of these lets a machine shoot
    up beyond the training rows. So the largest penalty is taken whose loss is within half a
    standard error (of the difference) of the lowest. Penalties that expect an implausible function
    do not count: with noise of variance v, a penalty of v / (n s^2) expects one of spread s.

    Parameters
    ----------
    path : EigenPath
    validation : ValidationRows
        Rows that choose.
    penalty : float, or None
        Of the squared norm, beside the mean loss; None compares several.
    n_landmarks : int
        Those of the path, for the record.
    """
    if penalty is not None:
        loss = validation.row_losses(path, np.array([penalty])).mean()
        return Choice(path, penalty, float(loss), n_landmarks)
    row_losses = validation.row_losses(path, PENALTIES)
    losses = row_losses.mean(axis=0)
    largest = _LARGEST_SPREAD**2 * validation.variance * path.n_rows
    is_plausible = PENALTIES * largest >= losses
    # Whatever the losses, there is a penalty to take.
    is_plausible[-1] = True
    best = int(np.argmin(np.where(is_plausible, losses, np.inf)))
    excess = row_losses - row_losses[:, [best]]
    errors = excess.std(axis=0) / np.sqrt(len(excess))
    smoothest = int(np.flatnonzero(excess.mean(axis=0) <= _AS_GOOD * errors).max())
    return Choice(path, float(PENALTIES[smoothest]), float(losses[smoothest]), n_landmarks)
