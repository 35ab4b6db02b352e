import re
from dataclasses import replace

import numpy as np
import pytest

from lukewarm.results import Remark

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")


@pytest.fixture
def verdict(page):
    return lambda result: page(result).said("verdict").removeprefix("In short ")


def test_the_first_is_named_with_its_interval_and_the_useless_as_such(verdict, make_result):
    said = verdict(make_result({"carat": 0.4, "clarity": 0.2, "depth": 0.0, "table": -0.0}))
    assert said == (
        "carat matters most: without it the model explains 39.7 percentage points less of the "
        "variance (95 % interval 39.0 to 40.4). Then comes clarity (16.0 points). "
        "table and depth cannot be told from zero."
    )


def test_errors_are_told_as_errors(verdict, make_result):
    said = verdict(make_result({"a": 0.4, "b": 0.1}, measure="neg_mse", scale=100))
    assert said == (
        "a matters most: without it the mean squared error rises by 3,930 (95 % interval 3,340 to "
        "4,520). Then comes b (699)."
    )


def test_one_feature_by_itself_matters_or_cannot_be_told(verdict, make_result):
    assert verdict(make_result({"only": 0.4})).startswith("only matters: without it")
    assert verdict(make_result({"only": 0.0})) == "only cannot be told from zero."


def test_none_is_said_as_none(verdict, make_result):
    assert verdict(make_result({"a": 0.0, "b": 0.0})) == (
        "None of the 2 features can be told from zero."
    )


def test_two_that_are_alike_are_not_put_in_order(verdict, make_result):
    said = verdict(make_result({"a": 0.3, "b": 0.3}))
    assert "Which of b and a matters more cannot be told from these rows." in said


def test_many_are_counted(verdict, make_result):
    strengths = {f"s{number}": 0.5 - number / 100 for number in range(9)}
    said = verdict(make_result(strengths | {f"z{number}": 0.0 for number in range(40)}))
    assert re.search(r"and \d+ more\.", said)
    assert re.search(r"\d+ other features cannot be told from zero\.", said)


def test_a_feature_the_model_is_better_without_is_named(verdict, make_result):
    said = verdict(make_result({"a": 0.3, "harmful": -0.2}))
    assert said.endswith("The model predicts better without harmful: it adds noise.")
    assert "harmful cannot be told" not in said


@pytest.mark.parametrize("name", ["no_skill", "untrained"])
def test_a_model_without_skill_gets_no_ranking(verdict, make_result, name):
    remark = Remark(name, "warning", "", "no better than a constant.")
    said = verdict(replace(make_result({"a": 0.3, "b": 0.1}), remarks=(remark,)))
    assert said.startswith("The model predicts no better than a constant guess")
    assert "matters" not in said


def test_a_model_that_still_learns_says_so(verdict, make_result):
    remark = Remark("underfit", "warning", "", "still learning.")
    said = verdict(replace(make_result({"a": 0.3}), remarks=(remark,)))
    assert said.endswith("these numbers may change by more than usual.")


def test_a_small_p_beside_a_wide_interval_is_put_in_words(verdict, make_result):
    result = make_result({"a": 0.3, "b": 0.0})
    # The product test is sure of a; the interval of its importance reaches zero.
    shifted = replace(
        result,
        full=replace(result.full, shift=0.5),
        scores=tuple(replace(result.full, value=value) for value in (1.0, 0.0)),
    )
    assert shifted.interval()[0][0] < 0
    assert "That it matters is clear; how much is not known well." in verdict(shifted)


def test_a_feature_that_the_test_finds_and_the_estimate_does_not_is_no_zero(verdict, make_result):
    result = make_result({"a": 0.3, "b": -0.002})
    assert result.importance[1] < 0
    sure = tuple(replace(result.full, value=1.0, shift=0.0) for _ in result.names)
    said = verdict(replace(result, scores=sure))
    assert "That b matters is clear; how much is not known." in said
    assert "cannot be told" not in said


def test_shapley_values_are_shares_of_the_whole(verdict, shapley):
    said = verdict(shapley)
    total = 100 * shapley.result_.shapley_value.sum()
    assert f"of the {total:.1f} points of the variance that the model explains" in said
    first = shapley.result_.names[int(np.argmax(shapley.result_.shapley_value))]
    assert said.startswith(f"{first} has the largest share:")
