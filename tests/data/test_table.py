import numpy as np
import pandas as pd
import pytest

from lukewarm.data import as_table, as_target


def frame(**columns):
    return pd.DataFrame({"a": np.arange(20.0), **columns})


def test_numeric_boolean_and_nullable_columns_become_floats_with_nan():
    table, names = as_table(frame(b=[True, False] * 10, c=pd.array([1, None] * 10, dtype="Int64")))
    assert names == ("a", "b", "c")
    assert table.dtype == float
    assert np.isnan(table[1, 2])
    assert table[0, 1] == 1.0


def test_text_columns_become_categories():
    table, _ = as_table(frame(b=["u", "v"] * 10))
    assert isinstance(table["b"].dtype, pd.CategoricalDtype)


def test_an_array_gets_names():
    assert as_table(np.zeros((20, 2)))[1] == ("x0", "x1")


def test_the_callers_table_is_not_shared():
    X = np.zeros((20, 2))
    as_table(X)[0][:] = 1
    assert not X.any()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros(20), r"two dimensions.*got shape \(20,\)"),
        ({"a": 1}, r"two dimensions.*got \{'a': 1\}"),
        (np.zeros((19, 2)), "at least 20 rows.*got 19"),
        (np.zeros((20, 0)), "at least one feature"),
        (np.full((20, 1), np.inf), r"infinite.*\['x0'\]"),
        (pd.DataFrame(np.zeros((20, 2)), columns=["a", "a"]), r"unique.*\['a'\]"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(table, message):
    with pytest.raises(ValueError, match=message):
        as_table(table)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([np.nan] + [1.0] * 19, "y must be finite; 1 of 20"),
        ([np.inf] + [1.0] * 19, "y must be finite; 1 of 20"),
        ([1.0] * 20, "constant"),
        ([1.0, 2.0], "X has 20, y has 2"),
        (np.zeros((20, 2)), "one value per row"),
    ],
)
def test_targets_that_cannot_be_used_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        as_target(y, 20)


def test_a_text_target_is_refused_for_regression():
    with pytest.raises(TypeError, match=r"y must be numeric.*such as 'low'"):
        as_target(np.array(["low", "high"] * 10), 20)


def test_arrow_dates_and_objects_that_hold_numbers_become_floats():
    pytest.importorskip("pyarrow")
    table, _ = as_table(
        frame(
            whole=pd.array([1, None] * 10, dtype="int64[pyarrow]"),
            flag=pd.array([True, False] * 10, dtype="bool[pyarrow]"),
            day=pd.to_datetime(["1970-01-11", None] * 10),
            moment=pd.Series(pd.to_datetime(["1970-01-01 12:00", None] * 10)).astype(
                "timestamp[ns][pyarrow]"
            ),
            length=pd.to_timedelta(["36h", None] * 10),
            loose=pd.Series([1, None] * 10, dtype=object),
        )
    )
    np.testing.assert_array_equal(table[0, 1:], [1, 1, 10, 0.5, 1.5, 1])
    np.testing.assert_array_equal(table[1, 1:], [np.nan, 0, np.nan, np.nan, np.nan, np.nan])


@pytest.mark.parametrize("dtype", ["object", "string", "category", "string[pyarrow]"])
def test_text_of_any_dtype_gives_the_same_levels(dtype):
    pytest.importorskip("pyarrow")
    column = pd.Series(["v", "u", None, "v"] * 5, dtype=dtype)
    table, _ = as_table(frame(b=column))
    assert list(table["b"].cat.categories) == ["u", "v"]
    assert table["b"].cat.categories.dtype == object
    assert table["b"].isna().sum() == 5


def test_a_polars_frame_gives_the_table_of_its_pandas_twin():
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    pandas_frame = frame(
        b=["v", "u"] * 10, c=pd.array([1, None] * 10, dtype="Int64"), d=[True, False] * 10
    )
    polars_frame = polars.DataFrame(
        {
            "a": np.arange(20.0),
            "b": polars.Series(["v", "u"] * 10, dtype=polars.Categorical),
            "c": [1, None] * 10,
            "d": [True, False] * 10,
        }
    )
    expected, names = as_table(pandas_frame)
    for given in (polars_frame, polars_frame.lazy(), polars_frame.to_arrow()):
        table, given_names = as_table(given)
        assert given_names == names
        pd.testing.assert_frame_equal(table, expected)
