"""The compiled search for the bin of every number."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from lukewarm.learners.boosting._compiled import compiled_for, read_only
from lukewarm.learners.boosting._work import MISSING

# A power of two that holds the 254 borders of 255 bins: the search is eight halvings.
PADDED_WIDTH = 256
# The codes of as many rows of one column stay in the cache of a core.
_ROWS_AT_A_TIME = 512


def _signature(number: Any) -> Any:
    borders, codes = read_only(nb.float64, 2), nb.uint8[:, ::1]
    return nb.void(read_only(number, 2, "A"), borders, codes, nb.int64, nb.int64)


@compiled_for(float64=_signature(nb.float64), float32=_signature(nb.float32))
def encode_numbers(X, borders, codes, first_row, last_row):
    """Set the codes (p, n) of some rows of `X` (n, p): 1 plus the number of borders below.

    `borders` (p, PADDED_WIDTH) is filled up with infinity, so that the search always takes the same
    steps and the processor can run it for many rows at once.
    """
    for start in range(first_row, last_row, _ROWS_AT_A_TIME):
        end = min(start + _ROWS_AT_A_TIME, last_row)
        for feature in range(X.shape[1]):
            column_borders = borders[feature]
            for row in range(start, end):
                value = np.float64(X[row, feature])
                below = np.uintp(0)
                for step in range(8):
                    half = np.uintp(PADDED_WIDTH >> (step + 1))
                    is_above = column_borders[below + half - np.uintp(1)] < value
                    below += half * np.uintp(is_above)
                codes[feature, row] = MISSING if np.isnan(value) else below + np.uintp(1)
