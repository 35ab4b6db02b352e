"""Compiled histograms of residuals over bins, in integers, and the score of every split.

Residuals are rounded to integers once per tree. Integer sums are exact in any order, so a leaf's
histogram may be had as its parent's minus its sibling's, and any number of threads gives the same
tree. Without weights a residual and its count of one share a 64-bit integer: the count stands in
the lowest `shift` bits, the sum in the others. With weights `shift` is 0 and the integer weights
are a channel of their own, the last.

Indices are made unsigned, because numba guards signed ones against being negative, which costs as
much as the addition.
"""

from __future__ import annotations

import numpy as np

from lukewarm.learners.boosting._compiled import compiled_in_place, compiled_part
from lukewarm.learners.boosting._gradients import is_taken, weight_of


@compiled_part
def count_bits(n_rows):
    """Return the number of bits that hold a count of up to `n_rows`."""
    bits = 1
    while n_rows >> bits:
        bits += 1
    return bits


@compiled_part
def _power_of_two_scale(largest, n_rows, n_bits):
    """Return a scale at which `n_rows` integers up to `largest` sum to less than 2**n_bits."""
    if largest == 0.0:
        return 1.0
    # A power of two, so that scaling itself rounds nothing.
    return 2.0 ** np.floor(n_bits - 1 - count_bits(n_rows) - np.log2(largest))


@compiled_part
def quantise(residuals, weights, sample, channels):
    """Fill the channels; return `shift`, the scale of the sums and the scale of the weights."""
    n_outputs, n_rows = residuals.shape
    is_weighted = len(weights) > 0
    shift = 0 if is_weighted else count_bits(n_rows)
    largest = 0.0
    for output in range(n_outputs):
        for row in range(n_rows):
            largest = max(largest, abs(residuals[output, row] * weight_of(weights, row)))
    # Of 64 bits one is the sign and one is spare.
    # One scale for all outputs, so that their scores can be added.
    scale = _power_of_two_scale(largest, n_rows, 62 - shift)
    one = np.int64(shift > 0)
    for output in range(n_outputs):
        for row in range(n_rows):
            integer = np.int64(np.rint(residuals[output, row] * weight_of(weights, row) * scale))
            # A row outside the sample has neither a sum nor a count.
            channels[output, row] = ((integer << shift) + one) * is_taken(sample, row)
    if not is_weighted:
        return shift, scale, 1.0
    largest = 0.0
    for row in range(n_rows):
        largest = max(largest, weights[row])
    weight_scale = _power_of_two_scale(largest, n_rows, 62)
    for row in range(n_rows):
        channels[n_outputs, row] = np.int64(np.rint(weights[row] * weight_scale)) * is_taken(
            sample, row
        )
    return shift, scale, weight_scale


@compiled_part
def count_all_rows(codes, chosen, places, stride, channels, histograms):
    """Set the histograms of the features ``chosen[places]`` before any split.

    Parameters
    ----------
    codes : ndarray of shape (p, n)
    chosen, places : ndarrays of int
        The features of this tree, and those of them to count.
    stride : int
        Room for the codes of one leaf.
    channels, histograms : ndarrays
        See `Workspace`.
    """
    for channel in range(channels.shape[0]):
        values = channels[channel]
        for place in places:
            histogram, column = histograms[channel, place], codes[chosen[place]]
            histogram[:stride] = 0
            for row in range(len(values)):
                histogram[column[row]] += values[row]


@compiled_part
def list_rows_to_count(leaves, counted, channels, listed):
    """Set `listed` to the rows of the leaves in `counted`; return how many they are.

    ``counted[leaf]`` is where the leaf's histogram begins, or 0 where it is not to be counted.
    """
    rows, offsets, listed_values = listed
    n_listed = np.uintp(0)
    for row in range(len(leaves)):
        offset = counted[leaves[row]]
        # Every row is written, and only those to count move the end on: there is no branch that
        # a processor could mispredict.
        rows[n_listed] = row
        offsets[n_listed] = offset
        n_listed += np.uintp(offset > 0)
    for channel in range(channels.shape[0]):
        column, values = channels[channel], listed_values[channel]
        for item in range(n_listed):
            values[item] = column[rows[item]]
    return n_listed


@compiled_part
def count_listed_rows(codes, chosen, places, n_listed, level, stride, swapped, listed, histograms):
    """Turn the histograms before the split at `level` into those after it.

    Only the smaller of two siblings was listed; the other is what remains of their parent. The
    listed ones are counted behind all parents, where the upper siblings belong; ``swapped[parent]``
    says that the listed one is the lower.

    Parameters
    ----------
    codes, chosen, places, stride, histograms
        As for `count_all_rows`.
    n_listed : int
        The number of rows in `listed`.
    level : int
        Of the split that the rows were listed for.
    swapped : ndarray of bool
        See `find_smaller_siblings`.
    listed : Listed
    """
    n_parents = 1 << level
    rows, offsets, listed_values = listed
    for channel in range(histograms.shape[0]):
        values = listed_values[channel]
        for place in places:
            histogram, column = histograms[channel, place], codes[chosen[place]]
            # Leaf l of the level before has the children l and l + n_parents: the lower half holds
            # the parents, the upper half is room for the siblings that are counted.
            histogram[n_parents * stride : 2 * n_parents * stride] = 0
            for item in range(n_listed):
                code = column[rows[item]]
                histogram[np.uintp(offsets[item]) + np.uintp(code)] += values[item]
            _subtract_siblings(histogram, n_parents, stride, swapped)


@compiled_in_place
def _subtract_siblings(histogram, n_parents, stride, swapped):
    for parent in range(n_parents):
        lower = histogram[parent * stride : (parent + 1) * stride]
        upper = histogram[(n_parents + parent) * stride : (n_parents + parent + 1) * stride]
        if swapped[parent]:
            for code in range(stride):
                lower[code], upper[code] = upper[code], lower[code] - upper[code]
        else:
            for code in range(stride):
                lower[code] -= upper[code]


@compiled_in_place
def find_smaller_siblings(
    n_codes, is_category, threshold, histogram, shift, level, stride, counted, swapped
):
    """Set for each leaf after a split where to count it, 0 for the larger of two siblings.

    Parameters
    ----------
    n_codes, is_category
        Of the feature the split tests.
    threshold : int
    histogram : ndarray
        That of the counts, or weights, over the feature the split tests.
    shift : int
        Bits above those of a packed count; 0 where weights have histograms of their own.
    level : int
        Of the split.
    stride : int
        Room for the codes of one leaf.
    counted, swapped : ndarrays
        Filled in: where each leaf is counted, and whether the smaller sibling is the lower.
    """
    n_parents = 1 << level
    # Packed counts are the lowest bits; weights are integers of their own.
    mask = (np.int64(1) << shift) - 1 if shift > 0 else np.int64(-1)
    for parent in range(n_parents):
        upper, total = np.int64(0), np.int64(0)
        for code in range(n_codes):
            count = histogram[parent * stride + code] & mask
            total += count
            if (code == threshold) if is_category else (code > threshold):
                upper += count
        # Only the smaller is counted, always into the upper place; the larger is the parent less
        # it. Where the smaller is the lower one, the two change places afterwards.
        swapped[parent] = total - upper < upper
        place = (n_parents + parent) * stride
        counted[parent] = place if swapped[parent] else 0
        counted[n_parents + parent] = 0 if swapped[parent] else place


@compiled_part
def score_splits(table, chosen, places, level, shift, l2, histograms, scores, left):
    """Set ``scores[place, threshold]`` to the sum over leaves of S^2 / W, in integer units.

    An empty side of a split has S = 0 and scores 0.

    Parameters
    ----------
    table : Table
    chosen, places : ndarrays of int
        The features of this tree, and those of them to score.
    level : int
    shift : int
        Bits of a packed count; 0 with weights.
    l2 : float
        In units of the integer weights.
    histograms, scores, left : ndarrays
        See `Workspace`.
    """
    stride = scores.shape[1]
    # With weights the last channel is theirs.
    n_outputs = histograms.shape[0] - (shift == 0)
    for place in places:
        # The room of the first place serves for all: threads have other first places.
        left_sum, left_count = left[0, places[0]], left[1, places[0]]
        feature = chosen[place]
        n_codes, is_category = table.n_codes[feature], table.is_category[feature]
        sums_of_place = scores[place]
        sums_of_place[:] = 0.0
        for output in range(n_outputs):
            for leaf in range(1 << level):
                part = slice(leaf * stride, leaf * stride + n_codes)
                total = _accumulate(histograms[output, place, part], is_category, left_sum)
                if shift > 0:
                    _add_packed_scores(left_sum, total, shift, l2, sums_of_place)
                else:
                    counts = histograms[n_outputs, place, part]
                    total_count = _accumulate(counts, is_category, left_count)
                    _add_scores(
                        left_sum, total, left_count, total_count, l2, n_codes, sums_of_place
                    )


@compiled_part
def _accumulate(histogram, is_category, left):
    """Set ``left[t]`` to the sum on the other side of a test at t; return the sum of all."""
    total = np.int64(0)
    for code in range(len(histogram)):
        total += histogram[code]
        left[code] = histogram[code] if is_category else total
    return total


@compiled_part
def _add_packed_scores(left, total, shift, l2, scores):
    mask = (np.int64(1) << shift) - 1
    for code in range(len(left)):
        right = total - left[code]
        # Counts are below 2**shift, so the shift leaves the sum exactly. An empty side has the
        # sum 0; the count 1 keeps 0 / 0 away.
        left_sum, right_sum = np.float64(left[code] >> shift), np.float64(right >> shift)
        left_count = np.float64(max(left[code] & mask, 1)) + l2
        right_count = np.float64(max(right & mask, 1)) + l2
        scores[code] += left_sum * left_sum / left_count + right_sum * right_sum / right_count


@compiled_part
def _add_scores(left, total, left_count, total_count, l2, n_codes, scores):
    for code in range(n_codes):
        left_sum, right_sum = np.float64(left[code]), np.float64(total - left[code])
        left_weight = np.float64(max(left_count[code], 1)) + l2
        right_weight = np.float64(max(total_count - left_count[code], 1)) + l2
        scores[code] += left_sum * left_sum / left_weight + right_sum * right_sum / right_weight
