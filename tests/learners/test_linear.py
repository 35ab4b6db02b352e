"""Linear models without columns, in closed form against a fit without them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeCV,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

import lukewarm as lw
from lukewarm.data import Rows
from lukewarm.learners import LinearLearner, from_model
from lukewarm.learners.sklearn import _logistic
from lukewarm.measures import Task

N_ROWS, N_COLUMNS = 400, 6
LOGISTIC = {"C": 0.5, "tol": 1e-12, "max_iter": 10_000, "solver": "newton-cg"}
MODELS = {
    "ols": LinearRegression,
    "ridge": lambda: Ridge(alpha=30.0),
    "logistic": lambda: LogisticRegression(**LOGISTIC),
}


def problem(name, *, weighted=False):
    """Return correlated columns of unlike scales, a target and weights."""
    generator = np.random.default_rng(0)
    common = generator.normal(size=(N_ROWS, 1))
    X = (common + generator.normal(size=(N_ROWS, N_COLUMNS))) * np.logspace(-1, 2, N_COLUMNS) + 5
    line = (X / np.logspace(-1, 2, N_COLUMNS)) @ np.array([2.0, -1.0, 1.0, 0.5, 0.0, 0.2])
    y = line - line.mean() + generator.normal(size=N_ROWS)
    weights = generator.uniform(0.2, 2, N_ROWS) if weighted else None
    return Rows(X, (y > 0).astype(float) if name == "logistic" else y, weights)


def n_classes(name):
    return 2 if name == "logistic" else None


def values(model, name, X):
    return model.predict_proba(X)[:, 1] if name == "logistic" else model.predict(X)


@pytest.mark.parametrize("removed", [(0,), (5,), (1, 2, 4)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_without_columns_is_the_refit_to_eight_digits(name, weighted, removed):
    rows = problem(name, weighted=weighted)
    learner = from_model(MODELS[name](), task=Task(n_classes(name)), seed=0)
    assert isinstance(learner, LinearLearner)
    model = learner.refit_without(rows, removed)
    kept = [column for column in range(N_COLUMNS) if column not in removed]
    again = MODELS[name]().fit(rows.X[:, kept], rows.y, sample_weight=rows.weights)
    refit = values(again, name, rows.X[:, kept])
    full = MODELS[name]().fit(rows.X, rows.y, sample_weight=rows.weights)
    assert np.abs(refit - values(full, name, rows.X)).max() > 1e-2
    np.testing.assert_allclose(model.predict(rows.X), refit, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("option", [("_SIDE_BY_SIDE", 4), ("_MOST_JOINT_STEPS", 1)])
def test_logistic_models_of_several_blocks_or_left_over_by_one_are_the_refits(monkeypatch, option):
    monkeypatch.setattr(_logistic, *option)
    rows = problem("logistic", weighted=True)
    learner = from_model(MODELS["logistic"](), task=Task(2), seed=0)
    for column in range(N_COLUMNS):
        others = np.delete(rows.X, column, axis=1)
        again = MODELS["logistic"]().fit(others, rows.y, sample_weight=rows.weights)
        model = learner.refit_without(rows, (column,))
        refit = again.predict_proba(others)[:, 1]
        np.testing.assert_allclose(model.predict(rows.X), refit, rtol=1e-8, atol=1e-8)


def test_a_logistic_model_without_a_column_does_not_depend_on_what_else_is_asked():
    rows, task = problem("logistic"), Task(2)
    one, other = (from_model(MODELS["logistic"](), task=task, seed=0) for _ in range(2))
    for removed in [(0,), (2, 3), (4,)]:
        one.refit_without(rows, removed)
    first, second = (each.refit_without(rows, (1,)).predict(rows.X) for each in (one, other))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(fit_intercept=False),
        LinearRegression(positive=True),
        RidgeCV(),
        LogisticRegression(solver="liblinear"),
        LogisticRegression(class_weight="balanced"),
        LogisticRegressionCV(),
    ],
)
def test_settings_without_a_closed_form_are_refitted(model):
    name = "logistic" if "Logistic" in type(model).__name__ else "ols"
    learner = from_model(model, task=Task(n_classes(name)), seed=0)
    assert learner.refit_without(problem(name), (0,)) is None


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler(), RobustScaler()])
def test_a_pipeline_of_scalers_passes_the_closed_form_on(name, scaler):
    rows = problem(name, weighted=True)
    learner = from_model(make_pipeline(scaler, MODELS[name]()), task=Task(n_classes(name)), seed=0)
    learner.advance(rows.X, rows.y, 1, rows.weights)
    model = learner.refit_without(rows, (2,))
    others = np.delete(rows.X, 2, axis=1)
    again = make_pipeline(scaler, MODELS[name]())
    last = again.steps[-1][0]
    again.fit(others, rows.y, **{f"{last}__sample_weight": rows.weights})
    refit = values(again, name, others)
    np.testing.assert_allclose(model.predict(rows.X), refit, rtol=1e-8, atol=1e-8)


def test_a_pipeline_that_the_user_has_fitted_is_refitted_with_its_scaler():
    rows = problem("ridge")
    given = make_pipeline(StandardScaler(), Ridge()).fit(rows.X[:50], rows.y[:50])
    learner = from_model(given, task=Task(), seed=0, prefit=True)
    assert learner.refit_without(rows, (2,)) is None


def test_a_pipeline_that_mixes_columns_is_refitted():
    rows = problem("ols")
    for first in (PCA(), StandardScaler(with_mean=False)):
        learner = from_model(make_pipeline(first, LinearRegression()), task=Task(), seed=0)
        assert learner.refit_without(rows, (2,)) is None  # not trained yet
        learner.advance(rows.X, rows.y, 1)
        assert (learner.refit_without(rows, (2,)) is None) == isinstance(first, PCA)


def test_columns_that_determine_each_other_are_left_to_a_refit():
    rows = problem("ols")
    rows.X[:, 1] = rows.X[:, 0]
    assert LinearLearner(LinearRegression()).refit_without(rows, (0,)) is None


@pytest.mark.parametrize("as_frame", [False, True])
@pytest.mark.parametrize("prefit", [False, True])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")
@pytest.mark.filterwarnings("ignore::lukewarm.NearZeroWarning")
def test_retraining_of_linear_models_gives_the_importances_of_refits(name, prefit, as_frame):
    rows = problem(name)
    X = pd.DataFrame(rows.X, columns=list("abcdef")) if as_frame else rows.X
    model = MODELS[name]()
    if prefit:
        model.fit(X[:300], rows.y[:300])
    vi = lw.VariableImportance(
        model,
        "retrain",
        "brier" if name == "logistic" else None,
        prefit=prefit,
        inference="paired",
        random_state=0,
    ).fit(X[:300], rows.y[:300], X_eval=X[300:], y_eval=rows.y[300:])
    assert vi.result_.method == "retrain"

    def error(columns):
        fitted = MODELS[name]().fit(rows.X[:300, columns], rows.y[:300])
        return np.mean((rows.y[300:] - values(fitted, name, rows.X[300:, columns])) ** 2)

    every = list(range(N_COLUMNS))
    expected = [error([c for c in every if c != out]) - error(every) for out in every]
    np.testing.assert_allclose(vi.result_.importance, expected, rtol=1e-7, atol=1e-8)
