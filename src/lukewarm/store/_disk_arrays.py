"""Arrays on the disk, mapped into memory: the system may drop their pages whenever it needs room.

Predictions and influence values of thousands of feature sets are kept for as long as a result is,
and read rarely. They are laid end to end in blocks of a file that has no name: it is gone with the
process, however that ends.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
from pathlib import Path

import numpy as np

# One mapping for many arrays: systems allow some ten thousand mappings to a process.
_LARGEST_BLOCK = 2**26
_FIRST_BLOCK = 2**20
# Smaller ones are not worth their share of a page.
_LEAST_BYTES = 1024
# Arrays begin at multiples of this, as freshly made ones do.
_ALIGNMENT = 64


class DiskArrays:
    """Keeps arrays in files without a name.

    Parameters
    ----------
    folder : Path
        Where the files are.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kept = DiskArrays(Path(folder)).keep(np.arange(1000.0))
    >>> float(kept[-1])
    999.0
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._block = np.empty(0, dtype=np.uint8)
        self._used = 0
        self._is_full = False

    def __getstate__(self) -> dict[str, Path]:
        return {"folder": self._folder}

    def __setstate__(self, state: dict[str, Path]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def keep(self, array: np.ndarray) -> np.ndarray:
        """Return an equal array whose values are on the disk; the same one where they cannot be."""
        if array.nbytes < _LEAST_BYTES or array.dtype.hasobject:
            return array
        place = self._place(array.nbytes)
        if place is None:
            return array
        kept = place.view(array.dtype).reshape(array.shape)
        kept[...] = array
        return kept

    def empty(self, shape: tuple[int, ...], dtype: type) -> np.ndarray:
        """Return an array to be filled, on the disk unless that is full."""
        kind = np.dtype(dtype)
        place = self._place(int(np.prod(shape)) * kind.itemsize)
        return np.empty(shape, kind) if place is None else place.view(kind).reshape(shape)

    def _place(self, n_bytes: int) -> np.ndarray | None:
        """Return so many bytes of a block; None where there is no more room on the disk."""
        with self._lock:
            if self._used + n_bytes > len(self._block) and not self._begin_block(n_bytes):
                return None
            start = self._used
            self._used = -(-(start + n_bytes) // _ALIGNMENT) * _ALIGNMENT
            return self._block[start : start + n_bytes]

    def _begin_block(self, least: int) -> bool:
        """Go on with a new block, larger than the last; False where there is no room for it."""
        if self._is_full:
            return False
        n_bytes = max(least, min(max(2 * len(self._block), _FIRST_BLOCK), _LARGEST_BLOCK))
        try:
            with tempfile.TemporaryFile(dir=self._folder, prefix=".lukewarm-") as file:
                # A mapping of a file with holes would end the process where the disk is full.
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, n_bytes)
                else:
                    file.truncate(n_bytes)
                mapping = mmap.mmap(file.fileno(), n_bytes)
        except (OSError, ValueError):
            self._is_full = True
            return False
        self._block, self._used = np.frombuffer(mapping, dtype=np.uint8), 0
        return True
