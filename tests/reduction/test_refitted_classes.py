"""Corrections of class probabilities by the leaves of the model's own trees."""

import numpy as np
import pytest

from lukewarm.data import Removal, Rows
from lukewarm.reduction.projection._refitted_classes import RefittedClasses, log_odds
from lukewarm.reduction.projection._regressions import Regressions


@pytest.fixture
def halves():
    generator = np.random.default_rng(0)
    rows = Rows(generator.normal(size=(400, 2)), np.zeros(400))
    return rows.at(np.arange(300)), rows.at(np.arange(300, 400))


def _fit(halves, means, leaves, predictions):
    regressions = Regressions(*halves, Removal.learn(halves[0].X))
    return RefittedClasses.fit(regressions, means, leaves, predictions)


def _sides(halves, n_trees=1, n_outputs=1):
    """Return for every output trees that all have a leaf on either side of zero."""
    found = []
    for part in halves:
        side = (part.X[:, 0] > 0).astype(np.uint8)
        found.append([np.tile(side, (n_trees, 1))] * n_outputs)
    return tuple(found)


def test_five_trees_take_the_newton_steps_of_their_leaves(halves):
    leaves = _sides(halves, n_trees=3)  # twice three trees, which are looked at after five
    means = tuple(np.full(len(part), 0.5) for part in halves)
    predictions = tuple(np.where(each[0][0] == 1, 0.8, 0.3) for each in leaves)
    fit = _fit(halves, means, leaves, predictions)
    counts = np.bincount(leaves[0][0][0])
    expected = np.zeros(2)
    for _ in range(5):
        p = 1 / (1 + np.exp(-expected))
        gradient = counts * (np.array([0.3, 0.8]) - p)
        expected += 0.3 * gradient / (counts * p * (1 - p) + 10)
    assert np.allclose(fit.values[0].sum(axis=0), expected, rtol=1e-10)
    assert np.allclose(
        fit.predict(means[1], leaves[1]), 1 / (1 + np.exp(-expected[leaves[1][0][0]]))
    )


def test_many_steps_reach_the_probabilities_of_several_classes(halves):
    leaves = _sides(halves, n_trees=60, n_outputs=3)
    means = tuple(np.full((len(part), 3), 1 / 3) for part in halves)
    wanted = np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
    predictions = tuple(wanted[each[0][0]] for each in leaves)
    found = _fit(halves, means, leaves, predictions).predict(means[1], leaves[1])
    assert np.allclose(found.sum(axis=1), 1)
    # 120 steps of three tenths, each held back by a third at most.
    assert np.allclose(found, predictions[1], atol=1e-3)


def test_odds_stay_finite_where_the_mean_is_sure_and_wrong(halves):
    leaves = _sides(halves, n_trees=300)
    means = tuple(np.zeros(len(part)) for part in halves)
    predictions = tuple(np.ones(len(part)) for part in halves)
    fit = _fit(halves, means, leaves, predictions)
    found = fit.predict(means[1], leaves[1])
    assert np.isfinite(fit.trace.losses).all()
    assert found.min() > 0.99


def test_leaves_that_help_no_stopping_row_leave_the_mean_as_it_is(halves):
    generator = np.random.default_rng(1)
    leaves = tuple(
        [generator.integers(0, 60, size=(20, len(part))).astype(np.uint8)] for part in halves
    )
    means = tuple(np.full(len(part), 0.5) for part in halves)
    predictions = tuple(generator.uniform(0.2, 0.8, size=len(part)) for part in halves)
    fit = _fit(halves, means, leaves, predictions)
    assert np.array_equal(fit.predict(means[1], leaves[1]), means[1])


def test_probabilities_of_nothing_have_finite_logarithms():
    assert np.isfinite(log_odds(np.array([0.0, 1.0]))).all()
    assert np.isfinite(log_odds(np.array([[0.0, 1.0]]))).all()
