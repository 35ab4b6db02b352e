"""The sum of leaf values for other values of some columns, from the sum as it is.

Trees that never ask for the columns add what they did before. Of the others the bits that other
columns set are found once; each draw then sets the bits of the drawn ones and looks up its leaf.
Leaf values lie on a grid, so sums do not depend on their order: the result is that of a table with
the drawn values in it, to the last bit.
"""

from __future__ import annotations

import numpy as np

from lukewarm.learners.boosting._apply import add_bit
from lukewarm.learners.boosting._compiled import compiled_part, compiled_whole
from lukewarm.learners.boosting._trees import Trees

# Rows whose leaves stay in the first cache from one draw to the next.
_BLOCK = 4096


def drawn_sums(
    trees: Trees, codes: np.ndarray, raw: np.ndarray, drawn: dict[int, np.ndarray]
) -> np.ndarray:
    """Return the sums of leaf values with other codes in some columns, (m, n_outputs, n).

    Parameters
    ----------
    trees : Trees
    codes : ndarray of shape (p, n)
    raw : ndarray of shape (n_outputs, n)
        The sum of all leaf values for these codes.
    drawn : dict
        Codes (m, n) by feature.
    """
    n_draws = len(next(iter(drawn.values())))
    sums = np.repeat(raw[None], n_draws, axis=0)
    asks = np.isin(trees.features, list(drawn)).any(axis=1)
    if not asks.any():
        return sums
    features = trees.features[asks]
    used = np.unique(features[features >= 0])
    # Features are numbered among those used, so that only their codes are read.
    places = np.full(len(trees.is_category) + 1, -1, dtype=np.int32)
    places[used] = np.arange(len(used), dtype=np.int32)
    is_drawn = np.array([feature in drawn for feature in used])
    drawn_places = np.full(len(used), -1, dtype=np.int32)
    drawn_places[is_drawn] = np.arange(is_drawn.sum(), dtype=np.int32)
    # The codes as they are come first.
    values = [np.vstack([codes[feature], drawn[feature]]) for feature in used[is_drawn].tolist()]
    _add_drawn(
        codes[used],
        places[features],
        trees.thresholds[asks],
        trees.values[asks],
        trees.is_category[used],
        drawn_places,
        np.stack(values),
        np.empty((2, _BLOCK), np.uint16),
        np.empty((sums.shape[1], _BLOCK)),
        sums,
    )
    return sums


@compiled_whole
def _add_drawn(
    codes, features, thresholds, values, is_category, drawn_places, drawn, numbers, before, sums
):
    """Add to `sums` (m, n_outputs, n) what trees change by with the codes `drawn` (k, 1 + m, n).

    Parameters
    ----------
    codes : ndarray of shape (p, n)
    features, thresholds, values, is_category
        The trees, as for `add_groups`.
    drawn_places : ndarray of int of shape (p,)
        The place of each feature in `drawn`; -1 for those that keep their codes.
    drawn : ndarray of shape (k, 1 + m, n)
        The codes as they are, which changes are counted from, and those of every draw.
    numbers, before : ndarrays of shape (2, block) and (n_outputs, block)
        Room to work in.
    sums : ndarray of shape (m, n_outputs, n)
    """
    n_trees, depth = features.shape
    n_draws, n_outputs, n_rows = sums.shape
    rest, leaves = numbers
    block = numbers.shape[1]
    for first in range(0, n_rows, block):
        last = min(first + block, n_rows)
        size = last - first
        for tree in range(n_trees):
            rest[:size] = 0
            for level in range(depth):
                feature = features[tree, level]
                if feature >= 0 and drawn_places[feature] < 0:
                    threshold, kind = thresholds[tree, level], is_category[feature]
                    add_bit(rest[:size], codes[feature, first:last], threshold, kind, level)
            for draw in range(n_draws + 1):
                for row in range(size):
                    leaves[row] = rest[row]
                for level in range(depth):
                    feature = features[tree, level]
                    if feature >= 0 and drawn_places[feature] >= 0:
                        threshold, kind = thresholds[tree, level], is_category[feature]
                        read = drawn[drawn_places[feature], draw, first:last]
                        add_bit(leaves[:size], read, threshold, kind, level)
                for output in range(n_outputs):
                    value, old = values[tree, :, output], before[output]
                    if draw == 0:
                        _look_up(leaves[:size], value, old)
                    else:
                        _add_change(leaves[:size], value, old, sums[draw - 1, output, first:last])


@compiled_part
def _look_up(leaves, value, of_rows):
    for row in range(len(leaves)):
        of_rows[row] = value[leaves[row]]


@compiled_part
def _add_change(leaves, value, old, total):
    for row in range(len(leaves)):
        total[row] += value[leaves[row]] - old[row]
