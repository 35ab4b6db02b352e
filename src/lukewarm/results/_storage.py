"""Records on disk: a zip archive of a JSON text and arrays, never a pickle.

The archive holds ``record.json`` and one ``NAME.npy`` per array, so numpy opens it, too. A file
may come from anywhere: its size is read from the archive's directory before anything is unpacked,
an array's by its header before it is read, and only arrays that the reader asks for are read.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from pathlib import Path
from typing import IO, Any

import numpy as np

from lukewarm._files import replacing
from lukewarm._text import printable
from lukewarm._validation import shown

# Raised whenever a file of before would be read wrongly; there is no reader of older ones.
FORMAT = 4

_RECORD = "record.json"
# What a file may unpack to. Influence values hardly compress; only a file made to fill the memory
# shrinks a hundredfold as a whole. Small files may hold a few zeros more.
_LARGEST_RATIO = 100
_SMALL = 16 * 2**20
_READ_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError),
    *(ValueError, TypeError, KeyError, OverflowError, RecursionError, RuntimeError),
)


def write_record(
    path: str | os.PathLike[str],
    kind: str,
    record: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
) -> Path:
    """Write `record` (JSON) and `arrays` to `path`, all of it or nothing."""
    target = Path(path)
    text = json.dumps({"kind": kind, "format": FORMAT, **record}, ensure_ascii=False)
    with (
        replacing(target) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        archive.writestr(_RECORD, text)
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
    return target


@contextmanager
def reading_record(path: str | os.PathLike[str], kind: str) -> Iterator[StoredRecord]:
    """Yield the record of that kind stored at `path`; whatever is wrong with it names the path."""
    where = printable(repr(os.fspath(path)))  # whole: the end of a path tells most
    try:
        with zipfile.ZipFile(path) as archive:
            stored = StoredRecord(archive, os.path.getsize(path))
            stored.check_kind(kind)
            yield stored
            stored.check_nothing_left()
    except _READ_ERRORS as error:
        raise ValueError(f"{where} is not a saved lukewarm result: {error}.") from error


class StoredRecord:
    """The fields and arrays of an open file, each checked when it is asked for.

    Parameters
    ----------
    archive : zipfile.ZipFile
    n_bytes : int
        Size of the file.
    """

    def __init__(self, archive: zipfile.ZipFile, n_bytes: int) -> None:
        members = archive.infolist()
        self._members = {member.filename: member for member in members}
        if len(self._members) < len(members):
            raise ValueError("it holds two members of one name")
        unpacked = sum(member.file_size for member in members)
        if unpacked > _SMALL + _LARGEST_RATIO * n_bytes:
            raise ValueError(f"its {n_bytes} bytes would unpack to {unpacked}")
        if _RECORD not in self._members:
            raise ValueError(f"it has no {_RECORD}")
        self._archive = archive
        self._unread = set(self._members) - {_RECORD}
        fields = json.loads(archive.read(_RECORD).decode("utf-8"))
        if not isinstance(fields, dict):
            raise ValueError(f"{_RECORD} is not a mapping")
        self._fields = fields

    def check_kind(self, kind: str) -> None:
        """Raise unless this is a record of that kind, in the format that is read here."""
        if self._fields.get("kind") != kind:
            raise ValueError(
                f"it holds a record of kind {shown(self._fields.get('kind'))}, not {kind!r}"
            )
        if self._fields.get("format") != FORMAT:
            raise ValueError(
                f"it has format {shown(self._fields.get('format'))}, this version reads {FORMAT}"
            )

    def check_nothing_left(self) -> None:
        """Raise when the file holds members that nobody asked for."""
        if self._unread:
            raise ValueError(f"it holds the unknown {shown(sorted(self._unread))}")

    def text(self, key: str) -> str:
        """Return a field that is a text."""
        return _as_text(key, self._field(key))

    def texts(self, key: str, length: int | None = None) -> tuple[str, ...]:
        """Return a field that is a list of texts, `length` of them."""
        return tuple(_as_text(key, each) for each in self._list(key, length))

    def text_records(self, key: str, fields: tuple[str, ...]) -> tuple[dict[str, str], ...]:
        """Return a field that is a list of mappings from these names to texts."""
        records = self._list(key, None)
        for each in records:
            if not isinstance(each, dict) or set(each) != set(fields):
                raise ValueError(f"field {key!r} must hold {fields}; it holds {shown(each)}")
        return tuple({name: _as_text(key, each[name]) for name in fields} for each in records)

    def number(self, key: str, *, above: float = -np.inf, below: float = np.inf) -> float:
        """Return a field that is a finite number inside (above, below)."""
        return _as_number(key, self._field(key), above, below)

    def numbers(self, key: str, length: int) -> tuple[float, ...]:
        """Return a field that is a list of finite numbers."""
        return tuple(_as_number(key, each) for each in self._list(key, length))

    def counts(self, key: str, length: int | None = None) -> tuple[int, ...]:
        """Return a field that is a list of integers from 0 on."""
        return _as_counts(key, self._list(key, length))

    def count_lists(self, key: str, length: int | None = None) -> tuple[tuple[int, ...], ...]:
        """Return a field that is a list of lists of integers from 0 on."""
        return tuple(_as_counts(key, each) for each in self._list(key, length))

    def array(
        self, name: str, shape: tuple[int | None, ...], kinds: str = "f", *, finite: bool = True
    ) -> np.ndarray:
        """Return an array of this shape (None: any length) and one of these kinds of dtype.

        Parameters
        ----------
        name : str
        shape : tuple of int or None
            None allows any length.
        kinds : str, default "f"
            The kinds of dtype allowed, one letter each.
        finite : bool, default True
            Whether all values must be finite.
        """
        member = self._members.get(f"{name}.npy")
        if member is None:
            raise ValueError(f"it has no array {name!r}")
        with self._archive.open(member) as file:
            stored, fortran_order, dtype = _read_header(file)
            suits = len(stored) == len(shape) and all(
                want is None or want == have for want, have in zip(shape, stored, strict=True)
            )
            if not suits or dtype.kind not in kinds:
                wanted = ", ".join("any" if each is None else str(each) for each in shape)
                raise ValueError(
                    f"array {name!r} must have shape ({wanted}) and a dtype of kind {kinds!r}; "
                    f"it has shape {stored} and dtype {dtype}"
                )
            n_bytes = int(np.prod(stored, dtype=object)) * dtype.itemsize
            if n_bytes != member.file_size - file.tell():
                raise ValueError(f"array {name!r} is not as long as it says")
            values = np.frombuffer(file.read(), dtype)
        self._unread.discard(member.filename)
        array = values.reshape(stored, order="F" if fortran_order else "C").copy()
        if finite and not np.isfinite(array).all():
            raise ValueError(f"array {name!r} holds values that are not finite")
        return array

    def _field(self, key: str) -> Any:
        if key not in self._fields:
            raise ValueError(f"it has no field {key!r}")
        return self._fields[key]

    def _list(self, key: str, length: int | None) -> list[Any]:
        value = self._field(key)
        if not isinstance(value, list) or (length is not None and len(value) != length):
            wanted = "" if length is None else f" of length {length}"
            raise ValueError(f"field {key!r} must be a list{wanted}; it is {shown(value)}")
        return value


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in read:
        raise ValueError(f"it holds an array in version {version} of numpy's format")
    return read[version](file)


def _as_text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"field {key!r} must hold text; it holds {shown(value)}")
    return value


def _as_number(key: str, value: Any, above: float = -np.inf, below: float = np.inf) -> float:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not above < value < below:
        raise ValueError(f"field {key!r} must hold a number in range; it holds {shown(value)}")
    return float(value)


def _as_counts(key: str, value: Any) -> tuple[int, ...]:
    def is_count(each: Any) -> bool:
        return isinstance(each, int) and not isinstance(each, bool) and each >= 0

    if not isinstance(value, list) or not all(is_count(each) for each in value):
        raise ValueError(f"field {key!r} must hold integers from 0 on; it holds {shown(value)}")
    return tuple(value)
