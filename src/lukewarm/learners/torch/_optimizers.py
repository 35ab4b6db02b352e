"""Optimisers by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from lukewarm._optional import require
from lukewarm._validation import check_choice

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

OptimizerFactory = Callable[..., "torch.optim.Optimizer"]

# The fused kernels do one pass over each parameter, and leave Python once per step.
OPTIMIZERS: dict[str, OptimizerFactory] = {
    "sgd": partial(torch.optim.SGD, fused=True),
    "momentum": partial(torch.optim.SGD, momentum=0.9, nesterov=True, fused=True),
    "adam": partial(torch.optim.Adam, fused=True),
}


def optimizer_factory(optimizer: Any) -> OptimizerFactory:
    """Return the factory that `optimizer`, a name or already a factory, stands for."""
    if callable(optimizer):
        return optimizer
    return OPTIMIZERS[check_choice("optimizer", optimizer, OPTIMIZERS)]
