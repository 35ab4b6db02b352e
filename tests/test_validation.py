import numpy as np
import pytest

import lukewarm as lw
from lukewarm._text import csv_cell, printable
from lukewarm._validation import check_flag, check_n_jobs, check_number, check_vector, check_weights


@pytest.mark.parametrize("value", ["False", 0, 1, [], np.array([True])])
@pytest.mark.parametrize("name", ["symmetric", "prefit"])
def test_a_flag_takes_true_and_false_only(name, value, generator):
    X = generator.normal(size=(40, 2))
    with pytest.raises(TypeError, match=f"{name} must be True or False"):
        lw.VariableImportance(**{name: value}).fit(X, X[:, 0])


def test_flags_of_numpy_are_flags():
    assert check_flag("symmetric", np.True_) is True


@pytest.mark.parametrize("value", [0, 1.5, "2", True, 10**9])
def test_a_number_of_jobs_that_means_nothing_is_refused(value):
    with pytest.raises((TypeError, ValueError), match="n_jobs must"):
        check_n_jobs(value)


def test_an_integer_too_large_for_a_float_is_named():
    with pytest.raises(ValueError, match="delta must fit into a float"):
        check_number("delta", 10**400)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([1 + 2j, 2]), "y must hold real numbers"),
        (np.ma.masked_array([1.0, 2.0], [True, False]), "y must be finite; 1 of 2"),
        ([[1], [2, 3]], "y must be an array of one shape"),
        ([10**400, 1], "y must be numeric"),
    ],
)
def test_no_part_of_a_vector_is_dropped(values, message):
    with pytest.raises((TypeError, ValueError), match=message):
        check_vector("y", values)


def test_weights_go_by_the_name_of_their_parameter():
    with pytest.raises(ValueError, match=r"^weights must not be negative"):
        check_weights([-1.0], 1, "weights")


def test_a_tab_or_return_cannot_hide_a_formula():
    assert csv_cell("\t=1") == "\\t=1"
    assert csv_cell("\r=1") == "\\r=1"
    assert csv_cell(" =1") == "' =1"
    assert printable("\u202egnp") == "\\u202egnp"
