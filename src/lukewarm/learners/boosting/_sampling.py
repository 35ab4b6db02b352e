"""Compiled choice of a split: the best, or one drawn by the law of SampleTree."""

from __future__ import annotations

import numpy as np

from lukewarm.learners.boosting._compiled import compiled_in_place, compiled_part
from lukewarm.learners.boosting._gradients import is_taken, weight_of
from lukewarm.learners.boosting._rng import next_state, uniform

# Sums in another order must not make another split of two that tie.
_MORE_THAN_ROUNDING = 1.0 + 1e-9


@compiled_part
def _is_used(splits, level, feature, threshold):
    for earlier in range(level):
        if splits.features[earlier] == feature and splits.thresholds[earlier] == threshold:
            return True
    return False


@compiled_part
def best_split(table, chosen, scores, splits, level):
    """Return the place and threshold of the highest score among the splits not yet used.

    Of splits that differ by no more than rounding the first is taken, so that ties do not depend
    on how residuals were rounded. The place is -1 when no split is left. For the arguments see
    `draw_split`.
    """
    # Scores are sums of squares: -1 is below all of them.
    best, best_place, best_threshold = -1.0, -1, 0
    for place in range(len(chosen)):
        feature = chosen[place]
        for threshold in range(table.first_thresholds[feature], table.last_thresholds[feature] + 1):
            score = scores[place, threshold]
            if score > best * _MORE_THAN_ROUNDING and not _is_used(
                splits, level, feature, threshold
            ):
                best, best_place, best_threshold = score, place, threshold
    return best_place, best_threshold


@compiled_part
def draw_split(table, chosen, scores, to_exponent, splits, level, chance):
    """Return a split drawn with probability proportional to exp(score * to_exponent).

    The largest of scores with Gumbel noise has exactly this law (Gumbel 1954), and drawing it
    directly takes one random number instead of one per split. `scores` is used up.

    Parameters
    ----------
    table, splits
        Bundles, see `_work`.
    chosen : ndarray of int
        The features of this tree.
    scores : ndarray of shape (n_chosen, n_thresholds)
        Used up.
    to_exponent : float
    level : int
        The levels before it have used their splits.
    chance : float
        A uniform random number.
    """
    top_place, top_threshold = best_split(table, chosen, scores, splits, level)
    if top_place < 0:
        return top_place, top_threshold
    top, total = scores[top_place, top_threshold], 0.0
    for place in range(len(chosen)):
        feature = chosen[place]
        for threshold in range(table.first_thresholds[feature], table.last_thresholds[feature] + 1):
            # Relative to the best, so that no exponential overflows.
            weight = np.exp((scores[place, threshold] - top) * to_exponent)
            if _is_used(splits, level, feature, threshold):
                weight = 0.0
            scores[place, threshold] = weight
            total += weight
    # By inversion: the split at which the running sum of weights passes a uniform share of their
    # total.
    remaining = chance * total
    for place in range(len(chosen)):
        feature = chosen[place]
        for threshold in range(table.first_thresholds[feature], table.last_thresholds[feature] + 1):
            remaining -= scores[place, threshold]
            if remaining < 0.0:
                return place, threshold
    # Rounding of the sum may leave a crumb.
    return top_place, top_threshold


@compiled_in_place
def draw_split_blindly(table, problem, chosen, rules, bound, splits, level, state, work):
    """Return a split drawn as by `draw_split`, and the state of the random stream.

    For strong noise, where all splits are almost equally likely: a split is proposed uniformly
    and accepted with probability exp((D - bound) / beta), with ``bound >= D >= 0``. D is computed
    only where ``exp(-bound / beta)`` leaves the answer open, so hardly ever.

    Parameters
    ----------
    table, problem, rules, splits, work
        Bundles, see `_work`.
    chosen : ndarray of int
        The features of this tree.
    bound : float
    level : int
        The levels before it have used their splits.
    state : uint64
        Of the random stream.
    """
    # Counted anew at each level; that is little beside the rows.
    n_splits = 0
    for feature in chosen:
        n_splits += table.last_thresholds[feature] - table.first_thresholds[feature] + 1
    # Every level so far has used a split; none may be left.
    if n_splits <= level:
        return -1, 0, state
    while True:
        # The largest uniform number rounds to 1.
        number = min(np.int64(uniform(state) * n_splits), n_splits - 1)
        state = next_state(state)
        place = 0
        while True:
            feature = chosen[place]
            here = table.last_thresholds[feature] - table.first_thresholds[feature] + 1
            if number < here:
                break
            number -= here
            place += 1
        threshold = table.first_thresholds[feature] + number
        if _is_used(splits, level, feature, threshold):
            continue
        chance = uniform(state)
        state = next_state(state)
        if chance < np.exp(-bound / rules.random_strength):
            return place, threshold, state
        score = _score_of(
            table.codes[feature], threshold, table.is_category[feature], level, problem, rules, work
        )
        if chance < np.exp((score - bound) / rules.random_strength):
            return place, threshold, state


@compiled_part
def _score_of(codes, threshold, is_category, level, problem, rules, work):
    """Return D of the tree so far with one more split.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Of the feature that is split on.
    threshold : int
    is_category : bool
    level : int
        The number of splits so far.
    problem, rules, work
        Bundles, see `_work`; `work.leaf_sums` is used up.
    """
    residuals, weights, sample = work.gradients.residuals, problem.weights, work.sample
    leaves, sums = work.leaves, work.leaf_sums
    n_outputs, n_rows = residuals.shape
    n_parents = 1 << level
    # The row after those of the outputs.
    masses = sums[n_outputs]
    sums[:] = 0.0
    for row in range(n_rows):
        passes = codes[row] == threshold if is_category else codes[row] > threshold
        leaf = leaves[row] + (n_parents if passes else 0)
        weight = weight_of(weights, row) * is_taken(sample, row)
        masses[leaf] += weight
        for output in range(n_outputs):
            sums[output, leaf] += weight * residuals[output, row]
    score, mass = 0.0, 0.0
    for leaf in range(2 * n_parents):
        mass += masses[leaf]
        if masses[leaf] > 0.0:
            for output in range(n_outputs):
                score += sums[output, leaf] ** 2 / (masses[leaf] + rules.l2)
    return score / mass


@compiled_in_place
def draw_features(candidates, fraction, chosen, state):
    """Fill `chosen` with a random share of the candidates, in order.

    Returns how many they are, and the state of the random stream.
    """
    n_wanted, n_chosen = len(candidates), 0
    if fraction >= 1.0 or n_wanted == 0:
        for place in range(n_wanted):
            chosen[place] = candidates[place]
        return n_wanted, state
    n_wanted = max(1, int(np.rint(fraction * n_wanted)))
    for place in range(len(candidates)):
        # Each candidate in turn, with the share still wanted of those still to come.
        if uniform(state) * (len(candidates) - place) < n_wanted - n_chosen:
            chosen[n_chosen] = candidates[place]
            n_chosen += 1
        state = next_state(state)
    return n_wanted, state


@compiled_in_place
def draw_sample(fraction, sample, state):
    """Set `sample` to 1 for the rows that take part in a tree, else 0."""
    if fraction >= 1.0:
        return state
    for row in range(len(sample)):
        sample[row] = uniform(state) < fraction
        state = next_state(state)
    return state
