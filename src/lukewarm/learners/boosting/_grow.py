"""The compiled loop that grows a block of trees: TrainGBDT of the paper."""

from __future__ import annotations

import numba as nb
import numpy as np

from lukewarm.learners.boosting._gradients import set_gradients, set_leaf_values
from lukewarm.learners.boosting._histograms import (
    count_all_rows,
    count_listed_rows,
    find_smaller_siblings,
    list_rows_to_count,
    quantise,
    score_splits,
    take_values,
)
from lukewarm.learners.boosting._rng import next_state, start_stream, uniform
from lukewarm.learners.boosting._sampling import (
    best_split,
    draw_features,
    draw_sample,
    draw_split,
    draw_split_blindly,
)

# Above this ratio of the largest possible score to beta, histograms beat blind proposals.
_MOST_FOR_BLIND_DRAWS = 1.0


@nb.njit(cache=True, nogil=True)
def split_leaves(codes, threshold, is_category, level, leaves):
    """Set bit `level` of the leaf of every row that passes the test."""
    bit = np.uint16(1 << level)
    if is_category:
        for row in range(len(leaves)):
            leaves[row] |= bit if codes[row] == threshold else np.uint16(0)
    else:
        for row in range(len(leaves)):
            leaves[row] |= bit if codes[row] > threshold else np.uint16(0)


@nb.njit(cache=True, nogil=True)
def _mean_square(problem, work):
    """Return the weighted mean of squared residuals: the largest value D can take."""
    total, mass = 0.0, 0.0
    for row in range(len(problem.weights)):
        weight = problem.weights[row] * work.sample[row]
        mass += weight
        for output in range(work.residuals.shape[0]):
            total += weight * work.residuals[output, row] ** 2
    return (total / mass, mass) if mass > 0.0 else (0.0, 1.0)


@nb.njit(cache=True, nogil=True)
def _grow_blindly(table, problem, rules, chosen, bound, state, features, thresholds, work):
    for level in range(len(features)):
        place, threshold, state = draw_split_blindly(
            table, problem, chosen, rules, bound, features, thresholds, level, state, work
        )
        if place < 0:
            return
        feature = chosen[place]
        features[level], thresholds[level] = feature, threshold
        split_leaves(
            table.codes[feature], threshold, table.is_category[feature], level, work.leaves
        )


@nb.njit(cache=True, nogil=True)
def _grow_by_scores(table, problem, rules, chosen, mass, state, features, thresholds, work):
    n_outputs, depth = len(problem.start), len(features)
    stride = work.scores.shape[1]
    places = np.arange(len(chosen))
    shift, scale, weight_scale = quantise(problem, work)
    for level in range(depth):
        if level == 0:
            count_all_rows(table.codes, chosen, places, stride, work)
        score_splits(
            table, chosen, places, n_outputs, level, shift, rules.l2 * weight_scale, stride, work
        )
        if rules.random_strength > 0.0:
            to_exponent = weight_scale / (scale * scale * mass * rules.random_strength)
            place, threshold = draw_split(
                table, chosen, work.scores, to_exponent, features, thresholds, level, uniform(state)
            )
            state = next_state(state)
        else:
            place, threshold = best_split(table, chosen, work.scores, features, thresholds, level)
        if place < 0:
            return
        feature = chosen[place]
        features[level], thresholds[level] = feature, threshold
        split_leaves(
            table.codes[feature], threshold, table.is_category[feature], level, work.leaves
        )
        if level == depth - 1:
            return
        counted, swapped = find_smaller_siblings(
            work.histograms[-1, place],
            shift,
            table.n_codes[feature],
            threshold,
            table.is_category[feature],
            level,
            stride,
        )
        n_listed = list_rows_to_count(counted, work)
        for channel in range(work.channels.shape[0]):
            take_values(channel, n_listed, work)
            count_listed_rows(
                table.codes, chosen, places, channel, n_listed, level, stride, swapped, work
            )


@nb.njit(cache=True, nogil=True)
def grow(
    table,
    problem,
    rules,
    candidates,
    seed,
    step,
    scale,
    raw,
    features,
    thresholds,
    values,
    scales,
    work,
):
    """Grow ``len(features)`` trees after `step` others; fill in the trees, bring `raw` along."""
    n_outputs, n_rows = raw.shape
    for tree in range(len(features)):
        state = start_stream(seed, step + tree)
        chosen, state = draw_features(candidates, rules.feature_fraction, state)
        state = draw_sample(rules.subsample, work.sample, state)
        set_gradients(problem, scale, raw, work)
        work.leaves[:] = 0
        features[tree, :] = -1
        bound, mass = 0.0, 1.0
        if rules.random_strength > 0.0:
            bound, mass = _mean_square(problem, work)
        if rules.random_strength > 0.0 and bound <= _MOST_FOR_BLIND_DRAWS * rules.random_strength:
            _grow_blindly(
                table, problem, rules, chosen, bound, state, features[tree], thresholds[tree], work
            )
        elif len(chosen) > 0:
            _grow_by_scores(
                table, problem, rules, chosen, mass, state, features[tree], thresholds[tree], work
            )
        scale *= rules.shrink
        scales[tree] = scale
        set_leaf_values(problem, rules, scale, work, values[tree])
        for output in range(n_outputs):
            for row in range(n_rows):
                raw[output, row] += values[tree, work.leaves[row], output]
