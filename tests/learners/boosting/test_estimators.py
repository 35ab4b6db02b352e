import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification, make_friedman1
from sklearn.utils.estimator_checks import parametrize_with_checks

from lukewarm.learners import from_model
from lukewarm.learners.boosting import ObliviousBoostingClassifier, ObliviousBoostingRegressor
from lukewarm.measures import Task


def expected_failures(estimator):
    if estimator.patience is None:
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": (
            "which rows are held out depends on how many there are, so a row of weight 2 and the "
            "same row twice lead to different stopping rows"
        )
    }


@parametrize_with_checks(
    [
        ObliviousBoostingRegressor(n_trees=40),
        ObliviousBoostingRegressor(n_trees=40, patience=5),
        ObliviousBoostingClassifier(n_trees=40),
        ObliviousBoostingClassifier(n_trees=40, objective="squared_error"),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def regression():
    return make_friedman1(n_samples=600, noise=0.5, random_state=0)


def test_regressor_stops_early_by_rows_it_holds_out(regression):
    X, y = regression
    model = ObliviousBoostingRegressor(
        n_trees=1000, learning_rate=0.3, patience=10, random_state=0
    ).fit(X, y)
    assert 10 < model.n_trees_ < 1000
    assert model.n_trees_ == model.validation_losses_.argmin()
    assert model.score(X, y) > 0.9


def test_regressor_stops_early_by_rows_it_is_given(regression):
    X, y = regression
    model = ObliviousBoostingRegressor(n_trees=1000, learning_rate=0.3, patience=10)
    model.fit(X[:400], y[:400], X_val=X[400:], y_val=y[400:])
    errors = np.mean((model.predict(X[400:]) - y[400:]) ** 2)
    assert model.n_trees_ < 1000
    assert errors == pytest.approx(model.validation_losses_.min())


def test_number_of_jobs_does_not_change_a_prediction(regression):
    X, y = regression
    one, two = (
        ObliviousBoostingRegressor(n_trees=20, subsample=0.5, n_jobs=n_jobs, random_state=0)
        .fit(X, y)
        .predict(X)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("objective", ["log_loss", "squared_error"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_classifier_predicts_held_out_labels(n_classes, objective):
    X, codes = make_classification(
        1200, 8, n_informative=6, n_redundant=0, n_classes=n_classes, random_state=0
    )
    labels = np.array(["north", "east", "south", "west"])[codes]
    model = ObliviousBoostingClassifier(objective=objective, patience=10, random_state=0)
    model.fit(X[:900], labels[:900], X_val=X[900:1000], y_val=labels[900:1000])
    assert set(model.classes_) == set(labels)
    most_frequent = np.bincount(codes[1000:]).max() / 200
    assert model.score(X[1000:], labels[1000:]) > most_frequent + 0.2


def test_frame_with_categories_and_gaps_needs_no_preparation(regression):
    X, y = regression
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    frame.loc[::5, "a"] = np.nan
    frame["kind"] = np.where(X[:, 3] > 0.5, "high", "low").astype(object)
    model = ObliviousBoostingRegressor().fit(frame, y)
    numbers = ObliviousBoostingRegressor().fit(frame[["a", "b", "c"]], y)
    assert model.score(frame, y) > numbers.score(frame[["a", "b", "c"]], y) + 0.05
    assert list(model.feature_names_in_) == ["a", "b", "c", "kind"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"kind": "sort"}))


def test_estimator_serves_as_a_model_to_explain():
    model = ObliviousBoostingRegressor(n_trees=77, depth=2, patience=7)
    learner = from_model(model, task=Task(), seed=3)
    assert (learner.depth, learner.traits.max_steps, learner.traits.patience, learner.seed) == (
        2,
        77,
        7,
        3,
    )
    classifier = ObliviousBoostingClassifier(objective="squared_error")
    assert from_model(classifier, task=Task(3), seed=0).objective == "squared_error"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sample_weight": np.ones(3)}, "600 rows"),
        ({"sample_weight": np.zeros(600)}, "zero in every row"),
        ({"sample_weight": np.full(600, -1.0)}, "negative"),
        ({"X_val": np.zeros((2, 10))}, "together"),
        ({"X_val": np.zeros((2, 10)), "y_val": np.zeros(2)}, "patience"),
    ],
)
def test_bad_arguments_of_fit_are_named(regression, arguments, message):
    with pytest.raises(ValueError, match=message):
        ObliviousBoostingRegressor().fit(*regression, **arguments)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("n_trees", 0), ("depth", 11), ("n_bins", 300), ("learning_rate", -1.0), ("patience", 0)],
)
def test_bad_settings_are_named(regression, setting, value):
    with pytest.raises(ValueError, match=setting):
        ObliviousBoostingRegressor(**{setting: value}).fit(*regression)
