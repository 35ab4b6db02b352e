"""What the compiled loop works on, bundled so that its parts have short signatures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MISSING = 0
"""The code of a missing value; it has a bin of its own, below all others."""

# Compiled code knows losses by number.
SQUARED, LOGISTIC, SOFTMAX = 0, 1, 2


class Table(NamedTuple):
    """Codes (p, n) and, per feature, what a split of it may be."""

    codes: np.ndarray
    n_codes: np.ndarray
    first_thresholds: np.ndarray
    last_thresholds: np.ndarray
    is_category: np.ndarray


class Problem(NamedTuple):
    """Target (n_outputs, n), start value (n_outputs,), weights and the loss to minimise.

    `weights` has an entry per row, or none where all rows weigh 1.
    """

    target: np.ndarray
    start: np.ndarray
    weights: np.ndarray
    loss: int


class Rules(NamedTuple):
    """The numbers that say how a tree is grown; `unit` is the grid of leaf values.

    `random_strength` is None where trees are greedy, so that only those who draw splits at random
    have the code for it compiled.
    Tree number t draws from stream t of `seed`.
    """

    learning_rate: float
    shrink: float
    l2: float
    random_strength: float | None
    subsample: float
    feature_fraction: float
    unit: float
    seed: int


class Splits(NamedTuple):
    """The tests of one tree's levels, (depth,) each; feature -1 where there is no test."""

    features: np.ndarray
    thresholds: np.ndarray


class TreeArrays(NamedTuple):
    """The arrays of a `Trees` object that are filled in as its trees grow."""

    features: np.ndarray
    thresholds: np.ndarray
    values: np.ndarray
    scales: np.ndarray


class Gradients(NamedTuple):
    """Minus the loss's gradient and its second derivative, (n_outputs, n) each."""

    residuals: np.ndarray
    curvatures: np.ndarray


class Listed(NamedTuple):
    """The rows that are counted after a split, where each is counted, and what (n_channels, n)."""

    rows: np.ndarray
    offsets: np.ndarray
    values: np.ndarray


class Workspace(NamedTuple):
    """Working room, allocated once per block of trees.

    `channels` are the integer residuals of each output and, with weights, the integer weights;
    `histograms` (n_channels, n_candidates, n_leaves * stride) their sums by leaf and bin. `sample`
    marks the rows that a tree is grown on, and is empty where all are. `chosen` are the features
    of a tree, `places` their numbers. `left` has room for two rows of sums over codes beside each
    of them, `leaf_sums` for a sum per output and leaf and for the leaves' weights; `counted` and
    `swapped` say where the histogram of each leaf is counted.
    """

    gradients: Gradients
    channels: np.ndarray
    histograms: np.ndarray
    scores: np.ndarray
    leaves: np.ndarray
    sample: np.ndarray
    listed: Listed
    chosen: np.ndarray
    places: np.ndarray
    left: np.ndarray
    leaf_sums: np.ndarray
    counted: np.ndarray
    swapped: np.ndarray


def make_workspace(
    table: Table, problem: Problem, rules: Rules, candidates: np.ndarray, depth: int
) -> Workspace:
    """Return working room for trees of `depth` levels over the candidate features."""
    n_outputs, n_rows = problem.target.shape
    is_weighted = len(problem.weights) > 0
    n_channels = n_outputs + is_weighted
    # The smaller of two siblings has half their rows at most, where every row counts as one.
    most_listed = n_rows if is_weighted or rules.subsample < 1 else n_rows // 2
    stride = int(table.n_codes[candidates].max(initial=1))
    n_curved = 0 if problem.loss == SQUARED else n_rows
    return Workspace(
        gradients=Gradients(np.empty((n_outputs, n_rows)), np.empty((n_outputs, n_curved))),
        channels=np.empty((n_channels, n_rows), np.int64),
        # The last level needs no histograms of its own: those before its split have told the
        # scores.
        histograms=np.empty((n_channels, len(candidates), stride << (depth - 1)), np.int64),
        scores=np.empty((len(candidates), stride)),
        leaves=np.empty(n_rows, np.uint16),
        sample=np.ones(n_rows if rules.subsample < 1 else 0, np.uint8),
        listed=Listed(
            rows=np.empty(most_listed + 1, np.uint32),
            offsets=np.empty(most_listed + 1, np.uint32),
            values=np.empty((n_channels, most_listed), np.int64),
        ),
        chosen=np.empty_like(candidates),
        places=np.arange(len(candidates)),
        left=np.empty((2, len(candidates), stride), np.int64),
        leaf_sums=np.empty((n_outputs + 1, 1 << depth)),
        counted=np.empty(1 << depth, np.uint32),
        swapped=np.empty(1 << depth, np.bool_),
    )
