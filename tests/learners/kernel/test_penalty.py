"""The penalty that a machine takes."""

import numpy as np
import pytest

from lukewarm.learners.kernel._choice import PENALTIES, Training, choose_penalty
from lukewarm.learners.kernel._kernel import Kernel


def _training(function, noise, n_rows=120, seed=0):
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(n_rows, 1))
    y = function(rows) + noise * generator.normal(size=(n_rows, 1))
    return Training(rows, y, np.ones(n_rows))


def test_of_penalties_as_good_the_largest_is_taken():
    training = _training(lambda rows: rows, 1.0)
    kernel = Kernel("rbf", np.array([0.3]), np.zeros(1))
    choice = choose_penalty(training, kernel, 120, None)
    path, validation = choice.path, training.validation_rows(120)
    row_losses = validation.row_losses(path, PENALTIES)
    lowest = int(np.argmin(row_losses.mean(axis=0)))
    assert choice.penalty > PENALTIES[lowest]
    excess = row_losses - row_losses[:, [lowest]]
    place = int(np.flatnonzero(choice.penalty == PENALTIES)[0])
    error = excess[:, place].std() / np.sqrt(len(excess))
    assert excess[:, place].mean() <= 0.5 * error


def test_no_penalty_expects_an_implausible_function():
    # A wave of unit noise and a kernel too wide for it: on some of these tables the lowest loss is
    # that of a function of spread a hundred and more.
    kernel = Kernel("rbf", np.array([0.5]), np.zeros(1))
    n_implausible, farthest = 0, []
    for seed in range(12):
        training = _training(lambda rows: np.sin(3 * rows), 1.0, seed=seed)
        choice = choose_penalty(training, kernel, 120, None)
        validation = training.validation_rows(120)
        losses = validation.row_losses(choice.path, PENALTIES).mean(axis=0)
        spreads = np.sqrt(losses / (PENALTIES * 120 * validation.variance))
        n_implausible += spreads[np.argmin(losses)] > 30
        chosen = spreads[choice.penalty == PENALTIES]
        farthest.append(float(chosen[0]))
    assert n_implausible > 2
    assert max(farthest) <= 30


def test_a_given_penalty_is_kept():
    training = _training(lambda rows: rows, 0.1)
    kernel = Kernel("rbf", np.ones(1), np.zeros(1))
    assert choose_penalty(training, kernel, 120, 1e-7).penalty == pytest.approx(1e-7, abs=0)
