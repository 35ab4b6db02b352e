"""Torch's randomness without its global seed: every draw comes from a seed of our own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lukewarm._optional import require

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

_GLOBAL_STATE = threading.RLock()


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Let torch's global generator draw from `seed` inside, and find it untouched after.

    Initialisers and dropout layers know only the global generator, so one thread at a time may
    use it.
    """
    with _GLOBAL_STATE, torch.random.fork_rng():
        torch.manual_seed(seed)
        yield


def reinitialize(module: torch.nn.Module, seed: int) -> None:
    """Draw the parameters of `module` anew, by the `reset_parameters` of its layers."""
    with seeded(seed):
        for name, layer in module.named_modules():
            reset = getattr(layer, "reset_parameters", getattr(layer, "_reset_parameters", None))
            if reset is not None:
                reset()
            elif next(layer.parameters(recurse=False), None) is not None:
                owned = [key for key, _ in layer.named_parameters(recurse=False)]
                raise TypeError(
                    f"module {name or type(module).__name__!r} has parameters of its own ({owned}) "
                    "but no reset_parameters() method, so it cannot be trained anew; add one."
                )


def draws_in_training(module: torch.nn.Module) -> bool:
    """Return whether a layer of `module` is random while it trains."""
    random_layers = (torch.nn.modules.dropout._DropoutNd, torch.nn.RReLU)
    return any(
        isinstance(layer, random_layers) or getattr(layer, "dropout", 0.0) not in (0, 0.0, None)
        for layer in module.modules()
    )
