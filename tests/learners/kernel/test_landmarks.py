"""Landmarks are doubled where that helps; half of them tell whether it may."""

import numpy as np
import pytest

from lukewarm.learners.kernel import _search
from lukewarm.learners.kernel._choice import Training
from lukewarm.learners.kernel._search import common_kernel


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
            return _search._with_landmarks(training, kernel, None, 300), tried

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
