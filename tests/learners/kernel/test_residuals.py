"""Machines of residuals, with and without columns."""

import numpy as np
import pandas as pd
import pytest

from lukewarm.data import Rows
from lukewarm.learners.kernel import ResidualMachine


@pytest.fixture(scope="module")
def left():
    """Two outputs of very different size that depend on the first two of three columns."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(1200, 3))
    product = X[:, 0] * X[:, 1]
    noise = 0.2 * generator.normal(size=(1200, 2))
    return Rows(X, (np.column_stack([product, X[:, 0] - product]) + noise) * [1.0, 1000.0])


def test_outputs_of_any_size_are_learnt(left):
    machine = ResidualMachine.learn(left, 0)
    errors = np.mean(np.square(left.y - machine.predict(left.X)), axis=0)
    # What is left of them is the noise, 0.2² in units of each.
    assert (errors / [1.0, 1000.0**2] < 0.06).all()


def test_without_a_column_only_what_others_know_is_left(left):
    machine = ResidualMachine.learn(left, 0)
    both = machine.predict_without([0], left.X)
    changed = np.array(left.X)
    changed[:, 0] = 0.0
    assert np.allclose(both, machine.predict_without([0], changed))
    # Without the first column neither product nor line can be known.
    assert np.mean(both[:, 0] ** 2) < 0.05 * np.mean(left.y[:, 0] ** 2)


def test_an_unused_column_changes_nothing(left):
    # Of fifteen columns of noise the search drops some.
    noise = np.random.default_rng(1).normal(size=(len(left), 15))
    X = np.column_stack([left.X, noise])
    machine = ResidualMachine.learn(Rows(X, left.y), 0)
    assert machine.uses([0])
    unused = [column for column in range(3, 18) if not machine.uses([column])]
    assert unused
    assert np.array_equal(machine.predict_without(unused, X), machine.predict(X))


def test_a_frame_of_levels_and_gaps_is_read():
    generator = np.random.default_rng(0)
    level = pd.Categorical(generator.choice(["a", "b", "c"], 300))
    x = np.where(generator.random(300) < 0.2, np.nan, generator.normal(size=300))
    y = (level == "b") * 2.0 + np.isnan(x) + 0.1 * generator.normal(size=300)
    rows = Rows(pd.DataFrame({"level": level, "x": x}), (y - y.mean())[:, None])
    machine = ResidualMachine.learn(rows, 0)
    assert np.mean(np.square(rows.y - machine.predict(rows.X))) < 0.1 * np.var(rows.y)


def test_one_seed_one_machine_and_no_more_rows_than_needed(left):
    first, again, other = (ResidualMachine.learn(left, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.predict(left.X), again.predict(left.X))
    assert not np.array_equal(first.predict(left.X), other.predict(left.X))
    assert len(first.fitted.training.y) == 1000


def test_of_a_wide_table_columns_are_taken_that_stand_out(left):
    noise = np.random.default_rng(1).normal(size=(len(left), 150))
    X = np.column_stack([noise, left.X])
    machine = ResidualMachine.learn(Rows(X, left.y), 0)
    assert {150, 151} <= set(machine.columns.tolist())
    assert len(machine.columns) < 20
    assert machine.uses([150])
    assert not machine.uses([0, 152])
    assert np.mean(machine.predict_without([150], X)[:, 0] ** 2) < 0.05 * np.mean(left.y[:, 0] ** 2)
    useless = Rows(X, np.random.default_rng(2).normal(size=(len(left), 1)))
    assert ResidualMachine.learn(useless, 0) is None
