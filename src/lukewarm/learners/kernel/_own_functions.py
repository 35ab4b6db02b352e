"""The functions that a kernel machine is made of, for learning something else with them.

What a machine knows without some columns is best said in its own words: the same kernel without
these columns, between the same landmarks, under the same penalty. A few hundred landmarks say
nearly all of it, at a price far below that of the machine itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Features, Matrix, Vector
from lukewarm.learners.kernel._basis import LandmarkBasis
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._kernel import Kernel
from lukewarm.learners.kernel._machine import Machine
from lukewarm.learners.kernel._path import EigenPath, ridge_filters

# Twice as many bring a tenth of what the first 300 do, and take four times as long.
_LANDMARKS = 300


@dataclass(frozen=True, eq=False)
class OwnFunctions:
    """A machine's kernel, some of its landmarks and its penalty.

    Parameters
    ----------
    coding : Coding
    kernel : Kernel
    landmarks : ndarray of shape (m, q)
        Coded rows.
    penalty : float
        Of the squared norm, beside the mean loss.
    """

    coding: Coding
    kernel: Kernel
    landmarks: Matrix
    penalty: float

    @classmethod
    def of(cls, machine: Machine, penalty: float) -> OwnFunctions:
        """Return those of a machine that was fitted under this penalty."""
        return cls(machine.coding, machine.kernel, machine.landmarks, penalty)

    def learn(
        self, X: Features, target: Vector, weights: Vector | None, removed: Sequence[int]
    ) -> Machine:
        """Return the machine that follows a target by least squares, without some columns.

        Parameters
        ----------
        X : Features of shape (n, p)
        target : ndarray of shape (n,)
        weights : ndarray of shape (n,), optional
        removed : sequence of int
        """
        n_rows = len(target)
        shares = np.full(n_rows, 1 / n_rows) if weights is None else weights / weights.sum()
        rows = self.coding.code(X)
        path = EigenPath.learn(self._basis(removed), rows, target[:, None], shares)
        filters = ridge_filters(path.eigenvalues, np.array([self.penalty]))[0]
        return Machine.of_path(self.coding, path, filters)

    def features(self, X: Features, removed: Sequence[int]) -> tuple[LandmarkBasis, Matrix]:
        """Return a basis without some columns, and its functions at rows (n, rank).

        They are divided by the root of the penalty.
        """
        basis = self._basis(removed)
        return basis, basis.features(self.coding.code(X)) / np.sqrt(self.penalty)

    def machine(self, basis: LandmarkBasis, weights: Matrix) -> Machine:
        """Return the machine of weights (rank, n_outputs) of `features`, without a constant."""
        constant = np.zeros(weights.shape[1])
        coefficients = weights / np.sqrt(self.penalty)
        return Machine.of_coefficients(self.coding, basis, coefficients, constant)

    def _basis(self, removed: Sequence[int]) -> LandmarkBasis:
        kernel = self.kernel.without(np.isin(self.coding.owner, removed))
        # A machine's landmarks are sorted by what each adds, outliers first.
        chosen = np.random.default_rng(0).permutation(len(self.landmarks))[:_LANDMARKS]
        return LandmarkBasis.learn(kernel, self.landmarks[chosen])


class HasOwnFunctions(ABC):
    """A learner that is a kernel machine, or trained as one."""

    @property
    @abstractmethod
    def own_functions(self) -> OwnFunctions | None:
        """What it is made of; None before it is trained."""
