import numpy as np
import pandas as pd
import pytest

from lukewarm.estimators._linear_game import LinearGame, numeric_design


@pytest.fixture
def table():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 4)) @ generator.normal(size=(4, 4))
    y = X @ [1.0, -2.0, 0.0, 0.5] + generator.normal(size=300)
    is_evaluation = np.arange(300) % 3 == 0
    return X, y, is_evaluation


def least_squares_value(X, y, is_evaluation):
    design = np.column_stack([X, np.ones(len(y))])
    slopes = np.linalg.lstsq(design[~is_evaluation], y[~is_evaluation], rcond=None)[0]
    return -np.mean((y - design @ slopes)[is_evaluation] ** 2)


def test_values_are_those_of_least_squares(table):
    X, y, is_evaluation = table
    game = LinearGame(X, y[:, None], is_evaluation, [(0,), (1,), (2,), (3,)])
    kept = [(), (1,), (0, 3), (0, 1, 2, 3)]
    expected = [least_squares_value(X[:, list(each)], y, is_evaluation) for each in kept]
    assert np.ptp(expected) > 1
    # The ridge of 1e-6 moves a slope by that share at most, times the design's condition.
    np.testing.assert_allclose(game.values(kept), expected, rtol=1e-4)


def test_players_may_have_several_columns_and_the_rest_is_always_kept(table):
    X, y, is_evaluation = table
    game = LinearGame(X, y[:, None], is_evaluation, [(0, 2), (3,)])
    expected = [
        least_squares_value(X[:, columns], y, is_evaluation) for columns in ([1], [0, 1, 2], [1, 3])
    ]
    np.testing.assert_allclose(game.values([(), (0,), (1,)]), expected, rtol=1e-4)


def test_a_constant_column_and_missing_values_do_no_harm():
    X = np.column_stack([np.ones(50), np.arange(50.0)])
    X[3, 1] = np.nan
    y = np.arange(50.0)
    nowhere = np.zeros(50, dtype=bool)
    nowhere[::2] = True
    game = LinearGame(numeric_design(X, y, nowhere), y[:, None], nowhere, [(0,), (1,)])
    assert np.isfinite(game.values([(), (0,), (1,), (0, 1)])).all()


def test_levels_become_mean_targets_of_rows_that_are_not_evaluated():
    frame = pd.DataFrame(
        {"kind": pd.Categorical(["a", "a", "b", "b", "c"]), "x": [1.0, 2, 3, 4, 5]}
    )
    y = np.array([1.0, 3.0, 10.0, 20.0, 7.0])
    evaluated = np.array([False, False, False, True, True])
    design = numeric_design(frame, y, evaluated)
    # "c" is evaluated only, so it takes the mean of the filled column.
    np.testing.assert_allclose(design[:, 0], [2, 2, 10, 10, 6])
