"""Algorithm 1 in closed form: the full network's linearisation, flowed and stopped early.

A network that is linear in its parameters (`_linearization.py`) has a loss whose gradient flow is
known at every time. In an orthonormal basis of what r landmarks span, the model at n rows is f + F
c, F of shape (n, r). With squared error and F'F / n = V diag(lambda) V', the flow has reached
after a cumulative step size eta the coefficients

    c(eta) = V diag((1 - exp(-eta lambda)) / lambda) V' F'(y - f) / n,

so that one eigendecomposition gives the whole path, (n_points, r). The stopping rows choose a
point of it by their loss, as they choose a step of training. Cross entropy has no such formula,
and its path is followed numerically (`_flow_paths.py`). Where the flow went far, the network is
moved to the parameters it has reached and linearised again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

import numpy as np

from lukewarm._typing import FeatureSet, Matrix, Vector
from lukewarm._validation import check_count
from lukewarm.data import Rows
from lukewarm.learners import BaseLearner, DifferentiableLearner
from lukewarm.reduction._base import BaseReduction, ReducedModel, ReductionData, ReductionTraits
from lukewarm.reduction._warm_start import warm_start
from lukewarm.reduction.linearized._flow_paths import (
    cross_entropy_flow,
    squared_error_flow,
    squared_error_steps,
    step_counts_of_path,
    step_sizes_of_path,
)
from lukewarm.reduction.linearized._linearization import (
    Linearization,
    LinearizedModel,
    as_differentiable,
)
from lukewarm.reduction.linearized._path_trace import PathTrace
from lukewarm.reduction.linearized._sketch import KernelSketch, Solution
from lukewarm.reduction.linearized._spectral import Spectrum

# What a linearisation neglects is a share of the way gone. It matters where little is left: here,
# where the loss that was gained is ten times the loss that is left. Elsewhere another round cost as
# much as the first and gained nothing.
_FAR = 10.0


@dataclass(frozen=True)
class KernelFlow(BaseReduction):
    """Early stopping for networks without a single gradient step.

    Parameters
    ----------
    sketch : KernelSketch, optional
        How many rows and units represent the tangent kernel.
    learning_rate : float, optional
        Take gradient steps of this size on half the mean squared error (of the standardised
        target) in one round, the paper's update equation to the letter; by default steps are
        infinitely small. Regression only.
    max_rounds : int, default 5
        How often the network may be linearised: again where its parameters have been moved, if the
        loss fell by many times what is left of it, and until it falls by less than the sketch's
        tolerance.
    conditional_imputation : bool, default True
        Whether removed features are first imputed by their best linear guess from the others.

    Notes
    -----
    With the tangent kernel K held at the full model's, the whole path of Algorithm 1 is known:
    f_eta(x) = f(x) + k(x, X) U diag((1 - exp(-eta lambda)) / lambda) U' (Y - f(X)) / N, where f is
    the full model on rows without the removed features, adapted to them at next to no cost
    (`conditional_imputation`, and classifiers are calibrated). The stopping rows choose the
    cumulative step size eta from the whole curve, and the best of several rounds. Classifiers
    flow under the cross entropy of the linearised logits.
    """

    sketch: KernelSketch = field(default_factory=KernelSketch)
    learning_rate: float | None = None
    max_rounds: int = 5
    name: str = "kernel_flow"
    conditional_imputation: bool = True

    def __post_init__(self) -> None:
        check_count("max_rounds", self.max_rounds)

    @property
    def traits(self) -> ReductionTraits:
        """It sees one value of each column, at which the network is linearised."""
        return ReductionTraits(takes_draws=False, imputes=self.conditional_imputation)

    def reduce(
        self, full: BaseLearner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the full model's flow without the features in `removed`."""
        started = perf_counter()
        self.check(full)
        train, stopping = data.without(removed)
        start = warm_start(
            full, data, removed, train, stopping, conditional_imputation=self.conditional_imputation
        )
        network = as_differentiable(start, self.name)
        model, trace = self._best_round(network, train, stopping, seed)
        return ReducedModel(
            lambda X: model.predict(data.removal.apply(X, removed)), trace, perf_counter() - started
        )

    def check(self, full: BaseLearner) -> None:
        """Raise unless `full` is a network that these settings are for."""
        network = as_differentiable(full, self.name)
        if self.learning_rate is not None and network.training_loss != "squared_error":
            raise TypeError("learning_rate is for regression; leave it None for a classifier.")

    def _best_round(
        self, network: DifferentiableLearner, train: Rows, stopping: Rows, seed: int
    ) -> tuple[LinearizedModel, PathTrace]:
        """Return the linearised model of the round with the lowest loss, and how it was found."""
        best: tuple[float, LinearizedModel, PathTrace] | None = None
        trace: PathTrace | None = None
        # The paper's literal update is one linearisation.
        max_rounds = self.max_rounds if self.learning_rate is None else 1
        for number in range(max_rounds):
            # Other landmarks each time: together they span more.
            linearization = self.sketch.linearize(network, train.X, stopping.X, seed + number)
            flow = partial(self._flow, network, linearization, train, stopping)
            solution = self.sketch.best(linearization, len(train), flow)
            trace = solution.trace if trace is None else solution.trace.after(trace)
            if best is None:
                # The first round decides by the way gone, later ones by what they gained.
                goes_on = solution.trace.losses[0] - solution.loss > _FAR * solution.loss
            else:
                goes_on = solution.loss < (1 - self.sketch.tolerance) * best[0]
            if best is None or solution.loss < best[0]:
                model = linearization.predictor(solution.basis, solution.coefficients)
                best = solution.loss, model, trace
            if not goes_on or number == max_rounds - 1:
                break
            network = linearization.moved(solution.basis, solution.coefficients)
        assert best is not None
        return best[1], best[2]

    def _flow(
        self,
        network: DifferentiableLearner,
        linearization: Linearization,
        train: Rows,
        stopping: Rows,
    ) -> Solution:
        basis = linearization.basis()
        features, stopping_features = (basis.features(kernel) for kernel in linearization.kernels)
        targets = network.targets(train.y).double().cpu().numpy()
        if network.training_loss == "squared_error":
            path, points, spectrum = self._squared_error(
                features, targets - linearization.outputs[0][:, 0], row_shares(train)
            )
        else:
            path, points, spectrum = self._cross_entropy(
                features, linearization.outputs[0], targets, row_shares(train)
            )
        shifts = path @ stopping_features.T
        losses = losses_on_rows(network, stopping, linearization.outputs[1], shifts)
        best = int(np.argmin(losses))
        return Solution(
            basis, path[best], PathTrace(losses, best, points, spectrum.eigenvalues[::-1])
        )

    def _squared_error(
        self, features: Matrix, residuals: Vector, shares: Vector
    ) -> tuple[Matrix, Vector, Spectrum]:
        spectrum = Spectrum.of_rows(features, residuals, shares)
        if self.learning_rate is None:
            step_sizes = step_sizes_of_path(spectrum.eigenvalues)
            return squared_error_flow(spectrum, step_sizes), step_sizes, spectrum
        n_steps = step_counts_of_path(self.learning_rate, spectrum.eigenvalues)
        path = squared_error_steps(spectrum, n_steps, self.learning_rate)
        return path, self.learning_rate * n_steps, spectrum

    def _cross_entropy(
        self, features: Matrix, logits: Matrix, codes: Vector, shares: Vector
    ) -> tuple[Matrix, Vector, Spectrum]:
        of_outputs = np.repeat(shares, logits.shape[1])
        spectrum = Spectrum.of_rows(features, np.zeros(len(features)), of_outputs)
        step_sizes = step_sizes_of_path(spectrum.eigenvalues)
        path = cross_entropy_flow(features, logits, codes, shares, spectrum, step_sizes)
        return path, step_sizes, spectrum


def row_shares(rows: Rows) -> Vector:
    """Return the rows' weights with sum one."""
    if rows.weights is None:
        return np.full(len(rows), 1 / len(rows))
    return rows.weights / rows.weights.sum()


def losses_on_rows(
    network: DifferentiableLearner, rows: Rows, outputs: Matrix, shifts: Matrix
) -> Vector:
    """Return the loss at every point of a path; `shifts` (n_points, n k) add to `outputs`.

    Parameters
    ----------
    network : DifferentiableLearner
    rows : Rows
    outputs : ndarray of shape (n, k)
        Of the network on these rows, where the path sets out.
    shifts : ndarray of shape (n_points, n k)
        What each point adds.
    """
    import torch

    def loss(shift: Vector) -> float:
        moved = torch.from_numpy(outputs + shift.reshape(outputs.shape)).squeeze(1)
        return network.loss(rows.y, network.as_prediction(moved), rows.weights)

    return np.array([loss(shift) for shift in shifts])
