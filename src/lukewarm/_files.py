"""Files written whole or not at all; folders that one run writes to at a time."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_PREFIX = ".lukewarm-"
_LOCK = f"{_PREFIX}lock"
# A file is written in seconds; what is older was left by a run that was killed.
_STALE_SECONDS = 3600
# Two threads that read the mask at once could leave it at 0.
_UMASK = threading.Lock()


@contextmanager
def replacing(path: str | os.PathLike[str], *, waits: bool = True) -> Iterator[Path]:
    """Yield a path to write to; it takes the place of `path` when the block ends without error.

    `waits` says whether it is on the disk then; else the system brings it there in its own time.
    """
    target = Path(path)
    _clear_stale_parts(target.parent)
    handle, name = tempfile.mkstemp(
        dir=target.parent, prefix=_PREFIX, suffix=f".part{target.suffix}"
    )
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp files are private; the result should be as readable as any other new file.
        temporary.chmod(0o666 & ~_umask())
        if waits:
            # Without this a power cut may leave the new name with no contents.
            _flush(temporary)
        temporary.replace(target)
        if waits:
            _flush_folder(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    """Return the mask of new files; it can only be read by setting it, for the whole process."""
    with _UMASK:
        mask = os.umask(0)
        os.umask(mask)
    return mask


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path`, all of it or nothing."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextmanager
def locked_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Make the folder and keep other runs from writing to it while the block lasts.

    The operating system gives the lock back when the process ends, however it ends.
    """
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("a+b") as file:
        if not _try_lock(file):
            raise OSError(
                f"another run is writing to {str(folder)!r}; wait for it to end, or choose another "
                "folder."
            )
        yield folder


@contextmanager
def replacing_report(folder: Path, name: str) -> Iterator[Path]:
    """Yield a folder to write to; its files replace those of the last report called `name`.

    The files of one report are never found beside those of another: the new ones are written
    elsewhere first, and the old ones go before the new ones come. A list of what may be there
    stands beside them, so that what a killed run left is cleared by the next. Files that are no
    part of a report are left alone. To be called under :func:`locked_folder`.
    """
    staged = folder / f"{_PREFIX}{name}.part"
    listing = folder / f"{_PREFIX}{name}.json"
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir()
    try:
        yield staged
        new = sorted(path.name for path in staged.iterdir())
        old = _listed(listing)
        _write_list(listing, sorted({*old, *new}))
        for each in {*old, *new}:
            (folder / each).unlink(missing_ok=True)
        _flush_folder(folder)
        for each in new:
            (staged / each).replace(folder / each)
        _flush_folder(folder)
        _write_list(listing, new)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _listed(listing: Path) -> list[str]:
    """Return the files of the last report; names that would lead elsewhere are not among them."""
    try:
        names = json.loads(listing.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    plain = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    return [name for name in plain if Path(name).name == name and not name.startswith(_PREFIX)]


def _write_list(listing: Path, names: list[str]) -> None:
    write_text(listing, json.dumps(names))


def _clear_stale_parts(folder: Path) -> None:
    for part in folder.glob(f"{_PREFIX}*.part*"):
        try:
            if part.is_file() and time.time() - part.stat().st_mtime > _STALE_SECONDS:
                part.unlink()
        except OSError:
            continue  # another run cleared it, or it is somebody else's


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    if sys.platform == "win32":
        return  # folders cannot be opened there
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _try_lock(file: IO[bytes]) -> bool:
    """Return whether the lock on an open file was free, and is now held until it is closed."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # Some network drives have no locks at all; there a run goes on without.
        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True
