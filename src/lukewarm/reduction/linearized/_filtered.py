"""Linearised networks fitted by other regularisers than early stopping."""

from __future__ import annotations

from abc import abstractmethod
from time import perf_counter

import numpy as np

from lukewarm._typing import FeatureSet, Matrix, Vector
from lukewarm.data import Rows, joined
from lukewarm.learners import BaseLearner, DifferentiableLearner
from lukewarm.reduction._base import BaseReduction, ReducedModel, ReductionData, ReductionTraits
from lukewarm.reduction.linearized._kernel_flow import losses_on_rows, row_shares
from lukewarm.reduction.linearized._linearization import Linearization, as_differentiable
from lukewarm.reduction.linearized._path_trace import PathTrace
from lukewarm.reduction.linearized._sketch import KernelSketch, Solution
from lukewarm.reduction.linearized._spectral import Spectrum


class FilteredReduction(BaseReduction):
    """A path of linearised models, each a filter of the kernel's eigenvalues.

    Parameters
    ----------
    sketch : KernelSketch, optional
        How many rows and units represent the tangent kernel.
    n_folds : int or None
        The point of the path is chosen by that many folds of the training and stopping rows
        together, and the model then fitted on all of them; None: fitted on the training rows,
        chosen on the stopping rows.
    """

    name: str

    def __init__(self, sketch: KernelSketch | None, n_folds: int | None) -> None:
        self.sketch = sketch or KernelSketch()
        self.n_folds = n_folds

    @abstractmethod
    def path(self, eigenvalues: Vector, n_rows: int) -> Vector:
        """Return the points of the path, from most to least regularised."""

    @abstractmethod
    def filters(self, eigenvalues: Vector, path: Vector) -> Matrix:
        """Return the filter (n_points, rank) at every point of the path."""

    @property
    def traits(self) -> ReductionTraits:
        """It sees one value of each column, at which the network is linearised."""
        return ReductionTraits(takes_draws=False)

    def reduce(
        self, full: BaseLearner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the linearised model without the features in `removed`."""
        started = perf_counter()
        network = self.check(full)
        train, stopping = data.without(removed)
        # With folds all rows are fitted and each is predicted by models that did not see its fold.
        chosen_on = None if self.n_folds else stopping
        fitted_on = joined(train, stopping) if self.n_folds else train
        others = None if chosen_on is None else chosen_on.X
        linearization = self.sketch.linearize(network, fitted_on.X, others, seed)
        # Drawn once for all numbers of landmarks, so that their losses compare.
        fold_of_row = np.random.default_rng(seed).permutation(len(fitted_on)) % (self.n_folds or 1)
        solution = self.sketch.best(
            linearization,
            len(fitted_on),
            lambda: self._solve(network, linearization, fitted_on, chosen_on, fold_of_row),
        )
        model = linearization.predictor(solution.basis, solution.coefficients)
        return ReducedModel(
            lambda X: model.predict(data.removal.apply(X, removed)),
            solution.trace,
            perf_counter() - started,
        )

    def check(self, full: BaseLearner) -> DifferentiableLearner:
        """Return `full`, a network for regression, or raise."""
        network = as_differentiable(full, self.name)
        if network.training_loss != "squared_error":
            raise TypeError(
                f"method {self.name!r} is a least-squares fit, but the model classifies; use "
                "method 'kernel_flow' or 'early_stopping'."
            )
        return network

    def _solve(
        self,
        network: DifferentiableLearner,
        linearization: Linearization,
        fitted_on: Rows,
        chosen_on: Rows | None,
        fold_of_row: np.ndarray,
    ) -> Solution:
        """Return the best point of the path.

        Parameters
        ----------
        network : DifferentiableLearner
            In the state that was linearised.
        linearization : Linearization
            Its first rows are those of `fitted_on`, its second those of `chosen_on`.
        fitted_on : Rows
        chosen_on : Rows, optional
            What chooses the point; None: the rows of `fitted_on`, left out fold by fold.
        fold_of_row : ndarray of shape (n,)
            Of `fitted_on`.
        """
        basis = linearization.basis()
        features = basis.features(linearization.kernels[0])
        targets = network.targets(fitted_on.y).double().cpu().numpy()
        residuals = targets - linearization.outputs[0][:, 0]
        shares = row_shares(fitted_on)
        spectrum = Spectrum.of_rows(features, residuals, shares)
        # The path of all rows serves the folds too: a point is a penalty or a time, not a rank.
        path = self.path(spectrum.eigenvalues, len(fitted_on))
        coefficients = self._coefficients(spectrum, path)
        if chosen_on is None:
            shifts = self._out_of_fold(features, residuals, shares, path, fold_of_row)
            losses = losses_on_rows(network, fitted_on, linearization.outputs[0], shifts)
        else:
            shifts = coefficients @ basis.features(linearization.kernels[1]).T
            losses = losses_on_rows(network, chosen_on, linearization.outputs[1], shifts)
        best = int(np.argmin(losses))
        # The full model itself is no point of the path and has no number.
        trace = PathTrace(losses, best, np.append(np.nan, path), spectrum.eigenvalues[::-1])
        return Solution(basis, coefficients[best], trace)

    def _coefficients(self, spectrum: Spectrum, path: Vector) -> Matrix:
        """Return the coefficients at every point, after those of the full model itself: zero."""
        # (n_points + 1, r): the first is dropout, which may be the best.
        fitted = spectrum.coefficients(self.filters(spectrum.eigenvalues, path)).T
        return np.concatenate([np.zeros((1, fitted.shape[1])), fitted])

    def _out_of_fold(
        self,
        features: Matrix,
        residuals: Vector,
        shares: Vector,
        path: Vector,
        fold_of_row: np.ndarray,
    ) -> Matrix:
        """Return, at every point and row, what models that never saw the row's fold add.

        Parameters
        ----------
        features : ndarray of shape (n, rank)
        residuals, shares : ndarrays of shape (n,)
            What is to be fitted, and what each row weighs.
        path : ndarray of shape (n_points,)
        fold_of_row : ndarray of shape (n,)
        """
        shifts = np.zeros((len(path) + 1, len(features)))
        for fold in np.unique(fold_of_row):
            inside = fold_of_row == fold
            weights = shares[~inside] / shares[~inside].sum()
            spectrum = Spectrum.of_rows(features[~inside], residuals[~inside], weights)
            shifts[:, inside] = self._coefficients(spectrum, path) @ features[inside].T
        return shifts
