import numpy as np
import pandas as pd

from lukewarm.data import Removal, Rows


def test_fill_is_the_mean_of_the_training_rows_wherever_it_is_applied(generator):
    train, other = generator.normal(size=(2, 50, 3))
    filled = Removal.learn(train).apply(other, (1,))
    assert abs(other[:, 1].mean() - train[:, 1].mean()) > 1e-3
    np.testing.assert_allclose(filled[:, 1], train[:, 1].mean(), rtol=1e-12)
    np.testing.assert_array_equal(filled[:, [0, 2]], other[:, [0, 2]])


def test_missing_values_stay_out_of_the_mean():
    train = np.array([[1.0], [np.nan], [3.0]])
    assert Removal.learn(train).fill_values == (2.0,)


def test_the_given_rows_are_left_as_they_were(generator):
    X = generator.normal(size=(10, 2))
    before = X.copy()
    Rows(X, X[:, 0]).without((0,), Removal.learn(X))
    np.testing.assert_array_equal(X, before)


def test_zero_and_a_number_may_be_the_fill():
    X = np.ones((3, 2))
    assert Removal.learn(X, "zero").fill_values == (0.0, 0.0)
    assert Removal.learn(X, 7).fill_values == (7.0, 7.0)


def test_a_category_is_filled_with_its_most_frequent_level():
    frame = pd.DataFrame({"a": [1.0, 3.0, 5.0], "b": pd.Categorical(["u", "v", "v"])})
    filled = Removal.learn(frame).apply(frame, (0, 1))
    assert filled["a"].tolist() == [3.0] * 3
    assert filled["b"].tolist() == ["v"] * 3
    assert filled["b"].dtype == frame["b"].dtype


def test_some_columns_may_have_a_fill_of_their_own():
    frame = pd.DataFrame({"a": [1.0, 3.0], "b": pd.Categorical(["u", "v"]), "c": [2.0, 4.0]})
    assert Removal.learn(frame, {1: "v", 0: -1.0}).fill_values == (-1.0, "v", 3.0)
