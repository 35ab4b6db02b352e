"""The store: a folder with a manifest, a journal, arrays and claims.

::

    run1/store.json             what the numbers were made with, and the format
    run1/journal/*.jsonl        one line per finished job, one file per process that wrote
    run1/arrays/ab/ab12....npz  what the job found
    run1/claims/ab12...         who is at work on what

Arrays are there before the line that names them, so a line is never without its arrays. A job is
done when its line is there and the checksum of its arrays fits; everything else is run again. That
is also why nobody waits for the disk (`_flushing.py`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lukewarm._files import replacing
from lukewarm._text import printable
from lukewarm._warnings import warn_user
from lukewarm.exceptions import StoreWarning
from lukewarm.store._claims import Claims
from lukewarm.store._disk_arrays import DiskArrays
from lukewarm.store._entry import Entry, checksum
from lukewarm.store._fingerprint import digest
from lukewarm.store._flushing import Flushing
from lukewarm.store._journal import Journal
from lukewarm.store._manifest import Manifest


class Store:
    """Finished jobs in a folder, by key.

    Parameters
    ----------
    folder : Path
        One that holds `manifest`.
    manifest : Manifest

    Notes
    -----
    A store can be sent to another process. It opens the folder anew there, and writes to a journal
    of its own; on a machine that does not see the folder it keeps nothing, and says so.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store.opened(f"{folder}/run", {"y": "ab"}, seed=0)
    ...     found = store.kept(["set", 1], lambda: Entry({"n": 1}, {"a": np.ones(2)}))[0]
    ...     again = Store.opened(f"{folder}/run", {"y": "ab"}, seed=0)
    ...     again.read(["set", 1]).arrays["a"]
    array([1., 1.])
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        # What a process keeps of the results in its memory, on the same disk.
        self.disk = DiskArrays(folder)
        # Lines by key and checksum: a job that was damaged and run again has one of each, and
        # journals are read in no order that would tell which is the later.
        self._known: dict[str, dict[str, dict[str, Any]]] = {}
        self._journal = Journal(folder / "journal")
        self._flushing = Flushing()
        self._claims = Claims(folder / "claims")
        self._lock = threading.Lock()
        self._warned_of: set[str] = set()
        self._is_seen: bool | None = None

    @classmethod
    def opened(
        cls, folder: str | os.PathLike[str], identity: dict[str, Any], *, seed: int
    ) -> Store:
        """Return the store in a folder, made there if there is none.

        Parameters
        ----------
        folder : path
        identity : dict of JSON values
            What the numbers depend on. Raises where the store was made with something else.
        seed : int
            Taken where the store is new; another one keeps its own.
        """
        # Resolved, since worker processes may run in another directory.
        path = Path(folder).expanduser().resolve()
        manifest = Manifest.found_in(path)
        if manifest is None:
            try:
                manifest = Manifest(identity, seed).write_first(path)
            except OSError as error:
                raise type(error)(
                    f"the store {str(path)!r} cannot be made ({error.strerror}); name a folder "
                    "that can be written to."
                ) from error
        manifest.check_same(identity, path)
        store = cls(path, manifest)
        store._report_damage()
        return store

    def __getstate__(self) -> dict[str, Any]:
        return {"folder": self.folder, "manifest": self.manifest}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __len__(self) -> int:
        """Return the number of finished jobs."""
        self._refresh()
        return len(self._known)

    def __contains__(self, parts: list[Any]) -> bool:
        return bool(self._lines(self._key(parts)))

    def kept(self, parts: list[Any], compute: Callable[[], Entry]) -> tuple[Entry, bool]:
        """Return what the job found, computed unless it is there, and whether it is kept now.

        Parameters
        ----------
        parts : list of JSON values
            The name of the job.
        compute : callable
            Called at most once. `ClaimedElsewhere` is raised instead while another process is at
            work on the job.
        """
        if not self._sees_folder():
            return compute(), False
        found = self.read(parts)
        if found is not None:
            return found, True
        with self._claims.claiming(self._key(parts)):
            # It may have been finished between the look and the claim.
            found = self.read(parts)
            if found is not None:
                return found, True
            entry = compute()
            return entry, self.write(parts, entry)

    def read(self, parts: list[Any]) -> Entry | None:
        """Return what a finished job found; None where it is not there, or damaged."""
        key = self._key(parts)
        lines = self._lines(key)
        if not lines:
            return None
        try:
            data = self._path(key).read_bytes()
            line = lines.get(checksum(data))
            if line is None:
                raise ValueError("the checksum does not fit")
            return Entry.from_bytes(line["record"], data)
        except (OSError, ValueError, KeyError, TypeError) as error:
            with self._lock:
                self._known.pop(key, None)
            self._warn("damage", f"holds a damaged job, which is run again: {key}.npz, {error}")
            return None

    def write(self, parts: list[Any], entry: Entry) -> bool:
        """Keep what a job found; False, and a warning, where the folder cannot be written to."""
        key, data = self._key(parts), entry.to_bytes()
        line = {"key": key, "job": parts, "sum": checksum(data), "record": entry.record}
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path, waits=False) as temporary:
                temporary.write_bytes(data)
            self._flushing.add(path)
            self._flushing.add(self._journal.append(line))
        except OSError as error:
            why = f"cannot be written to ({error.strerror}): jobs go on, but are not kept"
            self._warn("writing", why)
            return False
        trouble = self._flushing.error
        if trouble is not None:
            self._warn("flushing", f"may lose jobs if the machine stops ({trouble.strerror})")
        self._remember(line)
        return True

    def _lines(self, key: str) -> dict[str, dict[str, Any]]:
        if key not in self._known:
            self._refresh()
        return self._known.get(key, {})

    def _remember(self, line: dict[str, Any]) -> None:
        with self._lock:
            self._known.setdefault(line["key"], {})[line["sum"]] = line

    def _refresh(self) -> None:
        for line in self._journal.read_new():
            if isinstance(line.get("key"), str) and isinstance(line.get("sum"), str):
                self._remember(line)

    def _report_damage(self) -> None:
        self._refresh()
        if self._journal.n_damaged:
            self._warn(
                "journal",
                f"holds {self._journal.n_damaged} damaged lines in its journal; their jobs are run "
                "again",
            )

    def _sees_folder(self) -> bool:
        """Whether this machine sees the folder, and the same one."""
        if self._is_seen is None:
            try:
                self._is_seen = Manifest.found_in(self.folder) == self.manifest
            except (OSError, ValueError):
                self._is_seen = False
        return self._is_seen

    def _key(self, parts: list[Any]) -> str:
        return digest([self.manifest.digest, parts])

    def _path(self, key: str) -> Path:
        return self.folder / "arrays" / key[:2] / f"{key}.npz"

    def _warn(self, kind: str, what: str) -> None:
        """Warn once of each kind of trouble: a full disk is met by every job."""
        with self._lock:
            is_new = kind not in self._warned_of
            self._warned_of.add(kind)
        if is_new:
            warn_user(f"the store {printable(str(self.folder))!r} {what}.", StoreWarning)
