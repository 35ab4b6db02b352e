"""The decorator of all compiled functions here."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numba as nb


def compiled(function: Callable[..., Any]) -> Any:
    """Return the function compiled when first called, without the GIL, and kept on disk."""
    dispatcher = nb.njit(cache=True, nogil=True)(function)
    # numba looks only at the file of a function to decide whether what it kept is out of date,
    # but what it kept holds the functions called, too. So the stamp is that of the whole room.
    kept: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(kept, "_source_stamp"):
        kept._source_stamp = _stamp_of_room()
    return dispatcher


def compiled_for(*signatures: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator like `compiled` for just these signatures.

    For functions that meet the user's arrays, whose layouts are many.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = compiled(function)
        for signature in signatures:
            dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher

    return decorate


def read_only(dtype: Any, n_dimensions: int, layout: Any = "C") -> Any:
    """Return the type of arrays that are only read, such as those of a model mapped from disk."""
    return nb.types.Array(dtype, n_dimensions, layout, readonly=True)


@cache
def _stamp_of_room() -> str:
    files = sorted(Path(__file__).parent.glob("*.py"))
    return blake2b(b"".join(file.read_bytes() for file in files)).hexdigest()
