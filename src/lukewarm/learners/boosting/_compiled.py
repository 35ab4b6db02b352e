"""The decorator of all compiled functions here."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numba as nb

_REGISTERED: list[tuple[Any, tuple[Any, ...]]] = []


def compiled(function: Callable[..., Any]) -> Any:
    """Return the function compiled when first called, without the GIL, and kept on disk."""
    dispatcher = nb.njit(cache=True, nogil=True)(function)
    # numba looks only at the file of a function to decide whether what it kept is out of date,
    # but what it kept holds the functions called, too. So the stamp is that of all
    # compiled functions here.
    kept: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    if hasattr(kept, "_source_stamp"):
        kept._source_stamp = _stamp_of_sources()
    return dispatcher


def compiled_for(*signatures: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator like `compiled` for just these signatures.

    For functions that meet the user's arrays, whose layouts are many. They are compiled by
    `compile_registered`, not when the file is imported.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = compiled(function)
        _REGISTERED.append((dispatcher, signatures))
        return dispatcher

    return decorate


def compile_registered() -> None:
    """Compile the functions that are decorated by `compiled_for`."""
    for dispatcher, signatures in _REGISTERED:
        for signature in signatures:
            dispatcher.compile(signature)
        dispatcher.disable_compile()


def read_only(dtype: Any, n_dimensions: int, layout: Any = "C") -> Any:
    """Return the type of arrays that are only read, such as those of a model mapped from disk."""
    return nb.types.Array(dtype, n_dimensions, layout, readonly=True)


@cache
def _stamp_of_sources() -> str:
    sources = [file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py"))]
    return blake2b(b"".join(text for text in sources if b"@compiled" in text)).hexdigest()
