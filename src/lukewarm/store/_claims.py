"""Who is at work on which job: a file per claim, whose time of change is its heartbeat.

A claim saves work and decides nothing: two processes that both believe in theirs compute the same
numbers twice. So it may be taken over on suspicion, when the process is gone from this machine or
its heart has not beaten for a while on another.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from lukewarm.exceptions import ClaimedElsewhere

# A touch of one file, which costs little even on a network drive.
_HEARTBEAT_SECONDS = 5.0
# Twelve beats: a machine that swaps, or a network drive that hangs, misses a few.
_STALE_SECONDS = 60.0


class Claims:
    """The claims in a folder, those of this process kept alive by a thread.

    Parameters
    ----------
    folder : Path
        Made with the first claim.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: set[Path] = set()
        self._lock = threading.Lock()
        self._heart: threading.Thread | None = None
        self._pid = os.getpid()

    @contextmanager
    def claiming(self, key: str) -> Iterator[None]:
        """Hold the job while the block lasts; raise `ClaimedElsewhere` where another does."""
        path = self._folder / key
        try:
            is_ours = self._take(path)
        except OSError:
            yield  # nothing can be written there, so nobody can be told
            return
        if not is_ours:
            raise ClaimedElsewhere(key)
        self._hold(path)
        try:
            yield
        finally:
            with self._lock:
                self._held.discard(path)
            with suppress(OSError):
                path.unlink()

    def _take(self, path: Path) -> bool:
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._create(path):
            return True
        if not self._is_stale(path):
            return False
        path.unlink(missing_ok=True)
        return self._create(path)

    def _create(self, path: Path) -> bool:
        """Return whether the claim was free, and is now ours."""
        owner = {"host": socket.gethostname(), "pid": os.getpid()}
        try:
            with path.open("x", encoding="utf-8") as file:
                json.dump(owner, file)
        except FileExistsError:
            return False
        return True

    def _is_stale(self, path: Path) -> bool:
        try:
            owner = json.loads(path.read_text(encoding="utf-8"))
            is_here = owner["host"] == socket.gethostname()
            if is_here and not _is_alive(int(owner["pid"])):
                return True
        except FileNotFoundError:
            return True
        except (OSError, ValueError, TypeError, KeyError):
            pass  # killed between making the file and writing to it, or being written now
        return self._age(path) > _STALE_SECONDS

    def _age(self, path: Path) -> float:
        """Return the seconds since the last beat, by the clock of the drive the folder is on."""
        now = self._folder / f".now-{uuid4().hex[:8]}"
        try:
            now.touch()
            return now.stat().st_mtime - path.stat().st_mtime
        except FileNotFoundError:
            return float("inf")
        finally:
            now.unlink(missing_ok=True)

    def _hold(self, path: Path) -> None:
        with self._lock:
            if self._pid != os.getpid():
                # Threads and claims of the parent do not come along when a process forks.
                self._pid, self._heart, self._held = os.getpid(), None, set()
            self._held.add(path)
            if self._heart is None:
                self._heart = threading.Thread(target=self._beat, daemon=True)
                self._heart.start()

    def _beat(self) -> None:
        pause = threading.Event()
        while not pause.wait(_HEARTBEAT_SECONDS):
            with self._lock:
                held = list(self._held)
                if not held:
                    self._heart = None
                    return
            for path in held:
                with suppress(OSError):
                    os.utime(path)


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # os.kill would end the process there; the heartbeat has to tell
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it is somebody else's
    return True
