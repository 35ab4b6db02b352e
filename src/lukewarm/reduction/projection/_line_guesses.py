"""The guess of every column by lines in the others, all from one inverse.

In a wide table the model looks at few columns. Of the others only a direction is asked for: what a
column holds that the others do not know, times its slope in the model's residuals. Fitting a guess
of each by itself would cost more than all the rest; here one matrix product serves many of them.
The guesses are those that `Regressions.fit` would choose without trees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.learners.additive import AdditiveBasis, Line, RidgeFamily, RidgeFit
from lukewarm.reduction.projection._column_values import column_of
from lukewarm.reduction.projection._prepared_rows import PreparedRows

# Columns guessed in one product; their residuals are in memory together.
_BLOCK = 256


@dataclass(frozen=True, eq=False)
class LineResiduals:
    """What the other columns do not know of one column, by its guess."""

    column: int
    guess: RidgeFit

    def residuals(self, rows: PreparedRows) -> Matrix:
        """Return the column minus its guess, shape (n, 1)."""
        left = column_of(rows.X, self.column) - rows.fitted(self.guess)
        return left[:, np.newaxis]


@dataclass(frozen=True, eq=False)
class LineGuesses:
    """Guesses of columns and levels by lines in all other columns.

    Parameters
    ----------
    family : RidgeFamily
        Of the training rows; with an inverse.
    basis : AdditiveBasis
        Of lines alone.
    held_out : ndarray of shape (n, m)
        The functions at the stopping rows.
    helps : callable
        Errors before and after -> whether the stopping rows show that a guess is the better one.
    """

    family: RidgeFamily
    basis: AdditiveBasis
    held_out: Matrix
    helps: Callable[[Vector, Vector], bool]

    @cached_property
    def of_columns(self) -> dict[int, RidgeFit]:
        """The guess of each column of numbers that has no gaps."""
        lines = self.basis.lines
        columns = list(lines)
        guesses: dict[int, RidgeFit] = {}
        for start in range(0, len(columns), _BLOCK):
            chosen = columns[start : start + _BLOCK]
            places = np.array([lines[column].place for column in chosen], dtype=int)
            fits = list(self.family.fit_functions(places, 0, self.basis.owner))
            best = self._best([lines[column] for column in chosen], fits)
            guesses.update(zip(chosen, best, strict=True))
        return guesses

    def of_levels(self, column: int, values: tuple[Any, ...]) -> dict[Any, RidgeFit]:
        """Return the guess of each of these values that is a level with an indicator."""
        levels = self.basis.levels.get(column, {})
        lines = {value: levels[value] for value in values if value in levels}
        if not lines:
            return {}
        places = np.array([line.place for line in lines.values()])
        fits = list(self.family.fit_column(places, 0, self.basis.owner))
        return dict(zip(lines, self._best(list(lines.values()), fits), strict=True))

    def _best(self, lines: list[Line], fits: list[tuple[RidgeFit, RidgeFit]]) -> list[RidgeFit]:
        """Return of each pair of regressions the one that helps, or the mean."""
        slopes = np.stack([whole.coefficients for _, whole in fits], axis=1)
        by_whole = self.held_out @ slopes
        guesses = []
        for number, (line, (selected, whole)) in enumerate(zip(lines, fits, strict=True)):
            target = self.held_out[:, line.place]
            mean = float(self.family.mean[line.place])
            best, left = RidgeFit(mean, np.zeros(len(slopes))), target - mean
            others = (
                (selected, selected.predict(self.held_out)),
                (whole, whole.offset + by_whole[:, number]),
            )
            for fit, guessed in others:
                if self.helps(left, target - guessed):
                    best, left = fit, target - guessed
            # From centred and scaled functions to the units of the column.
            guesses.append(
                RidgeFit(line.offset + line.slope * best.offset, line.slope * best.coefficients)
            )
        return guesses
