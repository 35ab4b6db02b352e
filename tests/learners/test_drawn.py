"""Two routes to the margins of draws: trees that were read, and the library's own predictions."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from lukewarm.data import filled
from lukewarm.learners import from_model
from lukewarm.learners.boosters._drawn import DrawnMargins
from lukewarm.measures import Task

N_ROWS = 400


def lightgbm_model(n_classes, **settings):
    lightgbm = pytest.importorskip("lightgbm")
    kind = lightgbm.LGBMRegressor if n_classes is None else lightgbm.LGBMClassifier
    return kind(n_jobs=1, min_child_samples=5, **settings)


def xgboost_model(n_classes, **settings):
    xgboost = pytest.importorskip("xgboost")
    kind = xgboost.XGBRegressor if n_classes is None else xgboost.XGBClassifier
    return kind(n_jobs=1, enable_categorical=True, **settings)


def histogram_model(n_classes, **settings):
    kind = HistGradientBoostingRegressor if n_classes is None else HistGradientBoostingClassifier
    return kind(min_samples_leaf=5, categorical_features="from_dtype", **settings)


def catboost_model(n_classes, **settings):
    catboost = pytest.importorskip("catboost")
    kind = catboost.CatBoostRegressor if n_classes is None else catboost.CatBoostClassifier
    return kind(thread_count=1, depth=4, **settings)


ENGINES = {
    "lightgbm": lightgbm_model,
    "xgboost": xgboost_model,
    "hist_gradient_boosting": histogram_model,
    "catboost": catboost_model,
}
# Sums of some dozen leaves; XGBoost's own are in single precision.
TOLERANCE = {"xgboost": 1e-5}


def numbers():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(N_ROWS, 4))
    X[generator.random(N_ROWS) < 0.2, 1] = np.nan
    signal = X[:, 0] * X[:, 2] + np.where(np.isnan(X[:, 1]), 1.0, X[:, 1])
    fills = [{1: X[:, 0] + node} for node in (-1.0, 0.0, 1.0)] + [{1: np.full(N_ROWS, np.nan)}]
    return X, signal, fills


def levels():
    X, signal, _ = numbers()
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.insert(1, "e", pd.Categorical(np.resize(list("uvwxv"), N_ROWS), list("xvuwz")))
    frame.loc[::7, "e"] = None
    signal = signal + 2 * frame["e"].isin(["u", "x"]) * frame["a"] + frame["e"].isna()
    every = [np.broadcast_to(np.array([one], dtype=object), N_ROWS) for one in ("u", "w", None)]
    mixed = np.resize(np.array(["x", "z", "v", None], dtype=object), N_ROWS)
    return frame, signal.to_numpy(), [{1: values} for values in (*every, mixed)]


def trained(engine, X, signal, n_classes, **settings):
    cuts = np.quantile(signal, np.arange(1, n_classes or 1) / (n_classes or 1))
    y = signal if n_classes is None else np.digitize(signal, cuts).astype(float)
    learner = from_model(ENGINES[engine](n_classes, **settings), task=Task(n_classes), seed=0)
    learner.advance(X, y, 12)
    learner.advance(X, y, 13)  # a second segment, for engines that need a fit for each
    return learner


def from_trees(learner, X, fills):
    """Return the margins by the trees as they are read, or None."""
    found = learner._drawn().margins(X, fills, None)
    return None if found is None else found[0]


def check_against_library(engine, learner, X, filling):
    assert from_trees(learner, X, filling) is not None
    found = learner.predict_filled(X, filling)
    assert np.abs(found[0] - found[1]).max() > 0.01
    for prediction, fill in zip(found, filling, strict=True):
        expected = learner.predict(filled(X, fill))
        np.testing.assert_allclose(prediction, expected, atol=TOLERANCE.get(engine, 1e-12))


@pytest.mark.parametrize("n_classes", [None, 2, 3])
@pytest.mark.parametrize("engine", ENGINES)
def test_draws_give_what_the_library_gives_for_the_filled_table(engine, n_classes):
    X, signal, fills = numbers()
    learner = trained(engine, X, signal, n_classes)
    several = [{**each, 0: X[:, 2]} for each in fills]
    for filling in (fills, several):
        check_against_library(engine, learner, X, filling)


@pytest.mark.parametrize("n_classes", [None, 2])
@pytest.mark.parametrize("engine", ["lightgbm", "xgboost", "hist_gradient_boosting"])
def test_drawn_levels_give_what_the_library_gives_for_the_filled_table(engine, n_classes):
    X, signal, fills = levels()
    learner = trained(engine, X, signal, n_classes)
    for filling in (fills, [{**each, 2: X["c"].to_numpy()} for each in fills]):
        check_against_library(engine, learner, X, filling)


def test_numbers_are_drawn_beside_levels_that_only_catboost_can_read():
    X, signal, fills = levels()
    learner = trained("catboost", X, signal, None, max_ctr_complexity=1)
    assert from_trees(learner, X, fills) is None
    filling = [{0: X["c"].to_numpy()}, {0: X["d"].to_numpy()}]
    assert from_trees(learner, X, filling) is not None
    for prediction, fill in zip(learner.predict_filled(X, filling), filling, strict=True):
        np.testing.assert_allclose(prediction, learner.predict(filled(X, fill)), atol=1e-12)
    for prediction, fill in zip(learner.predict_filled(X, fills), fills, strict=True):
        np.testing.assert_array_equal(prediction, learner.predict(filled(X, fill)))


@pytest.mark.parametrize("n_classes", [None, 2, 3])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_mean_over_draws_is_the_weighted_sum_of_their_predictions(engine, n_classes):
    X, signal, fills = numbers()
    learner = trained(engine, X, signal, n_classes)
    weights = np.random.default_rng(1).dirichlet(np.ones(len(fills)), size=N_ROWS).T
    mean = learner.average_draws(X, list(zip(weights, fills, strict=True)))
    expected = sum(
        (weight if n_classes != 3 else weight[:, None]) * prediction
        for weight, prediction in zip(weights, learner.predict_filled(X, fills), strict=True)
    )
    assert mean.shape == learner.predict(X).shape
    np.testing.assert_allclose(mean, expected, atol=1e-12)


@pytest.mark.parametrize("draw", [numbers, levels])
@pytest.mark.parametrize("n_classes", [None, 2, 3])
@pytest.mark.parametrize("engine", ["lightgbm", "xgboost", "hist_gradient_boosting"])
def test_rows_that_were_drawn_are_predicted_from_their_leaves_to_the_bit(engine, n_classes, draw):
    X, signal, fills = draw()
    learner = trained(engine, X, signal, n_classes)
    expected = learner.predict(X)
    assert from_trees(learner, X, fills) is not None
    assert learner._drawn().known_margin(X) is not None
    assert learner._drawn()._is_exact
    np.testing.assert_array_equal(learner.predict(X), expected)


def test_rows_too_many_to_keep_their_leaves_give_the_same(monkeypatch):
    X, signal, fills = numbers()
    learner = trained("lightgbm", X, signal, None)
    kept = learner.predict_filled(X, fills)
    monkeypatch.setattr("lukewarm.learners.boosters._forest._MOST_BYTES_KEPT", 25 * 30)
    monkeypatch.setattr("lukewarm.learners.boosters._forest._ROWS_AT_ONCE", 16)
    np.testing.assert_array_equal(learner.copy().predict_filled(X, fills), kept)


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_draws_of_more_rows_than_are_ordered_at_once(engine):
    X = np.random.default_rng(0).normal(size=(40_000, 3))
    signal = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2])
    learner = trained(engine, X, signal, None)
    check_against_library(engine, learner, X, [{0: X[:, 1] + node} for node in (-1.0, 1.0)])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_that_no_tree_splits_on_is_known(engine):
    X, signal, _ = numbers()
    X[:, 3] = 0.0
    learner = trained(engine, X, signal, None)
    assert [learner.looks_at((column,)) for column in range(4)] == [True, True, True, False]
    assert learner.looks_at((2, 3))


def test_trees_that_were_read_wrongly_are_left_to_their_library():
    X, signal, fills = numbers()
    learner = trained("lightgbm", X, signal, None)
    expected = [learner.predict(filled(X, fill)) for fill in fills]
    forest = learner._segments[0].read()
    forest.tables.slots[0] += np.linspace(0, 1e-6, 64)
    assert from_trees(learner, X, fills) is None
    for prediction, other in zip(learner.predict_filled(X, fills), expected, strict=True):
        np.testing.assert_allclose(prediction, other, atol=2e-6)


def test_trees_are_read_anew_after_training():
    X, signal, fills = numbers()
    learner = trained("xgboost", X, signal, None)
    before = learner.predict_filled(X, fills)[0]
    learner.advance(X, signal, 20)
    after = learner.predict_filled(X, fills)[0]
    assert np.abs(after - before).max() > 0.01
    np.testing.assert_allclose(after, learner.predict(filled(X, fills[0])), atol=1e-5)
    learner.rewind(25)
    np.testing.assert_allclose(learner.predict_filled(X, fills)[0], before, atol=1e-5)


def test_a_model_without_trees_has_nothing_to_read():
    X, _, fills = numbers()
    learner = from_model(lightgbm_model(None), task=Task(), seed=0)
    assert not isinstance(learner._drawn(), DrawnMargins)
    np.testing.assert_array_equal(learner.predict_filled(X, fills)[0], np.zeros(N_ROWS))
