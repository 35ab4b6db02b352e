"""What was computed for the last tables met, so that it is not computed again.

A training loop asks about the same two tables at every step, and all feature sets are evaluated on
the same rows. A table is known by its identity, which costs nothing to compare: nothing inside the
library writes to a table after its first use. ``docs/caches.md`` lists who keeps what.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class RowCache(Generic[Value]):
    """A value for each of the last few keys; a key is one object or several.

    Parameters
    ----------
    size : int, default 1
        How many are kept; 2 for training and stopping rows.

    Notes
    -----
    The objects of a key are held, so that no other can take their place in memory. In a pickle of
    cache and tables together they stay the same objects. Threads may share a cache: at worst both
    compute the same value. A learner's copy has a cache of its own, because it trains elsewhere.

    Examples
    --------
    >>> cache, table = RowCache(), [1, 2]
    >>> cache.keep("sum is 3", table)
    'sum is 3'
    >>> cache.recall(table), cache.recall([1, 2])
    ('sum is 3', None)
    """

    def __init__(self, size: int = 1) -> None:
        self._size = size
        self._entries: tuple[tuple[tuple[Any, ...], Value], ...] = ()

    def recall(self, *key: Any) -> Value | None:
        """Return the value kept for these very objects, or None."""
        for kept_key, value in self._entries:
            if _is_same(kept_key, key):
                return value
        return None

    def keep(self, value: Value, *key: Any) -> Value:
        """Return `value`, and keep it in place of the oldest."""
        others = [entry for entry in self._entries if not _is_same(entry[0], key)]
        self._entries = (*others, (key, value))[-self._size :]
        return value

    def forget(self) -> None:
        """Drop everything: what was computed is no longer true."""
        self._entries = ()


def _is_same(kept_key: tuple[Any, ...], key: tuple[Any, ...]) -> bool:
    return all(one is other for one, other in zip(kept_key, key, strict=True))
