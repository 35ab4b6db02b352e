"""What a forecast counts is what a fit does."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import lukewarm as lw
from lukewarm.estimators._forecast import Forecast


@pytest.fixture(name="table")
def _table(generator):
    X = pd.DataFrame(generator.normal(size=(90, 3)), columns=["a", "b", "c"])
    return X, X["a"] + generator.normal(size=90)


@pytest.mark.parametrize(
    ("options", "n_full", "n_reduced"),
    [
        ({}, 6, 18),
        ({"inference": "paired"}, 1, 3),
        ({"inference": "paired", "cv": 3, "groups": {"pair": ["a", "b"]}}, 3, 6),
    ],
)
@pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")
def test_the_models_forecast_are_those_of_the_fit(table, options, n_full, n_reduced):
    vi = lw.VariableImportance(LinearRegression(), random_state=0, **options)
    forecast = vi.forecast(*table)
    assert (forecast.n_full_models, forecast.n_reduced_models) == (n_full, n_reduced)
    assert not hasattr(vi, "result_")
    vi.fit(*table)
    assert len(vi._prepared.full_models) == n_full
    assert len(vi._prepared.full_models) * len(vi.result_) == n_reduced


@pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")
def test_a_forecast_leaves_the_numbers_of_a_fit_alone(table):
    plain, forecast = (lw.VariableImportance(LinearRegression(), random_state=0) for _ in range(2))
    forecast.forecast(*table)
    np.testing.assert_array_equal(
        plain.fit(*table).result_.importance, forecast.fit(*table).result_.importance
    )


def test_seconds_add_up_and_workers_share_them():
    forecast = Forecast(3, 30, 6.0, 3.0, 2)
    assert forecast.seconds == 4.5
    assert str(forecast) == (
        "3 full models (6.0 s) and 30 reduced ones (3.0 s): about 4.5 s, 2 at a time."
    )
