"""Which feature sets a fit explains, from `features` and `groups` together."""

import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import lukewarm as lw

FAST = {"model": LinearRegression(), "inference": "paired", "random_state": 0}


@pytest.fixture(name="X")
def _table(generator):
    return pd.DataFrame(generator.normal(size=(80, 3)), columns=["a", "b", "c"])


@pytest.mark.parametrize("estimator", [lw.VariableImportance, lw.ShapleyImportance])
def test_a_group_that_features_does_not_name_is_refused(X, estimator):
    asked = estimator(**FAST, features=["a"], groups={"pair": ["b", "c"]})
    with pytest.raises(ValueError, match=r"features does not name \['pair'\] of groups"):
        asked.fit(X, X["a"])


@pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")
def test_fit_more_may_name_some_of_the_groups(X):
    groups = {"first": ["a"], "pair": ["b", "c"]}
    vi = lw.VariableImportance(**FAST, features=["first", "pair"], groups=groups)
    assert vi.fit(X, X["a"]).fit_more(["b", "first"]).result_.names == ("first", "pair", "b")


@pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")
def test_groups_that_the_table_gave_may_be_left_out(X):
    X["twin"] = X["b"] + 1e-3 * X["a"]
    vi = lw.VariableImportance(**FAST, features=["a"], groups={"correlation": 0.9})
    assert vi.fit(X, X["a"] + X["c"]).result_.names == ("a",)
