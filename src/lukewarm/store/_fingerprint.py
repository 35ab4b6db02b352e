"""What tables, settings and versions are, as short texts that are the same in every process.

`described` turns a setting into JSON. It never looks at memory addresses, and it knows nothing of
what it cannot take apart but the class: whoever changes the inside of such a model is found out by
what the model predicts.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._version import __version__

# 128 bits: no two of 10^12 jobs meet by chance, and names of files stay short.
_N_BYTES = 16
_PLAIN = (str, int, float, bool, type(None))
# What every number may depend on, whatever the model.
_ALWAYS = ("numpy", "scipy", "sklearn", "numba")
# Models that are given by a name.
_ENGINES = {"network": "torch", "catboost": "catboost"}


def digest(value: Any) -> str:
    """Return the fingerprint of a JSON value.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1}) != digest({"a": 1})
    True
    """
    return _hashed([json.dumps(value, sort_keys=True).encode()])


def array_digest(values: np.ndarray) -> str:
    """Return the fingerprint of an array: dtype, shape and values."""
    values = np.asarray(values)
    if values.dtype.hasobject:
        return _hashed([str(values.shape).encode(), pd.util.hash_array(values.ravel()).tobytes()])
    head = f"{values.dtype.str}{values.shape}".encode()
    return _hashed([head, np.ascontiguousarray(values).tobytes()])


def column_digests(table: Any) -> list[str]:
    """Return the fingerprint of each column of a matrix or a data frame."""
    if not isinstance(table, pd.DataFrame):
        return [array_digest(table[:, column]) for column in range(table.shape[1])]
    return [_series_digest(table.iloc[:, place]) for place in range(table.shape[1])]


def described(value: Any) -> Any:
    """Return a setting as a JSON value; of objects the class and the parameters.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> described(Ridge(alpha=2.0))["params"]["alpha"]
    2.0
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return repr(value)  # JSON has no word for nan and infinities that every reader knows
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, list | tuple):
        return [described(each) for each in value]
    if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        return f"{value.__module__}.{value.__qualname__}"
    return _described_parts(value)


def _described_parts(value: Any) -> dict[str, Any]:
    if isinstance(value, np.ndarray):
        return {"array": array_digest(value)}
    if isinstance(value, pd.DataFrame | pd.Series):
        return {"table": column_digests(pd.DataFrame(value))}
    if isinstance(value, Mapping):
        return {"items": [[described(key), described(each)] for key, each in value.items()]}
    if isinstance(value, set | frozenset):
        return {"set": sorted(json.dumps(described(each)) for each in value)}
    if isinstance(value, np.random.Generator):
        return {"generator": digest(json.dumps(value.bit_generator.state, default=str))}
    return {"class": _class_name(value), "params": _params(value)}


def packages_of(value: Any) -> set[str]:
    """Return the packages that a model's classes come from, those inside it included."""
    if isinstance(value, str):
        return {_ENGINES[value]} if value in _ENGINES else set()
    if isinstance(value, Mapping):
        return _packages_of(value.values())
    if isinstance(value, list | tuple):
        return _packages_of(value)
    if isinstance(value, (*_PLAIN, np.ndarray, np.generic, pd.DataFrame, pd.Series)):
        return set()
    # torch.nn.Module of the user's own, and estimators that inherit from another library.
    lineage = {base.__module__.partition(".")[0] for base in type(value).__mro__}
    inside = value.get_params(deep=False).values() if _has_params(value) else ()
    return lineage | _packages_of(inside)


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of lukewarm, of what it always uses, and of these packages."""
    found = {"lukewarm": __version__}
    for name in sorted({*_ALWAYS, *packages}):
        module = import_module(name) if name in _ALWAYS else sys.modules.get(name)
        version = getattr(module, "__version__", None)
        if isinstance(version, str):
            found[name] = version
    return found


def _packages_of(values: Iterable[Any]) -> set[str]:
    return set().union(*(packages_of(each) for each in values))


def _series_digest(column: pd.Series) -> str:
    if isinstance(column.dtype, pd.CategoricalDtype):
        # Levels in their order: a model may know them by their codes.
        levels = [str(level) for level in column.cat.categories]
        codes = np.ascontiguousarray(column.cat.codes.to_numpy())
        return _hashed([json.dumps(levels).encode(), codes.tobytes()])
    hashes = pd.util.hash_pandas_object(column, index=False).to_numpy()
    return _hashed([str(column.dtype).encode(), hashes.tobytes()])


def _params(value: Any) -> Any:
    if _has_params(value):
        params = value.get_params(deep=False)
        return {name: described(params[name]) for name in sorted(params)}
    if is_dataclass(value):
        return {each.name: described(getattr(value, each.name)) for each in fields(value)}
    known = getattr(value, "__dict__", {})
    return {name: described(known[name]) for name in sorted(known) if _is_plain(known[name])}


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(_is_plain(each) for each in value)
    return isinstance(value, _PLAIN)


def _has_params(value: Any) -> bool:
    return callable(getattr(value, "get_params", None)) and not isinstance(value, type)


def _class_name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _hashed(parts: Iterable[bytes]) -> str:
    running = hashlib.blake2b(digest_size=_N_BYTES)
    for part in parts:
        running.update(part)
    return running.hexdigest()
