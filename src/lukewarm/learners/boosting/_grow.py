"""The compiled loop that grows a block of trees: SampleTree and TrainGBDT of the paper."""

from __future__ import annotations

import numba as nb
import numpy as np

from lukewarm.learners.boosting._histograms import (
    add_scores,
    count_bits,
    fill_histogram,
    fill_histogram_of,
    power_of_two_scale,
)
from lukewarm.learners.boosting._rng import next_state, start_stream, uniform

SQUARED, LOGISTIC, SOFTMAX = 0, 1, 2
# The most a leaf may move a log-odds before the learning rate.
_LARGEST_NEWTON_STEP = 8.0


@nb.njit(cache=True, nogil=True)
def set_gradients(target, start, scale, raw, loss, residuals, curvatures):  # type: ignore[no-untyped-def]
    """Set `residuals` (n_outputs, n) to minus the loss's gradient, `curvatures` to its second.

    The model stands at ``start + scale * raw``.
    """
    n_outputs, n_rows = raw.shape
    if loss == SQUARED:
        for output in range(n_outputs):
            for row in range(n_rows):
                residuals[output, row] = (
                    target[output, row] - start[output] - scale * raw[output, row]
                )
    elif loss == LOGISTIC:
        for row in range(n_rows):
            chance = 1.0 / (1.0 + np.exp(-start[0] - scale * raw[0, row]))
            residuals[0, row] = target[0, row] - chance
            curvatures[0, row] = chance * (1.0 - chance)
    else:
        for row in range(n_rows):
            largest, total = -np.inf, 0.0
            for output in range(n_outputs):
                residuals[output, row] = start[output] + scale * raw[output, row]
                largest = max(largest, residuals[output, row])
            for output in range(n_outputs):
                curvatures[output, row] = np.exp(residuals[output, row] - largest)
                total += curvatures[output, row]
            for output in range(n_outputs):
                chance = curvatures[output, row] / total
                residuals[output, row] = target[output, row] - chance
                curvatures[output, row] = chance * (1.0 - chance)


@nb.njit(cache=True, nogil=True)
def _quantise(residuals, weights, sample, is_weighted, channels):  # type: ignore[no-untyped-def]
    """Fill `channels` with integer residuals (and weights); return shift, scale, weight scale."""
    n_outputs, n_rows = residuals.shape
    largest, heaviest = 0.0, 0.0
    for output in range(n_outputs):
        for row in range(n_rows):
            largest = max(largest, abs(residuals[output, row] * weights[row]))
    if is_weighted:
        shift = 0
        for row in range(n_rows):
            heaviest = max(heaviest, weights[row])
        weight_scale = power_of_two_scale(heaviest, n_rows, 62)
    else:
        shift = count_bits(n_rows)
        weight_scale = 1.0
    scale = power_of_two_scale(largest, n_rows, 62 - shift)
    one = np.int64(shift > 0)
    for output in range(n_outputs):
        for row in range(n_rows):
            value = np.int64(np.rint(residuals[output, row] * weights[row] * scale))
            channels[output, row] = ((value << shift) + one) * sample[row]
    if is_weighted:
        for row in range(n_rows):
            channels[n_outputs, row] = np.int64(np.rint(weights[row] * weight_scale)) * sample[row]
    return shift, scale, weight_scale


@nb.njit(cache=True, nogil=True)
def _first_histograms(codes, chosen, channels, stride, histograms):  # type: ignore[no-untyped-def]
    offsets = np.zeros(codes.shape[1], np.int32)
    for channel in range(channels.shape[0]):
        for place in range(len(chosen)):
            histogram = histograms[channel, place]
            histogram[:stride] = 0
            fill_histogram(codes[chosen[place]], channels[channel], offsets, histogram)


@nb.njit(cache=True, nogil=True)
def _split_histograms(codes, chosen, channels, leaves, level, stride, histograms):  # type: ignore[no-untyped-def]
    """Turn the histograms of the leaves before a split into those after it.

    Of each pair of new leaves only the one with fewer rows is counted; the other is the rest.
    """
    n_parents = 1 << level
    n_rows = len(leaves)
    sizes = np.zeros(2 * n_parents, np.int64)
    for row in range(n_rows):
        sizes[leaves[row]] += 1
    upper_is_small = np.empty(n_parents, np.bool_)
    n_small = 0
    for parent in range(n_parents):
        upper_is_small[parent] = sizes[parent + n_parents] <= sizes[parent]
        n_small += min(sizes[parent], sizes[parent + n_parents])
    rows = np.empty(n_small + 1, np.int32)
    offsets = np.empty(n_small, np.int32)
    place = 0
    for row in range(n_rows):
        parent = leaves[row] & (n_parents - 1)
        rows[place] = row
        if (leaves[row] >> level == 1) == upper_is_small[parent]:
            offsets[place] = (n_parents + parent) * stride
            place += 1
    rows = rows[:n_small]
    values = np.empty(n_small, np.int64)
    for channel in range(channels.shape[0]):
        for place in range(n_small):
            values[place] = channels[channel, rows[place]]
        for feature in range(len(chosen)):
            histogram = histograms[channel, feature]
            histogram[n_parents * stride : 2 * n_parents * stride] = 0
            fill_histogram_of(codes[chosen[feature]], rows, values, offsets, histogram)
            for parent in range(n_parents):
                lower = histogram[parent * stride : (parent + 1) * stride]
                upper = histogram[(n_parents + parent) * stride : (n_parents + parent + 1) * stride]
                for code in range(stride):
                    rest = lower[code] - upper[code]
                    if upper_is_small[parent]:
                        lower[code] = rest
                    else:
                        lower[code], upper[code] = upper[code], rest


@nb.njit(cache=True, nogil=True)
def _score_splits(
    histograms, n_outputs, chosen, n_leaves, stride, shift, l2, is_category, n_codes, scores
):  # type: ignore[no-untyped-def]
    """Set ``scores[place, threshold]`` of every feature in `chosen`, in integer units."""
    left = np.empty(stride, np.int64)
    nothing = np.empty(0, np.int64)
    for place in range(len(chosen)):
        feature = chosen[place]
        scores[place, :] = 0.0
        for output in range(n_outputs):
            for leaf in range(n_leaves):
                part = slice(leaf * stride, (leaf + 1) * stride)
                counts = nothing if shift > 0 else histograms[n_outputs, place, part]
                add_scores(
                    histograms[output, place, part],
                    shift,
                    counts,
                    l2,
                    is_category[feature],
                    n_codes[feature],
                    left,
                    scores[place],
                )


@nb.njit(cache=True, nogil=True)
def _is_used(features, thresholds, level, feature, threshold):  # type: ignore[no-untyped-def]
    for earlier in range(level):
        if features[earlier] == feature and thresholds[earlier] == threshold:
            return True
    return False


@nb.njit(cache=True, nogil=True)
def _best_split(scores, chosen, first, last, features, thresholds, level):  # type: ignore[no-untyped-def]
    """Return the place and threshold of the highest score among the splits not yet used."""
    best, best_place, best_threshold = -1.0, -1, 0
    for place in range(len(chosen)):
        feature = chosen[place]
        for threshold in range(first[feature], last[feature] + 1):
            score = scores[place, threshold]
            if score > best and not _is_used(features, thresholds, level, feature, threshold):
                best, best_place, best_threshold = score, place, threshold
    return best_place, best_threshold


@nb.njit(cache=True, nogil=True)
def _drawn_split(scores, to_exponent, chosen, first, last, features, thresholds, level, chance):  # type: ignore[no-untyped-def]
    """Return a split drawn with probability proportional to exp(score * to_exponent).

    The largest of scores with Gumbel noise has exactly this law (Gumbel 1954), and it takes one
    random number instead of one per split.
    """
    top_place, top_threshold = _best_split(scores, chosen, first, last, features, thresholds, level)
    if top_place < 0:
        return top_place, top_threshold
    top = scores[top_place, top_threshold]
    total = 0.0
    for place in range(len(chosen)):
        for threshold in range(first[chosen[place]], last[chosen[place]] + 1):
            weight = np.exp((scores[place, threshold] - top) * to_exponent)
            if _is_used(features, thresholds, level, chosen[place], threshold):
                weight = 0.0
            scores[place, threshold] = weight
            total += weight
    left = chance * total
    for place in range(len(chosen)):
        for threshold in range(first[chosen[place]], last[chosen[place]] + 1):
            left -= scores[place, threshold]
            if left < 0.0:
                return place, threshold
    return top_place, top_threshold


@nb.njit(cache=True, nogil=True)
def _split_leaves(codes, threshold, is_category, level, leaves):  # type: ignore[no-untyped-def]
    bit = 1 << level
    for row in range(len(leaves)):
        passes = codes[row] == threshold if is_category else codes[row] > threshold
        leaves[row] |= bit if passes else 0


@nb.njit(cache=True, nogil=True)
def _set_leaf_values(
    residuals, curvatures, weights, sample, leaves, loss, l2, learning_rate, unit, values
):  # type: ignore[no-untyped-def]
    n_leaves, n_outputs = values.shape
    sums, masses = np.empty(n_leaves), np.empty(n_leaves)
    # Newton's step of the softmax loss takes only the diagonal (Friedman 2000, section 4.6).
    factor = (n_outputs - 1) / n_outputs if loss == SOFTMAX else 1.0
    for output in range(n_outputs):
        sums[:] = 0.0
        masses[:] = 0.0
        for row in range(len(leaves)):
            weight = weights[row] * sample[row]
            sums[leaves[row]] += weight * residuals[output, row]
            masses[leaves[row]] += weight * (1.0 if loss == SQUARED else curvatures[output, row])
        for leaf in range(n_leaves):
            value = 0.0
            if masses[leaf] > 0.0:
                value = factor * sums[leaf] / (masses[leaf] + l2)
            if loss != SQUARED:
                value = min(max(value, -_LARGEST_NEWTON_STEP), _LARGEST_NEWTON_STEP)
            # On a grid of a power of two, sums of leaf values are exact in any order.
            values[leaf, output] = np.rint(learning_rate * value / unit) * unit


@nb.njit(cache=True, nogil=True)
def _draw_features(candidates, fraction, state):  # type: ignore[no-untyped-def]
    """Return a random share of the candidates, in order, and the state of the stream after it."""
    if fraction >= 1.0:
        return candidates, state
    n_chosen = max(1, int(np.rint(fraction * len(candidates))))
    pool = candidates.copy()
    for place in range(min(n_chosen, len(pool))):
        other = place + int(uniform(state) * (len(pool) - place))
        state = next_state(state)
        pool[place], pool[other] = pool[other], pool[place]
    return np.sort(pool[:n_chosen]), state


@nb.njit(cache=True, nogil=True)
def _draw_sample(fraction, sample, state):  # type: ignore[no-untyped-def]
    """Set `sample` to 1 for the rows that take part in a tree, else 0."""
    if fraction >= 1.0:
        sample[:] = 1
        return state
    for row in range(len(sample)):
        sample[row] = uniform(state) < fraction
        state = next_state(state)
    return state


@nb.njit(cache=True, nogil=True)
def grow(
    codes,
    candidates,
    first,
    last,
    is_category,
    n_codes,
    target,
    start,
    scale,
    weights,
    is_weighted,
    raw,
    loss,
    learning_rate,
    shrink,
    l2,
    random_strength,
    subsample,
    feature_fraction,
    unit,
    seed,
    step,
    features,
    thresholds,
    values,
    scales,
):  # type: ignore[no-untyped-def]
    """Grow ``len(features)`` trees; fill `features`, `thresholds`, `values`; bring `raw` along."""
    n_outputs, n_rows = raw.shape
    n_trees, depth = features.shape
    stride = 0
    for place in range(len(candidates)):
        stride = max(stride, n_codes[candidates[place]])
    residuals, curvatures = np.empty(raw.shape), np.empty(raw.shape)
    channels = np.empty((n_outputs + is_weighted, n_rows), np.int64)
    histograms = np.empty(
        (n_outputs + is_weighted, len(candidates), stride << (depth - 1)), np.int64
    )
    scores = np.empty((len(candidates), stride))
    leaves = np.empty(n_rows, np.uint16)
    sample = np.empty(n_rows, np.uint8)
    for tree in range(n_trees):
        state = start_stream(seed, step + tree)
        chosen, state = _draw_features(candidates, feature_fraction, state)
        state = _draw_sample(subsample, sample, state)
        set_gradients(target, start, scale, raw, loss, residuals, curvatures)
        shift, sum_scale, weight_scale = _quantise(
            residuals, weights, sample, is_weighted, channels
        )
        total_weight = (weights * sample).sum() if random_strength > 0.0 else 1.0
        leaves[:] = 0
        features[tree, :] = -1
        for level in range(depth):
            if len(chosen) == 0:
                break
            if level == 0:
                _first_histograms(codes, chosen, channels, stride, histograms)
            else:
                _split_histograms(codes, chosen, channels, leaves, level - 1, stride, histograms)
            _score_splits(
                histograms,
                n_outputs,
                chosen,
                1 << level,
                stride,
                shift,
                l2 * weight_scale,
                is_category,
                n_codes,
                scores,
            )
            if random_strength > 0.0:
                to_exponent = weight_scale / (
                    sum_scale * sum_scale * total_weight * random_strength
                )
                place, threshold = _drawn_split(
                    scores,
                    to_exponent,
                    chosen,
                    first,
                    last,
                    features[tree],
                    thresholds[tree],
                    level,
                    uniform(state),
                )
                state = next_state(state)
            else:
                place, threshold = _best_split(
                    scores, chosen, first, last, features[tree], thresholds[tree], level
                )
            if place < 0:
                break
            features[tree, level] = chosen[place]
            thresholds[tree, level] = threshold
            _split_leaves(
                codes[chosen[place]], threshold, is_category[chosen[place]], level, leaves
            )
        scale *= shrink
        scales[tree] = scale
        _set_leaf_values(
            residuals,
            curvatures,
            weights,
            sample,
            leaves,
            loss,
            l2,
            learning_rate / scale,
            unit,
            values[tree],
        )
        for output in range(n_outputs):
            for row in range(n_rows):
                raw[output, row] += values[tree, leaves[row], output]
