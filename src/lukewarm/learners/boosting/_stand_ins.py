"""Codes for features that are gone, guessed from those that stay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Vector
from lukewarm.learners._takeover import Takeover
from lukewarm.learners.boosting._columns import Column, NumericColumn
from lukewarm.learners.boosting._rows import BinnedRows


@dataclass(frozen=True, eq=False)
class StandIns:
    """What the kept features let one expect of the removed ones, number by number.

    Parameters
    ----------
    takeover : Takeover
        Between values of numeric features.
    places : ndarray of shape (p,), int32
        Of each feature among the stand-ins; -1 for all but the removed ones.
    """

    takeover: Takeover
    places: np.ndarray

    @classmethod
    def learn(cls, rows: BinnedRows, weights: Vector | None) -> StandIns | None:
        """Return stand-ins for what is removed from `rows`; None where there are none."""
        found = rows.moments(weights).takeover(rows.removed)
        if found is None:
            return None
        places = np.full(len(rows.removed), -1, dtype=np.int32)
        places[found.removed] = np.arange(len(found.removed))
        return cls(found, places)

    def codes(self, rows: BinnedRows) -> np.ndarray:
        """Return the codes of the stand-ins, shape (n_removed, n)."""
        found = self.takeover
        guess = np.tile(found.offset, (len(rows), 1))
        for kept, slopes in zip(found.kept, found.slopes, strict=True):
            guess += np.outer(_values(rows.borders.columns[kept]), slopes)[rows.codes[kept]]
        return rows.borders.encode_numeric(guess, found.removed)


def _values(column: Column) -> np.ndarray:
    assert isinstance(column, NumericColumn)
    return column.values_of_codes
