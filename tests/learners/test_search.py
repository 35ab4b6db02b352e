"""Searches over settings are made once and looked through to what they found."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import lukewarm as lw
from lukewarm.data import Rows
from lukewarm.learners import from_model
from lukewarm.learners.sklearn._search import SearchLearner
from lukewarm.measures import Task

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")


class CountedRidge(Ridge):
    """A ridge regression that counts how often any of its kind is fitted."""

    n_fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).n_fits += 1
        return super().fit(X, y, sample_weight)


def rows(n_rows=120):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n_rows, 3))
    return X, 2 * X[:, 0] + X[:, 1] + 0.3 * generator.normal(size=n_rows)


def trained(search, *, n_classes=None):
    X, y = rows()
    learner = from_model(search, task=Task(n_classes), seed=0)
    learner.advance(X, y if n_classes is None else (y > 0).astype(float), 1)
    return learner, X, y


def test_retraining_without_a_column_keeps_the_settings_and_searches_no_more():
    X, y = rows()
    search = GridSearchCV(CountedRidge(), {"alpha": [0.1, 1e5]}, cv=3)
    CountedRidge.n_fits = 0
    vi = lw.VariableImportance(search, "retrain", inference="paired", random_state=0).fit(X, y)
    # Two settings in three folds and the best on all rows, once; then a fit for each column.
    assert CountedRidge.n_fits == 2 * 3 + 1 + X.shape[1]
    assert vi.result_.importance[0] > vi.result_.importance[1] > 0.5


def test_a_searched_forest_is_averaged_over_draws_by_its_trees():
    forest = RandomForestRegressor(60, random_state=0)
    learner, X, _ = trained(GridSearchCV(forest, {"min_samples_leaf": [2, 40]}, cv=2))
    values = [{0: np.roll(X[:, 0], shift)} for shift in (1, 2, 3)]
    weight = np.full(len(X), 1 / 3)
    found = learner.average_draws(X, [(weight, each) for each in values])
    expected = np.mean(learner.predict_filled(X, values), axis=0)
    assert np.ptp(expected) > 1
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert learner.traits.is_local
    assert learner.thinned._n_ways < learner._found._n_ways


def test_a_searched_linear_model_is_refitted_in_closed_form():
    learner, X, y = trained(GridSearchCV(Ridge(), {"alpha": [0.1, 1e5]}, cv=3))
    model = learner.refit_without(Rows(X, y), (1,))
    again = Ridge(alpha=0.1).fit(X[:, [0, 2]], y)
    np.testing.assert_allclose(model.predict(X), again.predict(X[:, [0, 2]]), atol=1e-8)


def test_a_trained_search_is_the_best_estimator_and_can_be_warm_started():
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMRegressor(n_estimators=30, num_leaves=4, n_jobs=1, verbose=-1)
    X, y = rows(300)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    search = GridSearchCV(model, {"learning_rate": [0.001, 0.1]}, cv=2).fit(frame[:200], y[:200])
    vi = lw.VariableImportance(search, "early_stopping", prefit=True, random_state=0)
    vi.fit(frame[:200], y[:200], X_eval=frame[200:], y_eval=y[200:])
    best = lw.VariableImportance(
        search.best_estimator_, "early_stopping", prefit=True, random_state=0
    )
    best.fit(frame[:200], y[:200], X_eval=frame[200:], y_eval=y[200:])
    assert vi.result_.importance[0] > 1
    np.testing.assert_array_equal(vi.result_.importance, best.result_.importance)
    assert vi.result_.model == "GridSearchCV"


def test_a_search_over_scores_is_calibrated_as_a_whole():
    learner, X, y = trained(GridSearchCV(SVC(), {"C": [0.01, 1.0]}, cv=2), n_classes=2)
    assert learner.output == "scores"
    assert learner.average_draws(X, [(np.ones(len(X)), {0: X[:, 0]})]) is None
    assert np.mean((learner.predict(X) > 0.5) == (y > 0)) > 0.9


def test_an_untrained_search_has_nothing_to_look_through():
    X, y = rows()
    learner = SearchLearner(GridSearchCV(LogisticRegression(), {"C": [1.0]}), task=Task(2))
    assert learner.thinned is learner
    assert learner.average_draws(X, []) is None
    assert learner.refit_without(Rows(X, y), (0,)) is None
    assert isinstance(learner.fresh(0), SearchLearner)


def test_a_search_that_leaves_no_model_is_refused():
    X, y = rows()
    search = GridSearchCV(Ridge(), {"alpha": [1.0]}, refit=False)
    with pytest.raises(ValueError, match="pass refit=True"):
        lw.VariableImportance(search).fit(X, y)
