"""An append-only journal of JSON lines, each with a checksum; one file per writing process.

A process only ever appends to a file of its own, so lines of two machines never mix, whatever the
file system makes of appending. A line that a kill cut short has no end and is not read; one whose
checksum does not fit is counted as damaged, and its job is run again.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from io import FileIO
from pathlib import Path
from typing import Any
from uuid import uuid4

from lukewarm.store._entry import checksum


def owner_name() -> str:
    """Return a name for this process that no other has, on any machine."""
    return f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:8]}"


class Journal:
    """The lines in a folder.

    Parameters
    ----------
    folder : Path
        Made when the first line is written.
    """

    def __init__(self, folder: Path) -> None:
        self.n_damaged = 0
        self._folder = folder
        self._read_to: dict[str, int] = {}
        self._owner = ""
        self._pid = os.getpid()
        self._lock = threading.Lock()

    def append(self, line: dict[str, Any]) -> Path:
        """Write one line and return the file it is in; other processes see it at once."""
        data = json.dumps({**line, "check": _check_of(line)}).encode() + b"\n"
        with self._lock:
            try:
                path = self._path()
                with path.open("ab", buffering=0) as file:
                    _write_all(file, data)
                return path
            except OSError:
                # Part of the line may be there; the next goes to a new file.
                self._owner = ""
                raise

    def read_new(self) -> list[dict[str, Any]]:
        """Return the lines that were not there when this was called last."""
        lines = []
        with self._lock:
            for path in sorted(self._folder.glob("*.jsonl")):
                start = self._read_to.get(path.name, 0)
                if path.stat().st_size <= start:
                    continue
                with path.open("rb") as file:
                    file.seek(start)
                    data = file.read()
                whole = data[: data.rfind(b"\n") + 1]
                self._read_to[path.name] = start + len(whole)
                parsed = [_parsed(each) for each in whole.splitlines()]
                lines += [each for each in parsed if each is not None]
                self.n_damaged += parsed.count(None)
        return lines

    def _path(self) -> Path:
        if not self._owner or self._pid != os.getpid():
            # A process that was forked must not write to the file of its parent.
            self._owner, self._pid = owner_name(), os.getpid()
            self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / f"{self._owner}.jsonl"


def _write_all(file: FileIO, data: bytes) -> None:
    written = 0
    while written < len(data):
        written += file.write(data[written:])


def _parsed(data: bytes) -> dict[str, Any] | None:
    """Return the line, or None where it is not what was written."""
    try:
        line = json.loads(data)
        check = line.pop("check")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return line if check == _check_of(line) else None


def _check_of(line: dict[str, Any]) -> str:
    return checksum(json.dumps(line, sort_keys=True).encode())
