import numpy as np
import pandas as pd
import pytest

from lukewarm.learners.boosting._borders import Borders
from lukewarm.learners.boosting._columns import CategoryColumn, NumericColumn, quantile_borders


def test_few_values_get_a_border_between_each_two():
    np.testing.assert_allclose(quantile_borders(np.array([3.0, 1.0, 1.0, 2.0]), 10), [1.5, 2.5])


@pytest.mark.parametrize("n_bins", [2, 7, 64, 255])
def test_bins_of_distinct_values_differ_by_one_row_at_most(n_bins):
    values = np.random.default_rng(0).normal(size=1000)
    borders = quantile_borders(values, n_bins)
    counts = np.bincount(np.searchsorted(borders, values))
    assert len(counts) == n_bins
    assert np.ptp(counts) <= 1


def test_a_value_more_frequent_than_a_bin_has_one_for_itself():
    values = np.concatenate([np.zeros(500), np.random.default_rng(0).normal(size=500)])
    codes = np.searchsorted(quantile_borders(values, 10), values)
    assert len(set(codes[values == 0])) == 1
    assert len(np.unique(codes)) >= 5


def test_neighbouring_floats_are_told_apart():
    low = 1.0
    high = np.nextafter(low, 2.0)
    (border,) = quantile_borders(np.array([low, high]), 2)
    assert low <= border < high


def test_doubling_all_rows_moves_no_border():
    values = np.random.default_rng(0).normal(size=777)
    np.testing.assert_array_equal(
        quantile_borders(values, 50), quantile_borders(np.repeat(values, 2), 50)
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_codes_agree_with_a_search_of_the_borders(dtype):
    X = (100 * np.random.default_rng(0).normal(size=(600, 3))).astype(dtype)
    borders = Borders.learn(X, 255)
    codes = borders.encode(X, n_threads=2)
    for feature, column in enumerate(borders.columns):
        np.testing.assert_array_equal(
            codes[feature], np.searchsorted(column.borders, X[:, feature]) + 1
        )
        assert codes[feature, 5] == column.code_of(X[5, feature])


def test_missing_values_have_code_zero_and_a_split_only_where_training_rows_lacked_some():
    gappy = NumericColumn.learn(np.array([1.0, np.nan, 2.0]), 4)
    whole = NumericColumn.learn(np.array([1.0, 2.0]), 4)
    assert gappy.code_of(np.nan) == whole.code_of(None) == 0
    assert gappy.thresholds == (0, 1)
    assert whole.thresholds == (1, 1)


def test_levels_are_ordered_by_frequency_and_the_rest_share_the_last_code():
    values = pd.Series(["a"] * 2 + ["b"] * 5 + ["c"] * 3 + ["d"] + [None])
    column = CategoryColumn.learn(values, 4)
    np.testing.assert_array_equal(
        column.encode(["b", "c", "a", "d", "new", None]), [1, 2, 3, 4, 4, 0]
    )
    assert column.thresholds == (0, 4)


def test_of_two_levels_one_is_tested_for():
    column = CategoryColumn.learn(pd.Series(["a", "b", "a"]), 4)
    assert column.thresholds == (1, 1)


def test_nullable_and_boolean_columns_are_numbers():
    frame = pd.DataFrame(
        {"whole": pd.array([1, None, 3], dtype="Int64"), "flag": [True, False, True]}
    )
    borders = Borders.learn(frame, 8)
    np.testing.assert_array_equal(borders.encode(frame), [[1, 0, 2], [2, 1, 2]])
