"""What the tangent kernel between two sets of rows is made of, and the kernel itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lukewarm._optional import require

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

# Products of pairs of positions held at once; 64 MB in single precision.
_PRODUCTS_AT_ONCE = 2**24


@dataclass(frozen=True, eq=False)
class LayerFactor:
    """One layer's part: the gradient of output c is signals[:, c] (x) inputs.

    Parameters
    ----------
    inputs : Tensor of shape (n, d_in) or (n, T, d_in), or None
        What the layer's weights multiply, in the scale they act with; None for frozen weights.
        Weights that act at T positions have a gradient that is the sum over them.
    signals : Tensor of shape (n, k, d_out) or (n, k, T, d_out)
        Derivative of each of the k outputs with respect to the layer's output.
    squared_bias_scale : float
        Square of what the layer's biases act with; 0 without (trained) biases.
    """

    inputs: torch.Tensor | None
    signals: torch.Tensor
    squared_bias_scale: float


@dataclass(frozen=True, eq=False)
class TangentFactors:
    """The gradients of a module's outputs at n rows, by layers and never as one matrix.

    Parameters
    ----------
    outputs : Tensor of shape (n, k)
    layers : tuple of LayerFactor
    jacobian : Tensor of shape (n, k, n_parameters), or None
        Gradients with respect to the parameters that no layer factor covers.
    """

    outputs: torch.Tensor
    layers: tuple[LayerFactor, ...]
    jacobian: torch.Tensor | None

    @property
    def n_bytes_per_row(self) -> int:
        """Memory one row takes."""
        tensors = [self.outputs, *(layer.signals for layer in self.layers)]
        tensors += [layer.inputs for layer in self.layers if layer.inputs is not None]
        if self.jacobian is not None:
            tensors.append(self.jacobian)
        return sum(tensor[0].numel() * tensor.element_size() for tensor in tensors)

    def take(self, rows: slice | np.ndarray) -> TangentFactors:
        """Return the factors of some of the rows."""
        layers = tuple(
            LayerFactor(
                None if layer.inputs is None else layer.inputs[rows],
                layer.signals[rows],
                layer.squared_bias_scale,
            )
            for layer in self.layers
        )
        jacobian = None if self.jacobian is None else self.jacobian[rows]
        return TangentFactors(self.outputs[rows], layers, jacobian)


def kernel_of_factors(left: TangentFactors, right: TangentFactors) -> torch.Tensor:
    """Return the tangent kernel (n k, m k) between n and m rows with k outputs each.

    Notes
    -----
    The gradient with respect to a linear layer's weights is an outer product, so its inner
    product is a product of two inner products: (inputs . inputs') (signals . signals'). Rows are
    in the outer place: entry (i k + c, j k + d) belongs to output c at row i, output d at row j.
    """
    n_outputs = left.outputs.shape[1]
    size = left.outputs.numel(), right.outputs.numel()
    total = torch.zeros(size, dtype=left.outputs.dtype, device=left.outputs.device)
    for ours, theirs in zip(left.layers, right.layers, strict=True):
        # (n, k, T, d): weights that act at several positions, see `_layer_calls`.
        if ours.signals.ndim == 4:
            _add_over_positions(total, ours, theirs)
            continue
        # One position: the inner product of outer products is the product of two inner products, (n
        # k, m k) for the signals and (n, m), repeated over outputs, for the inputs.
        signals = ours.signals.flatten(0, 1) @ theirs.signals.flatten(0, 1).T
        total += signals.mul_(_input_products(ours, theirs, n_outputs))
    if left.jacobian is not None and right.jacobian is not None:
        total.addmm_(left.jacobian.flatten(0, 1), right.jacobian.flatten(0, 1).T)
    return total


def _add_over_positions(total: torch.Tensor, ours: LayerFactor, theirs: LayerFactor) -> None:
    """Add sum over t, s of (input_t . input'_s) (signal_t . signal'_s) to the kernel."""
    assert ours.inputs is not None
    assert theirs.inputs is not None
    n_outputs, n_positions = ours.signals.shape[1:3]
    m_rows, m_positions = theirs.inputs.shape[:2]
    right_inputs, right_signals = theirs.inputs.flatten(0, 1), theirs.signals.flatten(0, 2)
    per_row = n_positions * m_rows * m_positions * n_outputs**2
    # Pairs of positions multiply: blocks of rows keep them within memory, and a row is always done.
    n_at_once = max(1, _PRODUCTS_AT_ONCE // per_row)
    shape = (n_positions, m_rows, m_positions)
    for first in range(0, len(ours.inputs), n_at_once):
        rows = slice(first, first + n_at_once)
        inputs, signals = ours.inputs[rows], ours.signals[rows]
        n_rows = len(inputs)
        of_inputs = (inputs.flatten(0, 1) @ right_inputs.T).add_(ours.squared_bias_scale)
        of_signals = signals.flatten(0, 2) @ right_signals.T
        summed = torch.einsum(
            "ntms,nctmds->ncmd",
            of_inputs.reshape(n_rows, *shape),
            of_signals.reshape(n_rows, n_outputs, n_positions, m_rows, n_outputs, m_positions),
        )
        places = slice(first * n_outputs, (first + n_rows) * n_outputs)
        total[places] += summed.reshape(n_rows * n_outputs, -1)


def _input_products(ours: LayerFactor, theirs: LayerFactor, n_outputs: int) -> torch.Tensor | float:
    if ours.inputs is None or theirs.inputs is None:
        return ours.squared_bias_scale
    products = (ours.inputs @ theirs.inputs.T).add_(ours.squared_bias_scale)
    if n_outputs == 1:
        return products
    return products.repeat_interleave(n_outputs, 0).repeat_interleave(n_outputs, 1)


def concatenate(parts: list[TangentFactors]) -> TangentFactors:
    """Return the factors of all the parts' rows, one after the other."""
    layers = [
        LayerFactor(
            None if same[0].inputs is None else torch.cat([layer.inputs for layer in same]),
            torch.cat([layer.signals for layer in same]),
            same[0].squared_bias_scale,
        )
        for same in zip(*(part.layers for part in parts), strict=True)
    ]
    jacobians = [part.jacobian for part in parts if part.jacobian is not None]
    return TangentFactors(
        torch.cat([part.outputs for part in parts]),
        tuple(layers),
        torch.cat(jacobians) if jacobians else None,
    )
