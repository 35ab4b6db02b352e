"""The compiled loop that grows a block of trees: TrainGBDT of the paper."""

from __future__ import annotations

import numpy as np

from lukewarm.learners.boosting._compiled import compiled_in_place, compiled_part, compiled_whole
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


@compiled_part
def _mean_square(residuals, weights, sample):
    """Return the mean squared residual, which bounds D, and the weight of the sampled rows."""
    total, mass = 0.0, 0.0
    for row in range(residuals.shape[1]):
        weight = weight_of(weights, row) * is_taken(sample, row)
        mass += weight
        for output in range(residuals.shape[0]):
            total += weight * residuals[output, row] ** 2
    return (total / mass, mass) if mass > 0.0 else (0.0, 1.0)


@compiled_part
def split_leaves(codes, is_category, threshold, level, leaves):
    """Set bit `level` of the leaf of every row whose code (n,) passes the test."""
    bit = np.uint16(1 << level)
    if is_category:
        for row in range(len(leaves)):
            leaves[row] |= bit if codes[row] == threshold else np.uint16(0)
    else:
        for row in range(len(leaves)):
            leaves[row] |= bit if codes[row] > threshold else np.uint16(0)


@compiled_part
def _grow_blindly(random_strength, table, problem, rules, chosen, state, splits, work):
    """Draw all levels of a tree if the noise is so strong that scores hardly matter.

    Returns whether it did, and the weight of the sampled rows.

    Parameters
    ----------
    random_strength : float or None
        That of the rules. By itself, because only an argument can be None when a function is
        compiled.
    table, problem, rules, splits, work
        Bundles, see `_work`; the splits drawn are written to `splits`.
    chosen : ndarray of int
        The features of this tree.
    state : uint64
        Of the random stream.
    """
    # Greedy trees need none of this: what draws at random is compiled for those who ask for it.
    if random_strength is None:
        return False, 1.0
    bound, mass = _mean_square(work.gradients.residuals, problem.weights, work.sample)
    if bound > _MOST_FOR_BLIND_DRAWS * random_strength:
        return False, mass
    for level in range(len(splits.features)):
        place, threshold, state = draw_split_blindly(
            table, problem, chosen, rules, bound, splits, level, state, work
        )
        if place < 0:
            break
        feature = chosen[place]
        splits.features[level], splits.thresholds[level] = feature, threshold
        is_category = table.is_category[feature]
        split_leaves(table.codes[feature], is_category, threshold, level, work.leaves)
    return True, mass


@compiled_in_place
def begin_tree(table, problem, rules, candidates, step, scale, raw, trees, tree, work):
    """Set the gradients, and draw all levels of the tree if scores hardly matter.

    Returns how many features `work.chosen` holds to split on, the random state, the weight of the
    sampled rows, and whether splits are still to be chosen by scores.

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
    n_chosen, state = draw_features(candidates, rules.feature_fraction, work.chosen, state)
    state = draw_sample(rules.subsample, work.sample, state)
    set_gradients(problem, scale, raw, work.gradients)
    work.leaves[:] = 0
    splits = Splits(trees.features[tree], trees.thresholds[tree])
    # What a level without a split keeps.
    splits.features[:] = -1
    is_grown, mass = _grow_blindly(
        rules.random_strength, table, problem, rules, work.chosen[:n_chosen], state, splits, work
    )
    return n_chosen, state, mass, n_chosen > 0 and not is_grown


@compiled_in_place
def count_and_score(table, rules, chosen, places, level, scales, n_listed, work):
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
    n_listed : int
        What `choose_and_split` returned at the level before.
    """
    shift, _, weight_scale = scales
    stride = work.scores.shape[1]
    if level == 0:
        count_all_rows(table.codes, chosen, places, stride, work.channels, work.histograms)
    else:
        count_listed_rows(
            table.codes,
            chosen,
            places,
            n_listed,
            level - 1,
            stride,
            work.swapped,
            work.listed,
            work.histograms,
        )
    # In the units of the integer weights.
    l2 = rules.l2 * weight_scale
    score_splits(table, chosen, places, level, shift, l2, work.histograms, work.scores, work.left)


@compiled_part
def _choose_split(random_strength, table, chosen, mass, level, scales, state, splits, scores):
    """Return the place and threshold of a split, the best or one drawn, and the random state.

    Parameters
    ----------
    random_strength
        As for `_grow_blindly`.
    table, chosen, mass, level, scales, state, splits
        As for `choose_and_split`.
    scores : ndarray of shape (n_chosen, n_thresholds)
        Used up where a split is drawn.
    """
    if random_strength is None:
        place, threshold = best_split(table, chosen, scores, splits, level)
        return place, threshold, state
    _, scale, weight_scale = scales
    # Scores are S**2 / W of integers: this takes both scales out and divides by N and beta.
    to_exponent = weight_scale / (scale * scale * mass * random_strength)
    place, threshold = draw_split(table, chosen, scores, to_exponent, splits, level, uniform(state))
    return place, threshold, next_state(state)


@compiled_in_place
def choose_and_split(table, rules, chosen, mass, level, scales, state, splits, work):
    """Choose the split of a level from the scores, and list the rows to count for the next.

    Returns how many rows are listed, the random state, and whether there was a split left to
    choose.

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
    place, threshold, state = _choose_split(
        rules.random_strength, table, chosen, mass, level, scales, state, splits, work.scores
    )
    if place < 0:
        return np.uintp(0), state, False
    feature = chosen[place]
    splits.features[level], splits.thresholds[level] = feature, threshold
    is_category = table.is_category[feature]
    split_leaves(table.codes[feature], is_category, threshold, level, work.leaves)
    # No level follows that would need histograms.
    if level == len(splits.features) - 1:
        return np.uintp(0), state, True
    find_smaller_siblings(
        table.n_codes[feature],
        is_category,
        threshold,
        work.histograms[-1, place],
        scales[0],
        level,
        work.scores.shape[1],
        work.counted,
        work.swapped,
    )
    n_listed = list_rows_to_count(work.leaves, work.counted, work.channels, work.listed)
    return n_listed, state, True


@compiled_in_place
def _grow_by_scores(table, problem, rules, chosen, mass, state, splits, work):
    """Choose the splits of all levels by their scores; for the arguments see `choose_and_split`."""
    places = work.places[: len(chosen)]
    scales = quantise(work.gradients.residuals, problem.weights, work.sample, work.channels)
    n_listed, is_split = np.uintp(0), True
    for level in range(len(splits.features)):
        count_and_score(table, rules, chosen, places, level, scales, n_listed, work)
        n_listed, state, is_split = choose_and_split(
            table, rules, chosen, mass, level, scales, state, splits, work
        )
        if not is_split:
            return


@compiled_in_place
def end_tree(problem, rules, scale, raw, trees, tree, work):
    """Set the leaf values, add them to `raw`, and return what shrinkage leaves of the sum.

    For the arguments see `begin_tree`.
    """
    # The paper's shrinkage, lambda eps / N: one factor for all trees so far instead of new values
    # for each.
    scale *= rules.shrink
    trees.scales[tree] = scale
    values = trees.values[tree]
    set_leaf_values(
        problem, rules, scale, work.gradients, work.sample, work.leaves, work.leaf_sums, values
    )
    for output in range(raw.shape[0]):
        for row in range(raw.shape[1]):
            raw[output, row] += values[work.leaves[row], output]
    return scale


@compiled_whole
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
        n_chosen, state, mass, is_open = begin_tree(
            table, problem, rules, candidates, step + tree, scale, raw, trees, tree, work
        )
        if is_open:
            chosen = work.chosen[:n_chosen]
            splits = Splits(trees.features[tree], trees.thresholds[tree])
            _grow_by_scores(table, problem, rules, chosen, mass, state, splits, work)
        scale = end_tree(problem, rules, scale, raw, trees, tree, work)
