"""Columns whose names are not plain text: integers, dates, tuples, a mixture."""

import numpy as np
import pandas as pd
import pytest

from lukewarm.data import FeatureIndex, as_feature_sets, as_table


def index_of(*labels):
    frame = pd.DataFrame(np.zeros((20, len(labels))), columns=list(labels))
    return FeatureIndex(as_table(frame)[1], tuple(frame.columns))


def test_an_integer_name_goes_before_a_position():
    index = index_of(3, 1, 2, 0)
    assert as_feature_sets(index, features=[3, (1, 0)]) == {"3": (0,), "1 + 0": (1, 3)}
    assert as_feature_sets(index, features=0) == {"0": (3,)}
    assert as_feature_sets(index, groups={"pair": [0, 3]}) == {"pair": (0, 3), "1": (1,), "2": (2,)}


def test_an_integer_that_is_no_name_is_no_position_either():
    with pytest.raises(ValueError, match=r"features\[0\] names column 1.*X has \[2019, 2020\]"):
        as_feature_sets(index_of(2019, 2020), features=[1])


def test_integers_are_positions_where_names_are_not_integers():
    assert index_of("AT", "AP").position(-1, "features[0]") == 1


def test_a_default_range_of_columns_is_found_by_either():
    index = index_of(0, 1, 2)
    assert [index.position(column, "f") for column in (0, 1, 2)] == [0, 1, 2]
    assert index.position("2", "f") == 2


def test_a_number_that_could_be_a_name_of_text_is_refused():
    index = index_of("2", "0", "1")
    with pytest.raises(ValueError, match=r"write '0' for that column, or '2' for column number 0"):
        index.position(0, "features[0]")
    assert index.position("0", "features[0]") == 1


def test_a_flag_is_no_name_of_a_column():
    with pytest.raises(ValueError, match="names column True"):
        index_of(0, 1).position(True, "features[0]")


def test_columns_named_by_tuples_are_joined_and_found_by_either():
    index = index_of(("city", "Rome"), ("city", "Oslo"), ("age", ""))
    assert index.names == ("city_Rome", "city_Oslo", "age")
    assert as_feature_sets(index, features=[("city", "Oslo"), "age"]) == {
        "city_Oslo": (1,),
        "age": (2,),
    }


def test_columns_named_by_dates_are_found_by_their_dates():
    days = pd.to_datetime(["2020-01-01", "2021-01-01"])
    assert index_of(*days).feature_set(days[1], "features[0]") == (1,)


@pytest.mark.parametrize("labels", [("a", "a"), (1, "1"), (("a", "b_c"), ("a_b", "c"))])
def test_names_that_would_read_alike_are_refused(labels):
    with pytest.raises(ValueError, match="unique column names"):
        index_of(*labels)
