"""Additive ridge regressions on the columns that are kept, from a constant over lines to curves."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import FeatureSet, Matrix, Vector
from lukewarm.learners.additive import AdditiveBasis, RidgeFamily, RidgeFit

# In rows. Lines have few coefficients; curves up to nine for every column.
_LINE_PENALTIES = (1.0,)


class Ridges:
    """Ridge regressions of any target on any columns; all of them share one inverse a penalty.

    Parameters
    ----------
    basis : AdditiveBasis
    functions : ndarray of shape (n, m)
        Those of the basis, at the training rows.
    weights : ndarray of shape (n,), optional
    curve_penalties : tuple of float
        In rows; curves are fitted once with each.
    """

    def __init__(
        self,
        basis: AdditiveBasis,
        functions: Matrix,
        weights: Vector | None,
        curve_penalties: tuple[float, ...],
    ) -> None:
        self._owner = basis.owner
        self._weights = weights
        self._curve_penalties = curve_penalties
        self._lines = np.flatnonzero(basis.is_line)
        self.line_family = RidgeFamily(functions[:, self._lines], _LINE_PENALTIES, weights)
        # Wide tables have no curves, nor have columns of two values.
        has_curves = len(self._lines) < len(self._owner)
        self._curve_family = (
            RidgeFamily(functions, curve_penalties, weights) if has_curves else None
        )

    def fits(self, target: Vector, removed: FeatureSet) -> list[RidgeFit]:
        """Return the regressions of a target on all columns but `removed`, the plainest first.

        Parameters
        ----------
        target : ndarray of shape (n,)
        removed : FeatureSet
        """
        kept = ~np.isin(self._owner, removed)
        mean = float(np.average(target, weights=self._weights))
        fits = [RidgeFit(mean, np.zeros(len(kept)))]
        lines, owner = self._lines, self._owner
        for fit in self.line_family.fit_selected(target, kept[lines], 0, owner[lines]):
            coefficients = np.zeros(len(kept))
            coefficients[lines] = fit.coefficients
            fits.append(RidgeFit(fit.offset, coefficients))
        if self._curve_family is not None:
            fits += [
                self._curve_family.fit_selected(target, kept, number, owner)[0]
                for number in range(len(self._curve_penalties))
            ]
        return fits
