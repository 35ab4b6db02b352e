"""The decorators of all compiled functions here.

numba gives a function one wrapper for calls from Python, one for calls from C, and counts the
references to every array of every bundle it is handed; each level of calls has all below it
optimised once more. The first fit after an installation waits for all that, so functions that only
compiled functions call are spared it.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

import numba as nb
import numpy as np

from lukewarm.learners.boosting._kept_code import keep_code

# Divisions need no check for zero: whoever divides has excluded it.
_PLAIN: dict[str, Any] = {"error_model": "numpy"}
# Without numba's runtime: arrays are borrowed from the caller and cannot be made. The option is
# numba's own for the loops of its sort; were it gone, decoration would fail.
_BORROWING: dict[str, Any] = {**_PLAIN, "_nrt": False}
_PART: dict[str, Any] = {**_BORROWING, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_LOCK = Lock()


def compiled(function: Callable[..., Any]) -> Any:
    """Return the function compiled when first called, without the GIL, and kept on disk."""
    return _kept(function, {})


def compiled_part(function: Callable[..., Any]) -> Any:
    """Return the function for calls from compiled functions only; it makes no arrays."""
    return nb.njit(**_PART)(function)


def compiled_in_place(function: Callable[..., Any]) -> Any:
    """Return the function as a part that is written out where it is called.

    For functions that mostly call others and are called in one place: each level of calls would
    have all below it optimised once more.
    """
    return nb.njit(inline="always", **_BORROWING)(function)


def compiled_whole(function: Callable[..., Any]) -> Any:
    """Return the function, or a compiled part, for calls from Python; it makes no arrays."""
    return _kept(getattr(function, "py_func", function), _BORROWING)


def compiled_for(**signatures: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator like `compiled` for just these signatures, by type of the first argument.

    For functions that meet the user's arrays, whose layouts are many. Each signature is compiled
    when first met.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        return _BySignature(function, signatures)

    return decorate


class _BySignature:
    """One compiled function for each type of numbers in the first argument."""

    def __init__(self, function: Callable[..., Any], signatures: dict[str, Any]) -> None:
        self._function = function
        self._signatures = signatures
        self._ready: dict[np.dtype, Any] = {}

    def __call__(self, first: np.ndarray, *others: Any) -> None:
        ready = self._ready.get(first.dtype)
        if ready is None:
            ready = self.compile_for(first.dtype)
        ready(first, *others)

    def compile_for(self, dtype: np.dtype) -> Any:
        """Return the function for `dtype`, compiled or loaded by the thread that comes first."""
        with _LOCK:
            if dtype not in self._ready:
                dispatcher = _kept(self._function, _PLAIN)
                if dispatcher is not self._function:  # as with NUMBA_DISABLE_JIT
                    dispatcher.compile(self._signatures[dtype.name])
                    # Other layouts are taken as these, not compiled anew.
                    dispatcher.disable_compile()
                self._ready[dtype] = dispatcher
            return self._ready[dtype]


def read_only(dtype: Any, n_dimensions: int, layout: Any = "C") -> Any:
    """Return the type of arrays that are only read, such as those of a model mapped from disk."""
    return nb.types.Array(dtype, n_dimensions, layout, readonly=True)


def _kept(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    dispatcher = nb.njit(nogil=True, **options)(function)
    if dispatcher is not function:
        keep_code(dispatcher)
    return dispatcher
