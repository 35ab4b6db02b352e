"""Tangent factors of plain fully connected networks, without automatic differentiation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lukewarm._optional import require
from lukewarm._validation import check_choice
from lukewarm.kernels.tangent._factors import LayerFactor, TangentFactors
from lukewarm.learners.torch._layers import NormalLinear, ScaledLinear

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

PRECISIONS = ("auto", "full", "bfloat16")
LINEAR_TYPES = (torch.nn.Linear, ScaledLinear, NormalLinear)
# Narrower layers lose more by converting to bfloat16 than its products save.
_NARROWEST_WORTH_IT = 1024


def _relu_slope(before: torch.Tensor, after: torch.Tensor) -> torch.Tensor:
    return (before > 0).to(before.dtype)


def _tanh_slope(before: torch.Tensor, after: torch.Tensor) -> torch.Tensor:
    # tanh' by its own value, which is at hand.
    return 1 - after.square()


def _gelu_slope(before: torch.Tensor, after: torch.Tensor) -> torch.Tensor:
    density = torch.exp(-before.square() / 2) / math.sqrt(2 * math.pi)
    return torch.special.ndtr(before) + before * density


_SLOPES: dict[type, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    torch.nn.ReLU: _relu_slope,
    torch.nn.Tanh: _tanh_slope,
    torch.nn.GELU: _gelu_slope,
}


class UnitSample:
    """Which units of a layer stand for all of them in an inner product.

    Parameters
    ----------
    n_units : int or None
        Units kept of a wider layer; None keeps all.
    seed : int
    """

    def __init__(self, n_units: int | None, seed: int) -> None:
        self._n_units = n_units
        self._generator = torch.Generator().manual_seed(seed)

    def draw(self, width: int) -> torch.Tensor | None:
        """Return the units kept of a layer of this width; None for all."""
        if self._n_units is None or width <= self._n_units:
            return None
        return torch.randperm(width, generator=self._generator)[: self._n_units].sort().values


def sampled(values: torch.Tensor, units: torch.Tensor | None) -> torch.Tensor:
    """Return the units kept, scaled so that inner products keep their expectation."""
    if units is None:
        return values
    # The root: the factor enters both sides of every inner product.
    return values[..., units] * (values.shape[-1] / len(units)) ** 0.5


class SequentialTangent:
    """Linear layers with an activation after each but the last.

    Parameters
    ----------
    module : torch.nn.Sequential
    sample : UnitSample
    precision : "auto", "full" or "bfloat16"
        How the products of hidden layers are taken, see `product_dtype`.

    Notes
    -----
    Units of the first hidden layer that are not sampled need no signal at all, which saves most
    of a backward pass in two-layer networks.
    """

    def __init__(self, module: torch.nn.Sequential, sample: UnitSample, precision: str) -> None:
        self._layers = [layer for layer in module if isinstance(layer, torch.nn.Linear)]
        self._activations = [layer for layer in module if type(layer) in _SLOPES]
        self._input_units = [sample.draw(layer.in_features) for layer in self._layers]
        self._signal_units = [sample.draw(layer.out_features) for layer in self._layers]
        self._dtypes = [product_dtype(precision, layer.weight) for layer in self._layers]
        # The ends are narrow: lower precision would gain no time and lose digits of the outputs.
        for end in (0, -1):
            self._dtypes[end] = self._layers[end].weight.dtype

    @staticmethod
    def covers(module: Any) -> bool:
        """Return whether the module has this form, and no part of it is frozen or used twice."""
        if type(module) is not torch.nn.Sequential:
            return False
        # The very types: a subclass may compute something else.
        kinds = [type(layer) for layer in module]
        exact = all(getattr(layer, "approximate", "none") == "none" for layer in module)
        trained = all(weight.requires_grad for weight in module.parameters())
        linear = list(module)[::2]
        distinct = len(set(map(id, linear))) == len(linear)
        alternates = all(kind in LINEAR_TYPES for kind in kinds[::2]) and all(
            kind in _SLOPES for kind in kinds[1::2]
        )
        return len(kinds) % 2 == 1 and exact and trained and distinct and alternates

    def factors(self, inputs: torch.Tensor) -> TangentFactors:
        """Return the factors of the gradients at the rows of `inputs`."""
        with torch.no_grad():
            signals_in, slopes, outputs = self._forward(inputs)
            signals_out = self._backward(slopes, outputs)
        layers = tuple(
            LayerFactor(sampled(into, units) * weight_scale(layer), out, squared_bias_scale(layer))
            for layer, into, units, out in zip(
                self._layers, signals_in, self._input_units, signals_out, strict=True
            )
        )
        return TangentFactors(outputs, layers, None)

    def _forward(
        self, inputs: torch.Tensor
    ) -> tuple[list[torch.Tensor], list[torch.Tensor], torch.Tensor]:
        signals, slopes = [inputs], []
        for number, activation in enumerate(self._activations):
            before = self._before_activation(number, signals[-1])
            signals.append(activation(before))
            slopes.append(_SLOPES[type(activation)](before, signals[-1]))
        return signals, slopes, self._layers[-1](signals[-1])

    def _before_activation(self, number: int, signal: torch.Tensor) -> torch.Tensor:
        layer, dtype = self._layers[number], self._dtypes[number]
        if dtype == signal.dtype:
            return layer(signal)
        # The layer by hand, so that its product may be taken in lower precision.
        before = product(signal * weight_scale(layer), layer.weight.T, dtype)
        if layer.bias is not None:
            before += layer.bias * squared_bias_scale(layer) ** 0.5
        return before

    def _backward(self, slopes: list[torch.Tensor], outputs: torch.Tensor) -> list[torch.Tensor]:
        """Return the (sampled) derivatives (n, k, d) of the outputs by each layer's output."""
        n_outputs = outputs.shape[1]
        unit = torch.eye(n_outputs, dtype=outputs.dtype, device=outputs.device)
        # The derivative of output c by output d, the same for all rows: a view, not a copy.
        signal = unit.expand(len(outputs), n_outputs, n_outputs)
        signals = [sampled(signal, self._signal_units[-1])]
        for number in range(len(slopes) - 1, -1, -1):
            layer, slope = self._layers[number + 1], slopes[number]
            units, weight = self._signal_units[number], layer.weight
            # Nothing comes before the first layer, so only its sampled units are propagated at all.
            if number == 0 and units is not None:
                weight, slope = sampled(weight, units), slope[:, units]
                units = None
            signal = product(signal, weight, self._dtypes[number + 1])
            signal *= (slope * weight_scale(layer))[:, None]
            signals.insert(0, sampled(signal, units))
        return signals


def weight_scale(layer: torch.nn.Linear) -> float:
    """Return what the layer's weights act with."""
    return layer.input_scale if isinstance(layer, ScaledLinear) else 1.0


def squared_bias_scale(layer: torch.nn.Linear) -> float:
    """Return the square of what the layer's biases act with."""
    if layer.bias is None:
        return 0.0
    return layer.bias_scale**2 if isinstance(layer, ScaledLinear) else 1.0


def product_dtype(precision: str, weight: torch.Tensor) -> torch.dtype:
    """Return the type in which products with `weight` (d_out, d_in) are taken.

    Notes
    -----
    bfloat16 keeps float32's range and 8 bits of it; sums are kept in float32. "auto" chooses it
    for float32 layers at least 1024 wide on both sides when the hardware multiplies it natively.
    """
    check_choice("precision", precision, PRECISIONS)
    is_wide = min(weight.shape) >= _NARROWEST_WORTH_IT
    if precision == "full" or weight.dtype != torch.float32:
        return weight.dtype
    if precision == "bfloat16" or (is_wide and _multiplies_natively(weight.device)):
        return torch.bfloat16
    return weight.dtype


def product(rows: torch.Tensor, weight: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return rows @ weight, taken in `dtype`, in the type of `rows`."""
    return (rows.to(dtype) @ weight.to(dtype)).to(rows.dtype)


def _multiplies_natively(device: torch.device) -> bool:
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    is_supported = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return device.type == "cpu" and is_supported is not None and bool(is_supported())
