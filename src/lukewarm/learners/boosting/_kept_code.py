"""Compiled code on disk: a help where it can be had, never a reason to fail."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache

_LOGGER = logging.getLogger(__name__)
# Far beyond chance; the digest guards against damage, not against an attacker.
_DIGEST_BYTES = 32


def keep_code(dispatcher: Any) -> None:
    """Let `dispatcher` load its code from disk and keep it there, where a folder is writable."""
    try:
        dispatcher._cache = _Kept(dispatcher.py_func)
    except (RuntimeError, OSError):  # numba found no folder that it may write to
        dispatcher._cache = _NotKept()


class _Kept(FunctionCache):
    """numba's cache; a file it cannot read or write costs a compilation, not the run."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        # numba looks only at the file of a function to decide whether what it kept is out of
        # date, but what it kept holds the functions called, too. So the stamp is that of all
        # compiled functions beside it.
        stamp = stamp_of_sources(Path(function.__code__.co_filename).parent)
        self._cache_file = _CheckedFile(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code kept for `sig`; None where there is none that can be used."""
        code = None
        try:
            code = super().load_overload(sig, target_context)
        except Exception as error:  # whatever a damaged pickle may raise
            _LOGGER.warning("compiled code in %s is damaged (%s)", self._cache_path, error)
            self._try(self.flush)
        if code is None:
            announce("numba keeps it on disk, so later runs start at once")
        return code

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code of `sig`, if the folder still takes it."""
        self._try(lambda: super(_Kept, self).save_overload(sig, data))

    def _try(self, write: Callable[[], None]) -> None:
        try:
            write()
        except Exception as error:  # a full disk, or an index that another process just damaged
            _LOGGER.warning("compiled code cannot be kept in %s: %s", self._cache_path, error)


class _NotKept(NullCache):
    """What stands for a cache where no folder can be written to."""

    def load_overload(self, sig: Any, target_context: Any) -> None:
        """Return nothing, and say so."""
        announce(
            "no folder to keep the result in is writable, so every process compiles anew; "
            "set NUMBA_CACHE_DIR to one that is"
        )


class _CheckedFile(IndexDataCacheFile):
    """Files that end in a digest: damaged machine code would crash the process, not raise."""

    def _dump(self, obj: Any) -> bytes:
        data: bytes = super()._dump(obj)
        return data + _digest(data)  # pickle stops before it

    def _load_data(self, name: str) -> Any:
        data = Path(self._data_path(name)).read_bytes()
        if data[-_DIGEST_BYTES:] != _digest(data[:-_DIGEST_BYTES]):
            raise ValueError(f"{name} has changed since it was written")
        return super()._load_data(name)


@cache
def announce(what_becomes_of_it: str) -> None:
    """Log once that something is compiled: the first run waits for it."""
    _LOGGER.warning("compiling lukewarm's engine, some seconds; %s", what_becomes_of_it)


@cache
def stamp_of_sources(folder: Path) -> str:
    """Return a digest of all files in `folder` that hold compiled functions."""
    sources = [file.read_bytes() for file in sorted(folder.glob("*.py"))]
    return blake2b(b"".join(text for text in sources if b"@compiled" in text)).hexdigest()


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()
