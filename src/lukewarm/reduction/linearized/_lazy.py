"""Ridge regression and a single step on the linearised network."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm._validation import check_count
from lukewarm.reduction.linearized._filtered import FilteredReduction
from lukewarm.reduction.linearized._flow_paths import POINTS_OF_PATH
from lukewarm.reduction.linearized._sketch import KernelSketch
from lukewarm.reduction.linearized._spectral import ridge_filter, single_step_filter


class Lazy(FilteredReduction):
    """LazyVI: ridge regression on the full network's linearisation (Gao et al. 2022).

    Parameters
    ----------
    penalties : sequence of float, optional
        Ridge penalties to choose from, of the *sum* of squared errors; ten from 1 to 100 as in
        the original.
    n_folds : int, default 5
    sketch : KernelSketch, optional

    Notes
    -----
    Minimises ``sum_i (y_i - f(x_i) - g_i . d)**2 + penalty |d|**2`` over the shift d of the
    parameters, with g_i the gradient at row i. Per fold, one eigendecomposition serves all
    penalties.
    """

    name = "lazy"

    def __init__(
        self,
        penalties: Vector | None = None,
        n_folds: int = 5,
        sketch: KernelSketch | None = None,
    ) -> None:
        super().__init__(sketch, check_count("n_folds", n_folds, minimum=2))
        self.penalties = np.logspace(2, 0, 10) if penalties is None else np.asarray(penalties)

    def path(self, eigenvalues: Vector, n_rows: int) -> Vector:
        """Return the penalties of the mean squared error."""
        return self.penalties / n_rows

    def filters(self, eigenvalues: Vector, path: Vector) -> Matrix:
        """Return the ridge filter at every penalty."""
        return ridge_filter(eigenvalues, path)


class KernelRidge(FilteredReduction):
    """Kernel ridge regression in the place of early stopping, the penalty chosen the same way.

    Parameters
    ----------
    sketch : KernelSketch, optional

    Notes
    -----
    The paper's remark after its theorems: 1 / penalty plays the part of the cumulative step size.
    """

    name = "kernel_ridge"

    def __init__(self, sketch: KernelSketch | None = None) -> None:
        super().__init__(sketch, None)

    def path(self, eigenvalues: Vector, n_rows: int) -> Vector:
        """Return penalties from far above the largest eigenvalue to far below it."""
        # One over the step sizes of kernel flow.
        return eigenvalues[-1] * np.geomspace(50, 1e-6, POINTS_OF_PATH)

    def filters(self, eigenvalues: Vector, path: Vector) -> Matrix:
        """Return the ridge filter at every penalty."""
        return ridge_filter(eigenvalues, path)


class OneStep(FilteredReduction):
    """A single gradient step of a size chosen by cross-validation.

    Parameters
    ----------
    n_folds : int, default 5
    sketch : KernelSketch, optional

    Notes
    -----
    The paper's appendix "Practical guidance". The step is taken on all training rows at once, on
    the linearised network.
    """

    name = "one_step"

    def __init__(self, n_folds: int = 5, sketch: KernelSketch | None = None) -> None:
        super().__init__(sketch, check_count("n_folds", n_folds, minimum=2))

    def path(self, eigenvalues: Vector, n_rows: int) -> Vector:
        """Return step sizes around those that are stable in the quickest direction."""
        # 20 per factor of ten. The step is taken once, so that sizes beyond 2, which would not
        # converge if they were repeated, may be the best.
        return np.geomspace(0.01, 1000, 100) / eigenvalues[-1]

    def filters(self, eigenvalues: Vector, path: Vector) -> Matrix:
        """Return the step size in every direction."""
        return single_step_filter(eigenvalues, path)
