"""The guess of every column by lines in the others, all from one inverse.

In a wide table the model looks at few columns. Of the others only a direction is asked for: what a
column holds that the others do not know, times its slope in the model's residuals. Fitting a guess
of each by itself would cost more than all the rest; here one matrix product serves many of them.
The guesses are those that `Regressions.fit` would choose without trees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.learners.additive import AdditiveBasis, RidgeFamily, RidgeFit
from lukewarm.reduction.projection._conditional import column_of
from lukewarm.reduction.projection._regressions import PreparedRows

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


def line_guesses(
    family: RidgeFamily,
    basis: AdditiveBasis,
    held_out: Matrix,
    helps: Callable[[Vector, Vector], bool],
) -> dict[int, RidgeFit]:
    """Return the guess of each column of numbers that has no gaps.

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
    lines = basis.lines
    columns = np.array(list(lines), dtype=int)
    places = np.array([lines[column].place for column in columns], dtype=int)
    guesses = {}
    for start in range(0, len(columns), _BLOCK):
        chosen = slice(start, start + _BLOCK)
        fits = list(family.fit_functions(places[chosen], 0, basis.owner))
        slopes = np.stack([whole.coefficients for _, whole in fits], axis=1)
        by_whole = held_out @ slopes
        for number, (column, place) in enumerate(zip(columns[chosen], places[chosen], strict=True)):
            selected, whole = fits[number]
            target = held_out[:, place]
            best, left = _constant(family, place), target - family.mean[place]
            others = (
                (selected, selected.predict(held_out)),
                (whole, whole.offset + by_whole[:, number]),
            )
            for fit, guessed in others:
                if helps(left, target - guessed):
                    best, left = fit, target - guessed
            line = lines[column]
            guesses[int(column)] = RidgeFit(
                line.offset + line.slope * best.offset, line.slope * best.coefficients
            )
    return guesses


def _constant(family: RidgeFamily, place: int) -> RidgeFit:
    return RidgeFit(float(family.mean[place]), np.zeros(len(family.mean)))
