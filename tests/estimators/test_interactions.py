import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn_checks import EXPECTED_FAILURES

import lukewarm as lw

PAIRS = lw.InteractionImportance(LinearRegression(), inference="paired", random_state=0)


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


@parametrize_with_checks(
    [clone(PAIRS).set_params(top=2)], expected_failed_checks=lambda _: EXPECTED_FAILURES
)
@pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_the_estimator_is_a_fit_and_its_interactions(table):
    X, y = table
    groups = {"pair": ["c", "d"]}
    ia = clone(PAIRS).set_params(top=3, groups=groups, level=0.8).fit(X, y)
    vi = lw.VariableImportance(
        LinearRegression(), inference="paired", groups=groups, level=0.8, random_state=0
    ).fit(X, y)
    pd.testing.assert_frame_equal(ia.interactions_, vi.interactions(3))
    assert len(ia.interactions_) == 3
    assert ia.importance_.result_.names == vi.result_.names
    assert ia.feature_names_in_.tolist() == list("abcd")


@pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")
def test_the_estimator_knows_rows_that_belong_together(table):
    X, y = table
    patients = np.repeat(np.arange(40), 20)
    ia = clone(PAIRS).fit(X, y, groups=patients)
    assert np.unique(ia.importance_.result_.clusters).size < len(np.unique(patients))
    plain = clone(PAIRS).fit(X, y)
    assert ia.interactions_["std_error"][0] != plain.interactions_["std_error"][0]


def test_the_estimator_draws_a_heat_map_and_a_network(table):
    ia = clone(PAIRS).fit(*table)
    assert len(ia.plot(alpha=0.1).texts) == 2 * len(ia.interactions_)
    areas = ia.plot_network().collections[0].get_sizes()
    assert len(areas) == 4
    plt.close("all")
    with pytest.raises(ValueError, match="top must be"):
        clone(PAIRS).set_params(top=1).fit(*table)
