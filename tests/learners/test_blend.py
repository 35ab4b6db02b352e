import warnings

import numpy as np
import pytest

from lukewarm.data import Removal, Rows
from lukewarm.learners import BasedBoosting, ObliviousBoosting
from lukewarm.learners._blend import Blend, shares_of_wins


@pytest.fixture
def rows(generator):
    X = generator.normal(size=(300, 3))
    return Rows(X, 2 * X[:, 0] + X[:, 1] ** 2 + 0.1 * generator.normal(size=300))


def _trained(rows, *learners):
    for learner in learners:
        learner.advance(rows.X, rows.y, 30)
    return learners


def test_losses_far_above_the_others_are_never_the_least_and_no_cause_to_warn(generator):
    losses = generator.chisquare(1, size=(4, 80)) * np.array([[1.0], [1.0], [1e3], [1e22]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shares = shares_of_wins(losses, seed=0)
    assert shares[3] == 0
    assert shares.sum() == pytest.approx(1)


def test_a_blend_predicts_the_weighted_mean_and_so_does_its_copy(rows):
    members = _trained(rows, BasedBoosting("linear"), ObliviousBoosting(depth=2))
    blend = Blend(members, np.array([0.7, 0.3]))
    mean = 0.7 * members[0].predict(rows.X) + 0.3 * members[1].predict(rows.X)
    assert np.array_equal(blend.predict(rows.X), mean)
    assert np.array_equal(blend.copy(1).predict(rows.X), mean)


def test_training_a_copy_follows_y_and_leaves_the_original_alone(rows):
    blend = Blend(
        _trained(rows, BasedBoosting("linear"), ObliviousBoosting(1)), np.array([0.6, 0.4])
    )
    before = blend.predict(rows.X)
    copy = blend.copy(1)
    assert copy.traits.is_staged
    copy.advance(rows.X, rows.y, 200)
    # Without aiming at what the other member leaves, 0.4 of its errors would stay.
    left = np.mean((rows.y - copy.predict(rows.X)) ** 2)
    assert left < 0.1 * 0.4**2 * np.mean((rows.y - blend.members[1].predict(rows.X)) ** 2)
    assert np.array_equal(blend.predict(rows.X), before)


def test_steps_of_a_copy_are_counted_seen_and_taken_back(rows):
    copy = Blend(
        _trained(rows, BasedBoosting("linear"), ObliviousBoosting(1)), np.array([0.6, 0.4])
    ).copy(1)
    before = copy.predict(rows.X)
    copy.advance(rows.X, rows.y, 4)
    copy.advance(rows.X, rows.y, 3)
    stages = copy.staged_predict(rows.X, 30)
    assert copy.n_steps == 37
    assert np.allclose(stages[0], before)
    assert np.allclose(stages[-1], copy.predict(rows.X))
    copy.rewind(30)
    assert np.array_equal(copy.predict(rows.X), before)


def test_every_member_does_without_a_removed_column(rows):
    members = _trained(rows, BasedBoosting("linear"), BasedBoosting("additive"))
    blend = Blend(members, np.array([0.5, 0.5])).copy()
    X = Removal.learn(rows.X).apply(rows.X, (0,))
    before = blend.predict(X)
    blend.impute_conditionally(X, rows.X)
    for member in members:
        member.impute_conditionally(X, rows.X)
    expected = np.mean([member.predict(X) for member in members], axis=0)
    assert np.allclose(blend.predict(X), expected)
    assert not np.allclose(expected, before)


def test_a_clear_winner_gets_everything_and_equals_share(generator):
    shared = generator.normal(size=1000) ** 2
    losses = np.stack([shared, shared + 1.0, shared + 0.01 * generator.normal(size=1000)])
    shares = shares_of_wins(losses, seed=0)
    assert shares[1] == 0
    assert shares[[0, 2]].min() > 0.1
    assert shares.sum() == pytest.approx(1.0)
    assert np.array_equal(shares_of_wins(losses[:2], seed=0), [1.0, 0.0])


def test_shares_are_the_chance_to_win_under_rows_drawn_anew(generator):
    losses = generator.normal(size=(2, 400))
    losses[1] += 0.05
    shares = shares_of_wins(losses, seed=0)
    numbers = generator.integers(400, size=(4000, 400))
    wins = np.mean(losses[0][numbers].mean(axis=1) < losses[1][numbers].mean(axis=1))
    # Both are shares of some thousand draws.
    assert shares[0] == pytest.approx(wins, abs=4 * np.sqrt(0.25 / 1000 + 0.25 / 4000))


def test_rows_without_weight_do_not_count(generator):
    losses = generator.normal(size=(2, 100))
    weights = np.repeat([1.0, 0.0], [60, 40])
    changed = losses + np.where(weights > 0, 0.0, [[50.0], [-50.0]])
    assert np.allclose(shares_of_wins(losses, 0, weights), shares_of_wins(changed, 0, weights))
