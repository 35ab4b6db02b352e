import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

import lukewarm as lw
from lukewarm.reduction import Dropout

SOON = 1e-9  # seconds: over before the first feature set is begun


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(120, 4)), columns=["a", "b", "c", "d"])
    return X, 0.5 * X["b"] + 3 * X["c"] + generator.normal(size=120)


def fit(table, method="projection", **options):
    settings = {"inference": "paired", "random_state": 0, **options}
    return lw.VariableImportance(Ridge(), method, **settings).fit(*table)


def numbers(vi):
    return vi.result_.to_frame().drop(columns="seconds").sort_values("feature", ignore_index=True)


def test_the_most_promising_set_is_measured_and_the_others_are_reported(table):
    with pytest.warns(lw.exceptions.HealthWarning, match=r"3 of 4 feature sets .* a, b, d\. fit"):
        vi = fit(table, time_limit=SOON)
    assert vi.result_.names == ("c",)
    assert vi.not_reached_ == ["a", "b", "d"]
    assert "not_reached" in set(vi.result_.health()["name"])


@pytest.mark.parametrize("inference", ["paired", "learning_curve", "split"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_going_on_gives_the_numbers_of_one_fit(table, inference, n_jobs):
    whole = fit(table, inference=inference, measure=["neg_mse", "r2"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.exceptions.HealthWarning)
        options = {"inference": inference, "measure": ["neg_mse", "r2"], "n_jobs": n_jobs}
        parts = fit(table, time_limit=SOON, **options)
        parts.set_params(time_limit=None).fit_more(["a"]).fit_more()
    pd.testing.assert_frame_equal(numbers(parts), numbers(whole))
    assert parts.result_.names == ("c", "a", "b", "d")
    assert parts.not_reached_ == []
    assert "not_reached" not in set(parts.result_.health()["name"])
    assert list(parts.results_) == ["neg_mse", "r2"]
    assert len(parts.predictions_.reduced) == 4
    segment = np.where(table[0]["a"] > 0, "high", "low")
    first, second = (each.result_.by(segment)["low"].importance for each in (parts, whole))
    np.testing.assert_array_equal(first[[1, 2, 0, 3]], second)


def test_enough_time_changes_nothing(table):
    first, second = fit(table, time_limit=1e6), fit(table)
    pd.testing.assert_frame_equal(
        first.result_.to_frame().drop(columns="seconds"),
        second.result_.to_frame().drop(columns="seconds"),
    )


def test_further_sets_may_be_any_and_those_known_are_left_out(table):
    vi = fit(table, features=["a"]).fit_more(["a", ("b", "c")])
    assert vi.result_.names == ("a", "b + c")
    assert vi.fit_more(["a"]).fit_more() is vi
    assert vi.result_.names == ("a", "b + c")
    with pytest.raises(ValueError, match="features"):
        vi.fit_more(["z"])


class Interrupted(Dropout):
    """Somebody presses Ctrl-C while the model without the third column is at work."""

    def reduce(self, full, data, removed, seed):
        if removed == (2,):
            raise KeyboardInterrupt
        return super().reduce(full, data, removed, seed)


def test_a_break_leaves_what_is_done(table):
    vi = lw.VariableImportance(Ridge(), Interrupted(), inference="paired", random_state=0)
    with pytest.raises(KeyboardInterrupt, match=r"are in result_; fit_more\(\) goes on"):
        vi.fit(*table)
    assert vi.result_.names == ("a", "b")
    assert vi.not_reached_ == ["c", "d"]
    whole = fit(table, "dropout").result_
    np.testing.assert_array_equal(vi.result_.importance, whole.importance[:2])


def test_a_break_before_anything_is_done_leaves_nothing(table):
    vi = lw.VariableImportance(Ridge(), Interrupted(), features=["c"], inference="paired")
    with pytest.raises(KeyboardInterrupt):
        vi.fit(*table)
    assert not hasattr(vi, "result_")


@pytest.mark.parametrize("limit", [0, -1, "1", np.nan])
def test_a_limit_is_a_positive_number(table, limit):
    with pytest.raises((TypeError, ValueError), match="time_limit must be"):
        fit(table, time_limit=limit)
