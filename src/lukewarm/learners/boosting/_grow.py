"""The compiled loop that grows a block of trees: TrainGBDT of the paper."""

from __future__ import annotations

import numpy as np

from lukewarm.learners.boosting._compiled import compiled
from lukewarm.learners.boosting._gradients import (
    is_taken,
    set_gradients,
    set_leaf_values,
    weight_of,
)
from lukewarm.learners.boosting._histograms import (
    count_all_rows,
    count_listed_rows,
    find_smaller_siblings,
    list_rows_to_count,
    quantise,
    score_splits,
)
from lukewarm.learners.boosting._rng import next_state, start_stream, uniform
from lukewarm.learners.boosting._sampling import (
    best_split,
    draw_features,
    draw_sample,
    draw_split,
    draw_split_blindly,
)
from lukewarm.learners.boosting._work import Splits

# Above this ratio of the largest possible score to beta, histograms beat blind proposals.
_MOST_FOR_BLIND_DRAWS = 1.0


@compiled
def _mean_square(problem, work):
    """Return the mean squared residual, which bounds D, and the weight of the sampled rows."""
    total, mass = 0.0, 0.0
    for row in range(work.residuals.shape[1]):
        weight = weight_of(problem.weights, row) * is_taken(work.sample, row)
        mass += weight
        for output in range(work.residuals.shape[0]):
            total += weight * work.residuals[output, row] ** 2
    return (total / mass, mass) if mass > 0.0 else (0.0, 1.0)


@compiled
def _draws_blindly(rules, bound):
    """Return whether the noise is so strong that scores hardly matter."""
    return rules.random_strength > 0.0 and bound <= _MOST_FOR_BLIND_DRAWS * rules.random_strength


@compiled
def split_leaves(table, feature, threshold, level, leaves):
    """Set bit `level` of the leaf of every row that passes the test."""
    codes = table.codes[feature]
    bit = np.uint16(1 << level)
    if table.is_category[feature]:
        for row in range(len(leaves)):
            leaves[row] |= bit if codes[row] == threshold else np.uint16(0)
    else:
        for row in range(len(leaves)):
            leaves[row] |= bit if codes[row] > threshold else np.uint16(0)


@compiled
def _grow_blindly(table, problem, rules, chosen, bound, state, splits, work):
    """Draw all levels of a tree without histograms."""
    for level in range(len(splits.features)):
        place, threshold, state = draw_split_blindly(
            table, problem, chosen, rules, bound, splits, level, state, work
        )
        if place < 0:
            return
        splits.features[level], splits.thresholds[level] = chosen[place], threshold
        split_leaves(table, chosen[place], threshold, level, work.leaves)


@compiled
def begin_tree(table, problem, rules, candidates, step, scale, raw, trees, tree, work):
    """Set the gradients, and draw all levels of the tree if scores hardly matter.

    Returns the features to split on, the random state, the weight of the sampled rows, the splits
    to fill in, and whether they are still to be chosen by scores.

    Parameters
    ----------
    table, problem, rules, work
        Bundles, see `_work`.
    candidates : ndarray of int
        The features that may be split on.
    step : int
        The number of trees before this one, those of earlier blocks included.
    scale : float
        What shrinkage has left of the sum so far.
    raw : ndarray of shape (n_outputs, n)
        The sum of leaf values so far.
    trees : TreeArrays
    tree : int
        The place of this one in `trees`.
    """
    # A stream for each step: training may be cut into blocks anywhere.
    state = start_stream(rules.seed, step)
    chosen, state = draw_features(candidates, rules.feature_fraction, state)
    state = draw_sample(rules.subsample, work.sample, state)
    set_gradients(problem, scale, raw, work)
    work.leaves[:] = 0
    splits = Splits(trees.features[tree], trees.thresholds[tree])
    # What a level without a split keeps.
    splits.features[:] = -1
    bound, mass = 0.0, 1.0
    # Greedy trees need neither.
    if rules.random_strength > 0.0:
        bound, mass = _mean_square(problem, work)
    if _draws_blindly(rules, bound):
        _grow_blindly(table, problem, rules, chosen, bound, state, splits, work)
        return chosen, state, mass, splits, False
    return chosen, state, mass, splits, len(chosen) > 0


@compiled
def count_and_score(table, rules, chosen, places, level, scales, n_listed, swapped, work):
    """Bring the histograms of the features ``chosen[places]`` to `level` and score their splits.

    Threads that work on different places do not meet.

    Parameters
    ----------
    table, rules, work
        Bundles, see `_work`.
    chosen, places : ndarrays of int
        The features of this tree, and those of them to count.
    level : int
    scales : tuple
        What `quantise` returned.
    n_listed, swapped
        What `choose_and_split` returned at the level before.
    """
    shift, _, weight_scale = scales
    stride = work.scores.shape[1]
    if level == 0:
        count_all_rows(table.codes, chosen, places, stride, work)
    else:
        count_listed_rows(table.codes, chosen, places, n_listed, level - 1, stride, swapped, work)
    n_outputs = work.residuals.shape[0]
    # In the units of the integer weights.
    l2 = rules.l2 * weight_scale
    score_splits(table, chosen, places, n_outputs, level, shift, l2, stride, work)


@compiled
def choose_and_split(table, rules, chosen, mass, level, scales, state, splits, work):
    """Choose the split of a level from the scores, and list the rows to count for the next.

    Returns how many rows are listed, which siblings are swapped, the random state, and whether
    there was a split left to choose.

    Parameters
    ----------
    table, rules, splits, work
        Bundles, see `_work`; the split chosen is written to `splits`.
    chosen : ndarray of int
        The features of this tree.
    mass : float
        The weight of all rows.
    level : int
    scales : tuple
        What `quantise` returned.
    state : uint64
        Of the random stream.
    """
    shift, scale, weight_scale = scales
    if rules.random_strength > 0.0:
        # Scores are S**2 / W of integers: this takes both scales out and divides by N and beta.
        to_exponent = weight_scale / (scale * scale * mass * rules.random_strength)
        place, threshold = draw_split(
            table, chosen, work.scores, to_exponent, splits, level, uniform(state)
        )
        state = next_state(state)
    else:
        place, threshold = best_split(table, chosen, work.scores, splits, level)
    if place < 0:
        return np.uintp(0), np.zeros(0, np.bool_), state, False
    feature = chosen[place]
    splits.features[level], splits.thresholds[level] = feature, threshold
    split_leaves(table, feature, threshold, level, work.leaves)
    # No level follows that would need histograms.
    if level == len(splits.features) - 1:
        return np.uintp(0), np.zeros(0, np.bool_), state, True
    counted, swapped = find_smaller_siblings(
        table, feature, threshold, work.histograms[-1, place], shift, level, work.scores.shape[1]
    )
    return list_rows_to_count(counted, work), swapped, state, True


@compiled
def _grow_by_scores(table, problem, rules, chosen, mass, state, splits, work):
    places = np.arange(len(chosen))
    scales = quantise(problem, work)
    n_listed, swapped, is_split = np.uintp(0), np.zeros(0, np.bool_), True
    for level in range(len(splits.features)):
        count_and_score(table, rules, chosen, places, level, scales, n_listed, swapped, work)
        n_listed, swapped, state, is_split = choose_and_split(
            table, rules, chosen, mass, level, scales, state, splits, work
        )
        if not is_split:
            return


@compiled
def end_tree(problem, rules, scale, raw, trees, tree, work):
    """Set the leaf values, add them to `raw`, and return what shrinkage leaves of the sum."""
    # The paper's shrinkage, lambda eps / N: one factor for all trees so far instead of new values
    # for each.
    scale *= rules.shrink
    trees.scales[tree] = scale
    values = trees.values[tree]
    set_leaf_values(problem, rules, scale, work, values)
    for output in range(raw.shape[0]):
        for row in range(raw.shape[1]):
            raw[output, row] += values[work.leaves[row], output]
    return scale


@compiled
def grow_trees(table, problem, rules, candidates, step, scale, raw, trees, work):
    """Grow as many trees as `trees` has room for, after `step` others, and bring `raw` along.

    Parameters
    ----------
    table, problem, rules, work
        Bundles, see `_work`.
    candidates : ndarray of int
        The features that may be split on.
    step : int
    scale : float
        What shrinkage has left of the sum so far.
    raw : ndarray of shape (n_outputs, n)
        The sum of leaf values so far.
    trees : TreeArrays
        Filled in.
    """
    for tree in range(len(trees.features)):
        chosen, state, mass, splits, is_open = begin_tree(
            table, problem, rules, candidates, step + tree, scale, raw, trees, tree, work
        )
        if is_open:
            _grow_by_scores(table, problem, rules, chosen, mass, state, splits, work)
        scale = end_tree(problem, rules, scale, raw, trees, tree, work)
