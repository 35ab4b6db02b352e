"""Records on disk: one .npz file that holds arrays and a JSON text, never a pickle."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lukewarm._files import replacing

_TEXT_KEY = "record"


def write_record(
    path: str | os.PathLike[str], record: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> Path:
    """Write `record` (JSON) and `arrays` to `path`, all of it or nothing."""
    target = Path(path)
    contents: dict[str, Any] = {_TEXT_KEY: np.array(json.dumps(record, ensure_ascii=False))}
    contents.update(arrays)
    with replacing(target) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **contents)
    return target


def read_record(
    path: str | os.PathLike[str], kind: str
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the JSON record and the arrays of a file that holds a record of that kind."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        record = json.loads(str(arrays.pop(_TEXT_KEY)))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"{os.fspath(path)!r} is not a saved lukewarm result: {error}.") from error
    if record.get("kind") != kind:
        raise ValueError(
            f"{os.fspath(path)!r} holds a record of kind {record.get('kind')!r}, not {kind!r}."
        )
    return record, arrays
