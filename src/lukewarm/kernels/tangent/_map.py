"""The empirical tangent kernel of a torch module: by layers, the rest row by row."""

from __future__ import annotations

import copy
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lukewarm._optional import require
from lukewarm.exceptions import TangentWarning
from lukewarm.kernels.tangent._factors import (
    LayerFactor,
    TangentFactors,
    concatenate,
    kernel_of_factors,
)
from lukewarm.kernels.tangent._layer_calls import (
    inputs_by_position,
    is_covered,
    layer_part,
    signals_by_position,
    unit_counts,
)
from lukewarm.kernels.tangent._sequential import SequentialTangent, UnitSample

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

_ROWS_AT_ONCE = 128  # bounds the memory of the vectorised backward passes


class TangentMap:
    """The gradients of a module's outputs with respect to its parameters, row by row.

    Parameters
    ----------
    module : torch.nn.Module
        Copied and put in evaluation mode; rows must not influence one another. Frozen parameters
        (``requires_grad=False``) have no part in the kernel.
    max_units : int, optional
        Of layers wider than this, so many units drawn at random stand for all in the inner
        products. The kernel is then an unbiased, still positive semidefinite estimate.
    precision : "full", "bfloat16" or "auto", default "full"
        How hidden layers of plain fully connected networks are multiplied; "auto" takes bfloat16
        for wide layers where the hardware is quicker at it.
    seed : int, default 0
        Draws the units.

    Notes
    -----
    Linear and convolutional layers, called once or often, on rows or on sequences, take one
    forward and one backward pass (per output) for all rows; see `_layer_calls`. All other
    parameters (normalisation, embeddings, ...) are differentiated row by row with torch.func.
    """

    def __init__(
        self,
        module: torch.nn.Module,
        max_units: int | None = None,
        precision: str = "full",
        seed: int = 0,
    ) -> None:
        _say_what_is_left_out(module)
        self._module = copy.deepcopy(module).eval()
        self._sample = UnitSample(max_units, seed)
        self._plain = (
            SequentialTangent(self._module, self._sample, precision)
            if isinstance(self._module, torch.nn.Sequential) and SequentialTangent.covers(module)
            else None
        )
        # A weight that two layers share has one gradient, the sum over both: the product of the
        # factors of either would miss what they have in common. So it is left to row-wise
        # derivatives.
        owners = _owners(self._module)
        self._linear = {
            name: layer
            for name, layer in self._module.named_modules()
            if is_covered(layer)
            and any(weight.requires_grad for weight in layer.parameters())
            and all(owners[id(weight)] == 1 for weight in layer.parameters())
        }
        self._units = {
            name: (self._sample.draw(n_in), self._sample.draw(n_out))
            for name, layer in self._linear.items()
            for n_in, n_out in [unit_counts(layer)]
        }
        self._is_probed = False
        # The hooks write to one dictionary: two threads' passes would mix.
        self._one_at_a_time = threading.Lock()
        self._calls: dict[str, list[tuple[torch.Tensor, torch.Tensor]]] = {}
        for name, layer in self._linear.items():
            layer.register_forward_hook(self._recorder(name))

    def factors(self, inputs: torch.Tensor) -> TangentFactors:
        """Return the factors of the gradients at the rows of `inputs` (n, ...)."""
        if not inputs.is_floating_point():
            raise TypeError(
                f"inputs must be a float tensor; got {inputs.dtype}. Convert it, and let the "
                "module turn codes into integers itself."
            )
        if self._plain is not None:
            return self._plain.factors(inputs)
        with self._one_at_a_time, torch.enable_grad():
            if not self._is_probed:
                self._probe(inputs[:1])
            self._calls = {name: [] for name in self._linear}
            outputs = self._module(inputs).reshape(len(inputs), -1)
            # Emptied at once: hooks of a later pass, such as that of `outputs`, must not hold on to
            # graphs.
            calls, self._calls = self._calls, {}
            parts = self._layer_parts(outputs, calls)
        jacobians = [part for part in parts if isinstance(part, torch.Tensor)]
        rest = self._jacobian(inputs)
        if rest is not None:
            jacobians.append(rest)
        return TangentFactors(
            outputs.detach(),
            tuple(part for part in parts if isinstance(part, LayerFactor)),
            torch.cat(jacobians, dim=2) if jacobians else None,
        )

    def outputs(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the module's outputs (n, k) alone."""
        with torch.no_grad():
            return self._module(inputs).reshape(len(inputs), -1)

    def _recorder(self, name: str) -> Callable[..., None]:
        def record(layer: Any, arguments: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
            if name in self._calls:
                self._calls[name].append((arguments[0], output))

        return record

    def _probe(self, row: torch.Tensor) -> None:
        """Leave layers that are not called, or not with rows first, to row-wise derivatives."""
        # With one number of rows alone, T positions could be taken for as many rows.
        for n_rows in (1, 3):
            self._calls = {name: [] for name in self._linear}
            self._module(torch.cat([row] * n_rows))
            for name, calls in self._calls.items():
                if not calls or any(len(given) != n_rows or given.ndim < 2 for given, _ in calls):
                    del self._linear[name]
        self._calls = {}
        self._is_probed = True

    def _layer_parts(
        self, outputs: torch.Tensor, calls: dict[str, list[tuple[torch.Tensor, torch.Tensor]]]
    ) -> list[LayerFactor | torch.Tensor]:
        """Return each layer's factor or gradients, all its calls together."""
        owners = [name for name, made in calls.items() for _ in made]
        signals = self._signals(outputs, [given[1] for made in calls.values() for given in made])
        parts = []
        for name, made in calls.items():
            layer = self._linear[name]
            into = [inputs_by_position(layer, given.detach()) for given, _ in made]
            back = [
                signals_by_position(layer, signal)
                for owner, signal in zip(owners, signals, strict=True)
                if owner == name
            ]
            parts.append(
                layer_part(layer, torch.cat(into, dim=1), torch.cat(back, dim=2), self._units[name])
            )
        return parts

    def _signals(
        self, outputs: torch.Tensor, layer_outputs: list[torch.Tensor]
    ) -> list[torch.Tensor]:
        if not layer_outputs:
            return []
        n_outputs = outputs.shape[1]
        by_output = [
            # Rows do not influence one another, so the gradient of the sum over rows holds every
            # row's own.
            torch.autograd.grad(
                outputs[:, number].sum(), layer_outputs, retain_graph=number < n_outputs - 1
            )
            for number in range(n_outputs)
        ]
        return [torch.stack(same, dim=1) for same in zip(*by_output, strict=True)]

    def _jacobian(self, inputs: torch.Tensor) -> torch.Tensor | None:
        covered = {
            f"{name}.{key}" if name else key
            for name, layer in self._linear.items()
            for key, _ in layer.named_parameters(recurse=False)
        }
        others = {
            name: weight.detach()
            for name, weight in self._module.named_parameters()
            if weight.requires_grad and name not in covered
        }
        return _row_jacobians(self._module, others, inputs) if others else None


def tangent_kernel(
    module: torch.nn.Module,
    left: torch.Tensor,
    right: torch.Tensor | None = None,
    *,
    block_size: int = 1024,
) -> torch.Tensor:
    """Return the empirical tangent kernel at the module's current parameters.

    Parameters
    ----------
    module : torch.nn.Module
        Never changed; evaluated in evaluation mode.
    left : Tensor of shape (n, p)
    right : Tensor of shape (m, p), optional
        Default: `left`.
    block_size : int, default 1024
        Rows of `left` worked on at once; bounds the memory.

    Returns
    -------
    Tensor of shape (n, m), or (n k, m k) for k outputs
        Inner products of the gradients with respect to all trained parameters; not divided by n.

    Examples
    --------
    >>> import torch
    >>> linear = torch.nn.Linear(2, 1)
    >>> rows = torch.tensor([[1.0, 2.0], [0.0, 1.0]])
    >>> tangent_kernel(linear, rows)
    tensor([[6., 3.],
            [3., 2.]])
    """
    gradients = TangentMap(module)
    others = left if right is None else right
    columns = concatenate([gradients.factors(rows) for rows in others.split(block_size)])
    return torch.cat(
        [kernel_of_factors(gradients.factors(rows), columns) for rows in left.split(block_size)]
    )


def _owners(module: torch.nn.Module) -> dict[int, int]:
    """Return how many layers own each parameter: a shared one is in no single layer's charge."""
    counts: dict[int, int] = {}
    for layer in module.modules():
        for weight in layer.parameters(recurse=False):
            counts[id(weight)] = counts.get(id(weight), 0) + 1
    return counts


def _say_what_is_left_out(module: torch.nn.Module) -> None:
    weights = dict(module.named_parameters())
    frozen = [name for name, weight in weights.items() if not weight.requires_grad]
    if len(frozen) == len(weights):
        raise ValueError(
            f"module has no trained parameters (all {len(weights)} are frozen or there are none), "
            "so it has no tangent kernel; set requires_grad=True on those that may change."
        )
    if frozen:
        warnings.warn(
            f"frozen parameters have no part in the tangent kernel: {frozen}.",
            TangentWarning,
            stacklevel=3,
        )
    has_dropout = any(
        isinstance(layer, torch.nn.modules.dropout._DropoutNd) for layer in module.modules()
    )
    if module.training and has_dropout:
        warnings.warn(
            "module is in training mode and has dropout layers; its tangent kernel is taken in "
            "evaluation mode. Call module.eval() to say so yourself.",
            TangentWarning,
            stacklevel=3,
        )


def _row_jacobians(
    module: torch.nn.Module, parameters: dict[str, torch.Tensor], inputs: torch.Tensor
) -> torch.Tensor:
    """Return the derivatives (n, k, n_parameters) of the k outputs at every row.

    Parameters
    ----------
    module : torch.nn.Module
        In evaluation mode.
    parameters : dict from name to Tensor
        Those to differentiate by, all other parameters held fixed.
    inputs : Tensor of shape (n, ...)
    """

    def outputs_of_row(weights: dict[str, torch.Tensor], row: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(module, weights, (row.unsqueeze(0),)).reshape(-1)

    by_row = torch.func.vmap(torch.func.jacrev(outputs_of_row), in_dims=(None, 0))
    try:
        blocks = [by_row(parameters, rows) for rows in inputs.split(_ROWS_AT_ONCE)]
    except RuntimeError as error:
        raise TypeError(
            f"the tangent kernel cannot differentiate by the parameters {sorted(parameters)}: "
            f"torch.func failed on the module ({error}). Freeze them, or write their layers "
            "without in-place operations and data-dependent control flow."
        ) from error
    return torch.cat(
        [torch.cat([block[name].flatten(2) for name in parameters], dim=2) for block in blocks]
    ).detach()
