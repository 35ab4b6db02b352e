"""Corrections of class probabilities on the scale of log-odds."""

import numpy as np
import pytest
from given import Given
from scipy.special import expit, softmax

from lukewarm.data import Removal, Rows
from lukewarm.learners.kernel import KernelMachine, KernelMachineClassifier, OwnFunctions
from lukewarm.measures import Task
from lukewarm.reduction import Projection, ReductionData
from lukewarm.reduction.projection._conditional import ConditionalDraws
from lukewarm.reduction.projection._correction import corrected, divergence, with_odds_shifted
from lukewarm.reduction.projection._log_odds import LogOddsCorrection


def _data(X, weights=None):
    stops = np.arange(len(X)) % 4 == 3
    rows = Rows(X, np.zeros(len(X)), weights)
    train, stopping = rows.at(np.flatnonzero(~stops)), rows.at(np.flatnonzero(stops))
    return ReductionData(train, stopping, Removal.learn(train.X))


def _rings(n_rows, seed=0):
    """Return rows of a narrow normal class inside one twice as wide, in three columns."""
    generator = np.random.default_rng(seed)
    spread = np.where(generator.random(n_rows) < 0.5, 1.0, 2.0)
    return generator.normal(size=(n_rows, 3)) * spread[:, None]


def _narrow(X):
    """Return the probability of the narrow class: the ratio of densities, in any columns."""
    n_columns = X.shape[1]
    wide = -np.square(X).sum(axis=1) / 8 - n_columns * np.log(2)
    return expit(-np.square(X).sum(axis=1) / 2 - wide)


def _log_loss(truth, found):
    return -truth * np.log(found) - (1 - truth) * np.log(1 - found)


@pytest.mark.parametrize("removed", [(0,), (0, 1)])
def test_rings_are_corrected_to_their_closed_form(removed):
    X, other = _rings(4000), _rings(4000, seed=1)
    full, data = Given(_narrow, n_classes=2), _data(X)
    h = Projection().reduce(full, data, removed, seed=0).predict(other)
    draws = ConditionalDraws(data.regressions, removed)
    mean = draws.average(full, data.regressions.prepare(other))
    best = _narrow(np.delete(other, removed, axis=1))
    excess = _log_loss(best, h) - _log_loss(best, best)
    before = _log_loss(best, mean) - _log_loss(best, best)
    # Its log-odds are squares of the columns left, which the functions of single columns hold: some
    # twenty coefficients from 3,000 rows cost 20 / 6000 in log-loss, were the targets labels.
    assert before.mean() > 20 / 6000
    assert excess.mean() < 20 / 6000


def test_several_classes_are_corrected_and_sum_to_one():
    def shares(X):
        return softmax(np.stack([X[:, 0], X[:, 1], X[:, 0] * X[:, 1]], axis=1), axis=1)

    X = _rings(1200)
    full = Given(shares, n_classes=3)
    h = Projection().reduce(full, _data(X), (0,), seed=0).predict(X)
    assert h.shape == (1200, 3)
    assert h.sum(axis=1) == pytest.approx(np.ones(1200))
    assert h.min() > 0


def test_a_removed_column_is_not_read():
    X = _rings(800)
    y = np.random.default_rng(1).random(800) < _narrow(X)
    fitted = KernelMachineClassifier(random_state=0).fit(X, y)
    functions = OwnFunctions.of(fitted.machine_, fitted.penalty_)
    regressions = _data(X).regressions
    full = Given(lambda X: fitted.predict_proba(X)[:, 1], n_classes=2)
    predictions = regressions.predictions(full)[:2]
    means = tuple(np.full(len(each), 0.5) for each in predictions)
    found = LogOddsCorrection.fit(regressions, functions, (1,), predictions, means)
    assert found.machine is not None
    moved = X.copy()
    moved[:, 1] = 0.0
    half = np.full(800, 0.5)
    one, other = (found.corrected(half, regressions.prepare(each)) for each in (X, moved))
    assert np.array_equal(one, other)


def test_a_mean_that_is_right_is_left_alone():
    # It is the prediction itself on every row.
    X = np.random.default_rng(0).normal(size=(400, 3))
    regressions = _data(X).regressions
    full = Given(lambda X: expit(X[:, 1]), n_classes=2)
    predictions = regressions.predictions(full)[:2]
    assert LogOddsCorrection.fit(regressions, None, (0,), predictions, predictions) is None


def test_the_scale_of_weights_does_not_matter():
    X = _rings(600)
    weights = np.random.default_rng(2).uniform(0.5, 2.0, 600)
    full = Given(_narrow, n_classes=2)
    one, other = (
        Projection().reduce(full, _data(X, scale * weights), (2,), seed=0).predict(X)
        for scale in (1.0, 7.0)
    )
    assert one == pytest.approx(other, abs=1e-6)


def test_trees_repair_what_the_own_kernel_does_not_see():
    # The spread of x0 turns with the signs of two columns that y does not depend on, so that the
    # machine has no length scale for them.
    generator = np.random.default_rng(0)
    X = generator.normal(size=(3000, 3))
    spread = np.where((X[:, 1] > 0) == (X[:, 2] > 0), 0.2, 2.0)
    X[:, 0] *= spread
    y = (generator.random(3000) < expit(3 * X[:, 0] - 1)).astype(float)
    fitted = KernelMachineClassifier(random_state=0).fit(X[:1000], y[:1000])
    full, data = KernelMachine.from_fitted(fitted, task=Task(2), seed=0), _data(X)
    h = Projection().reduce(full, data, (0,), seed=0).predict(X)
    mean = ConditionalDraws(data.regressions, (0,)).average(full, data.regressions.prepare(X))
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    moved, best = X.copy(), np.zeros(3000)
    for node, weight in zip(nodes, weights / weights.sum(), strict=True):
        moved[:, 0] = node * spread
        best += weight * full.predict(moved)
    # Two values of the best prediction: a few rows of the square between them are in wrong leaves.
    before, after = (np.mean(np.square(divergence(best, each))) for each in (mean, h))
    assert before > 0.008
    assert after < before / 2


@pytest.mark.parametrize("average", [1e-9, 0.5, 1 - 1e-9])
@pytest.mark.parametrize("shift", [-0.4, 0.4])
def test_a_repaired_probability_is_at_most_four_times_as_far_from_certainty(average, shift):
    found = corrected(np.array([average]), np.array([[shift]]), is_bounded=True)[0]
    for one, other in ((found, average), (1 - found, 1 - average)):
        assert 0.249 * other <= one <= 4.001 * other


def test_what_is_sure_stays_sure():
    shares = np.array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [1e-12, 0.5, 0.5 - 1e-12]])
    shift = np.log([[1.0, 1.0, 3.0]] * 3)
    found = with_odds_shifted(shares, shift)
    assert found[0] == pytest.approx([0, 0.25, 0.75])
    assert found[1] == pytest.approx([1, 0, 0])
    assert found[2, 0] < 1e-12
    two = with_odds_shifted(np.array([0.0, 0.25, 1.0]), np.log([[3.0], [3.0], [3.0]]))
    assert two == pytest.approx([0.0, 0.5, 1.0])


def test_nothing_but_a_constant_is_learnt_without_other_columns():
    X = np.random.default_rng(0).normal(size=(400, 1))
    full = Given(lambda X: expit(4 * X[:, 0]), n_classes=2)
    h = Projection().reduce(full, _data(X), (0,), seed=0).predict(X)
    assert np.ptp(h) == pytest.approx(0, abs=1e-12)
    # The mean of 400 probabilities of variance a fifth at most, and four standard errors.
    assert h[0] == pytest.approx(0.5, abs=4 * np.sqrt(0.2 / 400))
