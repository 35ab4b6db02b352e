"""A block of trees: on one thread in one compiled call, on several level by level."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from lukewarm.learners.boosting import _grow, _histograms
from lukewarm.learners.boosting._compiled import compiled_whole
from lukewarm.learners.boosting._work import (
    Problem,
    Rules,
    Splits,
    Table,
    TreeArrays,
    Workspace,
    make_workspace,
)

# For Python what `grow_trees` calls, too; compiled where several threads work.
begin_tree = compiled_whole(_grow.begin_tree)
quantise = compiled_whole(_histograms.quantise)
count_and_score = compiled_whole(_grow.count_and_score)
choose_and_split = compiled_whole(_grow.choose_and_split)
end_tree = compiled_whole(_grow.end_tree)

# Handing a level to threads costs as much as counting some hundred thousand codes.
_FEWEST_CODES_TO_SHARE = 500_000


def grow_block(
    table: Table,
    problem: Problem,
    rules: Rules,
    candidates: np.ndarray,
    step: int,
    scale: float,
    raw: np.ndarray,
    trees: TreeArrays,
    n_threads: int = 1,
) -> None:
    """Fill in `trees` and bring `raw` along.

    Parameters
    ----------
    table, problem, rules
        Codes, target and settings.
    candidates : ndarray of int
        The features that may be split on.
    step : int
        The number of trees before these.
    scale : float
        The factor that shrinkage has left of the sum of their leaf values.
    raw : ndarray of shape (n_outputs, n)
        That sum for all rows.
    trees : TreeArrays
    n_threads : int, default 1
        Their number does not change a tree.
    """
    work = make_workspace(table, problem, rules, candidates, trees.features.shape[1])
    if n_threads == 1 or table.codes.shape[1] * len(candidates) < _FEWEST_CODES_TO_SHARE:
        _grow.grow_trees(table, problem, rules, candidates, step, scale, raw, trees, work)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        for tree in range(len(trees.features)):
            # As in `grow_trees`, which is compiled as a whole: compiled code cannot hand the levels
            # of a tree to Python's threads.
            n_chosen, state, mass, is_open = begin_tree(
                table, problem, rules, candidates, step + tree, scale, raw, trees, tree, work
            )
            if is_open:
                chosen = work.chosen[:n_chosen]
                splits = Splits(trees.features[tree], trees.thresholds[tree])
                _grow_tree(
                    pool, n_threads, table, problem, rules, chosen, mass, state, splits, work
                )
            scale = end_tree(problem, rules, scale, raw, trees, tree, work)


def _grow_tree(
    pool: ThreadPoolExecutor,
    n_threads: int,
    table: Table,
    problem: Problem,
    rules: Rules,
    chosen: np.ndarray,
    mass: float,
    state: int,
    splits: Splits,
    work: Workspace,
) -> None:
    """Grow one tree, each thread counting and scoring its share of the features.

    Parameters
    ----------
    pool : ThreadPoolExecutor
    n_threads : int
    table, problem, rules, splits, work
        Bundles, see `_work`; the splits chosen are written to `splits`.
    chosen : ndarray of int
        The features of this tree.
    mass : float
        The weight of all rows.
    state : int
        Of the random stream.
    """
    # By feature, not by row: every histogram is counted by one thread, so nothing has to be merged.
    shares = np.array_split(np.arange(len(chosen)), n_threads)
    scales = quantise(work.gradients.residuals, problem.weights, work.sample, work.channels)
    n_listed = np.uintp(0)
    # The levels of `_grow_by_scores`, the counting handed out.
    for level in range(len(splits.features)):
        count = partial(count_and_score, table, rules, chosen)
        jobs = [pool.submit(count, places, level, scales, n_listed, work) for places in shares]
        # A level's split needs the scores of all features.
        for job in jobs:
            job.result()
        # numba hands 64-bit states back as plain ints and takes those for signed.
        n_listed, state, is_split = choose_and_split(
            table, rules, chosen, mass, level, scales, np.uint64(state), splits, work
        )
        if not is_split:
            return
