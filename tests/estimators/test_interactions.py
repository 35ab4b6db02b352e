import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import lukewarm as lw


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(800, 4)), columns=list("abcd"))
    y = 2 * X["a"] * X["b"] + 1.5 * X["c"] + X["d"] + 0.5 * generator.normal(size=800)
    return X, y


def fit(X, y, **options):
    model = make_pipeline(PolynomialFeatures(2), LinearRegression())
    return lw.VariableImportance(model, "projection", random_state=0, **options).fit(X, y)


def test_a_product_is_found_and_sums_are_not(table):
    vi = fit(*table, inference="paired")
    before = vi.result_
    frame = vi.interactions(top=4)
    assert len(frame) == 6
    assert set(frame.loc[0, ["first", "second"]]) == {"a", "b"}
    # VI_a = VI_b = VI_ab = E (2ab)^2 = 4; the projection is fitted, and known to a few errors.
    assert abs(frame["interaction"][0] - 4) < 4 * frame["std_error"][0]
    assert frame["p_value"][0] < 1e-6
    assert (frame["p_value"][1:] > 1e-3).all()
    assert vi.result_ is before


def test_an_interaction_is_the_contrast_of_a_fit_that_asks_for_all_three(table):
    X, y = table
    frame = fit(X, y, inference="paired").interactions(top=2)
    first, second = frame.loc[0, ["first", "second"]]
    asked = fit(X, y, inference="paired", features=[first, second, (first, second)]).result_
    contrast = asked.contrast({first: 1, second: 1, asked.names[2]: -1})
    assert frame.loc[0, "interaction"] == contrast.estimate
    assert frame.loc[0, "std_error"] == contrast.standard_error
    assert (frame.loc[0, "ci_low"], frame.loc[0, "ci_high"]) == contrast.interval()
    assert frame.loc[0, "together"] == asked.importance[2]


def test_sets_that_share_columns_are_no_pair(table):
    X, y = table
    vi = fit(X, y, inference="paired", features=["a", ("a", "b"), "c"])
    pairs = vi.interactions()[["first", "second"]].to_numpy().tolist()
    assert {frozenset(pair) for pair in pairs} == {
        frozenset({"a", "c"}),
        frozenset({"a + b", "c"}),
    }
    with pytest.raises(ValueError, match="top must be"):
        vi.interactions(1)


def test_one_feature_set_has_no_interactions(table):
    X, y = table
    assert fit(X, y, inference="paired", features=["a"]).interactions().empty
