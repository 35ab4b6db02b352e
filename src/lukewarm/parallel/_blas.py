"""Threads of the linear algebra libraries."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController

# Matrices of smaller tables are done before other threads have woken up; on a machine that is
# busy, threads that wait for each other take many times as long.
_LEAST_ROWS = 10_000


_lock = threading.Lock()
_n_inside = 0
_limit: Any = None


@contextmanager
def blas_for(n_rows: int) -> Iterator[None]:
    """Hold BLAS to one thread while the block lasts, where so few rows are worked on.

    The limit is that of the process. Threads may enter and leave in any order; the last to leave
    lifts it.

    Examples
    --------
    >>> with blas_for(100):
    ...     pass
    """
    if n_rows >= _LEAST_ROWS:
        yield
        return
    with one_blas_thread():
        yield


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread while the block lasts.

    Who starts threads holds it around them: since threadpoolctl 3.8, the first thread that sets a
    limit of OpenBLAS is the only one that can until it lets go.
    """
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _n_inside, _limit  # noqa: PLW0603, a limit of the process
    with _lock:
        if _n_inside == 0:
            _limit = _controller().limit(limits=1, user_api="blas")
            _release()
        _n_inside += 1


def _leave() -> None:
    global _n_inside  # noqa: PLW0603
    with _lock:
        _n_inside -= 1
        if _n_inside == 0:
            _limit.restore_original_limits()
            _release()


def _release() -> None:
    """Let other threads set limits, too, and lift this one."""
    for library in _controller().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):  # since threadpoolctl 3.8
            library.clear_controlling_thread()


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    # Looking for the libraries takes milliseconds, so it is done once.
    import scipy.linalg  # noqa: F401, which may bring a library of its own

    return ThreadpoolController()
