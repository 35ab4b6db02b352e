import re
import warnings

import numpy as np
import pandas as pd
import pytest
from plain import PLAIN
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

import lukewarm as lw
from lukewarm.exceptions import UnderfitWarning


class OneLeap:
    """Least squares in the first step; further steps change nothing."""

    def __init__(self, coefficients=None, n_steps=0):
        self.coefficients, self.n_steps = coefficients, n_steps

    def fresh(self, seed):
        return OneLeap()

    def copy(self, seed=None):
        return OneLeap(self.coefficients, self.n_steps)

    def advance(self, X, y, n_steps, weights=None):
        if self.coefficients is None:
            self.coefficients = np.linalg.lstsq(X, y, rcond=None)[0]
        self.n_steps += n_steps

    def predict(self, X):
        return np.zeros(len(X)) if self.coefficients is None else X @ self.coefficients


@pytest.fixture
def table(generator):
    X = pd.DataFrame(generator.normal(size=(400, 3)), columns=["a", "b", "c"])
    return X, 2 * X["a"] + X["b"] + 0.5 * generator.normal(size=400)


def fitted(estimator, X, y):
    """The result of a fit, and the health warnings it raised."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = estimator.fit(X, y).result_
    return result, [each for each in found if issubclass(each.category, lw.HealthWarning)]


def remarks(result, name):
    health = result.health().query("name == @name")
    return dict(zip(health["feature"], health["severity"], strict=True))


ESTIMATORS = [
    lw.VariableImportance(**PLAIN),
    lw.ShapleyImportance(**PLAIN, n_coalitions=6),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=["importance", "shapley"])
def test_one_odd_token_is_told_by_a_fit_and_stays_with_the_result(estimator, table, tmp_path):
    X, y = table
    X["a"] = X["a"].round(2).astype(str)
    X.loc[7, "a"] = "n/a?"
    result, found = fitted(estimator, X, y)
    assert remarks(result, "numbers_as_text") == {"a": "warning"}
    assert len(found) == 1
    assert "'n/a?'" in str(found[0].message)
    assert found[0].filename == __file__
    assert "numbers_as_text" in repr(result)
    loaded = type(result).load(result.save(tmp_path / "result.npz"))
    assert loaded.health().equals(result.health())


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=["importance", "shapley"])
def test_a_sound_fit_warns_of_nothing(estimator, table):
    result, found = fitted(estimator, *table)
    assert not found
    assert set(result.health()["severity"]) <= {"note"}


def test_alike_and_leaking_columns_are_told_unless_grouped(table):
    X, y = table
    X = X.assign(twin=X["a"], target=y * 3)
    result, _ = fitted(lw.VariableImportance(**PLAIN), X, y)
    assert remarks(result, "duplicate") == {"a + twin": "warning"}
    assert remarks(result, "leaking") == {"target": "warning"}
    grouped = lw.VariableImportance(**PLAIN, groups={"both": ["a", "twin"]})
    assert remarks(fitted(grouped, X, y)[0], "duplicate") == {}


def test_copies_of_rows_are_told_unless_they_are_kept_together(table):
    X, y = (np.repeat(each.to_numpy(), 2, axis=0) for each in table)
    result, _ = fitted(lw.VariableImportance(**PLAIN), X, y)
    assert remarks(result, "repeated_rows") == {"": "warning"}
    kept = lw.VariableImportance(**PLAIN).fit(X, y, groups=np.arange(800) // 2)
    assert remarks(kept.result_, "repeated_rows") == {}


def test_training_that_is_cut_short_is_told(table):
    result, found = fitted(lw.VariableImportance(**PLAIN, max_steps=5), *table)
    assert remarks(result, "step_cap")[""] == "warning"
    assert "ended at 5 steps" in str(found[0].message)
    result, _ = fitted(lw.VariableImportance(**PLAIN), *table)
    assert remarks(result, "step_cap") == {}


def test_a_reduced_model_that_is_cut_short_is_told(table):
    X, y = table
    X["b"] = X["a"] + 0.5 * X["b"]
    retrain = lw.VariableImportance(
        "boosting", "retrain", max_steps=10, random_state=0, inference="paired"
    )
    assert remarks(fitted(retrain, X, y)[0], "step_cap")["a"] == "warning"


def test_a_clear_importance_without_a_step_is_told(table):
    result, found = fitted(
        lw.VariableImportance(
            OneLeap(), random_state=0, method="early_stopping", inference="paired"
        ),
        *table,
    )
    assert result.traces[0][0].stopped_step == 0
    assert remarks(result, "zero_steps") == {"a": "warning", "b": "warning"}
    assert "a, b: no further step lowered the loss" in str(found[0].message)
    dropout, _ = fitted(
        lw.VariableImportance(OneLeap(), "dropout", random_state=0, inference="paired"), *table
    )
    assert remarks(dropout, "zero_steps") == {}


def test_trees_without_a_split_are_told_whatever_the_rounding_of_their_constant(generator):
    pytest.importorskip("lightgbm")
    # A leaf takes twenty rows, and a constant in single precision may be a hair too good.
    for X in generator.normal(size=(6, 32, 1)):
        result, _ = fitted(lw.VariableImportance("lightgbm", random_state=0), X, 20.1 + X[:, 0])
        assert remarks(result, "no_skill") == {"": "warning"}


def test_full_models_of_which_some_are_untrained_do_not_end_all_claims(generator):
    class OneOfThree(OneLeap):
        seen = 0

        def fresh(self, seed):
            OneOfThree.seen += 1
            return OneOfThree(np.zeros(2) if OneOfThree.seen == 2 else None)

    X = generator.normal(size=(240, 2))
    estimator = lw.VariableImportance(OneOfThree(), random_state=0)
    result, found = fitted(estimator, X, X[:, 0] + 0.1 * generator.normal(size=240))
    assert [runs.stopped_step for runs in result.full_traces].count(0) == 1
    assert remarks(result, "some_untrained") == {"": "warning"}
    assert remarks(result, "untrained") == {}
    assert "of 6 models of all columns, 1 is no better" in str(found[0].message)
    assert result.summary().startswith("x0 matters")


def test_a_model_worse_than_a_constant_is_told(table):
    model = DummyRegressor(strategy="constant", constant=100.0).fit(*table)
    estimator = lw.VariableImportance(
        model, "dropout", prefit=True, random_state=0, inference="paired"
    )
    result, _ = fitted(estimator, *table)
    assert remarks(result, "no_skill") == {"": "warning"}


@pytest.mark.parametrize(
    ("n_columns", "said"),
    [(20, r"explained \d\d?% less"), (40, "did no better than a constant")],
)
def test_what_models_of_half_the_rows_lack_is_told(generator, n_columns, said):
    X = generator.normal(size=(120, n_columns))
    y = X @ np.ones(n_columns) + 2 * generator.normal(size=120)
    estimator = lw.VariableImportance(LinearRegression(), features=[0], random_state=0)
    result, found = fitted(estimator, X, y)
    assert remarks(result, "underfit") == {"": "warning"}
    assert found[0].category is UnderfitWarning
    assert re.search(f"models of half its training rows {said}", str(found[0].message))


def test_a_measure_that_constants_do_not_have_ends_no_fit(table):
    class Correlation:
        name = "correlation"

        def evaluate(self, y, prediction, weights=None):
            if np.ptp(prediction) == 0:
                raise ValueError("no correlation with a constant")
            value = np.corrcoef(y, prediction)[0, 1]
            return lw.MeasureValue(value, np.zeros(len(y)))

    estimator = lw.VariableImportance(**PLAIN, measure=Correlation(), features=["b"])
    assert remarks(fitted(estimator, *table)[0], "no_skill") == {}


def test_levels_that_the_model_does_not_tell_apart_are_told(table, generator):
    X, y = table
    X["town"] = [f"town {number}" for number in generator.integers(200, size=400)]
    n_levels = X["town"].nunique()
    assert n_levels > 127
    result, _ = fitted(lw.VariableImportance(**PLAIN, features=["town"]), X, y)
    assert remarks(result, "lumped_levels") == {"town": "warning"}
    message = result.health().query("name == 'lumped_levels'")["message"].iloc[0]
    assert f"{n_levels} levels, of which the model tells the 127 most frequent apart" in message


def test_few_evaluation_rows_are_told(table):
    X, y = (part[:100] for part in table)
    result, _ = fitted(lw.VariableImportance(**PLAIN), X, y)
    assert remarks(result, "few_rows") == {"": "warning"}


def test_looking_at_the_table_changes_no_number(table, monkeypatch):
    result, _ = fitted(lw.VariableImportance(**PLAIN), *table)
    monkeypatch.setattr("lukewarm.estimators._health.column_doubts", lambda *arguments: ())
    monkeypatch.setattr("lukewarm.estimators._problem.text_doubts", lambda *arguments: ())
    blind, _ = fitted(lw.VariableImportance(**PLAIN), *table)
    np.testing.assert_array_equal(result.importance, blind.importance)
