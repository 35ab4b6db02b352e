"""The decorator of all compiled functions here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba as nb

from lukewarm.learners.boosting._kept_code import keep_code

_REGISTERED: list[tuple[Any, tuple[Any, ...]]] = []


def compiled(function: Callable[..., Any]) -> Any:
    """Return the function compiled when first called, without the GIL, and kept on disk."""
    dispatcher = nb.njit(nogil=True)(function)
    if dispatcher is not function:  # as with NUMBA_DISABLE_JIT
        keep_code(dispatcher)
    return dispatcher


def compiled_for(*signatures: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator like `compiled` for just these signatures.

    For functions that meet the user's arrays, whose layouts are many. They are compiled by
    `compile_registered`, not when the file is imported.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = compiled(function)
        if dispatcher is not function:
            _REGISTERED.append((dispatcher, signatures))
        return dispatcher

    return decorate


def compile_registered() -> None:
    """Compile the functions that are decorated by `compiled_for`, each once."""
    while _REGISTERED:
        dispatcher, signatures = _REGISTERED[-1]
        for signature in signatures:
            dispatcher.compile(signature)
        dispatcher.disable_compile()
        _REGISTERED.pop()


def read_only(dtype: Any, n_dimensions: int, layout: Any = "C") -> Any:
    """Return the type of arrays that are only read, such as those of a model mapped from disk."""
    return nb.types.Array(dtype, n_dimensions, layout, readonly=True)
