"""Landmarks are doubled where that helps, and length scales are made shorter."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from lukewarm.learners.kernel import (
    KernelMachineClassifier,
    KernelMachineRegressor,
    _class_search,
    _search,
)
from lukewarm.learners.kernel._choice import Training, best_on
from lukewarm.learners.kernel._class_search import choose_class_penalty
from lukewarm.learners.kernel._search import TUNING_ROWS, common_kernel


@pytest.fixture
def chosen(monkeypatch):
    """Return the machine chosen for a function, with or without the probe, and what was tried."""
    generator = np.random.default_rng(0)
    X = generator.uniform(-1, 1, size=(300, 2))
    noise = 0.3 * generator.normal(size=300)
    monkeypatch.setattr(_search, "_FIRST_LANDMARKS", 100)
    path = Training.path

    def choose(function, length_scale, with_probe):
        tried = []

        def recorded(training, kernel, n_landmarks):
            tried.append(n_landmarks)
            return path(training, kernel, n_landmarks)

        with monkeypatch.context() as patch:
            patch.setattr(Training, "path", recorded)
            if not with_probe:
                patch.setattr(_search, "_more_may_help", lambda *arguments: True)
            training = Training(X, (function(X) + noise)[:, None], np.ones(300))
            kernel = common_kernel("rbf", length_scale, training)
            return _search.with_landmarks(training, kernel, None, 300, sharpens=False), tried

    return choose


def test_the_probe_stops_where_doubling_does_not_help(chosen):
    def smooth(X):
        return np.sin(2 * X[:, 0]) + X[:, 1]

    one, tried = chosen(smooth, 0.5, with_probe=True)
    other, tried_without = chosen(smooth, 0.5, with_probe=False)
    assert max(tried) == 100 < max(tried_without)
    # What would have been found is no more than the share for which landmarks are doubled.
    assert one.loss < 1.02 * other.loss


def test_the_probe_changes_nothing_where_doubling_helps(chosen):
    def wiggly(X):
        return np.sin(10 * X[:, 0]) * np.sin(10 * X[:, 1])

    one, _ = chosen(wiggly, 0.2, with_probe=True)
    other, _ = chosen(wiggly, 0.2, with_probe=False)
    assert one.n_landmarks == other.n_landmarks > 100
    assert one.loss == other.loss


def _disc(X):
    return 2.0 * (np.square(X).sum(axis=1) < 0.5)


def _wave(X):
    return 2 * np.sin(2 * X[:, 0]) + X[:, 1]


def _fitted(function, n_rows, **settings):
    generator = np.random.default_rng(1)
    X = generator.uniform(-1, 1, size=(n_rows, 2))
    y = function(X) + 0.3 * generator.normal(size=n_rows)
    settings = {"kernel": "rbf", "max_landmarks": 1000, "random_state": 0} | settings
    return KernelMachineRegressor(**settings).fit(X, y)


def _excess(machine, function):
    X = np.random.default_rng(2).uniform(-1, 1, size=(4000, 2))
    return np.square(machine.predict(X) - function(X)).mean()


@pytest.fixture
def unsharpened(monkeypatch):
    def fitted(fit, *arguments):
        with monkeypatch.context() as patch:
            patch.setattr(_search, "_sharpened", lambda training, path, *others: path)
            return fit(*arguments)

    return fitted


@pytest.mark.parametrize("n_rows", [800, 4 * TUNING_ROWS])
def test_a_jump_is_seen_from_nearer(n_rows, unsharpened):
    sharp = _fitted(_disc, n_rows)
    kept = unsharpened(_fitted, _disc, n_rows)
    assert (sharp.kernel_.inverse_scales > 1.4 * kept.kernel_.inverse_scales).all()
    assert _excess(sharp, _disc) < _excess(kept, _disc)


@pytest.mark.parametrize("n_rows", [800, 4 * TUNING_ROWS])
def test_a_smooth_function_keeps_the_scales_that_were_found(n_rows, unsharpened):
    machine = _fitted(_wave, n_rows)
    kept = unsharpened(_fitted, _wave, n_rows)
    assert np.array_equal(machine.kernel_.inverse_scales, kept.kernel_.inverse_scales)


def _fitted_classes(log_odds):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(1200, 2))
    y = generator.random(1200) < expit(log_odds(np.square(X).sum(axis=1)))
    return KernelMachineClassifier("rbf", random_state=0).fit(X, y)


def test_the_log_loss_decides_on_the_scales_of_classes(unsharpened, monkeypatch):
    def jump(radius):
        return 4.0 * (radius < 0.6) - 2

    def smooth(radius):
        return 4 - 6 * radius

    kept = {function: unsharpened(_fitted_classes, function) for function in (jump, smooth)}
    of_jump, of_smooth = _fitted_classes(jump), _fitted_classes(smooth)
    assert (of_jump.kernel_.inverse_scales > 1.4 * kept[jump].kernel_.inverse_scales).all()
    assert of_jump.cv_loss_ < kept[jump].cv_loss_
    assert np.array_equal(of_smooth.kernel_.inverse_scales, kept[smooth].kernel_.inverse_scales)
    # Squared errors ask for shorter scales of both: the log-loss has refused those of one.
    monkeypatch.setattr(_class_search, "choose_class_penalty", _by_squared_errors)
    asked = _fitted_classes(smooth).kernel_
    assert (asked.inverse_scales > 1.4 * of_smooth.kernel_.inverse_scales).all()


def _by_squared_errors(training, path, n_landmarks, penalty):
    choice = choose_class_penalty(training, path, n_landmarks, penalty)
    squared = best_on(path, training.validation_rows(n_landmarks), penalty, n_landmarks)
    return replace(choice, loss=squared.loss)


def test_a_length_scale_that_was_asked_for_is_kept():
    few, many = (_fitted(_disc, times * TUNING_ROWS, length_scale=0.5) for times in (1, 4))
    # The unit, the rows' spread, is measured: within some standard errors of 1,000 rows.
    assert many.kernel_.inverse_scales == pytest.approx(few.kernel_.inverse_scales, rel=0.1)
