"""A fitted kernel machine: a constant and a weight for every landmark."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from lukewarm._typing import Features, Matrix, Vector
from lukewarm.learners.kernel._basis import LandmarkBasis, row_blocks
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._kernel import Kernel
from lukewarm.learners.kernel._path import EigenPath


@dataclass(frozen=True, eq=False)
class Machine:
    """f(x) = constant + sum over landmarks of weight * k(x, landmark).

    Parameters
    ----------
    coding : Coding
    kernel : Kernel
    landmarks : ndarray of shape (m, q)
        Coded rows.
    weights : ndarray of shape (m, n_outputs)
    constant : ndarray of shape (n_outputs,)
    """

    coding: Coding
    kernel: Kernel
    landmarks: Matrix
    weights: Matrix
    constant: Vector

    @classmethod
    def of_path(cls, coding: Coding, path: EigenPath, filters: Vector) -> Machine:
        """Return the machine under one filter (rank,)."""
        coefficients = path.coefficients(filters)
        constant = path.mean - path.centre @ coefficients
        return cls.of_coefficients(coding, path.basis, coefficients, constant)

    @classmethod
    def of_coefficients(
        cls, coding: Coding, basis: LandmarkBasis, coefficients: Matrix, constant: Vector
    ) -> Machine:
        """Return the machine with these coefficients of a basis' features.

        Parameters
        ----------
        coding : Coding
        basis : LandmarkBasis
        coefficients : ndarray of shape (rank, n_outputs)
        constant : ndarray of shape (n_outputs,)
        """
        weights = coefficients
        if basis.rank:
            weights = linalg.solve_triangular(basis.factor, coefficients, lower=True, trans="T")
        return cls(coding, basis.kernel, basis.landmarks, weights, constant)

    def outputs(self, X: Features) -> Matrix:
        """Return the outputs for the rows of a table, shape (n, n_outputs)."""
        parts = []
        for block in row_blocks(len(X), max(len(self.landmarks), self.landmarks.shape[1])):
            rows = X.iloc[block] if hasattr(X, "iloc") else X[block]
            parts.append(self.outputs_of_coded(self.coding.code(rows)))
        return np.concatenate(parts)

    def outputs_of_coded(self, rows: Matrix) -> Matrix:
        """Return the outputs for coded rows, shape (n, n_outputs)."""
        outputs = self.constant + rows @ self.line
        if self.kernel.shape != "none":
            outputs += self.kernel.shape_matrix(rows, self.landmarks) @ self.weights
        return outputs

    @cached_property
    def line(self) -> Matrix:
        """The linear part of all landmarks together: a slope per coded column, (q, n_outputs)."""
        return np.square(self.kernel.slopes)[:, None] * (self.landmarks.T @ self.weights)


class HasMachine(ABC):
    """A learner that is a fitted machine and nothing else."""

    @property
    @abstractmethod
    def machine(self) -> Machine | None:
        """The machine of a regression; None for classes, whose probabilities are not linear."""
