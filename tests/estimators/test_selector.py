import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn_checks import EXPECTED_FAILURES, FEW_ROWS

import lukewarm as lw

SELECTOR = lw.ImportanceSelector(LinearRegression(), inference="paired", random_state=0)


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(400, 5)), columns=list("abcde"))
    return X, 2 * X["a"] + X["c"] + generator.normal(size=400)


@parametrize_with_checks(
    [SELECTOR],
    expected_failed_checks=lambda _: {
        **EXPECTED_FAILURES,
        "check_sample_weight_equivalence_on_dense_data": FEW_ROWS,
        "check_sample_weight_equivalence_on_sparse_data": FEW_ROWS,
        "check_transformer_data_not_an_array": "y must have a length",
    },
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_the_columns_that_matter_are_kept(table):
    X, y = table
    selector = clone(SELECTOR).fit(X, y)
    assert selector.get_support().tolist() == [True, False, True, False, False]
    assert list(selector.get_feature_names_out()) == ["a", "c"]
    assert selector.importance_.result_.select(0.05) == ["a", "c"]
    np.testing.assert_array_equal(selector.transform(X), X[["a", "c"]])
    kept = clone(SELECTOR).set_output(transform="pandas").fit_transform(X, y)
    pd.testing.assert_frame_equal(kept, X[["a", "c"]])


def test_columns_of_a_group_go_together(table):
    X, y = table
    selector = clone(SELECTOR).set_params(groups={"pair": ["a", "b"], "rest": ["d", "e"]})
    assert selector.fit(X, y).get_support().tolist() == [True, True, True, False, False]


def test_it_is_a_step_of_pipelines_and_searches(table):
    X, y = table
    pipeline = make_pipeline(clone(SELECTOR), LinearRegression())
    assert cross_val_score(pipeline, X, y, cv=3).min() > 0.7
    grid = {
        "importanceselector__alpha": [1e-300, 0.05],
        "importanceselector__model": [LinearRegression()],
    }
    search = GridSearchCV(pipeline, grid, cv=2, error_score=0.0)
    with pytest.warns(UserWarning, match=r"No features were selected|fits failed"):
        search.fit(X, y)
    assert search.best_params_["importanceselector__alpha"] == 0.05
    assert search.best_estimator_[0].get_support().sum() == 2


def test_classes_are_selected_for_as_well(table):
    X, y = table
    labels = np.where(y > 0, "high", "low")
    selector = clone(SELECTOR).set_params(model=LogisticRegression())
    assert selector.fit(X, labels).get_support()[[0, 2]].all()


@pytest.mark.parametrize(
    ("options", "message"),
    [({"alpha": 5}, "alpha must be"), ({"adjust": "bonferroni"}, "adjust must be one of")],
)
def test_wrong_settings_are_named(table, options, message):
    with pytest.raises(ValueError, match=message):
        clone(SELECTOR).set_params(**options).fit(*table)


def test_scikit_learns_own_selectors_read_the_importances(table):
    X, y = table
    vi = lw.VariableImportance(LinearRegression(), inference="paired", random_state=0)
    assert SelectFromModel(vi).fit(X, y).get_support().tolist() == [True, False, True, False, False]
    assert RFE(vi, n_features_to_select=2).fit(X, y).support_.tolist() == [
        *(True, False, True, False, False)
    ]
    fitted = clone(vi).set_params(features=["a", "b"]).fit(X, y)
    with pytest.raises(AttributeError, match="one number per column"):
        fitted.feature_importances_  # noqa: B018
    assert not hasattr(fitted, "feature_importances_")
    reversed_order = clone(vi).set_params(features=list("edcba")).fit(X, y)
    np.testing.assert_allclose(
        reversed_order.feature_importances_, np.maximum(clone(vi).fit(X, y).result_.importance, 0)
    )
