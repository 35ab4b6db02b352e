"""Outputs for many values of some columns from one kernel matrix, against one table at a time."""

import numpy as np
import pandas as pd
import pytest

from lukewarm.data import filled
from lukewarm.learners.kernel import KernelMachineRegressor, filled_outputs
from lukewarm.learners.kernel import _filled as module

_NODES = np.array([-1.4, -0.6, 0.1, 0.5, 1.3])


def _table(n_rows=300):
    generator = np.random.default_rng(1)
    X = generator.normal(size=(n_rows, 4))
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] + 0.3 * generator.normal(size=n_rows)
    return X, y


def _check(model, X, fills):
    outputs = filled_outputs(model.machine_, X, fills)
    # Not trivial: the columns have a part.
    assert np.abs(outputs[0] - outputs[-1]).max() > 1e-3
    for each, fill in zip(outputs, fills, strict=True):
        # Rounding of exponents below 300 and of sums with landmark weights of both signs.
        scale = np.abs(model.machine_.weights).sum()
        np.testing.assert_allclose(
            each[:, 0], model.predict(filled(X, fill)), rtol=0, atol=1e-12 * scale
        )


@pytest.mark.parametrize(
    "kernel", ["rbf", "rbf+linear", "linear", "laplace", "laplace+linear", "polynomial"]
)
def test_draws_around_a_guess_equal_one_table_at_a_time(kernel):
    X, y = _table()
    model = KernelMachineRegressor(kernel, ard=False, random_state=0).fit(X, y)
    guess = 0.3 * X[:, 0]
    _check(model, X, [{3: guess + node} for node in _NODES])


def test_values_cut_off_at_the_ends_are_not_taken_for_shifted_ones():
    X, y = _table()
    model = KernelMachineRegressor("rbf+linear", random_state=0).fit(X, y)
    guess = 2.0 * X[:, 0]
    fills = [{2: np.clip(guess + node, -2.0, 2.0)} for node in _NODES]
    is_cut = np.abs(guess) + 1.4 > 2.0
    assert 0.1 < is_cut.mean() < 0.9
    _check(model, X, fills)


def test_several_columns_are_shifted_together():
    X, y = _table()
    model = KernelMachineRegressor(random_state=0).fit(X, y)
    fills = [{1: X[:, 0] + node, 3: X[:, 2] - 2 * node} for node in _NODES]
    _check(model, X, fills)


def test_values_drawn_one_by_one_come_as_objects():
    X, y = _table()
    X[:, 3] = X[:, 3] > 0
    model = KernelMachineRegressor(random_state=0).fit(X, y)
    _check(model, X, [{3: np.full(300, value, dtype=object)} for value in (0.0, 1.0)])


def test_exponents_that_would_overflow_are_not_taken_apart(monkeypatch):
    X, y = _table()
    model = KernelMachineRegressor("rbf", length_scale=0.01, random_state=0).fit(X, y)
    fills = [{0: X[:, 1] + 5 * node} for node in _NODES]
    assert np.isfinite(filled_outputs(model.machine_, X, fills)).all()
    monkeypatch.setattr(module, "_LARGEST_EXPONENT", np.inf)
    with np.errstate(all="ignore"):
        assert not np.isfinite(filled_outputs(model.machine_, X, fills)).all()


def test_a_column_without_part_changes_nothing():
    X, y = _table()
    model = KernelMachineRegressor("rbf", ard=False, random_state=0).fit(X, y)
    kernel = model.machine_.kernel.without(np.array([False, False, False, True]))
    object.__setattr__(model.machine_, "kernel", kernel)
    outputs = filled_outputs(model.machine_, X, [{3: X[:, 0] + node} for node in _NODES])
    assert all(np.array_equal(each[:, 0], model.predict(X)) for each in outputs)


def test_levels_and_gaps_equal_one_table_at_a_time():
    X, y = _table()
    generator = np.random.default_rng(2)
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"])
    frame.loc[generator.random(300) < 0.2, "a"] = np.nan
    frame["c"] = pd.Categorical(generator.choice(["u", "v", None], 300), categories=["u", "v", "w"])
    target = y + (frame["c"] == "u") + frame["a"].isna()
    model = KernelMachineRegressor(random_state=0).fit(frame, target)
    levels = [np.full(300, level, dtype=object) for level in ("u", "v", "w", None)]
    _check(model, frame, [{2: level} for level in levels])
    guess = frame["b"].to_numpy()
    _check(model, frame, [{0: np.full(300, np.nan)}, *({0: guess + node} for node in _NODES)])
