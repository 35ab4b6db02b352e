"""Models by name that take numbers only, on tables with levels and gaps."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

import lukewarm as lw
from lukewarm.learners.sklearn._encoded import EncodedLearner, suited_to_table
from lukewarm.measures import Task
from lukewarm.testing import check_learner


@pytest.fixture
def table():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "size": generator.normal(size=300),
            "kind": generator.choice(["red", "green", "blue"], 300),
            "useless": generator.choice(["u", "v"], 300),
            "day": pd.Timestamp("2024-01-01")
            + pd.to_timedelta(generator.integers(0, 90, 300), "D"),
        }
    )
    return X, X["size"] + 2.0 * (X["kind"] == "red") + 0.3 * generator.normal(size=300)


@pytest.mark.parametrize("model", ["linear", "random_forest", "network"])
def test_text_columns_are_encoded_for_models_by_name(table, model):
    X, y = table
    vi = lw.VariableImportance(
        model, features=["kind", "useless"], inference="paired", random_state=0
    )
    result = vi.fit(X, y).result_
    assert result.model == model
    # Two thirds are not red: the variance of the effect is 4 * 2 / 9.
    assert result.importance[0] == pytest.approx(8 / 9, abs=0.4)
    assert abs(result.importance[1]) < 0.1


@pytest.mark.parametrize("model", ["linear", "random_forest"])
def test_classes_of_tables_with_text_are_learnt(table, model):
    X, y = table
    labels = np.where(y > y.median(), "large", "small")
    vi = lw.VariableImportance(
        model, features=["kind", "useless"], measure="accuracy", inference="paired", random_state=0
    )
    result = vi.fit(X, labels).result_
    assert result.importance[0] > 0.1 > abs(result.importance[1])


def test_rare_and_new_levels_share_an_indicator():
    levels = [f"level {number}" for number in range(40)]
    X = pd.DataFrame({"kind": pd.Categorical(levels * 3)})
    learner = suited_to_table("linear", X, Task())
    y = np.tile(np.arange(40.0), 3)
    learner.advance(X, y, 1)
    prediction = learner.predict(X)
    # Thirty indicators, one of them for the rarest eleven.
    assert len(np.unique(prediction.round(6))) == 30
    new = pd.DataFrame({"kind": pd.Categorical(["never seen"])})
    assert np.isin(learner.predict(new).round(6), prediction.round(6)).all()


@pytest.mark.parametrize("model", ["linear", "network", "random_forest"])
@pytest.mark.parametrize("kind", ["frame", "array"])
def test_gaps_are_filled_for_models_by_name(model, kind):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(400, 3))
    y = X[:, 0] + 0.3 * generator.normal(size=400)
    # That a value is missing tells of y as well, which the mean alone would hide.
    y[generator.choice(400, 100, replace=False)] += 3.0
    X[y > 2.5, 1] = np.nan
    assert 40 < np.isnan(X[:, 1]).sum() < 200
    if kind == "frame":
        X = pd.DataFrame(X, columns=["signal", "gaps", "noise"])
    vi = lw.VariableImportance(model, inference="paired", random_state=0).fit(X, y)
    signal, gaps, noise = vi.result_.importance
    assert vi.result_.model == model
    assert min(signal, gaps) > 0.1 > abs(noise)


def test_gaps_beside_levels_are_filled(table):
    X, y = table
    X.loc[::7, "size"] = np.nan
    X.loc[::5, "kind"] = None
    vi = lw.VariableImportance("linear", inference="paired", random_state=0).fit(X, y)
    importance = dict(zip(vi.result_.names, vi.result_.importance, strict=True))
    assert min(importance["size"], importance["kind"]) > 0.2 > abs(importance["useless"])


@pytest.mark.parametrize("model", ["linear", "network", "random_forest"])
def test_gaps_among_levels_alone_are_levels(table, model):
    if model == "network":
        pytest.importorskip("torch")
    X, y = table
    X.loc[::5, "kind"] = None
    assert not X["size"].isna().any()
    vi = lw.VariableImportance(model, features=["kind"], inference="paired", random_state=0)
    assert vi.fit(X, y).result_.importance[0] > 0.2


@pytest.mark.parametrize("model", ["linear", "network", "random_forest"])
def test_gaps_in_new_rows_only_are_filled(table, model):
    if model == "network":
        pytest.importorskip("torch")
    X, y = table
    rows = X[["size", "kind"]].astype({"kind": "category"})
    learner = suited_to_table(model, rows, Task())
    learner.advance(rows, y.to_numpy(), 1)
    rows.loc[::2, "size"] = np.nan
    assert np.isfinite(learner.predict(rows)).all()


def test_classes_are_learnt_by_linear_models_whatever_the_units(table):
    X, y = table
    labels = np.where(y > y.median(), "large", "small")
    vi = lw.VariableImportance("linear", inference="paired", random_state=0)
    in_metres = vi.fit(X, labels).result_
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        in_microns = vi.fit(X.assign(size=1e6 * X["size"] + 3e7), labels).result_
    assert in_metres.importance[0] > 0.1
    assert in_microns.importance == pytest.approx(in_metres.importance, abs=1e-4)


def test_tables_of_numbers_and_other_models_are_left_alone(table):
    X, _ = table
    numbers = pd.DataFrame({"size": [1.0, 2.0]})
    assert suited_to_table("linear", numbers, Task()) == "linear"
    assert suited_to_table("linear", numbers.to_numpy(), Task()) == "linear"
    assert suited_to_table("boosting", X.astype({"kind": "category"}), Task()) == "boosting"


@pytest.mark.parametrize("n_classes", [None, 2, 3])
@pytest.mark.parametrize("model", ["linear", "random_forest", "network"])
def test_a_model_behind_indicators_keeps_the_contract(generator, model, n_classes):
    if model == "network":
        pytest.importorskip("torch")
    X = pd.DataFrame(generator.normal(size=(200, 2)), columns=["size", "age"])
    X["kind"] = pd.Categorical(generator.choice(["red", "green", "blue"], 200))
    y = X["size"] + (X["kind"] == "red") + 0.1 * generator.normal(size=200)
    if n_classes is not None:
        y = pd.qcut(y, n_classes, labels=False)
    learner = suited_to_table(model, X, Task(n_classes))
    assert isinstance(learner, EncodedLearner)
    # Networks are trained in single precision.
    tolerance = 1e-5 if model == "network" else 1e-10
    check_learner(learner, X, y.to_numpy(float), n_classes=n_classes, tolerance=tolerance)
