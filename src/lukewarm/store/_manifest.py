"""What a store was made with: one JSON file that every later run is compared with."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lukewarm._text import printable
from lukewarm.store._fingerprint import digest

# Raised whenever a store of before would be read wrongly.
FORMAT = 4
NAME = "store.json"
_PART = ".lukewarm-"
# In a message; the others are counted.
_MOST_NAMES = 5


@dataclass(frozen=True)
class Manifest:
    """The identity of the numbers in a store.

    Parameters
    ----------
    identity : dict of JSON values
        What the numbers depend on, by the names that users know; "columns" are pairs of name and
        fingerprint, in their order, "versions" a mapping from packages.
    seed : int
        From which the random numbers come where the user gave none.
    """

    identity: dict[str, Any]
    seed: int

    @property
    def digest(self) -> str:
        """The fingerprint of the whole."""
        return digest([FORMAT, self.identity, self.seed])

    @classmethod
    def found_in(cls, folder: Path) -> Manifest | None:
        """Return the manifest of the store in a folder; None where there is no store."""
        path = folder / NAME
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            if stored["format"] != FORMAT:
                raise ValueError(
                    f"it has format {stored['format']!r}, this version reads {FORMAT}; use another "
                    "folder"
                )
            identity, seed = dict(stored["identity"]), int(stored["seed"])
        except (FileNotFoundError, NotADirectoryError):
            _check_free(folder)
            return None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError(
                f"{printable(str(path))!r} is not that of a store of lukewarm: {error}."
            ) from error
        return cls(identity, seed)

    def write_first(self, folder: Path) -> Manifest:
        """Write this manifest unless another process was first; return the one that is there."""
        folder.mkdir(parents=True, exist_ok=True)
        content = {"format": FORMAT, "identity": self.identity, "seed": self.seed}
        handle, name = tempfile.mkstemp(dir=folder, prefix=_PART)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(content, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(0o644)
            try:
                # Unlike a rename, a link never replaces what another process wrote meanwhile.
                os.link(temporary, folder / NAME)
            except FileExistsError:
                pass
            except OSError:
                if not (folder / NAME).exists():  # a drive without links
                    temporary.replace(folder / NAME)
        finally:
            temporary.unlink(missing_ok=True)
        found = Manifest.found_in(folder)
        assert found is not None
        return found

    def check_same(self, identity: Mapping[str, Any], folder: Path) -> None:
        """Raise when something else is asked for than the store was made with, naming it."""
        differing = _differences(self.identity, identity)
        if differing:
            raise ValueError(
                f"the store {printable(str(folder))!r} was made with {_listed(differing)}; its "
                "numbers do not go with those of this fit. Use another folder as store, or what "
                "the store was made with."
            )


def _differences(made_with: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return what differs, in words."""
    differing = []
    for name in dict.fromkeys([*made_with, *now]):
        before, after = made_with.get(name), now.get(name)
        if before == after:
            continue
        if name == "columns":
            differing.append(_column_differences(dict(before or []), dict(after or [])))
        elif name == "versions":
            before, after = before or {}, after or {}
            differing += [
                f"{package} {before.get(package, 'absent')} (here: {after.get(package, 'absent')})"
                for package in dict.fromkeys([*before, *after])
                if before.get(package) != after.get(package)
            ]
        else:
            differing += _value_differences(name, before, after)
    return differing


def _value_differences(name: str, before: Any, after: Any) -> list[str]:
    """Return what differs in a setting: its value, or the parameters of an object."""
    if _is_short(before) and _is_short(after):
        return [f"{name}={before!r} (here: {after!r})"]
    pair = [each if isinstance(each, dict) else {} for each in (before, after)]
    classes, params = zip(*((each.get("class"), each.get("params")) for each in pair), strict=True)
    if classes[0] != classes[1]:
        return [_kind_difference(name, _kind(before), _kind(after))]
    if classes[0] is None or None in params:
        return [f"another {name}"]
    return [
        difference
        for key in dict.fromkeys([*params[0], *params[1]])
        if params[0].get(key) != params[1].get(key)
        for difference in _value_differences(
            f"{name}.{key}", params[0].get(key), params[1].get(key)
        )
    ]


def _kind_difference(name: str, before: str, after: str) -> str:
    is_told = before and after and before != after
    return f"{name}={before} (here: {after})" if is_told else f"another {name}"


def _kind(value: Any) -> str:
    """Return a short value, or the class of an object without its package; else nothing."""
    if value is not None and _is_short(value):
        return repr(value)
    kind = value.get("class") if isinstance(value, dict) else None
    return str(kind or "").rpartition(".")[2]


def _column_differences(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    gone = [name for name in before if name not in after]
    new = [name for name in after if name not in before]
    if gone or new:
        told = [f"with {_named(gone)}"] if gone else []
        told += [f"without {_named(new)}"] if new else []
        return f"other columns of X, {' and '.join(told)}"
    if list(before) != list(after):
        return "another order of the columns of X"
    changed = [name for name in before if before[name] != after[name]]
    return f"other values of X in {_named(changed)}"


def _named(columns: list[str]) -> str:
    more = len(columns) - _MOST_NAMES
    shown = ", ".join(repr(printable(name)) for name in columns[:_MOST_NAMES])
    return shown + (f" and {more} more columns" if more > 0 else "")


def _is_short(value: Any) -> bool:
    is_plain = value is None or isinstance(value, str | int | float | bool)
    return is_plain and len(str(value)) < 30


def _listed(differing: list[str]) -> str:
    shown = differing[:_MOST_NAMES]
    more = len(differing) - len(shown)
    return "; ".join(shown) + (f"; and {more} more differences" if more else "")


def _check_free(folder: Path) -> None:
    """Raise when a folder that is no store holds something else."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"store must be a folder; {printable(str(folder))!r} is a file.")
    others = [] if not folder.exists() else [each.name for each in folder.iterdir()]
    others = [name for name in others if not name.startswith(_PART)]
    if others:
        raise ValueError(
            f"store {printable(str(folder))!r} holds files of something else, such as "
            f"{printable(min(others))!r}; name a new folder."
        )
