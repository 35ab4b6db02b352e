import os

import numpy as np
import pandas as pd
import pytest

from lukewarm.data import Rows
from lukewarm.learners import CatBoostLearner, train_until
from lukewarm.measures import Task
from lukewarm.stopping import Patience

catboost = pytest.importorskip("catboost")


@pytest.fixture(scope="module", name="X")
def features():
    return np.random.default_rng(0).normal(size=(300, 3))


def test_stages_equal_catboosts_own_for_every_way_of_growing(X):
    y = X[:, 0] * X[:, 1]
    for policy in ("SymmetricTree", "Depthwise", "Lossguide"):
        learner = CatBoostLearner(catboost.CatBoostRegressor(grow_policy=policy, depth=4))
        learner.advance(X, y, 12)
        own = np.array(list(learner._segments[0].model.staged_predict(X)))
        assert np.ptp(own, axis=0).max() > 0.1
        np.testing.assert_allclose(learner.staged_predict(X, 1), own, rtol=0, atol=1e-12)


def test_one_block_equals_catboost_itself(X):
    y = X[:, 0] + X[:, 1] ** 2
    settings = {"depth": 3, "random_seed": 5, "thread_count": 1}
    learner = CatBoostLearner(catboost.CatBoostRegressor(iterations=50, **settings), seed=5)
    learner.advance(X, y, 50)
    own = catboost.CatBoostRegressor(
        iterations=50, verbose=False, allow_writing_files=False, **settings
    ).fit(X, y)
    np.testing.assert_allclose(learner.predict(X), own.predict(X), rtol=0, atol=1e-12)


def test_the_learning_rate_is_the_one_catboost_chooses_for_all_the_trees(X):
    y = X[:, 0]
    chosen = {}
    for iterations in (50, 2000):
        learner = CatBoostLearner(catboost.CatBoostRegressor(iterations=iterations, depth=2))
        learner.advance(X, y, 3)
        chosen[iterations] = learner._segments[0].model.learning_rate_
    assert chosen[50] > 2 * chosen[2000]


def test_going_on_by_init_model_gives_the_same_trees(X):
    y = X[:, 0] + X[:, 1]
    X_removed = X.copy()
    X_removed[:, 0] = 0.0
    settings = {"depth": 3, "learning_rate": 0.2, "random_strength": 0, "bootstrap_type": "No"}
    learner = CatBoostLearner(catboost.CatBoostRegressor(**settings))
    learner.advance(X, y, 20)
    learner.advance(X_removed, y, 20)
    quiet = {"verbose": False, "allow_writing_files": False, "iterations": 20, **settings}
    full = catboost.CatBoostRegressor(**quiet).fit(X, y)
    merged = catboost.CatBoostRegressor(**quiet).fit(X_removed, y, init_model=full)
    # Baselines are kept in single precision.
    np.testing.assert_allclose(
        learner.predict(X_removed), merged.predict(X_removed), rtol=0, atol=1e-5
    )


def test_catboosts_own_stopping_settings_give_way_and_nothing_is_written(X, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = catboost.CatBoostRegressor(
        iterations=9, early_stopping_rounds=2, use_best_model=True, od_type="Iter", depth=2
    )
    learner = CatBoostLearner(model)
    assert learner.traits.max_steps == 9
    learner.advance(X, X[:, 0], 30)
    assert learner.n_steps == 30
    assert os.listdir(tmp_path) == []


def test_a_fit_that_can_split_no_further_still_counts_its_steps():
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    learner = CatBoostLearner(catboost.CatBoostRegressor(depth=1, learning_rate=1, l2_leaf_reg=0))
    learner.advance(X, X[:, 0], 30)
    assert learner.n_steps == 30
    assert learner.staged_predict(X, 1).shape == (30, 40)
    np.testing.assert_allclose(learner.predict(X), X[:, 0], atol=1e-6)


def test_columns_named_categorical_by_the_user_are_split_by_level():
    generator = np.random.default_rng(0)
    code = generator.integers(6, size=400)
    X = pd.DataFrame({"code": code.astype(float), "noise": generator.normal(size=400)})
    y = np.array([0.0, 5.0, 0.0, 5.0, 0.0, 5.0])[code]
    settings = {"depth": 1, "learning_rate": 0.5, "one_hot_max_size": 2}
    errors = []
    for cat_features in (None, [0], ["code"]):
        model = catboost.CatBoostRegressor(cat_features=cat_features, **settings)
        learner = CatBoostLearner(model).fresh(0)
        learner.advance(X, y, 5)
        errors.append(np.mean((learner.predict(X) - y) ** 2))
    assert errors[1] < 0.2 * errors[0]
    assert errors[2] == errors[1]


def test_a_level_unseen_in_training_and_a_missing_one_are_predicted():
    frame = pd.DataFrame({"kind": pd.Categorical(["a", "b"] * 50), "x": np.arange(100.0)})
    learner = CatBoostLearner(catboost.CatBoostRegressor(depth=2))
    learner.advance(frame, (frame["kind"] == "a").to_numpy(float), 10)
    other = pd.DataFrame({"kind": pd.Categorical(["z", None]), "x": [1.0, 2.0]})
    assert np.isfinite(learner.predict(other)).all()


def test_a_loss_with_several_values_per_row_is_refused():
    model = catboost.CatBoostRegressor(loss_function="MultiQuantile:alpha=0.1,0.9")
    with pytest.raises(ValueError, match=r"objective='MultiQuantile'.*RMSE"):
        CatBoostLearner(model)


def test_counts_are_predicted_on_their_own_scale(X):
    y = np.random.default_rng(1).poisson(np.exp(1 + X[:, 0])).astype(float)
    learner = CatBoostLearner(catboost.CatBoostRegressor(loss_function="Poisson", depth=2))
    learner.advance(X, y, 20)
    own = learner._segments[0].model.predict(X, prediction_type="Exponent")
    np.testing.assert_allclose(learner.predict(X), own, rtol=1e-12)


def test_two_classes_may_be_trained_as_several(X):
    y = (X[:, 0] > 0).astype(float)
    settings = {"loss_function": "MultiClass", "depth": 2, "learning_rate": 0.1, "thread_count": 1}
    learner = CatBoostLearner(catboost.CatBoostClassifier(**settings), task=Task(2))
    np.testing.assert_array_equal(learner.predict(X), 0.5)
    trained, trace = train_until(learner, Rows(X, y), Rows(X, y), Patience(5), 20)
    assert trace.losses[-1] < 0.5 * trace.losses[0]
    own = catboost.CatBoostClassifier(**settings, iterations=20, random_seed=0, verbose=0)
    own.set_params(allow_writing_files=False).fit(X, y.astype(int))
    np.testing.assert_allclose(trained.predict(X), own.predict_proba(X)[:, 1], atol=1e-12)
