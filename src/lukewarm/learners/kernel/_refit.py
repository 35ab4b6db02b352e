"""Machines without some columns, in closed form from what the full fit has chosen.

The kernel without a column is the kernel divided by that column's factor: the product over the
other columns, which costs no more to multiply than the division would. What is left of a fit is
one factorisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from lukewarm.learners._imputation import Moments
from lukewarm.learners.kernel._basis import LandmarkBasis
from lukewarm.learners.kernel._choice import Training, choose_penalty
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._kernel import Kernel
from lukewarm.learners.kernel._machine import Machine

# Up to here an eigendecomposition costs about as much as the products it needs.
_CHEAP_SPECTRUM = 600


@dataclass(frozen=True, eq=False)
class FittedRows:
    """The rows a machine was fitted on.

    Parameters
    ----------
    training : Training
    coding : Coding
    n_landmarks : int
    """

    training: Training
    coding: Coding
    n_landmarks: int

    def landmarks_of(self, n_rows: int, most: int) -> int:
        """Return how many landmarks the same machine has on so many rows: all, where it had all."""
        had_all = self.n_landmarks >= len(self.training.y)
        return min(n_rows, most) if had_all else min(self.n_landmarks, n_rows)

    def is_used(self, removed: Sequence[int], kernel: Kernel) -> bool:
        """Return whether the kernel reads any of the table's columns `removed`."""
        used = (kernel.inverse_scales != 0) | (kernel.slopes != 0)
        return bool(used[np.isin(self.coding.owner, removed)].any())

    def without(
        self,
        removed: Sequence[int],
        kernel: Kernel,
        penalty: float,
        *,
        conditional_imputation: bool = True,
    ) -> tuple[Machine, float]:
        """Return the machine that does not read the table's columns `removed`, and its penalty.

        Parameters
        ----------
        removed : sequence of int
        kernel : Kernel
            That of the full machine.
        penalty : float
        conditional_imputation : bool, default True
            Whether removed columns are replaced by their best linear guess from the others.
        """
        is_removed = np.isin(self.coding.owner, removed)
        coding, training = self.coding, self.training
        if conditional_imputation:
            moments = Moments.learn(training.rows, training.weights)
            coding = replace(coding, imputation=moments.imputation(is_removed))
        if coding.imputation is None:
            kernel = kernel.without(is_removed)
        else:
            guessed = np.isin(np.arange(len(is_removed)), coding.imputation.removed)
            kernel = kernel.without(is_removed & ~guessed)
            training = replace(training, rows=coding.guessed(training.rows))
        if self.n_landmarks <= _CHEAP_SPECTRUM and training.held_out is None:
            choice = choose_penalty(training, kernel, self.n_landmarks, None)
            return choice.machine(coding), choice.penalty
        if self.n_landmarks >= len(training.y):
            return exact_machine(training, coding, kernel, penalty), penalty
        return landmark_machine(training, coding, kernel, self.n_landmarks, penalty), penalty


def exact_machine(training: Training, coding: Coding, kernel: Kernel, penalty: float) -> Machine:
    """Return the machine with all rows as landmarks, by one Cholesky factorisation.

    Parameters
    ----------
    training : Training
    coding : Coding
    kernel : Kernel
    penalty : float
        Of the squared norm, beside the mean squared error.
    """
    system = kernel.matrix(training.rows, training.rows)
    system.flat[:: len(system) + 1] += penalty / training.shares
    factor = linalg.cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
    ones = np.ones((len(system), 1))
    solved = linalg.cho_solve(factor, np.hstack([training.y, ones]), check_finite=False)
    constant = solved[:, :-1].sum(axis=0) / solved[:, -1].sum()
    weights = solved[:, :-1] - solved[:, -1:] * constant
    return Machine(coding, kernel, training.rows, weights, constant)


def landmark_machine(
    training: Training, coding: Coding, kernel: Kernel, n_landmarks: int, penalty: float
) -> Machine:
    """Return the machine with some rows as landmarks, by two Cholesky factorisations.

    Parameters
    ----------
    training : Training
    coding : Coding
    kernel : Kernel
    n_landmarks : int
        The first rows of `training`, so many.
    penalty : float
        Of the squared norm, beside the mean squared error.
    """
    basis = LandmarkBasis.learn(kernel, training.rows[:n_landmarks])
    roots = np.sqrt(training.shares)
    mean = training.shares @ training.y
    centre = np.zeros(basis.rank)
    second = penalty * np.eye(basis.rank)
    products = np.zeros((basis.rank, training.y.shape[1]))
    for block in basis.blocks(len(training.y)):
        features = basis.features(training.rows[block]) * roots[block, None]
        centre += roots[block] @ features
        second += features.T @ features
        products += features.T @ (roots[block, None] * (training.y[block] - mean))
    second -= np.outer(centre, centre)
    coefficients = linalg.solve(second, products, assume_a="pos", check_finite=False)
    return Machine.of_coefficients(coding, basis, coefficients, mean - centre @ coefficients)
