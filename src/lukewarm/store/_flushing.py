"""Files brought to the disk behind the back of the work.

What a process has written is safe from its own end, however that comes, as soon as it is written:
the system holds it. Only a crash of the machine loses what is not on the disk yet. To wait for the
disk takes as long as a short job, so it is waited for here, and a job that a power cut has taken
is run again: its checksum does not fit.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

# Files written meanwhile are brought to the disk together, which costs little more than one.
_PAUSE_SECONDS = 0.2


class Flushing:
    """Brings files to the disk, some moments after they were written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a"
    ...     _ = path.write_text("1")
    ...     flushing = Flushing()
    ...     flushing.add(path)
    ...     flushing.wait()
    >>> flushing.error is None
    True
    """

    def __init__(self) -> None:
        self.error: OSError | None = None
        self._waiting: set[Path] = set()
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()
        self._lock = threading.Lock()

    def add(self, path: Path) -> None:
        """Have a file on the disk soon, and its name in its folder."""
        with self._lock:
            self._waiting |= {path, path.parent}
            if self._thread is None or self._pid != os.getpid():
                # A process that was forked has no thread of its parent's.
                self._pid = os.getpid()
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def wait(self) -> None:
        """Return when all that was added is on the disk."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while True:
            time.sleep(_PAUSE_SECONDS)
            with self._lock:
                paths, self._waiting = self._waiting, set()
                if not paths:
                    self._thread = None
                    return
            # Names last: a name on the disk then has its contents.
            for path in sorted(paths, key=lambda path: path.is_dir()):
                try:
                    _flush(path)
                except OSError as error:
                    self.error = error


def _flush(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDONLY)
    except (FileNotFoundError, PermissionError):
        return  # deleted meanwhile; folders cannot be opened on every system
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
