"""Draws in the place of removed columns, for methods that fill them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lukewarm as lw
from lukewarm.data import Removal, Rows
from lukewarm.learners import from_model
from lukewarm.measures import REGRESSION
from lukewarm.reduction import Dropout, Projection, ReductionData
from lukewarm.reduction.projection._conditional import ConditionalDraws

CORRELATION = 0.8


@pytest.fixture
def data(generator):
    X = generator.normal(size=(2000, 3))
    X[:, 1] = CORRELATION * X[:, 0] + np.sqrt(1 - CORRELATION**2) * X[:, 1]
    y = X @ [1.0, 2.0, 3.0] + generator.normal(size=len(X))
    train, stopping = Rows(X[:1500], y[:1500]), Rows(X[1500:], y[1500:])
    return ReductionData(train, stopping, Removal.learn(train.X), is_conditional=True)


@pytest.fixture
def full(data):
    learner = from_model(LinearRegression(), task=REGRESSION, seed=0)
    learner.advance(data.train.X, data.train.y, 1)
    return learner


def test_dropout_with_draws_is_the_mean_over_the_draws_of_a_projection(full, data):
    reduced = Dropout().reduce(full, data, (0,), seed=0)
    X = data.stopping.X
    draws = ConditionalDraws(data.regressions, (0,))
    expected = draws.average(full, data.regressions.prepare(X))
    np.testing.assert_array_equal(reduced.predict(X), expected)


def test_dropout_with_draws_from_a_linear_model_has_its_closed_form(full, data):
    X = data.stopping.X
    slopes = full.predict(np.eye(3)) - full.predict(np.zeros((1, 3)))
    expected = full.predict(np.column_stack([CORRELATION * X[:, 1], X[:, 1:]]))
    # The guess of x0 is a regression on 1,500 rows with residual variance 1 - 0.8**2; its offset is
    # that of the 500 stopping rows.
    error = slopes[0] * np.sqrt((1 - CORRELATION**2) * (np.square(X[:, 1]) / 1500 + 1 / 500))
    gap = Dropout().reduce(full, data, (0,), seed=0).predict(X) - expected
    assert np.std(slopes[0] * CORRELATION * X[:, 1]) > 20 * np.median(error)
    assert np.all(np.abs(gap) <= 4 * error)


def test_with_nothing_removed_nothing_is_drawn(full, data):
    np.testing.assert_array_equal(
        Dropout().reduce(full, data, (), seed=0).predict(data.stopping.X),
        full.predict(data.stopping.X),
    )
    assert data.fill.apply(data.train.X, ()) is data.train.X


def test_a_row_to_train_on_takes_one_draw_of_its_own_distribution(data):
    X = data.train.X
    drawn = data.fill.apply(X, (0,))
    np.testing.assert_array_equal(drawn[:, 1:], X[:, 1:])
    spread = np.sqrt(1 - CORRELATION**2)
    left = drawn[:, 0] - CORRELATION * X[:, 1]
    # Means of 1,500 residuals by those of 500 stopping rows; variances have twice that error.
    assert abs(left.mean()) < 4 * spread * np.sqrt(1 / 1500 + 1 / 500)
    assert left.std() == pytest.approx(spread, rel=4 * np.sqrt(2 / 500))
    assert abs(np.corrcoef(left, X[:, 1])[0, 1]) < 4 / np.sqrt(1500)


def test_levels_are_drawn_with_their_probabilities(generator):
    number = generator.normal(size=1200)
    level = np.where(number + generator.normal(size=1200) > 0, "high", "low")
    X = pd.DataFrame({"level": pd.Categorical(level), "number": number})
    rows = Rows(X, number)
    data = ReductionData(
        rows.at(np.arange(900)), rows.at(np.arange(900, 1200)), Removal.learn(X), True
    )
    drawn = data.fill.apply(X, (0,))
    assert drawn["level"].dtype == X["level"].dtype
    for side in (number > 0, number <= 0):
        share, expected = (
            np.mean(np.asarray(each["level"] == "high")[side]) for each in (drawn, X)
        )
        assert share == pytest.approx(expected, abs=4 * np.sqrt(0.25 / side.sum()) + 0.02)
    assert np.mean(np.asarray(drawn["level"] == level)) < 0.9


def test_importance_by_dropout_with_draws_covers_the_truth_that_the_mean_misses():
    data = lw.datasets.make_correlated_linear(n_samples=2000, random_state=0)

    def explained(fill):
        vi = lw.VariableImportance(
            LinearRegression(), "dropout", features=["X1"], fill=fill, random_state=0
        )
        return vi.fit(data.X, data.y).result_

    truth = data.true_importance([0])
    drawn, held = explained("conditional"), explained("mean")
    assert abs(drawn.importance[0] - truth) <= 4 * drawn.standard_error[0]
    assert held.importance[0] - truth > 4 * held.standard_error[0]


MODELS = [
    "boosting",
    "kernel",
    HistGradientBoostingRegressor(max_iter=5),
    RandomForestRegressor(5),
    SGDRegressor(),
    KNeighborsRegressor(),
    make_pipeline(StandardScaler(), LinearRegression()),
    "network",
    "catboost",
    ("lightgbm", "LGBMRegressor", {"n_estimators": 5, "verbose": -1, "n_jobs": 1}),
    ("xgboost", "XGBRegressor", {"n_estimators": 5, "n_jobs": 1}),
]
ENGINES = {"network": "torch", "catboost": "catboost"}


@pytest.mark.filterwarnings("ignore::lukewarm.exceptions.HealthWarning")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model)[:20])
def test_dropout_with_draws_is_a_projection_without_its_correction_for_every_model(model):
    if isinstance(model, tuple):
        engine, kind, settings = model
        model = getattr(pytest.importorskip(engine), kind)(**settings)
    elif isinstance(model, str) and model in ENGINES:
        pytest.importorskip(ENGINES[model])
    data = lw.datasets.make_correlated_linear(n_samples=200, random_state=0)
    vi = lw.VariableImportance(
        model,
        "dropout",
        features=["X1"],
        fill="conditional",
        max_steps=5,
        random_state=0,
        inference="paired",
    ).fit(data.X, data.y)
    full = vi._prepared.full_models[0]
    draws = ConditionalDraws(full.data.regressions, (0,))
    mean = draws.average(full.learner, full.data.regressions.prepare(full.evaluation.X))
    loss = np.mean((full.evaluation.y - mean) ** 2)
    loss -= np.mean((full.evaluation.y - full.learner.predict(full.evaluation.X)) ** 2)
    assert vi.result_.importance[0] == pytest.approx(loss, rel=1e-9)


@pytest.mark.filterwarnings("ignore::lukewarm.exceptions.HealthWarning")
def test_early_stopping_trains_on_draws(generator):
    X = pd.DataFrame(generator.normal(size=(240, 3)), columns=list("abc"))
    X["d"] = pd.Categorical(np.where(X["a"] > 0, "u", "v"))
    X.loc[:20, "b"] = np.nan
    y = X["a"] + X["c"] + 0.1 * generator.normal(size=240)
    vi = lw.VariableImportance(
        "boosting", "early_stopping", fill="conditional", max_steps=20, random_state=0
    ).fit(X, y)
    held = lw.VariableImportance("boosting", "early_stopping", max_steps=20, random_state=0)
    assert vi.result_.method == "early_stopping"
    assert np.all(np.isfinite(vi.result_.importance))
    assert not np.array_equal(vi.result_.importance, held.fit(X, y).result_.importance)


def test_classes_may_be_filled_with_draws(generator):
    X = generator.normal(size=(200, 2))
    y = X[:, 0] + generator.normal(size=200) > 0
    vi = lw.VariableImportance(LogisticRegression(), "dropout", fill="conditional", random_state=0)
    assert vi.fit(X, y).result_.importance[0] > 0


def test_a_projection_draws_in_any_case(full, data):
    held = ReductionData(data.train, data.stopping, data.removal)
    X = data.stopping.X
    np.testing.assert_array_equal(
        Projection().reduce(full, data, (0,), seed=0).predict(X),
        Projection().reduce(full, held, (0,), seed=0).predict(X),
    )


@pytest.mark.parametrize("method", ["kernel_flow", "lazy"])
def test_methods_that_see_one_value_of_each_column_refuse_draws(method):
    pytest.importorskip("torch")
    data = lw.datasets.make_correlated_linear(n_samples=100, random_state=0)
    vi = lw.VariableImportance("network", method, fill="conditional")
    with pytest.raises(ValueError, match="fill='conditional' does not go with method"):
        vi.fit(data.X, data.y)


def test_a_reduction_that_inherits_nothing_is_used_as_it_is():
    class Halved:
        name = "halved"

        def reduce(self, full, data, removed, seed):
            reduced = Dropout().reduce(full, data, removed, seed)
            return type(reduced)(lambda X: reduced.predict(X) / 2, reduced.trace, 0.0)

    data = lw.datasets.make_correlated_linear(n_samples=100, random_state=0)
    vi = lw.VariableImportance(LinearRegression(), Halved(), features=["X1"], random_state=0)
    assert vi.fit(data.X, data.y).result_.method == "halved"
