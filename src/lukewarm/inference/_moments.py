"""The second to fourth moments of influence values: all that intervals need of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Matrix, Vector

_MOST_NUMBERS = 2**16  # stacked at once: 512 KB, which stay in a core's cache
_LARGEST_COPY = 2**25  # numbers: 256 MB


@dataclass(frozen=True, eq=False)
class Moments:
    """Spread, skewness and kurtosis of influence values with mean zero.

    Parameters
    ----------
    n_rows : int
        Rows behind each estimate.
    spread : ndarray of shape (...)
        Root of the mean square.
    skewness : ndarray of shape (...)
        Mean cube over the cubed spread; 0 where there is no spread.
    kurtosis : ndarray of shape (...)
        Mean fourth power over that of the spread, 3 for normal rows; 0 where there is no spread.

    Examples
    --------
    >>> float(Moments.of(np.array([-1.0, 1.0, -1.0, 1.0])).standard_error)
    0.5
    """

    n_rows: int
    spread: np.ndarray
    skewness: np.ndarray
    kurtosis: np.ndarray

    @classmethod
    def of(cls, influence: np.ndarray) -> Moments:
        """Return the moments over the last axis."""
        spread = np.sqrt(np.mean(np.square(influence), axis=-1))
        scale = np.where(spread > 0, spread, 1.0)
        scaled = influence / scale[..., np.newaxis]
        squares = np.square(scaled)
        skewness = np.mean(squares * scaled, axis=-1)
        kurtosis = np.mean(np.square(squares), axis=-1)
        return cls(influence.shape[-1], spread, skewness, kurtosis)

    @classmethod
    def of_many(cls, vectors: Sequence[Vector], less_than: Vector | None = None) -> Moments:
        """Return the moments of each of many influence vectors of one length.

        Parameters
        ----------
        vectors : sequence of ndarray of shape (n,)
        less_than : ndarray of shape (n,), optional
            What each of them is subtracted from first.

        Notes
        -----
        The vectors are stacked a few at a time, which is quicker than a matrix beyond the cache and
        needs no second copy of all influence values.
        """
        n_rows = len(vectors[0])
        at_once = max(_MOST_NUMBERS // n_rows, 1)
        moments = []
        for first in range(0, len(vectors), at_once):
            block = np.stack(vectors[first : first + at_once])
            moments.append(cls.of(block if less_than is None else less_than - block))
        return cls(
            n_rows,
            _joined(each.spread for each in moments),
            _joined(each.skewness for each in moments),
            _joined(each.kurtosis for each in moments),
        )

    @property
    def standard_error(self) -> np.ndarray:
        """Standard errors of the estimates."""
        return self.spread / np.sqrt(self.n_rows)


def mapped(weights: Matrix, influence: Matrix) -> Matrix:
    """Return ``weights @ influence``, shape (p, n), of influence values in single precision.

    A product of two precisions copies the whole of the second to the first. A large one is taken
    by blocks of its rows instead.

    Parameters
    ----------
    weights : ndarray of shape (p, m)
    influence : ndarray of shape (m, n)
    """
    if influence.size <= _LARGEST_COPY:
        return weights @ influence
    at_once = max(_LARGEST_COPY // influence.shape[1], 1)
    total = np.zeros((len(weights), influence.shape[1]))
    for first in range(0, len(influence), at_once):
        total += weights[:, first : first + at_once] @ influence[first : first + at_once]
    return total


def _joined(parts: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate(list(parts))
