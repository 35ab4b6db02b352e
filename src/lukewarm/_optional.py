"""Deferred imports of engines, with an error that names the extra to install."""

from __future__ import annotations

import importlib
from types import ModuleType


def require(module: str, extra: str) -> ModuleType:
    """Return the imported `module`, or raise an ImportError that names the extra bringing it.

    Examples
    --------
    >>> require("json", "core").__name__
    'json'
    >>> require("no_such_engine", "torch")
    Traceback (most recent call last):
        ...
    ImportError: no_such_engine is not installed; run: pip install "lukewarm[torch]"
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module.split(".", maxsplit=1)[0]:
            raise
        raise ImportError(
            f'{module} is not installed; run: pip install "lukewarm[{extra}]"'
        ) from error
