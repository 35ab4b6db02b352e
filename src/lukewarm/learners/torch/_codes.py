"""Columns that a module looks up in embedding layers: codes, not quantities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lukewarm._optional import require

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

_LOOKUPS = (torch.nn.Embedding, torch.nn.EmbeddingBag)


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
