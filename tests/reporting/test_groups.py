"""Columns that are correlated: named on the page, and measured together where that is quick."""

import numpy as np
import pandas as pd
import pytest

import lukewarm as lw
from lukewarm.estimators import _correlated

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")


@pytest.fixture(autouse=True)
def _ample_time(monkeypatch):
    # Which clusters are measured must not hang on how busy the machine is.
    monkeypatch.setattr(_correlated, "_MOST_SECONDS", 1e6)


@pytest.fixture(scope="module")
def twins():
    """Return a table in which two twins carry most of y, and the target has a name."""
    a, noise, b, c, error = np.random.default_rng(0).normal(size=(5, 600))
    X = pd.DataFrame({"a": a, "twin": a + 0.3 * noise, "b": b, "c": c})
    return X, pd.Series(2 * a + b + error, name="price")


@pytest.fixture(scope="module")
def fitted(twins):
    return lw.VariableImportance("boosting", measure=["r2", "neg_mse"], random_state=0).fit(*twins)


def test_correlated_columns_have_their_joint_importance_on_the_page(fitted, page):
    table = next(rows for rows in page(fitted).tables if rows[0][0].strip() == "Group")
    shown = [cell.strip() for cell in table[1]]
    assert shown[0] == "a + twin"
    joint = float(shown[1])
    alone = dict(zip(fitted.result_.names, fitted.result_.importance, strict=True))
    assert joint > 20, "the twins carry most of y"
    assert joint > 3 * 100 * (alone["a"] + alone["twin"])


def test_the_joint_importance_is_that_of_a_fit_that_asked_for_it(fitted, twins):
    asked = lw.VariableImportance(
        "boosting", measure=["r2", "neg_mse"], features=[("a", "twin")], random_state=0
    ).fit(*twins)
    found = _correlated.correlated_clusters(fitted)["neg_mse"]
    assert found.joint.removed == ((0, 1),)
    assert found.joint.importance[0] == asked.results_["neg_mse"].importance[0]


def test_the_page_leaves_the_results_alone(fitted, page):
    before = fitted.result_
    page(fitted)
    assert fitted.result_ is before
    assert fitted.result_.names == ("a", "twin", "b", "c")


def test_the_verdict_says_what_hidden_twins_are_worth(fitted, page):
    said = page(fitted).said("verdict")
    assert said.startswith("In short b matters most by itself: without it the model explains")
    assert "a and twin stand in for each other: without both the model explains" in said


def test_clusters_that_take_too_long_are_named_only(fitted, page, monkeypatch):
    monkeypatch.setattr(_correlated, "_MOST_SECONDS", 0.0)
    found = page(fitted)
    assert "not measured as a whole: a and twin." in found.said("correlated")
    assert "stand in for each other: without" not in found.said("verdict")


def test_a_cluster_that_was_asked_for_is_not_shown_twice(twins, page):
    asked = lw.VariableImportance("boosting", groups={"pair": ["a", "twin"]}, random_state=0)
    sections = page(asked.fit(*twins)).sections
    assert "groups" in sections
    assert "correlated" not in sections


def test_a_cluster_within_a_larger_group_is_shown_where_its_columns_are_measured_alone(twins):
    X, y = twins
    groups = {"all": ["a", "twin", "b"]}
    fitted = lw.VariableImportance(
        "boosting", groups=groups, features=["a", "twin", "all"], random_state=0
    ).fit(X, y)
    assert _correlated.correlated_clusters(fitted)[fitted.result_.measure].clusters == ((0, 1),)


def test_columns_that_are_not_correlated_need_no_section(twins, page):
    X, y = twins
    fitted = lw.VariableImportance("boosting", random_state=0).fit(X[["a", "b", "c"]], y)
    assert "correlated" not in page(fitted).sections


def test_shapley_values_of_a_cluster_add_up(twins, page):
    fitted = lw.ShapleyImportance("boosting", measure="r2", random_state=0).fit(*twins)
    table = next(rows for rows in page(fitted).tables if rows[0][0].strip() == "Group")
    value = dict(zip(fitted.result_.names, fitted.result_.shapley_value, strict=True))
    assert table[1][0].strip() == "a and twin"
    assert float(table[1][1]) == pytest.approx(100 * (value["a"] + value["twin"]), abs=0.005)


def test_a_cluster_has_no_sum_where_a_column_plays_in_a_group(twins, page):
    fitted = lw.ShapleyImportance("boosting", groups={"pair": ["a", "b"]}, random_state=0)
    assert "correlated" not in page(fitted.fit(*twins)).sections


def test_the_heading_names_the_target(fitted, page):
    assert "<h1><bdi>What predicts price</bdi></h1>" in page(fitted).source


def test_rows_to_evaluate_on_keep_the_name_of_the_target(twins, page):
    X, y = twins
    fitted = lw.VariableImportance("boosting", features=["a"], random_state=0).fit(
        X[:400], y[:400], X_eval=X[400:], y_eval=y[400:]
    )
    assert "What predicts price" in page(fitted).source


def test_a_column_called_target_names_nothing(twins, page):
    X, y = twins
    fitted = lw.VariableImportance("boosting", features=["a"], random_state=0)
    assert "Which features matter" in page(fitted.fit(X, y.rename("target"))).source
