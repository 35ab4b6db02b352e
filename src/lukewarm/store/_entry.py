"""What a finished job leaves: a few JSON values and arrays, in one file that numpy reads."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass, field
from typing import Any

import numpy as np

_READ_ERRORS = (zipfile.BadZipFile, ValueError, KeyError, OSError, EOFError, NotImplementedError)


@dataclass(frozen=True, eq=False)
class Entry:
    """A finished job.

    Parameters
    ----------
    record : dict of JSON values
    arrays : dict of ndarray
        Of numbers; nothing that would need a pickle.
    """

    record: dict[str, Any]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """Return the arrays as an uncompressed npz archive."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
            for name, array in self.arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, record: dict[str, Any], data: bytes) -> Entry:
        """Return the entry whose arrays are in `data`; a ValueError where they cannot be read."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                return cls(record, {name: archive[name] for name in archive.files})
        except _READ_ERRORS as error:
            raise ValueError(f"the arrays cannot be read: {error}") from error


def checksum(data: bytes) -> str:
    """Return the checksum of a file's contents."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
