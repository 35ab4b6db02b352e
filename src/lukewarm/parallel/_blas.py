"""Threads of the linear algebra libraries."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController

# Matrices of smaller tables are done before other threads have woken up; on a machine that is
# busy, threads that wait for each other take many times as long.
_LEAST_ROWS = 10_000


def blas_for(n_rows: int) -> AbstractContextManager[Any]:
    """Return a context in which work on so many rows does not wait for threads of BLAS.

    Examples
    --------
    >>> with blas_for(100):
    ...     pass
    """
    if n_rows >= _LEAST_ROWS:
        return nullcontext()
    return _controller().limit(limits=1, user_api="blas")


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    # Looking for the libraries takes milliseconds, so it is done once.
    import scipy.linalg  # noqa: F401, which may bring a library of its own

    return ThreadpoolController()
