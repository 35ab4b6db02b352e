"""Compiled histograms of residuals over bins, in integers, and the score of every split.

Residuals are rounded to integers once per tree. Integer sums are exact in any order, so a leaf's
histogram may be had as its parent's minus its sibling's, and any number of threads gives the same
tree. Without weights a residual and its count of one share a 64-bit integer: the count stands in
the lowest `shift` bits, the sum in the others.
"""

from __future__ import annotations

import numba as nb
import numpy as np


@nb.njit(cache=True, nogil=True)
def count_bits(n_rows):  # type: ignore[no-untyped-def]
    """Return the number of bits that hold a count of up to `n_rows`."""
    bits = 1
    while n_rows >> bits:
        bits += 1
    return bits


@nb.njit(cache=True, nogil=True)
def power_of_two_scale(largest, n_rows, n_bits):  # type: ignore[no-untyped-def]
    """Return the scale at which `n_rows` integers up to `largest` sum to less than 2**n_bits."""
    if largest == 0.0:
        return 1.0
    return 2.0 ** np.floor(n_bits - 1 - count_bits(n_rows) - np.log2(largest))


@nb.njit(cache=True, nogil=True)
def fill_histogram(codes, values, offsets, histogram):  # type: ignore[no-untyped-def]
    """Add every row's value to its bin; a row's leaf starts at its offset."""
    for row in range(len(values)):
        histogram[offsets[row] + codes[row]] += values[row]


@nb.njit(cache=True, nogil=True)
def fill_histogram_of(codes, rows, values, offsets, histogram):  # type: ignore[no-untyped-def]
    """Add the values of the listed rows to their bins."""
    for place in range(len(rows)):
        histogram[offsets[place] + codes[rows[place]]] += values[place]


@nb.njit(cache=True, nogil=True)
def add_scores(sums, shift, counts, l2, is_category, n_codes, left, scores):  # type: ignore[no-untyped-def]
    """Add one leaf's and one output's part of the score to each split of a feature.

    `counts` is the histogram of weights, or empty where `sums` carries the counts itself. The part
    is S^2 / W of the rows that pass the test, plus the same of those that do not; an empty side
    has S = 0 and scores 0. `left` is working room.
    """
    total = np.int64(0)
    for code in range(n_codes):
        total += sums[code]
        left[code] = sums[code] if is_category else total
    if len(counts) == 0:
        mask = (np.int64(1) << shift) - 1
        for code in range(n_codes):
            inside, outside = left[code], total - left[code]
            inside_sum, outside_sum = np.float64(inside >> shift), np.float64(outside >> shift)
            inside_count = np.float64(max(inside & mask, 1)) + l2
            outside_count = np.float64(max(outside & mask, 1)) + l2
            scores[code] += (
                inside_sum * inside_sum / inside_count + outside_sum * outside_sum / outside_count
            )
        return
    total_count = np.int64(0)
    for code in range(n_codes):
        total_count += counts[code]
    running = np.int64(0)
    for code in range(n_codes):
        running = counts[code] if is_category else running + counts[code]
        inside_sum, outside_sum = np.float64(left[code]), np.float64(total - left[code])
        inside_count = np.float64(max(running, 1)) + l2
        outside_count = np.float64(max(total_count - running, 1)) + l2
        scores[code] += (
            inside_sum * inside_sum / inside_count + outside_sum * outside_sum / outside_count
        )
