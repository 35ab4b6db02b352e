"""Estimated noise and gap, and the rule made of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lukewarm.data import Rows
from lukewarm.kernels import (
    TheoreticalStop,
    boosting_kernel,
    error_decomposition,
    estimate_gap_norm,
    estimate_noise_std,
    kernel_eigenvalues,
    max_theoretical_step,
    ntk,
    rkhs_gap_norm,
    tree_kernel,
)
from lukewarm.learners import ObliviousBoosting, train_until
from lukewarm.stopping import FixedSteps, StoppingRule


def problem(kind: str, seed: int = 0, n: int = 300, noise_std: float = 0.3):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 3))
    if kind == "trees":
        kernel = tree_kernel(X, borders=[np.linspace(-1.5, 1.5, 7)] * 3, depth=2)
    else:
        kernel = ntk(X, n_hidden_layers=1, weight_scale=1.0, bias_scale=0.1) / n
    centres = generator.choice(n, size=5)
    gap = kernel[:, centres] @ generator.normal(size=5) * n
    gap /= np.sqrt(np.mean(gap**2))
    return kernel, gap, noise_std * generator.normal(size=n)


@pytest.mark.parametrize("kind", ["trees", "network"])
@pytest.mark.parametrize("noise_std", [0.1, 0.3, 1.0])
def test_noise_level_is_found(kind, noise_std):
    ratios = []
    for seed in range(8):
        kernel, gap, noise = problem(kind, seed, noise_std=noise_std)
        ratios.append(estimate_noise_std(kernel, gap + noise) / noise_std)
    # One estimate spreads by 1 / sqrt(2 * freedom), some 5 %; the mean of 8 by 2 %, plus the bias
    # of a gap that is not fully fitted.
    assert np.mean(ratios) == pytest.approx(1, abs=0.08)


@pytest.mark.parametrize("kind", ["trees", "network"])
def test_gap_norm_is_found_within_a_factor_of_two(kind):
    for seed in range(8):
        kernel, gap, noise = problem(kind, seed)
        ratio = estimate_gap_norm(kernel, gap + noise) / rkhs_gap_norm(kernel, gap)
        assert 0.5 < ratio < 2
        # What the estimate is for: the plain formula on noisy residuals.
        if kind == "network":
            assert rkhs_gap_norm(kernel, gap + noise) > 4 * rkhs_gap_norm(kernel, gap)


def test_pure_noise_has_hardly_a_gap():
    kernel, _, noise = problem("trees", noise_std=1.0)
    assert estimate_noise_std(kernel, noise) == pytest.approx(1, abs=0.15)
    rule = TheoreticalStop.learn(kernel, noise, learning_rate=0.1)
    assert rule.max_step < 5


@pytest.mark.parametrize("kind", ["trees", "network"])
def test_stopping_there_is_nearly_as_good_as_the_best_step(kind):
    rate = 0.5
    for seed in range(4):
        kernel, gap, noise = problem(kind, seed)
        rule = TheoreticalStop.learn(kernel, gap + noise, learning_rate=rate)
        n_steps = max(400, int(rule.max_step) + 1)
        error = error_decomposition([kernel] * n_steps, gap, noise, rate).error
        assert error.min() < 0.2 * error[0]
        # The rule balances upper bounds, so it stops early, within a small factor of the best.
        assert error[int(rule.max_step)] < 4 * error.min()


def test_known_quantities_are_used_as_they_are():
    kernel, gap, noise = problem("trees")
    rule = TheoreticalStop.learn(
        kernel, gap + noise, learning_rate=0.2, noise_std=0.5, rkhs_gap_norm=2.0, gap_power=2
    )
    expected = max_theoretical_step(
        kernel_eigenvalues(kernel), learning_rate=0.2, noise_std=0.5, rkhs_gap_norm=2.0, gap_power=2
    )
    assert rule == TheoreticalStop(expected, 0.5, 2.0)


def test_it_stops_where_fixed_steps_would():
    rule, fixed = TheoreticalStop(3, 1.0, 1.0), FixedSteps(3)
    assert isinstance(rule, StoppingRule)
    for losses in ([1.0], [1.0] * 3, [1.0] * 4, [1.0] * 9, [1.0, math.nan]):
        assert rule.should_stop(losses) == fixed.should_stop(losses)
        assert rule.best_step(losses) == fixed.best_step(losses)


def test_an_infinite_rule_never_stops_but_for_nan():
    rule = TheoreticalStop(math.inf, 0.0, 1.0)
    assert not rule.should_stop([1.0] * 1000)
    assert rule.should_stop([1.0, math.nan])
    assert rule.best_step([1.0] * 11) == 10


def test_the_training_loop_takes_that_many_steps():
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = X[:, 0] + 0.5 * np.random.default_rng(1).normal(size=200)
    full = ObliviousBoosting(depth=2, n_bins=8, random_strength=100.0)
    full.advance(X, y + 3 * X[:, 1], 30)
    X_removed = X * [1, 0]
    kernel = boosting_kernel(full, X_removed)
    residuals = y - full.predict(X_removed)
    rule = TheoreticalStop.learn(kernel, residuals, learning_rate=full.learning_rate)
    rows = Rows(X_removed, y)
    _, trace = train_until(full.copy(1), rows, rows, rule, max_steps=1000)
    assert 5 < trace.stopped_step == rule.max_step < 1000
    assert trace.losses[-1] < trace.losses[0]


def test_scaling_y_changes_no_step():
    kernel, gap, noise = problem("network")
    rules = [
        TheoreticalStop.learn(kernel, scale * (gap + noise), learning_rate=0.1)
        for scale in (1.0, 1e5)
    ]
    assert rules[0].max_step == rules[1].max_step > 0
    assert rules[1].noise_std == pytest.approx(1e5 * rules[0].noise_std)
