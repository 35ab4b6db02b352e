"""What a model leaves to be learnt, by a kernel machine of its residuals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lukewarm._typing import Features, Matrix, Vector
from lukewarm.data import Rows
from lukewarm.learners.kernel._choice import Choice, Training
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._machine import Machine
from lukewarm.learners.kernel._refit import FittedRows
from lukewarm.learners.kernel._search import choose
from lukewarm.learners.kernel._stand_out import scores_that_stand_out

# A second look is to cost little beside the model: half a second on these rows, and a twentieth for
# each refit without a column.
_MOST_ROWS = 1000
_LANDMARKS = 500
# The search for length scales takes seconds with more columns: those that stand out are taken.
_MOST_COLUMNS = 100


@dataclass(frozen=True, eq=False)
class ResidualMachine:
    """A kernel machine of residuals, with everything chosen by leaving rows out.

    Parameters
    ----------
    columns : ndarray of int
        Those of the table that the machine may look at.
    fitted : FittedRows
    choice : Choice
    spread : ndarray of shape (n_outputs,)
        Of the residuals, which the machine learns in units of it.
    """

    columns: np.ndarray
    fitted: FittedRows
    choice: Choice
    spread: Vector

    @classmethod
    def learn(cls, rows: Rows, seed: int) -> ResidualMachine | None:
        """Return the machine of at most 1,000 of the rows, whose y are residuals (n, n_outputs).

        None where no column of a wide table goes along with them.

        Parameters
        ----------
        rows : Rows
        seed : int
            Draws the rows, and those that become landmarks.
        """
        some = rows.at(np.random.default_rng(seed).permutation(len(rows))[:_MOST_ROWS])
        weights = np.ones(len(some)) if some.weights is None else some.weights
        weights = weights / weights.mean()
        spread = np.sqrt(np.average(np.square(some.y), axis=0, weights=weights))
        spread = np.where(spread > 0, spread, 1.0)
        columns = _worth_a_look(some.X, some.y / spread, weights)
        if not len(columns):
            return None
        X = _only(columns, some.X)
        coding = Coding.learn(X, weights)
        training = Training(coding.code(X), some.y / spread, weights)
        choice = choose(
            training,
            coding.block,
            name="auto",
            length_scale=None,
            penalty=None,
            depth=None,
            relevance=True,
            max_landmarks=_LANDMARKS,
        )
        return cls(columns, FittedRows(training, coding, choice.n_landmarks), choice, spread)

    def predict(self, X: Features) -> Matrix:
        """Return what is left at each row, (n, n_outputs)."""
        return self._outputs(self.choice.machine(self.fitted.coding), X)

    def uses(self, removed: Sequence[int]) -> bool:
        """Return whether what is left depends on any of these columns of the table."""
        return self.fitted.is_used(self._places(removed), self.choice.kernel)

    def predict_without(self, removed: Sequence[int], X: Features) -> Matrix:
        """Return what is left for a model without some columns, from a machine refitted without."""
        if not self.uses(removed):
            return self.predict(X)
        places, choice = self._places(removed), self.choice
        return self._outputs(self.fitted.without(places, choice.kernel, choice.penalty)[0], X)

    def _places(self, removed: Sequence[int]) -> list[int]:
        return np.flatnonzero(np.isin(self.columns, removed)).tolist()

    def _outputs(self, machine: Machine, X: Features) -> Matrix:
        return machine.outputs(_only(self.columns, X)) * self.spread


def _only(columns: np.ndarray, X: Features) -> Features:
    return X.iloc[:, columns] if isinstance(X, pd.DataFrame) else X[:, columns]


def _worth_a_look(X: Features, y: Matrix, weights: Vector) -> np.ndarray:
    """Return the columns; of a wide table those that y goes along with, alone or in products."""
    if X.shape[1] <= _MOST_COLUMNS:
        return np.arange(X.shape[1])
    coding = Coding.learn(X, weights)
    stands_out = scores_that_stand_out(coding.code(X), y, weights).any(axis=1)
    return np.unique(coding.owner[stands_out])[:_MOST_COLUMNS]
