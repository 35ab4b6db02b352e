"""What is particular to LightGBM, XGBoost and scikit-learn's boosters."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingRegressor

from lukewarm.learners import from_model
from lukewarm.learners.sklearn._refit_only import RefitOnlyLearner
from lukewarm.measures import Task


@pytest.fixture(scope="module", name="X")
def features():
    return np.random.default_rng(0).normal(size=(300, 3))


def lightgbm_model(kind="Regressor", **settings):
    lightgbm = pytest.importorskip("lightgbm")
    return getattr(lightgbm, f"LGBM{kind}")(n_jobs=1, num_leaves=8, verbose=-1, **settings)


def xgboost_model(kind="Regressor", **settings):
    xgboost = pytest.importorskip("xgboost")
    return getattr(xgboost, f"XGB{kind}")(n_jobs=1, max_depth=3, **settings)


def advanced(model, X, y, n_steps=20, n_classes=None):
    learner = from_model(model, task=Task(n_classes), seed=0)
    learner.advance(X, y, n_steps)
    return learner


def lightgbm_of(objective):
    return lightgbm_model(objective=objective, n_estimators=20, random_state=0)


def xgboost_of(objective):
    return xgboost_model(objective=objective, n_estimators=20, random_state=0)


def histograms_of(loss):
    return HistGradientBoostingRegressor(loss=loss, max_iter=20)


# XGBoost keeps margins in single precision.
DOUBLE, SINGLE = {"rtol": 1e-12}, {"rtol": 1e-5, "atol": 1e-6}


@pytest.mark.parametrize(
    ("make", "objective", "tolerance"),
    [
        (lightgbm_of, "regression", DOUBLE),
        (lightgbm_of, "poisson", DOUBLE),
        (lightgbm_of, "regression_l1", DOUBLE),
        (xgboost_of, "reg:squarederror", SINGLE),
        (xgboost_of, "count:poisson", SINGLE),
        (xgboost_of, "reg:absoluteerror", SINGLE),
        (histograms_of, "squared_error", DOUBLE),
        (histograms_of, "poisson", DOUBLE),
    ],
)
def test_predicts_as_the_estimator_itself(X, make, objective, tolerance):
    y = np.random.default_rng(1).poisson(np.exp(1 + X[:, 0])).astype(float)
    model = make(objective)
    own = model.fit(X, y).predict(X)
    assert np.ptp(own) > 1
    np.testing.assert_allclose(advanced(model, X, y).predict(X), own, **tolerance)


@pytest.mark.parametrize("make", [lightgbm_model, xgboost_model])
def test_a_session_draws_on_where_the_last_call_ended(make, X):
    y = X[:, 0] + X[:, 1] * X[:, 2]
    settings = {"subsample": 0.5, "colsample_bytree": 0.7}
    if make is lightgbm_model:
        settings["subsample_freq"] = 1
    one, two = (from_model(make(**settings), task=Task(), seed=3) for _ in range(2))
    other = from_model(make(**settings), task=Task(), seed=4)
    one.advance(X, y, 20)
    two.advance(X, y, 7)
    two.advance(X, y, 13)
    other.advance(X, y, 20)
    assert not np.allclose(one.predict(X), other.predict(X))
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


def test_old_trees_are_read_right_where_a_column_has_become_constant(X):
    # Going on by warm_start alone, the old trees would look the constant up among the wrong bins.
    y = 3 * X[:, 0] + X[:, 1]
    removed = X.copy()
    removed[:, 0] = 0.7
    learner = advanced(HistGradientBoostingRegressor(), X, y, 30)
    before = learner.predict(removed)
    learner.advance(removed, y, 1)
    naive = HistGradientBoostingRegressor(max_iter=30, warm_start=True).fit(X, y)
    naive.set_params(max_iter=31).fit(removed, y)
    errors = [np.mean((y - prediction) ** 2) for prediction in (learner.predict(removed), before)]
    assert errors[0] < errors[1]
    assert np.mean((y - naive.predict(removed)) ** 2) > errors[0]


def test_a_booster_that_can_split_no_further_still_counts_its_steps():
    X = np.repeat([[0.0], [1.0]], 30, axis=0)
    learner = advanced(lightgbm_model(learning_rate=1.0), X, X[:, 0], 30)
    learner.advance(X, X[:, 0], 10)
    assert learner.n_steps == 40
    stages = learner.staged_predict(X, 1)
    assert stages.shape == (40, 60)
    np.testing.assert_allclose(stages[-1], X[:, 0], atol=1e-6)


def test_column_names_may_hold_any_character(X):
    frame = pd.DataFrame(X, columns=["a[0]", "b, {c}", 'd:"e"'])
    frame["kind <1>"] = pd.Categorical(np.where(X[:, 0] > 0, "u,", "[v]"))
    for make in (lightgbm_model, xgboost_model):
        assert np.isfinite(advanced(make(), frame, X[:, 0]).predict(frame)).all()


def test_class_weights_shift_the_probabilities(X):
    y = (X[:, 0] + np.random.default_rng(1).normal(size=300) > 1).astype(float)
    plain = advanced(lightgbm_model("Classifier"), X, y, 10, n_classes=2)
    balanced = advanced(
        lightgbm_model("Classifier", class_weight="balanced"), X, y, 10, n_classes=2
    )
    assert balanced.predict(X).mean() > plain.predict(X).mean() + 0.1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lightgbm_model(boosting_type="boost"), "boosting_type='boost'.*'gbdt'"),
        (lambda: lightgbm_model(objective="binary"), "objective='binary'.*regression"),
        (lambda: xgboost_model(booster="forest"), "booster='forest'.*'gbtree'"),
        (lambda: xgboost_model(objective=lambda y, margin: (margin - y, y)), "objective"),
    ],
)
def test_settings_that_cannot_go_on_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        from_model(make(), task=Task(), seed=0)


@pytest.mark.parametrize("n_classes", [None, 2])
@pytest.mark.parametrize(
    "options", [{"boosting_type": "dart"}, {"boosting_type": "rf", "bagging_freq": 1}]
)
def test_trees_that_are_no_sum_are_fitted_as_a_whole(X, options, n_classes):
    kind = "Regressor" if n_classes is None else "Classifier"
    model = lightgbm_model(kind, subsample=0.6, **options)
    y = X[:, 0] if n_classes is None else (X[:, 0] > 0).astype(float)
    learner = advanced(model, X, y, 1, n_classes=n_classes)
    assert isinstance(learner, RefitOnlyLearner)
    assert np.corrcoef(learner.predict(X).reshape(len(X), -1)[:, -1], y)[0, 1] > 0.8
    with pytest.raises(TypeError, match="cannot be warm-started"):
        learner.copy().advance(X, y, 1)


def test_margins_that_are_no_log_odds_are_refused():
    with pytest.raises(ValueError, match="loss='exponential'"):
        from_model(GradientBoostingClassifier(loss="exponential"), task=Task(2), seed=0)


def test_predictions_of_lightgbm_leave_the_number_of_threads_as_it_was(X, monkeypatch):
    # LightGBM keeps one number for all, which each prediction sets; 0 is as many as there are.
    asked = []
    learner = advanced(lightgbm_model(), X, X[:, 0], 5)
    booster = type(learner._segments[0]._booster)
    predict = booster.predict

    def listening(self, data, **settings):
        asked.append(settings.get("num_threads", 0))
        return predict(self, data, **settings)

    monkeypatch.setattr(booster, "predict", listening)
    learner.predict(X)
    for _ in learner.staged_predict(X, 0):
        pass
    assert asked
    assert set(asked) == {1}
