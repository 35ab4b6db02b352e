"""A function that travels once, whatever it holds on to; a call is then no more than its argument.

The function is pickled with its arrays beside it, all in one array of bytes. joblib writes an array
once to a file that the workers of one machine map into memory, Dask and Ray send it once to each
machine. Arrays of the function are views of that array: they are not copied again.
"""

from __future__ import annotations

import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import cloudpickle
import numpy as np

# Arrays start at multiples of this, as freshly made ones do.
_ALIGNMENT = 64
# The jobs of a run and those before it: a worker rarely needs older ones.
_MOST_LOADED = 2
_loaded: OrderedDict[str, Callable[[Any], Any]] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True, eq=False)
class SharedFunction:
    """A function packed for worker processes.

    Parameters
    ----------
    data : ndarray of uint8
    ends : tuple of int
        Where the pickle ends, and each array; each begins at the next multiple of 64.
    token : str
        By which a worker knows that it has loaded the function.
    """

    data: np.ndarray
    ends: tuple[int, ...]
    token: str = field(default_factory=lambda: uuid4().hex)

    @classmethod
    def of(cls, function: Callable[[Any], Any]) -> SharedFunction:
        """Return the function packed."""
        buffers: list[pickle.PickleBuffer] = []
        head = cloudpickle.dumps(function, protocol=5, buffer_callback=buffers.append)
        parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
        ends, place = [], 0
        for part in parts:
            place = _aligned(place) + part.nbytes
            ends.append(place)
        data = np.zeros(place, dtype=np.uint8)
        for part, end in zip(parts, ends, strict=True):
            data[end - part.nbytes : end] = np.frombuffer(part, dtype=np.uint8)
        return cls(data, tuple(ends))


def call_shared(data: np.ndarray, ends: tuple[int, ...], token: str, job: Any) -> Any:
    """Return what a packed function makes of a job; in a worker, it is unpacked once.

    Parameters
    ----------
    data, ends, token
        Those of a `SharedFunction`.
    job
        What the function is called with.
    """
    with _lock:
        if token not in _loaded:
            _loaded[token] = _unpacked(data, ends)
            while len(_loaded) > _MOST_LOADED:
                _loaded.popitem(last=False)
        function = _loaded[token]
    return function(job)


def _unpacked(data: np.ndarray, ends: tuple[int, ...]) -> Callable[[Any], Any]:
    if not data.flags.writeable:
        data = data.copy()  # engines may not take arrays that cannot be written to
    starts = [0, *(_aligned(end) for end in ends[:-1])]
    view = data.data
    parts = [view[start:end] for start, end in zip(starts, ends, strict=True)]
    return pickle.loads(parts[0], buffers=parts[1:])


def _aligned(place: int) -> int:
    return -(-place // _ALIGNMENT) * _ALIGNMENT
