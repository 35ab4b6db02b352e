"""Boosters that are no regressors by their class are measured by what trained them."""

import numpy as np
import pytest

import lukewarm as lw
from lukewarm.learners import from_model
from lukewarm.measures import Task
from lukewarm.reduction import method_for

X = np.random.default_rng(0).normal(size=(300, 2))
Y = np.abs(X[:, 0]) + 0.1


def lightgbm_booster(**settings):
    lgb = pytest.importorskip("lightgbm")
    return lgb.train({"verbose": -1, "num_threads": 1, **settings}, lgb.Dataset(X, Y), 5)


def xgboost_booster(**settings):
    xgb = pytest.importorskip("xgboost")
    return xgb.train({"nthread": 1, **settings}, xgb.DMatrix(X, Y), 5)


@pytest.mark.parametrize(
    ("make", "settings", "measure"),
    [
        (lightgbm_booster, {}, "neg_mse"),
        (lightgbm_booster, {"objective": "quantile", "alpha": 0.8}, "pinball(0.8)"),
        (lightgbm_booster, {"objective": "mae"}, "neg_mae"),
        (lightgbm_booster, {"objective": "poisson"}, "poisson_deviance"),
        (xgboost_booster, {}, "neg_mse"),
        (
            xgboost_booster,
            {"objective": "reg:quantileerror", "quantile_alpha": 0.8},
            "pinball(0.8)",
        ),
        (xgboost_booster, {"objective": "reg:absoluteerror"}, "neg_mae"),
        (xgboost_booster, {"objective": "count:poisson"}, "poisson_deviance"),
    ],
)
def test_a_native_booster_is_measured_by_its_objective(make, settings, measure):
    model = make(**settings)
    assert from_model(model, task=Task(), seed=0, prefit=True).measure.name == measure
    vi = lw.VariableImportance(model, prefit=True, random_state=0)
    result = vi.fit(X[:200], Y[:200], X_eval=X[200:], y_eval=Y[200:]).result_
    # Nothing can be trained here, so a projection is what there is, of a quantile, too.
    assert (result.measure, result.method) == (measure, "projection")


def test_a_booster_read_from_a_file_is_measured_the_same_way(tmp_path):
    lgb = pytest.importorskip("lightgbm")
    path = tmp_path / "model.txt"
    lightgbm_booster(objective="quantile", alpha=0.8).save_model(path)
    learner = from_model(lgb.Booster(model_file=path), task=Task(), seed=0, prefit=True)
    assert learner.measure.name == "pinball(0.8)"


def test_boosters_that_are_fitted_in_one_go_are_measured_by_their_objective():
    lgb, xgb = pytest.importorskip("lightgbm"), pytest.importorskip("xgboost")
    dropped = lgb.LGBMRegressor(boosting_type="dart", objective="quantile", alpha=0.8)
    lines = xgb.XGBRegressor(booster="gblinear", objective="reg:absoluteerror")
    learners = [from_model(each, task=Task(), seed=0) for each in (dropped, lines)]
    assert [each.measure.name for each in learners] == ["pinball(0.8)", "neg_mae"]
    assert [method_for(each) for each in learners] == ["retrain", "retrain"]
