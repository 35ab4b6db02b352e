"""What a model leaves to be learnt, by a kernel machine of its residuals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Features, Matrix, Vector
from lukewarm.data import Rows
from lukewarm.learners.kernel._choice import Choice, Training
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._machine import Machine
from lukewarm.learners.kernel._refit import FittedRows
from lukewarm.learners.kernel._search import choose

# A second look is to cost little beside the model: half a second on these rows, and a twentieth for
# each refit without a column.
_MOST_ROWS = 1000
_LANDMARKS = 500


@dataclass(frozen=True, eq=False)
class ResidualMachine:
    """A kernel machine of residuals, with everything chosen by leaving rows out.

    Parameters
    ----------
    fitted : FittedRows
    choice : Choice
    spread : ndarray of shape (n_outputs,)
        Of the residuals, which the machine learns in units of it.
    """

    fitted: FittedRows
    choice: Choice
    spread: Vector

    @classmethod
    def learn(cls, rows: Rows, seed: int) -> ResidualMachine:
        """Return the machine of at most 1,000 of the rows, whose y are residuals (n, n_outputs).

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
        coding = Coding.learn(some.X, weights)
        training = Training(coding.code(some.X), some.y / spread, weights)
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
        return cls(FittedRows(training, coding, choice.n_landmarks), choice, spread)

    def predict(self, X: Features) -> Matrix:
        """Return what is left at each row, (n, n_outputs)."""
        return self._outputs(self.choice.machine(self.fitted.coding), X)

    def uses(self, removed: Sequence[int]) -> bool:
        """Return whether what is left depends on any of these columns of the table."""
        return self.fitted.is_used(removed, self.choice.kernel)

    def predict_without(self, removed: Sequence[int], X: Features) -> Matrix:
        """Return what is left for a model without some columns, from a machine refitted without."""
        if not self.uses(removed):
            return self.predict(X)
        machine, _ = self.fitted.without(removed, self.choice.kernel, self.choice.penalty)
        return self._outputs(machine, X)

    def _outputs(self, machine: Machine, X: Features) -> Matrix:
        return machine.outputs(X) * self.spread
