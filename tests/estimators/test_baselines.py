"""What a model is compared with on a report."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression

import lukewarm as lw
from lukewarm.estimators._baselines import linear_skill
from lukewarm.measures import as_measure

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")


def skill(X, y, measure, model="boosting", **options):
    vi = lw.VariableImportance(model, "dropout", inference="paired", random_state=0, **options)
    fitted = vi.fit(X, y)
    return linear_skill(fitted._prepared, as_measure(measure))


def test_a_line_is_fitted_as_least_squares_fits_it():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(400, 3)) * [1.0, 100.0, 0.01]
    y = X @ [1.0, 0.02, 50.0] + generator.normal(size=400)
    vi = lw.VariableImportance("boosting", "dropout", inference="paired", random_state=0).fit(X, y)
    (split,) = vi._prepared.runs.splits
    rows = np.concatenate([split.train, split.stopping])
    line = LinearRegression().fit(X[rows], y[rows])
    found = linear_skill(vi._prepared, as_measure("r2"))
    # The smallest penalties move a fit of 300 rows by far less than this.
    assert found == pytest.approx(line.score(X[split.evaluation], y[split.evaluation]), abs=2e-3)
    assert 0.3 < found < 0.95


def test_levels_and_gaps_are_read():
    generator = np.random.default_rng(1)
    kind = generator.choice(["a", "b", "c"], size=400)
    size = generator.normal(size=400)
    y = np.where(kind == "b", 3.0, 0.0) + size
    X = pd.DataFrame({"kind": kind, "size": np.where(generator.random(400) < 0.1, np.nan, size)})
    model = HistGradientBoostingRegressor(max_iter=5)
    assert 0.85 < skill(X.astype({"kind": "category"}), y, "r2", model) < 0.999


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_are_predicted_by_logistic_regression(n_classes):
    generator = np.random.default_rng(2)
    X = generator.normal(size=(400, 2))
    y = np.digitize(
        X[:, 0] + 0.1 * generator.normal(size=400), np.linspace(-0.5, 0.5, n_classes - 1)
    )
    found = skill(X, y, "accuracy", task="classification")
    assert np.bincount(y).max() / 400 + 0.2 < found <= 1


def test_a_measure_that_a_line_may_break_has_no_linear_skill():
    generator = np.random.default_rng(3)
    X = generator.normal(size=(400, 1))
    y = generator.poisson(np.exp(2 * X[:, 0])).astype(float)
    # The line falls below zero where counts are small.
    assert LinearRegression().fit(X, y).predict(X).min() < -1
    assert np.isnan(skill(X, y, "poisson_deviance"))
