"""Surrogate values: codes of removed features, imputed from those that stay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Vector
from lukewarm.learners._imputation import LinearImputation
from lukewarm.learners.boosting._columns import Column, NumericColumn
from lukewarm.learners.boosting._dataset import BinnedDataset


@dataclass(frozen=True, eq=False)
class SurrogateValues:
    """What the kept features let one expect of the removed ones, row by row.

    Parameters
    ----------
    imputation : LinearImputation
        Between values of numeric features.
    places : ndarray of shape (p,), int32
        Of each feature among the surrogate values; -1 for all but the removed ones.
    """

    imputation: LinearImputation
    places: np.ndarray

    @classmethod
    def learn(cls, rows: BinnedDataset, weights: Vector | None) -> SurrogateValues | None:
        """Return surrogate values for what is removed from `rows`; None where there are none."""
        imputation = rows.moments(weights).imputation(rows.removed)
        if imputation is None:
            return None
        places = np.full(len(rows.removed), -1, dtype=np.int32)
        places[imputation.removed] = np.arange(len(imputation.removed))
        return cls(imputation, places)

    def codes(self, rows: BinnedDataset) -> np.ndarray:
        """Return the codes of the surrogate values, shape (n_removed, n)."""
        imputation = self.imputation
        guess = np.tile(imputation.offset, (len(rows), 1))
        for kept, slopes in zip(imputation.kept, imputation.slopes, strict=True):
            guess += np.outer(_values(rows.borders.columns[kept]), slopes)[rows.codes[kept]]
        return rows.borders.encode_numeric(guess, imputation.removed)


def _values(column: Column) -> np.ndarray:
    assert isinstance(column, NumericColumn)
    return column.values_of_codes
