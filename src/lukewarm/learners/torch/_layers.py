"""Layers: of the fully connected network, the changes made to a module, embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from lukewarm._optional import require
from lukewarm._typing import Vector
from lukewarm.learners._imputation import LinearImputation

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

_LOOKUPS = (torch.nn.Embedding, torch.nn.EmbeddingBag)
ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh, "gelu": torch.nn.GELU}


class RescaledOutputs(torch.nn.Module):
    """A module whose outputs count `scale` times as much, from an offset of shape (k,)."""

    def __init__(self, module: torch.nn.Module, scale: float, offset: torch.Tensor) -> None:
        super().__init__()
        self.module = module
        self.scale = scale
        self.register_buffer("offset", offset)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the module's outputs, rescaled."""
        return self.offset + self.scale * self.module(inputs)


def rescaled(module: torch.nn.Module, scale: float, offset: torch.Tensor) -> torch.nn.Module:
    """Return the module with other outputs: a last linear layer takes the change upon itself."""
    last = module[-1] if isinstance(module, torch.nn.Sequential) else None
    bias_scale = last.bias_scale if isinstance(last, ScaledLinear) else 1.0
    if not isinstance(last, torch.nn.Linear) or last.bias is None or bias_scale == 0:
        return RescaledOutputs(module, scale, offset)
    with torch.no_grad():
        last.weight.mul_(scale)
        last.bias.mul_(scale).add_(offset / bias_scale)
    return module


def first_linear(module: torch.nn.Module) -> torch.nn.Linear | None:
    """Return the linear layer that reads the inputs; None where there is none, or no plain one."""
    while isinstance(module, torch.nn.Sequential) and len(module):
        module = module[0]
    if isinstance(module, torch.nn.Linear) and "weight" in module._parameters:
        return module
    return None


def impute_inputs(layer: torch.nn.Linear, imputation: LinearImputation, held: Vector) -> None:
    """Let a first layer impute the removed inputs, which are `held` constant, by the others."""
    weight, bias = layer.weight, layer.bias
    with torch.no_grad():
        slopes, offset = (
            weight.new_tensor(values) for values in (imputation.slopes, imputation.offset - held)
        )
        removed = weight[:, imputation.removed]
        weight[:, imputation.kept] += removed @ slopes.T
        if bias is None:
            return
        if not isinstance(layer, ScaledLinear):
            bias.add_(removed @ offset)
        elif layer.bias_scale:
            bias.add_(layer.input_scale / layer.bias_scale * (removed @ offset))


class ScaledLinear(torch.nn.Linear):
    """A linear layer whose parameters are standard normal and whose output carries the scales.

    Parameters
    ----------
    in_features, out_features : int
    weight_scale, bias_scale : float

    Notes
    -----
    x -> weight_scale / sqrt(in_features) W x + bias_scale b, with W and b of order one: the
    parameterisation in which the tangent kernel has a limit as the width grows (Jacot, Gabriel
    and Hongler 2018).
    """

    def __init__(
        self, in_features: int, out_features: int, weight_scale: float, bias_scale: float
    ) -> None:
        # Set before the parent's constructor, which may already call reset_parameters.
        self.input_scale = weight_scale / in_features**0.5
        self.bias_scale = bias_scale
        super().__init__(in_features, out_features)

    def reset_parameters(self) -> None:
        """Draw every parameter from the standard normal law."""
        torch.nn.init.normal_(self.weight)
        torch.nn.init.normal_(self.bias)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the scaled affine map of the rows of `inputs`."""
        # Scaling the batch of inputs costs less than scaling the weights, forward and backward.
        return torch.nn.functional.linear(
            inputs * self.input_scale, self.weight, self.bias * self.bias_scale
        )


class NormalLinear(torch.nn.Linear):
    """A linear layer whose initial weights and biases carry the scales themselves."""

    def __init__(
        self, in_features: int, out_features: int, weight_scale: float, bias_scale: float
    ) -> None:
        self.initial_scales = weight_scale / in_features**0.5, bias_scale
        super().__init__(in_features, out_features)

    def reset_parameters(self) -> None:
        """Draw weights of variance weight_scale**2 / in_features, biases of bias_scale**2."""
        weight_std, bias_std = self.initial_scales
        torch.nn.init.normal_(self.weight, std=weight_std)
        torch.nn.init.normal_(self.bias, std=bias_std)


LAYERS = {"ntk": ScaledLinear, "standard": NormalLinear}


def fully_connected(
    n_inputs: int,
    widths: Sequence[int],
    n_outputs: int,
    *,
    activation: str,
    parameterization: str,
    weight_scale: float,
    bias_scale: float,
) -> torch.nn.Sequential:
    """Return linear layers of the given widths with an activation after each but the last.

    Parameters
    ----------
    n_inputs, n_outputs : int
    widths : sequence of int
        Units of the hidden layers.
    activation, parameterization, weight_scale, bias_scale
        As for `Network`.

    Examples
    --------
    >>> network = fully_connected(3, (8, 8), 1, activation="relu", parameterization="ntk",
    ...                           weight_scale=1.0, bias_scale=0.1)
    >>> network(torch.zeros(5, 3)).shape
    torch.Size([5, 1])
    """
    sizes = [n_inputs, *widths, n_outputs]
    layers: list[torch.nn.Module] = []
    for size_in, size_out in pairwise(sizes):
        layers.append(LAYERS[parameterization](size_in, size_out, weight_scale, bias_scale))
        layers.append(ACTIVATIONS[activation]())
    return torch.nn.Sequential(*layers[:-1])


def reads_codes(module: torch.nn.Module) -> bool:
    """Return whether a layer of `module` looks codes up, so that its inputs must not be scaled."""
    return any(isinstance(layer, _LOOKUPS) for layer in module.modules())


def take_codes_as_floats(module: torch.nn.Module) -> None:
    """Let the embedding layers of `module` take codes that are held as floats.

    A table reaches a module as one matrix of floats. Single precision holds codes up to 2**24
    exactly. The module is changed in place, so it must be a copy of the user's.
    """
    for layer in module.modules():
        if isinstance(layer, _LOOKUPS):
            layer.register_forward_pre_hook(_round_codes)


def _round_codes(layer: torch.nn.Module, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    codes, *others = inputs
    if codes.is_floating_point():
        # A removed column is held at its mean: the nearest code is one the layer knows.
        codes = codes.round().long()
    return (codes, *others)
