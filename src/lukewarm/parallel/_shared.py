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
_INTEGER_BYTES = 8
# That of all memory that is asked for.
_LEAST_ALIGNMENT = 16
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
        The pickle, then the arrays, each from a multiple of 64 on; then where each of them ends,
        and how many they are, as integers of eight bytes.
    token : str
        By which a worker knows that it has loaded the function.
    """

    data: np.ndarray
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
        # Not beside the data: a forest has thousands of arrays, and a job is sent by itself.
        tail = np.array([*ends, len(ends)], dtype=np.int64).view(np.uint8)
        data = np.zeros(place + len(tail), dtype=np.uint8)
        for part, end in zip(parts, ends, strict=True):
            data[end - part.nbytes : end] = np.frombuffer(part, dtype=np.uint8)
        data[place:] = tail
        return cls(data)


def call_shared(data: np.ndarray, token: str, job: Any) -> Any:
    """Return what a packed function makes of a job; in a worker, it is unpacked once.

    Parameters
    ----------
    data, token
        Those of a `SharedFunction`.
    job
        What the function is called with.
    """
    with _lock:
        if token not in _loaded:
            _loaded[token] = _unpacked(data)
            while len(_loaded) > _MOST_LOADED:
                _loaded.popitem(last=False)
        function = _loaded[token]
    return function(job)


def _unpacked(data: np.ndarray) -> Callable[[Any], Any]:
    if not data.flags.writeable or data.ctypes.data % _LEAST_ALIGNMENT:
        # Engines may not take arrays that cannot be written to, and numpy adds in another order
        # where numbers lie across words, as in what Dask received from a socket.
        data = data.copy()
    n_parts = int(data[-_INTEGER_BYTES:].copy().view(np.int64)[0])
    tail = data[-(n_parts + 1) * _INTEGER_BYTES : -_INTEGER_BYTES]
    ends = tail.copy().view(np.int64).tolist()
    starts = [0, *(_aligned(end) for end in ends[:-1])]
    view = data.data
    parts = [view[start:end] for start, end in zip(starts, ends, strict=True)]
    return pickle.loads(parts[0], buffers=parts[1:])


def _aligned(place: int) -> int:
    return -(-place // _ALIGNMENT) * _ALIGNMENT
