"""Kernels along runs of our boosting, against the law its trees follow."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2

from lukewarm.kernels import (
    boosting_kernel,
    error_decomposition,
    expected_update,
    follow_run,
    oracle_stop,
    tree_distribution,
    tree_kernel,
)
from lukewarm.learners import ObliviousBoosting

RATE = 0.3


def data(n: int = 60, seed: int = 0):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 3))
    return X, X[:, 0] + X[:, 1] * (X[:, 2] > 0) + 0.3 * generator.normal(size=n)


def full_model(X, y, random_strength, n_steps=5, **changes):
    settings = {"depth": 2, "n_bins": 4, "learning_rate": RATE, **changes}
    learner = ObliviousBoosting(**settings, random_strength=random_strength)
    learner.advance(X, y, n_steps)
    return learner


def borders_of(X, n_bins=4):
    """Borders in the middle between neighbours, about equally many rows in each bin."""
    edges = []
    for column in np.sort(X, axis=0).T:
        cuts = [round(len(column) * k / n_bins) for k in range(1, n_bins)]
        edges.append(np.array([(column[cut - 1] + column[cut]) / 2 for cut in cuts]))
    return edges


@pytest.mark.parametrize("random_strength", [0.02, 0.3])
def test_trees_of_our_boosting_follow_the_law(random_strength):
    X, y = data()
    full = full_model(X, y, random_strength)
    start = full.predict(X)
    residuals, borders = y - start, borders_of(X)
    law = tree_distribution(X, residuals, borders=borders, depth=2, random_strength=random_strength)
    # A tree shows itself by its step: the means of the residuals in its leaves.
    steps, chances = [], []
    for tree, chance in zip(law.splits, law.probabilities, strict=True):
        passed = X[:, law.split_features[tree]] > law.split_borders[tree]
        codes = passed @ [1, 2]
        steps.append(RATE * np.array([residuals[codes == code].mean() for code in codes]))
        chances.append(chance)
    counts, n_runs = np.zeros(len(steps)), 1500
    for seed in range(n_runs):
        model = full.copy(seed)
        model.advance(X, y, 1)
        distances = np.abs(np.array(steps) - (model.predict(X) - start)).max(axis=1)
        counts[np.argmin(distances)] += 1
        assert distances.min() < 1e-9
    # Cells with few expected trees are taken together, as the chi-square law asks.
    order = np.argsort(chances)
    groups = np.cumsum(np.array(chances)[order]) * n_runs // 8
    expected, seen = (
        np.array([np.sum(np.array(values)[order][groups == g]) for g in np.unique(groups)])
        for values in (np.array(chances) * n_runs, counts)
    )
    assert len(expected) > 10
    statistic = ((seen - expected) ** 2 / expected).sum()
    assert statistic < chi2.ppf(1 - 1e-4, len(expected) - 1)


def test_mean_step_of_our_boosting_is_the_expected_update():
    X, y = data()
    full = full_model(X, y, random_strength=0.1)
    start = full.predict(X)
    expected = expected_update(
        X, y, start, borders=borders_of(X), depth=2, random_strength=0.1, learning_rate=RATE
    )
    after = []
    for seed in range(400):
        model = full.copy(seed)
        model.advance(X, y, 1)
        after.append(model.predict(X))
    error = np.std(after, axis=0) / math.sqrt(len(after))
    assert np.abs(expected - start).max() > 20 * error.max()
    # 60 rows at 4.5 standard errors.
    assert (np.abs(np.mean(after, axis=0) - expected) < 4.5 * error).all()


def test_boosting_kernel_takes_the_learners_own_borders_and_place():
    X, y = data()
    full = full_model(X, y, random_strength=0.1)
    stationary = tree_kernel(X, borders=borders_of(X), depth=2)
    assert_allclose(boosting_kernel(full, X), stationary, atol=1e-14)
    kernel = boosting_kernel(full, X, y)
    assert np.abs(kernel - stationary).max() > 1e-3
    step = RATE * kernel @ (y - full.predict(X))
    expected = expected_update(
        X, y, full.predict(X), borders=borders_of(X), depth=2, random_strength=0.1,
        learning_rate=RATE,
    )  # fmt: skip
    assert_allclose(full.predict(X) + step, expected, atol=1e-12)


def test_removed_features_are_not_split():
    X, y = data()
    full = full_model(X, y, random_strength=0.1)
    filled = X.copy()
    filled[:, 0] = X[:, 0].mean()
    bound = full.datasets(X)[0].without((0,), tuple(X.mean(axis=0)))
    expected = tree_kernel(X, borders=[[], *borders_of(X)[1:]], depth=2)
    assert_allclose(boosting_kernel(full, filled), expected, atol=1e-14)
    assert_allclose(boosting_kernel(full, bound), expected, atol=1e-14)


def test_missing_values_have_a_bin_of_their_own():
    X, y = data()
    X[::7, 1] = np.nan
    full = full_model(X, y, random_strength=0.1)
    kernel = boosting_kernel(full, X)
    assert_allclose(kernel.sum(axis=1), 1, atol=1e-12)
    missing = np.isnan(X[:, 1])
    assert kernel[np.ix_(missing, missing)].mean() > kernel[np.ix_(missing, ~missing)].mean()


def test_a_run_starts_at_the_full_model_and_leaves_it_alone():
    X, y = data()
    full = full_model(X, y, random_strength=0.1)
    before = full.predict(X)
    run = follow_run(full, X, y, 4, kernel=boosting_kernel, kernel_steps=[4, 0], seeds=[1])
    assert_array_equal(run.predictions[0], before)
    assert_array_equal(full.predict(X), before)
    model = full.copy(1)
    model.advance(X, y, 4)
    assert_array_equal(run.predictions[4], model.predict(X))
    assert_array_equal(run.steps, [0, 4])
    assert_array_equal(run.kernel_matrices[1], boosting_kernel(model, X, y))
    assert_array_equal(run.distances()[0], 0)
    assert run.distances()[1] > 0


def test_a_run_over_seeds_is_their_mean():
    X, y = data()
    full = full_model(X, y, random_strength=0.1)
    single = [
        follow_run(full, X, y, 3, kernel=boosting_kernel, kernel_steps=[3], seeds=[seed])
        for seed in (5, 6)
    ]
    both = follow_run(full, X, y, 3, kernel=boosting_kernel, kernel_steps=[3], seeds=[5, 6])
    for name in ("predictions", "kernel_matrices"):
        expected = (getattr(single[0], name) + getattr(single[1], name)) / 2
        assert_allclose(getattr(both, name), expected, atol=1e-15)


def test_kernel_comes_closer_to_the_stationary_one_as_beta_grows_and_as_the_model_learns():
    X, y = data()
    distances = {}
    for strength in (0.1, 1.0, 10.0):
        full = full_model(X, y, strength)
        run = follow_run(full, X, y, 40, kernel=boosting_kernel, kernel_steps=[0, 40])
        distances[strength] = run.distances(boosting_kernel(full, X))
    starts = [start for start, _ in distances.values()]
    assert all(smaller < larger / 4 for larger, smaller in itertools.pairwise(starts))
    assert all(end < start for start, end in distances.values())


def test_oracle_stop_takes_all_allowed_steps_when_nothing_drifts():
    X, _ = data()
    kernel = tree_kernel(X, borders=borders_of(X), depth=2)
    generator = np.random.default_rng(0)
    truth = kernel @ generator.normal(size=60) * 10
    noise = 0.2 * generator.normal(size=60)
    path = [np.zeros(60)]
    for _ in range(500):
        path.append(path[-1] + RATE * kernel @ (truth + noise - path[-1]))
    stop = oracle_stop(
        np.array(path), truth + noise, truth,
        learning_rate=RATE, stationary_kernel=kernel, noise_std=0.2,
    )  # fmt: skip
    assert 3 < stop.optimal_step == stop.max_step < 500
    expected = error_decomposition([kernel] * 500, truth, noise, RATE)
    assert_allclose(stop.terms.bound, expected.bound, rtol=1e-9)
    # The constant's promise, for the mean of the variance term; one draw may exceed it a little.
    eta = RATE * np.arange(1, stop.max_step + 1)
    promised = stop.rkhs_gap_norm**2 * (1 / math.e + 1 / math.e**2) / eta
    known = (stop.terms.bias_term + stop.terms.variance_term)[1 : stop.max_step + 1]
    assert (known < 1.5 * promised).all()


def test_oracle_stop_comes_earlier_when_the_run_departs_from_its_kernel():
    X, _ = data()
    kernel = tree_kernel(X, borders=borders_of(X), depth=2)
    truth = 10 * kernel @ np.random.default_rng(0).normal(size=60)
    path = [np.zeros(60)]
    for _ in range(500):
        path.append(path[-1] + RATE * kernel @ (truth - path[-1]))
    departing = np.array(path) + 0.02 * np.arange(501)[:, None]
    arguments = {"learning_rate": RATE, "stationary_kernel": kernel, "noise_std": 0.2}
    kept = oracle_stop(np.array(path), truth, truth, **arguments)
    departed = oracle_stop(departing, truth, truth, **arguments)
    assert 1 < departed.optimal_step < kept.optimal_step == kept.max_step == departed.max_step


def test_drift_of_our_boosting_falls_as_beta_grows_and_the_bound_holds():
    X, _ = data(n=80)
    truth = 2 * X[:, 1] * (X[:, 2] > 0)
    y = truth + 0.3 * np.random.default_rng(1).normal(size=80)
    filled = X.copy()
    filled[:, 0] = X[:, 0].mean()
    drifts = []
    for strength in (0.01, 1e4):
        full = full_model(X, 2 * X[:, 0] + y, strength, n_steps=2)
        run = follow_run(full, filled, y, 30, kernel=boosting_kernel, seeds=range(20))
        stop = oracle_stop(
            run.predictions, y, truth,
            learning_rate=RATE, stationary_kernel=boosting_kernel(full, filled), noise_std=0.3,
        )  # fmt: skip
        assert (stop.terms.error <= stop.terms.bound).all()
        assert stop.terms.error[-1] < 0.5 * stop.terms.error[0]
        assert 1 <= stop.optimal_step <= stop.max_step
        drifts.append(stop.terms.drift_term[10])
    # What is left at 1e4 is the chance of 20 runs, not drift.
    assert drifts[0] > 10 * drifts[1] > 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"subsample": 0.5}, "subsample=1; the learner has subsample=0.5"),
        ({"l2_leaf": 1.0}, "l2_leaf=0"),
        ({"n_steps": 0}, "must be trained"),
    ],
)
def test_learners_without_a_kernel_are_refused(changes, message):
    X, y = data()
    with pytest.raises(ValueError, match=message):
        boosting_kernel(full_model(X, y, 0.1, **changes), X)


def test_other_learners_are_refused():
    with pytest.raises(TypeError, match="must be an ObliviousBoosting; got str"):
        boosting_kernel("boosting", np.ones((2, 2)))


def test_steps_outside_the_run_are_refused():
    X, y = data()
    with pytest.raises(ValueError, match=r"kernel_steps must be in 0..3; got 4"):
        follow_run(full_model(X, y, 0.1), X, y, 3, kernel=boosting_kernel, kernel_steps=[4])
