"""Finished jobs in a folder: kept the moment they end, read by whoever asks for them again.

No pickle, no network; several processes, or machines that see the folder, may share one.
"""

from lukewarm.store._disk_arrays import DiskArrays
from lukewarm.store._entry import Entry
from lukewarm.store._fingerprint import (
    array_digest,
    column_digests,
    described,
    digest,
    packages_of,
    versions,
)
from lukewarm.store._folder import Store
from lukewarm.store._manifest import Manifest

__all__ = [
    "DiskArrays",
    "Entry",
    "Manifest",
    "Store",
    "array_digest",
    "column_digests",
    "described",
    "digest",
    "packages_of",
    "versions",
]
