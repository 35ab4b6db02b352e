"""Sampled trees against the appendix: p(nu | f, beta) by enumeration, on twelve rows."""

from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from lukewarm.learners.boosting import ObliviousBoosting

N_DRAWS = 40_000
# Leaf values this small fall to zero on the grid: every tree of a block meets the same residuals.
NO_RATE = 1e-300
BETAS = [0.2, 3.0, np.inf]  # by histograms, by blind proposals, uniform


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(4)
    X = generator.normal(size=(12, 2))
    y = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * generator.normal(size=12)
    return X, y - y.mean()


def bins(X):
    """The codes 0, 1, 2 of three bins of four values each."""
    return np.argsort(np.argsort(X, axis=0), axis=0) // 4


SPLITS = [(feature, border) for feature in range(2) for border in range(2)]


def leaves_of(splits, codes):
    return sum((codes[:, f] > border).astype(int) << i for i, (f, border) in enumerate(splits))


def score(splits, codes, z):
    """D(nu, z) of the appendix; an empty leaf scores 0."""
    leaves = leaves_of(splits, codes)
    return sum(z[leaves == j].sum() ** 2 / (leaves == j).sum() for j in set(leaves)) / len(z)


def tree_probabilities(depth, codes, z, beta):
    """p(nu | f, beta): for every set of splits, the sum over the orders they may be drawn in."""
    probabilities = {}
    for nu in combinations(SPLITS, depth):
        total = 0.0
        for order in permutations(nu):
            chance = 1.0
            for level in range(depth):
                rest = [s for s in SPLITS if s not in order[:level]]
                weights = [np.exp(score((*order[:level], s), codes, z) / beta) for s in rest]
                chance *= weights[rest.index(order[level])] / sum(weights)
            total += chance
        probabilities[nu] = total
    return probabilities


def drawn_trees(learner):
    """The sets of splits, with borders counted from 0 as in SPLITS."""
    trees = learner.trees
    borders = trees.thresholds.astype(int) - 1
    return [
        tuple(sorted(zip(features.tolist(), levels.tolist(), strict=True)))
        for features, levels in zip(trees.features, borders, strict=True)
    ]


@pytest.mark.parametrize("beta", BETAS)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_frequencies_of_sampled_trees_match_the_law(rows, depth, beta):
    X, y = rows
    expected = tree_probabilities(depth, bins(X), y, beta)
    assert sum(expected.values()) == pytest.approx(1)
    if beta == 0.2:  # the law is far from uniform, so a uniform sampler would fail
        assert max(expected.values()) > 1.8 * min(expected.values())
    learner = ObliviousBoosting(
        depth=depth, n_bins=3, learning_rate=NO_RATE, random_strength=beta, seed=1
    )
    learner.advance(X, y, N_DRAWS)
    drawn = drawn_trees(learner)
    observed = [drawn.count(nu) for nu in expected]
    assert sum(observed) == N_DRAWS
    # One of nine tests falls below this by chance once in a thousand runs; the seed is fixed.
    assert chisquare(observed, N_DRAWS * np.array(list(expected.values()))).pvalue > 1e-4


@pytest.mark.parametrize("beta", BETAS)
def test_expected_update_of_one_step_is_the_kernel_update(rows, beta):
    X, y = rows
    depth, rate, n_steps = 2, 0.1, 3000
    update = np.zeros(len(y))
    for nu, chance in tree_probabilities(depth, bins(X), y, beta).items():
        leaves = leaves_of(nu, bins(X))
        same = leaves[:, None] == leaves[None, :]
        kernel = len(y) * same / same.sum(axis=1)
        update += chance * rate * kernel @ y / len(y)
    learner = ObliviousBoosting(depth=depth, n_bins=3, learning_rate=rate, random_strength=beta)
    steps = np.empty((n_steps, len(y)))
    for seed in range(n_steps):
        one = learner.fresh(seed)
        one.advance(X, y, 1)
        steps[seed] = one.predict(X)
    assert np.abs(update).max() > 0.02
    standard_errors = steps.std(axis=0) / np.sqrt(n_steps)
    # y is centred only to rounding, hence the start value of about 1e-17.
    assert (np.abs(steps.mean(axis=0) - update) <= 4.5 * standard_errors + 1e-12).all()


def test_without_noise_every_level_takes_the_best_split(rows):
    X, y = rows
    learner = ObliviousBoosting(depth=3, n_bins=3, learning_rate=NO_RATE)
    learner.advance(X, y, 1)
    best = []
    for _ in range(3):
        rest = [s for s in SPLITS if s not in best]
        best.append(max(rest, key=lambda s: score((*best, s), bins(X), y)))
    assert drawn_trees(learner) == [tuple(sorted(best))]


def test_a_tree_takes_no_split_twice_and_ends_when_none_is_left(rows):
    X, y = rows
    learner = ObliviousBoosting(depth=6, n_bins=3, random_strength=np.inf)
    learner.advance(X, y, 20)
    for features, thresholds in zip(learner.trees.features, learner.trees.thresholds, strict=True):
        assert list(features[4:]) == [-1, -1]
        assert len(set(zip(features[:4], thresholds[:4], strict=True))) == 4


def test_shrinkage_multiplies_the_trees_so_far(rows):
    X, y = rows
    rate, shrinkage = 0.3, 4.0
    plain = ObliviousBoosting(depth=1, n_bins=3, learning_rate=rate)
    shrunk = ObliviousBoosting(depth=1, n_bins=3, learning_rate=rate, shrinkage=shrinkage)
    plain.advance(X, y, 1)
    shrunk.advance(X, y, 1)
    first = plain.predict(X)
    np.testing.assert_allclose(shrunk.predict(X), first, atol=1e-10)
    shrunk.advance(X, y, 1)
    ((feature, border),) = drawn_trees(shrunk)[1:][0]
    passes = bins(X)[:, feature] > border
    z = y - first
    tree = np.where(passes, z[passes].mean(), z[~passes].mean())
    expected = (1 - shrinkage * rate / len(y)) * first + rate * tree
    np.testing.assert_allclose(shrunk.predict(X), expected, atol=1e-10)
