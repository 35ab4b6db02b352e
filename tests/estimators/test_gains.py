"""What features add to a base set, on a problem where it is known."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import lukewarm as lw

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")


@pytest.fixture(name="vi", scope="module")
def _vi():
    # b is a with noise, and y is a + c.
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(800, 3)), columns=["a", "b", "c"])
    X["b"] = X["a"] + X["b"]
    y = X["a"] + X["c"] + 0.3 * generator.normal(size=800)
    return lw.VariableImportance(LinearRegression(), inference="paired", random_state=0).fit(X, y)


def test_alone_a_feature_is_worth_what_it_explains(vi):
    frame = vi.gains()
    # Var a = Var c = 1; b knows half of the variance of a.
    assert frame["feature"].tolist() == ["a", "b", "c"]
    assert (np.abs(frame["gain"] - [1, 0.5, 1]) < 4 * frame["std_error"]).all()
    assert (frame["p_value"] < 0.01).all()


def test_beyond_a_base_only_what_it_does_not_know_counts(vi):
    frame = vi.gains(base=["b"])
    assert frame["feature"].tolist() == ["a", "c"]
    assert (np.abs(frame["gain"] - [0.5, 1]) < 4 * frame["std_error"]).all()


def test_what_completes_the_table_gains_its_importance(vi):
    frame = vi.gains(base=["a", "b"])
    assert frame["gain"].tolist() == pytest.approx([vi.result_.importance[2]])
    assert frame["std_error"].tolist() == pytest.approx([vi.result_.standard_error[2]])


def test_a_base_of_everything_leaves_nothing_to_add(vi):
    with pytest.raises(ValueError, match="base holds columns of every feature set"):
        vi.gains(base=["a", "b", "c"])
    with pytest.raises(ValueError, match="names column 'd'"):
        vi.gains(base=["d"])
