"""The penalty that a machine takes."""

import numpy as np
import pytest

from lukewarm.learners import KernelMachineRegressor
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


def test_a_machine_stays_near_what_it_has_seen():
    # Noise mostly: on some of these tables the lowest loss is that of a function of spread 100.
    farthest = []
    for seed in range(12):
        training = _training(lambda rows: np.sin(3 * rows), 1.0, seed=seed)
        machine = KernelMachineRegressor("rbf", ard=False, random_state=0)
        machine.fit(training.rows, training.y[:, 0])
        new = np.linspace(-4, 4, 200)[:, None]
        farthest.append(np.abs(machine.predict(new)).max())
    # y itself reaches about 3.5.
    assert max(farthest) < 20


def test_a_given_penalty_is_kept():
    training = _training(lambda rows: rows, 0.1)
    kernel = Kernel("rbf", np.ones(1), np.zeros(1))
    assert choose_penalty(training, kernel, 120, 1e-7).penalty == pytest.approx(1e-7, abs=0)
