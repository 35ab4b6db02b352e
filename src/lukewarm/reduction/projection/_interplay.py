"""A kernel regression, where products or waves go along with what curves leave of a target.

Curves of single columns cannot follow a product or many turns, and the trees of a guess see too few
rows to find them. A kernel machine does, but costs ten times as much. So a reason is looked
for first: the means of left * b_j * b_k over their standard errors, for all pairs of lines and
parabolas of different columns, are one matrix product; and waves show in the means of groups of
rows. The machine sees only the columns of such pairs, and those the curves already use.
"""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.learners.additive import RidgeFit
from lukewarm.learners.kernel import (
    KernelMachineRegressor,
    columns_with_waves,
    scores_that_stand_out,
)
from lukewarm.reduction.projection._functions_fit import FunctionsFit

# Of more training rows trees learn products well enough, and machines would cost more than models.
MOST_TRAINING_ROWS = 5_000
# All rows are learnt from in closed form, with as many landmarks as a smooth function of a few
# columns needs.
_LANDMARKS = 300
# The matrix product costs the square of their number for every target.
_MOST_FUNCTIONS = 150

# A wave is looked for along one column after the other, so among few of them.
_MOST_COLUMNS = 20


class Interplay:
    """Machines for targets on the same training rows.

    Parameters
    ----------
    functions : ndarray of shape (n, m)
        Of single columns, standardised.
    owner : ndarray of shape (m,), int
        The column each function is one of.
    is_line : ndarray of shape (m,), bool
    weights : ndarray of shape (n,), optional
    kernel_rows : int
        Rows, evenly spaced, that find a machine's kernel, which costs their cube.
    """

    def __init__(
        self,
        functions: Matrix,
        owner: np.ndarray,
        is_line: np.ndarray,
        weights: Vector | None,
        kernel_rows: int,
    ) -> None:
        self._kernel_rows = kernel_rows
        self._lines = np.flatnonzero(is_line)
        self._functions = functions[:, self._lines]
        self._owner = owner
        self._weights = np.ones(len(functions)) if weights is None else weights
        self._screened, self._screened_owner = self._functions, owner[self._lines]
        if len(self._lines) > _MOST_FUNCTIONS:
            return
        squares = np.square(self._functions)
        # The square of a balanced indicator is constant.
        is_curve = squares.std(axis=0) > 0
        if len(self._lines) + is_curve.sum() <= _MOST_FUNCTIONS:
            bent = squares[:, is_curve] - squares[:, is_curve].mean(axis=0)
            self._screened = np.column_stack([self._functions, bent / bent.std(axis=0)])
            self._screened_owner = np.append(self._screened_owner, self._screened_owner[is_curve])

    def fit(
        self, target: Vector, ridge: RidgeFit, left: Vector, kept: np.ndarray
    ) -> FunctionsFit | None:
        """Return the machine of a target; None where neither products nor waves are left of it.

        Parameters
        ----------
        target : ndarray of shape (n,)
        ridge : RidgeFit
            Of the target on curves of single columns.
        left : ndarray of shape (n,)
            What it leaves of the target.
        kept : ndarray of shape (m,), bool
            The functions that may be used.
        """
        used = np.unique(self._owner[np.flatnonzero(ridge.coefficients)])
        columns = self._in_products(left, np.unique(self._owner[kept]))
        if not len(columns) and not self._waves(left, used):
            return None
        columns = np.union1d(columns, used)
        is_used = np.isin(self._owner[self._lines], columns)
        functions, weights = self._functions[:, is_used], self._weights
        every = -(-len(target) // self._kernel_rows)
        machine = KernelMachineRegressor("rbf+linear", max_landmarks=_LANDMARKS, random_state=0)
        machine.fit(functions[::every], target[::every], weights[::every])
        if every > 1:
            machine = machine.refitted(functions, target, weights)
        return FunctionsFit(machine, self._lines[is_used])

    def _in_products(self, left: Vector, columns: np.ndarray) -> np.ndarray:
        """Return the columns of which products of two go along with `left`."""
        is_seen = np.isin(self._screened_owner, columns)
        if not 1 < is_seen.sum() <= _MOST_FUNCTIONS:
            return np.zeros(0, dtype=int)
        owner = self._screened_owner[is_seen]
        found = scores_that_stand_out(self._screened[:, is_seen], left[:, None], self._weights)
        pairs = found[:, :-1] & (owner[:, None] != owner)
        return np.unique(owner[pairs.any(axis=0)])

    def _waves(self, left: Vector, columns: np.ndarray) -> bool:
        """Return whether `left` waves along one of the columns, if they are few."""
        if len(columns) > _MOST_COLUMNS:
            return False
        is_seen = np.isin(self._owner[self._lines], columns)
        rows = self._functions[:, is_seen]
        return bool(columns_with_waves(rows, left[:, None], self._weights).any())
