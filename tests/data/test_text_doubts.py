import datetime

import numpy as np
import pandas as pd
import pytest

from lukewarm.data import as_table, text_doubts

NUMBERS = [f"{number / 7:.3f}" for number in range(100)]


def doubts(values, **options):
    X = pd.DataFrame({"size": pd.Series(values, **options), "other": np.arange(len(values))})
    return text_doubts(X, as_table(X)[0])


def repaired(values, message):
    """The column after the line of code in the message was run."""
    X = pd.DataFrame({"size": values})
    line = message.split("rite ", 1)[1].split(" first")[0]
    names = {"X": X, "pd": pd}
    exec(line, names)
    return X["size"]


def test_one_odd_token_among_numbers_is_named_with_the_line_that_repairs_it():
    values = [*NUMBERS, "n/a?"]
    (remark,) = doubts(values)
    assert (remark.name, remark.severity, remark.feature) == ("numbers_as_text", "warning", "size")
    assert "99.01% of its rows are numbers, but 'n/a?' is not" in remark.message
    column = repaired(values, remark.message)
    assert column.isna().sum() == 1
    np.testing.assert_array_equal(column[:100], [float(number) for number in NUMBERS])


def test_an_odd_token_is_found_though_a_sample_would_miss_it():
    (remark,) = doubts([*(NUMBERS * 300), "?"])
    assert "'?' is not" in remark.message


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["1,5", "2,25", "3"], [1.5, 2.25, 3.0]),
        (["1.234,5", "17,25", "3,0"], [1234.5, 17.25, 3.0]),
        (["1,234", "17,250,000.5", "3,000"], [1234.0, 17250000.5, 3000.0]),
    ],
)
def test_numbers_with_commas_are_named_with_the_line_that_reads_them(values, numbers):
    (remark,) = doubts(values * 10)
    assert remark.name == "decimal_comma"
    assert values[0] in remark.message
    np.testing.assert_array_equal(repaired(values, remark.message), numbers)


@pytest.mark.parametrize(
    "form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"]
)
def test_dates_as_text_are_named_with_the_line_that_reads_them(form):
    days = pd.date_range("2020-01-15", periods=40, freq="13h")
    values = list(days.strftime(form))
    (remark,) = doubts(values)
    assert remark.name == "dates_as_text"
    expected = pd.to_datetime(pd.Series(values), format=form)
    pd.testing.assert_series_equal(
        repaired(values, remark.message), expected, check_names=False, check_dtype=False
    )


@pytest.mark.parametrize(
    "form", ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S+02:00"]
)
def test_times_as_exports_write_them_are_dates(form):
    days = pd.date_range("2020-01-15", periods=40, freq="13h")
    values = list(days.strftime(form))
    (remark,) = doubts(values)
    assert remark.name == "dates_as_text"
    read = pd.DatetimeIndex(repaired(values, remark.message))
    assert read.tz_localize(None).equals(days)


def test_objects_that_are_dates_are_named():
    (remark,) = doubts([datetime.date(2020, 1, 1 + number) for number in range(30)])
    assert remark.name == "dates_as_text"
    assert "pd.to_datetime(X['size'])" in remark.message


def test_a_level_per_row_names_rows_whether_declared_or_not():
    names = [f"row {number}" for number in range(50)]
    for options in ({}, {"dtype": "category"}):
        (remark,) = doubts(names, **options)
        assert remark.name == "id_like"
        assert "50 levels in 50 rows" in remark.message


@pytest.mark.parametrize(
    "values",
    [
        ["red", "green", "blue"] * 10,
        ["01067", "80331", "20095"] * 10,
        ["3 mm", "4 mm", "5 mm"] * 10,
        ["1.5", "yes", "no"] * 10,
    ],
    ids=["words", "postal codes", "units", "few numbers"],
)
def test_levels_pass_without_a_remark(values):
    assert doubts(values) == ()


def test_declared_categories_are_not_taken_for_numbers():
    assert doubts(["1", "2", "3"] * 10, dtype="category") == ()


def test_whole_numbers_made_text_are_a_note():
    (remark,) = doubts(["1", "2", "12"] * 10)
    assert remark.severity == "note"


def test_columns_of_an_array_are_named_by_their_place():
    X = np.array([[number, "a"] for number in [*NUMBERS, "?"]], dtype=object)
    (remark,) = text_doubts(X, as_table(X)[0])
    assert remark.feature == "x0"
    assert "X[:, 0] = pd.to_numeric(X[:, 0]" in remark.message
