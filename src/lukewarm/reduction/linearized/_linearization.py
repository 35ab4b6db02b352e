"""The full model's linearisation on rows without the removed features, seen from landmarks.

Near its parameters w a network is f(x; w + d) = f(x) + g(x) . d, with g(x) the gradient of its
output: a linear model with as many features as parameters. Its kernel is K(x, x') = g(x) . g(x').
For d in the span of the gradients at m landmark rows, the change is a sum of kernel functions
sum_j a_j K(x, z_j), and everything is known from kernels of shape (n k, m k), for n rows and k
outputs; a row's outputs lie next to each other. The gradient of a linear layer is never written
out: it is an outer product of what goes in and what comes back, and an inner product of two of
them is a product of two small ones (`TangentFactors`).

Landmarks come in batches, so that a fit can ask for more where they help; the kernels grow by
columns and earlier ones stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm._typing import Features, Matrix, Prediction, Vector
from lukewarm.learners import BaseLearner, DifferentiableLearner
from lukewarm.reduction.linearized._spectral import LandmarkBasis

if TYPE_CHECKING:
    from lukewarm.kernels.tangent._factors import TangentFactors
    from lukewarm.kernels.tangent._map import TangentMap

# Factors of so many rows are held at once where they are not kept: some ten MB for a layer that is
# a thousand wide.
_ROWS_PER_BLOCK = 1024
_BYTES_KEPT = 2**29  # factors of more rows than that are computed again when landmarks are added


class RowGradients:
    """The gradients at a set of rows, ready for kernels with any landmarks."""

    def __init__(self, gradients: TangentMap, inputs: Any) -> None:
        self._gradients = gradients
        self._blocks = list(inputs.split(_ROWS_PER_BLOCK))
        self._factors: list[TangentFactors] = []
        # One block tells what all would take.
        first = gradients.factors(self._blocks[0])
        if first.n_bytes_per_row * len(inputs) <= _BYTES_KEPT:
            self._factors = [first, *(gradients.factors(rows) for rows in self._blocks[1:])]
            outputs = [part.outputs for part in self._factors]
        else:
            outputs = [gradients.outputs(rows) for rows in self._blocks]
        self.outputs = np.concatenate([part.double().cpu().numpy() for part in outputs])

    def at(self, rows: np.ndarray) -> TangentFactors:
        """Return the factors of some rows, given in ascending order."""
        from lukewarm.kernels.tangent._factors import concatenate

        parts = []
        for number, block in enumerate(self._blocks):
            first = number * _ROWS_PER_BLOCK
            inside = rows[(rows >= first) & (rows < first + _ROWS_PER_BLOCK)] - first
            if len(inside) and self._factors:
                parts.append(self._factors[number].take(inside))
            elif len(inside):
                parts.append(self._gradients.factors(block[inside]))
        return concatenate(parts)

    def kernel(self, landmarks: TangentFactors) -> Matrix:
        """Return the kernel (n k, m k) with m landmarks."""
        from lukewarm.kernels.tangent._factors import kernel_of_factors

        parts = self._factors or (self._gradients.factors(rows) for rows in self._blocks)
        return np.concatenate(
            [kernel_of_factors(part, landmarks).double().cpu().numpy() for part in parts]
        )


class Linearization:
    """The full model plus the span of its gradients at landmark rows.

    Parameters
    ----------
    full : DifferentiableLearner
    train, others : Features
        Rows whose removed features are held at their fill values. Landmarks are training rows;
        the kernels of the others grow along.
    landmark_rows : ndarray of int
        Training rows that may serve as landmarks, in the order they are taken.
    max_units : int, optional
        Units of wider layers that stand for all in the kernel; all by default.
    precision : "full", "bfloat16" or "auto"
    """

    def __init__(
        self,
        full: DifferentiableLearner,
        train: Features,
        others: Features | None,
        landmark_rows: np.ndarray,
        max_units: int | None = None,
        precision: str = "full",
    ) -> None:
        from lukewarm.kernels import TangentMap

        self._full = full
        self._gradients = TangentMap(full.module, max_units, precision)
        self._landmark_rows = landmark_rows.copy()
        self._inputs = full.inputs(train)
        parts = [self._inputs] if others is None else [self._inputs, full.inputs(others)]
        self._rows = [RowGradients(self._gradients, part) for part in parts]
        self.outputs = [rows.outputs for rows in self._rows]
        self.kernels = [np.empty((outputs.size, 0)) for outputs in self.outputs]
        self._landmarks: list[TangentFactors] = []

    @property
    def n_outputs(self) -> int:
        """Outputs of the module per row."""
        return self.outputs[0].shape[1]

    def grow(self, n_landmarks: int) -> None:
        """Extend the kernels to the first `n_landmarks` landmarks."""
        done = self.kernels[0].shape[1] // self.n_outputs
        added = slice(done, n_landmarks)
        # `RowGradients.at` goes through the blocks in order.
        self._landmark_rows[added] = np.sort(self._landmark_rows[added])
        factors = self._rows[0].at(self._landmark_rows[added])
        self._landmarks.append(factors)
        self.kernels = [
            np.concatenate([kernel, rows.kernel(factors)], axis=1)
            for kernel, rows in zip(self.kernels, self._rows, strict=True)
        ]

    def basis(self) -> LandmarkBasis:
        """Return the orthonormal basis of what the landmarks so far span."""
        kernel, n_outputs = self.kernels[0], self.n_outputs
        rows = self._landmark_rows[: kernel.shape[1] // n_outputs]
        # Rows of the kernel that are landmarks themselves: its square part.
        entries = (rows[:, None] * n_outputs + np.arange(n_outputs)).ravel()
        # The kernel carries the rounding of the module's own numbers.
        dtype = str(self._landmarks[0].outputs.dtype).removeprefix("torch.")
        return LandmarkBasis.learn(kernel[entries], float(np.finfo(dtype).eps))

    def predictor(self, basis: LandmarkBasis, coefficients: Vector) -> LinearizedModel:
        """Return the full model plus the function with these coefficients in `basis`."""
        from lukewarm.kernels.tangent._factors import concatenate

        weights = self._landmark_weights(basis, coefficients)
        landmarks = concatenate(self._landmarks).take(slice(len(weights) // self.n_outputs))
        return LinearizedModel(self._full, self._gradients, landmarks, weights)

    def moved(self, basis: LandmarkBasis, coefficients: Vector) -> DifferentiableLearner:
        """Return the full model at the parameters whose linearisation `predictor` is.

        A sum of kernel functions is a step along the same sum of gradients: one backward pass.
        """
        import torch

        weights = self._landmark_weights(basis, coefficients)
        rows = self._landmark_rows[: len(weights) // self.n_outputs]
        copied: Any = self._full.copy()
        parameters = [weight for weight in copied.module.parameters() if weight.requires_grad]
        # sum_j a_j g(z_j) is the gradient of sum_j a_j f(z_j): one backward pass, no gradient by
        # row.
        outputs = copied.module(self._inputs[rows])
        shift = (outputs * outputs.new_tensor(weights).reshape(outputs.shape)).sum()
        steps = torch.autograd.grad(shift, parameters, allow_unused=True)
        with torch.no_grad():
            for weight, step in zip(parameters, steps, strict=True):
                if step is not None:
                    weight.add_(step)
        return copied

    def _landmark_weights(self, basis: LandmarkBasis, coefficients: Vector) -> Vector:
        """Return the weight of each output of the landmarks, up to the last that counts."""
        n_used = int(basis.pivots.max()) // self.n_outputs + 1
        weights = np.zeros(n_used * self.n_outputs)
        weights[basis.pivots] = basis.landmark_weights(coefficients)
        return weights


class LinearizedModel:
    """The full model plus a weighted sum of kernel functions at the landmarks."""

    def __init__(
        self,
        full: DifferentiableLearner,
        gradients: TangentMap,
        landmarks: TangentFactors,
        weights: Vector,
    ) -> None:
        self._full = full
        self._gradients = gradients
        self._landmarks = landmarks
        self._weights = landmarks.outputs.new_tensor(weights)

    def predict(self, X: Features) -> Prediction:
        """Return predictions for rows whose removed features are held already."""
        from lukewarm.kernels.tangent._factors import kernel_of_factors

        parts = []
        for rows in self._full.inputs(X).split(_ROWS_PER_BLOCK):
            factors = self._gradients.factors(rows)
            shift = kernel_of_factors(factors, self._landmarks) @ self._weights
            outputs = factors.outputs + shift.reshape(factors.outputs.shape)
            parts.append(self._full.as_prediction(outputs.squeeze(1)))
        return np.concatenate(parts)


def as_differentiable(full: BaseLearner, method: str) -> DifferentiableLearner:
    """Return `full` if it can be linearised, or raise."""
    if not isinstance(full, DifferentiableLearner):
        raise TypeError(
            f"method {method!r} linearises a network, but the model is of type "
            f"{type(full).__name__}; use method 'early_stopping', or model 'network' or a "
            "torch.nn.Module."
        )
    if full.training_loss is None:
        raise TypeError(
            f"method {method!r} knows squared error and cross entropy, but the model is trained "
            "on a loss of its own; use method 'early_stopping'."
        )
    return full
