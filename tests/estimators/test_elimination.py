"""Backward elimination on problems whose order is known."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import lukewarm as lw

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")
SLOPES = {"d": 0.5, "a": 3.0, "none": 0.0, "b": 2.0, "c": 1.0}


@pytest.fixture(name="table", scope="module")
def _table():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(600, 5)), columns=list(SLOPES))
    return X, X @ np.array(list(SLOPES.values())) + 0.5 * generator.normal(size=600)


def fit(X, y, **options):
    return lw.VariableImportance(LinearRegression(), random_state=0, **options).fit(X, y)


def test_independent_features_leave_in_the_order_of_their_slopes_and_their_losses_add_up(table):
    path = fit(*table).eliminate()
    assert path.order == ("none", "d", "c", "b", "a")
    frame = path.to_frame()
    truth = np.cumsum([0.0, 0.25, 1.0, 4.0, 9.0])
    assert (np.abs(frame["loss"] - truth) < 4 * frame["std_error"] + 0.01).all()
    assert frame["n_kept"].tolist() == [4, 3, 2, 1, 0]
    np.testing.assert_allclose(frame["skill"] + frame["loss"], path.result.full.value)
    assert path.select() == ["d", "a", "b", "c"]


def test_a_step_is_the_importance_of_all_that_left_together(table):
    path = fit(*table, inference="paired").eliminate()
    asked = fit(*table, inference="paired", features=[("none", "d", "c")]).result_
    step = path.to_frame().iloc[2]
    assert step["loss"] == asked.importance[0]
    assert step["p_value"] == asked.p_value()[0]


def test_of_two_columns_that_say_the_same_one_stays(table):
    X = table[0].assign(twin=table[0]["a"] + 0.01 * table[0]["none"])
    y = 3 * X["a"] + X["d"] + 0.5 * X["c"]
    vi = fit(X[["a", "twin", "d"]], y, inference="paired")
    # Neither is worth anything beside the other, so ranks of importances would drop both.
    assert vi.result_.importance[:2].max() < vi.result_.importance[2]
    path = vi.eliminate()
    assert {path.order[0]} < {"a", "twin"}
    assert {path.order[-1]} < {"a", "twin"}
    assert len(path.select()) == 2


def test_groups_leave_as_a_whole_and_sets_that_overlap_are_refused(table):
    path = fit(*table, groups={"pair": ["a", "none"]}, inference="paired").eliminate()
    assert path.order == ("d", "c", "b", "pair")
    with pytest.raises(ValueError, match="feature sets to eliminate must not share columns"):
        fit(*table, features=["a", ("a", "b")], inference="paired").eliminate()


def test_models_with_stopping_rows_of_their_own_form_are_eliminated_from(table):
    X, y = table
    vi = lw.VariableImportance("boosting", "early_stopping", inference="paired", random_state=0)
    vi.fit(X[["a", "b", "none"]], y)
    assert vi.eliminate().order == ("none", "b", "a")
