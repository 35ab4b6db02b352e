"""Compiled passes from codes to leaves and from leaves to predictions.

In an oblivious tree of depth d all nodes of a level share one test, so a leaf's number is d bits,
one per level: bit l of leaf(i) is codes[feature_l, i] > threshold_l (== for a category). A pass
per level over a column of codes, (p, n) bytes, sets that bit for all rows, without a branch.

The leaves of `group_size` trees are stored side by side in one number per row, shape (n_groups,
n). Taking features away then needs no pass over the codes: the bits that test them are masked, and
a bit of a removed feature is the same for all rows. `add_groups` tabulates the sum of a whole
group's values over all 2**(group_size * d) combinations of leaves, mask applied, and each row
looks up its number. Only features with surrogate values, which differ from row to row,
have their bits set anew.
"""

from __future__ import annotations

import numba as nb
import numpy as np

from lukewarm.learners.boosting._compiled import (
    compiled,
    compiled_for,
    compiled_in_place,
    compiled_part,
    read_only,
)

# In plain tuples: numba takes writable arrays for read-only ones as arguments, but not inside a
# named tuple.
_TREES = (
    read_only(nb.int32, 2),
    read_only(nb.uint8, 2),
    read_only(nb.float64, 3),
    read_only(nb.boolean, 1),
)
_REMOVAL = (
    read_only(nb.boolean, 1),
    read_only(nb.uint8, 1),
    read_only(nb.int32, 1),
    read_only(nb.uint8, 2),
)


@compiled_part
def add_bit(leaves, codes, threshold, is_category, bit):
    """Set a bit of the leaf number of all rows whose codes (n,) pass a test."""
    if is_category:
        for row in range(len(leaves)):
            leaves[row] |= (codes[row] == threshold) << bit
    else:
        for row in range(len(leaves)):
            leaves[row] |= (codes[row] > threshold) << bit


@compiled
def _fill_groups(codes, features, thresholds, is_category, group_size, groups):
    n_trees, depth = features.shape
    for tree in range(n_trees):
        group, place = tree // group_size, tree % group_size
        for level in range(depth):
            feature = features[tree, level]
            if feature >= 0:
                add_bit(
                    groups[group],
                    codes[feature],
                    thresholds[tree, level],
                    is_category[feature],
                    place * depth + level,
                )


def leaf_groups(
    codes: np.ndarray,
    features: np.ndarray,
    thresholds: np.ndarray,
    is_category: np.ndarray,
    group_size: int,
) -> np.ndarray:
    """Return the leaf numbers of `group_size` trees at a time, shape (n_groups, n).

    Parameters
    ----------
    codes : ndarray of shape (p, n)
    features, thresholds : ndarrays of shape (n_trees, depth)
        The test of each level.
    is_category : ndarray of bool of shape (p,)
    group_size : int
    """
    n_trees, depth = features.shape
    dtype = np.uint8 if group_size * depth <= 8 else np.uint16
    groups = np.zeros((-(-n_trees // group_size), codes.shape[1]), dtype)
    _fill_groups(codes, features, thresholds, is_category, group_size, groups)
    return groups


@compiled_part
def _fixed_bits(features, thresholds, is_category, removed, fill_codes, places):
    """Return the bits that still vary, and the others at the value removal gives them.

    Of one tree, whose tests are (depth,); for the arguments see `add_groups`.
    """
    # A level without a test has its bit in neither, and every row on its side 0.
    kept, fixed = 0, 0
    for level in range(len(features)):
        feature = features[level]
        if feature < 0:
            continue
        if not removed[feature] or places[feature] >= 0:
            kept |= 1 << level
        elif is_category[feature]:
            fixed |= (fill_codes[feature] == thresholds[level]) << level
        else:
            fixed |= (fill_codes[feature] > thresholds[level]) << level
    return kept, fixed


@compiled_part
def _set_bits(leaves, features, thresholds, places, surrogates, shift):
    """Set the bits of the features that have surrogate values.

    Of one tree, whose bits begin at `shift`; for the arguments see `add_groups`.
    """
    for level in range(len(features)):
        feature = features[level]
        if feature >= 0 and places[feature] >= 0:
            codes, threshold, bit = surrogates[places[feature]], thresholds[level], shift + level
            for row in range(len(leaves)):
                # Without a branch, as everywhere here: rows alternate too often to be predicted.
                leaves[row] = leaves[row] & ~(1 << bit) | ((codes[row] > threshold) << bit)


@compiled_part
def _has_surrogates(features, places):
    """Return whether any of the trees (n_trees, depth) asks for a feature with surrogates."""
    for tree in range(features.shape[0]):
        for level in range(features.shape[1]):
            feature = features[tree, level]
            if feature >= 0 and places[feature] >= 0:
                return True
    return False


@compiled_for(
    **{
        leaf.name: nb.void(read_only(leaf, 2), nb.int64, *_TREES, *_REMOVAL, nb.float64[:, ::1])
        for leaf in (nb.uint8, nb.uint16)
    }
)
def add_groups(
    groups,
    group_size,
    features,
    thresholds,
    values,
    is_category,
    removed,
    fill_codes,
    places,
    surrogates,
    raw,
):
    """Add the trees' values to `raw` (n_outputs, n), from stored leaf numbers and a mask.

    Parameters
    ----------
    groups, group_size
        Leaf numbers of all rows, see `leaf_groups`.
    features, thresholds, values, is_category
        The trees: tests (n_trees, depth) of their levels, values (n_trees, 2**depth, n_outputs) of
        their leaves, and which features are categories.
    removed : ndarray of bool of shape (p,)
    fill_codes : ndarray of shape (p,)
        What removed features are held at.
    places : ndarray of int of shape (p,)
        The place of each feature in `surrogates`; -1 where it has none.
    surrogates : ndarray of shape (n_places, n)
        Codes of its own for every row.
    raw : ndarray of shape (n_outputs, n)
    """
    n_trees, depth = features.shape
    n_outputs = raw.shape[0]
    n_leaves = 1 << depth
    table = np.empty(1 << (group_size * depth))
    changed = np.empty(raw.shape[1], np.uint16)
    for group in range(groups.shape[0]):
        first = group * group_size
        last = min(first + group_size, n_trees)
        # Most groups ask for no surrogate, and stored leaves are read as they are.
        is_changed = _has_surrogates(features[first:last], places)
        if is_changed:
            # In a loop: an assignment of arrays would check shapes, and compile its own error.
            for row in range(len(changed)):
                changed[row] = groups[group, row]
            for tree in range(first, last):
                shift = (tree - first) * depth
                _set_bits(changed, features[tree], thresholds[tree], places, surrogates, shift)
        for output in range(n_outputs):
            size = 1
            table[0] = 0.0
            for tree in range(first, last):
                kept, fixed = _fixed_bits(
                    features[tree], thresholds[tree], is_category, removed, fill_codes, places
                )
                # Downwards, because place 0 still holds what the other places start from.
                for leaf in range(n_leaves - 1, -1, -1):
                    value = values[tree, (leaf & kept) | fixed, output]
                    for rest in range(size):
                        table[leaf * size + rest] = table[rest] + value
                size *= n_leaves
            target = raw[output]
            if is_changed:
                for row in range(len(target)):
                    target[row] += table[changed[row]]
            else:
                leaves = groups[group]
                for row in range(len(target)):
                    target[row] += table[leaves[row]]


@compiled_in_place
def _leaves_of_tree(
    codes, features, thresholds, is_category, removed, fill_codes, places, surrogates, leaves
):
    """Set the leaf numbers (n,) of one tree, whose tests are (depth,); see `add_trees`."""
    kept, fixed = _fixed_bits(features, thresholds, is_category, removed, fill_codes, places)
    leaves[:] = fixed
    for level in range(len(features)):
        if kept >> level & 1:
            feature = features[level]
            if places[feature] < 0:
                add_bit(leaves, codes[feature], thresholds[level], is_category[feature], level)
    _set_bits(leaves, features, thresholds, places, surrogates, 0)


@compiled_for(
    uint8=nb.void(
        read_only(nb.uint8, 2), *_TREES, *_REMOVAL, nb.float64[:, ::1], nb.float64[:, :, ::1]
    )
)
def add_trees(
    codes,
    features,
    thresholds,
    values,
    is_category,
    removed,
    fill_codes,
    places,
    surrogates,
    raw,
    stages,
):
    """Add the trees' values to `raw` (n_outputs, n); `stages` gets the sum after each tree.

    Parameters
    ----------
    codes : ndarray of shape (p, n)
    features, thresholds, values, is_category, removed, fill_codes, places, surrogates, raw
        As for `add_groups`.
    stages : ndarray of shape (n_trees, n_outputs, n), or (0, 0, 0) where no one asks
    """
    # Trees up to depth 10 have leaf numbers of ten bits.
    leaves = np.empty(raw.shape[1], np.uint16)
    for tree in range(len(features)):
        _leaves_of_tree(
            codes,
            features[tree],
            thresholds[tree],
            is_category,
            removed,
            fill_codes,
            places,
            surrogates,
            leaves,
        )
        for output in range(raw.shape[0]):
            target, value = raw[output], values[tree, :, output]
            for row in range(len(leaves)):
                target[row] += value[leaves[row]]
            if len(stages):
                for row in range(len(target)):
                    stages[tree, output, row] = target[row]
