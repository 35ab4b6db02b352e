"""What goes into a layer and what comes back, at every position where its weights act.

A layer may act on a row once (a fully connected network), at every token of a sequence, at every
place of a convolution, or be called several times. The gradient by its weights is then a sum over
these positions t of outer products, signal_t (x) input_t, and the inner product of two rows'
gradients is

    sum over t and s of (input_t . input'_s) (signal_t . signal'_s).

That takes T**2 (d_in + d_out) products for a pair of rows, and T (d_in + d_out) numbers for a row,
where the gradient itself has d_in d_out. Whichever is less work is done: few positions and wide
layers keep their factors, many positions and narrow layers are summed up to the gradient.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lukewarm._optional import require
from lukewarm.kernels.tangent._factors import LayerFactor
from lukewarm.kernels.tangent._sequential import (
    LINEAR_TYPES,
    sampled,
    squared_bias_scale,
    weight_scale,
)

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

_CONVOLUTIONS = (torch.nn.Conv1d, torch.nn.Conv2d)
Units = tuple["torch.Tensor | None", "torch.Tensor | None"]
"""Which units of what goes in and of what comes back stand for all."""


def is_covered(layer: torch.nn.Module) -> bool:
    """Return whether the layer's weights act by products that are known here."""
    if type(layer) in LINEAR_TYPES:
        return True
    return (
        isinstance(layer, _CONVOLUTIONS)
        and type(layer) in _CONVOLUTIONS
        and layer.groups == 1
        and layer.padding_mode == "zeros"
        and not isinstance(layer.padding, str)
    )


def unit_counts(layer: Any) -> tuple[int, int]:
    """Return how many numbers go in at a position, and how many come out."""
    if isinstance(layer, _CONVOLUTIONS):
        n_places = 1
        for size in layer.kernel_size:
            n_places *= size
        return layer.in_channels * n_places, layer.out_channels
    return layer.in_features, layer.out_features


def inputs_by_position(layer: Any, inputs: torch.Tensor) -> torch.Tensor:
    """Return what the layer's weights multiply, shape (n, T, d_in)."""
    if not isinstance(layer, _CONVOLUTIONS):
        return inputs.reshape(len(inputs), -1, inputs.shape[-1])
    sizes: list[Any] = [layer.kernel_size, layer.dilation, layer.padding, layer.stride]
    if isinstance(layer, torch.nn.Conv1d):
        # A sequence is an image of height one.
        inputs = inputs.unsqueeze(2)
        sizes = [(first, *each) for first, each in zip((1, 1, 0, 1), sizes, strict=True)]
    return torch.nn.functional.unfold(inputs, *sizes).transpose(1, 2)


def signals_by_position(layer: Any, signals: torch.Tensor) -> torch.Tensor:
    """Return derivatives (n, k, *shape of the layer's output) as (n, k, T, d_out)."""
    if isinstance(layer, _CONVOLUTIONS):
        return signals.flatten(3).transpose(2, 3)
    return signals.reshape(*signals.shape[:2], -1, signals.shape[-1])


def layer_part(
    layer: Any, inputs: torch.Tensor, signals: torch.Tensor, units: Units
) -> LayerFactor | torch.Tensor:
    """Return the layer's factor, or its gradients (n, k, n_parameters) where they are smaller.

    Parameters
    ----------
    layer : Module
    inputs : Tensor of shape (n, T, d_in)
    signals : Tensor of shape (n, k, T, d_out)
    units : pair of Tensor or None
    """
    has_bias = layer.bias is not None and layer.bias.requires_grad
    bias_scale = squared_bias_scale(layer) if has_bias else 0.0
    inputs = sampled(inputs, units[0]) * weight_scale(layer)
    signals = sampled(signals, units[1])
    is_trained = layer.weight.requires_grad
    n_positions, n_in, n_out = inputs.shape[1], inputs.shape[2], signals.shape[3]
    # The usual case keeps no axis of positions: plain products are faster than those over one
    # position.
    if n_positions == 1:
        return LayerFactor(inputs[:, 0] if is_trained else None, signals[:, :, 0], bias_scale)
    if not is_trained:
        return LayerFactor(None, signals.sum(dim=2), bias_scale)
    # Work for a pair of rows either way, see above.
    if n_positions**2 * (n_in + n_out) <= n_in * n_out:
        return LayerFactor(inputs, signals, bias_scale)
    gradients = [torch.einsum("nkto,nti->nkoi", signals, inputs).flatten(2)]
    if has_bias:
        gradients.append(signals.sum(dim=2) * bias_scale**0.5)
    return torch.cat(gradients, dim=2)
