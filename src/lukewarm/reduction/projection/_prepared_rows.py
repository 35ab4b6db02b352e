"""Rows as regressions on the kept columns read them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lukewarm._typing import Features, Matrix, Vector
from lukewarm.data import RowCache
from lukewarm.learners.additive import AdditiveBasis, RidgeFit
from lukewarm.learners.boosting import BinnedDataset, Borders
from lukewarm.reduction.projection._functions_fit import FunctionsFit

# Rows up to which the functions of all columns, up to nine each, are kept in memory.
_MOST_KEPT = 20_000
# Sets of columns whose guesses are kept: one for each thread at work. A guess is asked for again
# while its set is worked on; with the draws, it would be kept for every set at once.
_GUESSES_KEPT = 8


class PreparedRows:
    """Rows of the table with the functions of their columns, computed once.

    Parameters
    ----------
    X : Features
    basis : AdditiveBasis
    borders : Borders
    binned : BinnedDataset, optional
        The rows as trees read them, where they are there already.
    """

    def __init__(
        self,
        X: Features,
        basis: AdditiveBasis,
        borders: Borders,
        binned: BinnedDataset | None = None,
    ) -> None:
        self.X = X
        self.guesses: RowCache[Matrix] = RowCache(_GUESSES_KEPT)
        self._basis = basis
        self._borders = borders
        if binned is not None:
            self.binned = binned

    def __len__(self) -> int:
        return len(self.X)

    @cached_property
    def functions(self) -> Matrix:
        """The functions of the columns, shape (n, m)."""
        return self._basis.transform(self.X)

    def fitted(self, base: RidgeFit | FunctionsFit) -> Vector:
        """Return the fitted values of a regression on the functions, shape (n,)."""
        if len(self.X) <= _MOST_KEPT:
            return base.predict(self.functions)
        if isinstance(base, RidgeFit):
            return base.offset + self._basis.combined(self.X, base.coefficients)
        starts = range(0, len(self.X), _MOST_KEPT)
        parts = [slice(start, start + _MOST_KEPT) for start in starts]
        return np.concatenate([base.predict(self._basis.transform(self.X[part])) for part in parts])

    @cached_property
    def shuffled(self) -> np.ndarray:
        """The numbers of the rows in an order that has nothing to do with them."""
        return np.random.default_rng(0).permutation(len(self))

    @cached_property
    def binned(self) -> BinnedDataset:
        """The rows as trees read them."""
        return BinnedDataset.encode(self._borders, self.X)
