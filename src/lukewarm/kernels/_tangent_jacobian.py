"""Gradients row by row, for the parameters that are not those of plain linear layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukewarm._optional import require

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

_ROWS_AT_ONCE = 128  # bounds the memory of the vectorised backward passes


def row_jacobians(
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
