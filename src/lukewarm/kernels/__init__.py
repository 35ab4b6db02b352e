"""Kernels of the models: tangent kernels of networks."""

from importlib import import_module
from typing import Any

__all__ = ["TangentMap", "TangentWarning", "tangent_kernel"]

# Torch loads when a tangent kernel is first asked for.
_LOADED_ON_DEMAND = dict.fromkeys(__all__, "lukewarm.kernels._tangent")


def __getattr__(name: str) -> Any:
    if name not in _LOADED_ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LOADED_ON_DEMAND[name]), name)
