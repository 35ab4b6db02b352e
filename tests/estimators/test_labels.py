"""The front on tables whose columns are named by integers."""

import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import lukewarm as lw

pytestmark = pytest.mark.filterwarnings(
    "ignore::lukewarm.HealthWarning", "ignore::lukewarm.PrecisionWarning"
)


@pytest.fixture(name="shuffled")
def _shuffled(generator):
    """Column 2 is all that matters, and stands first."""
    X = pd.DataFrame(generator.normal(size=(200, 3)), columns=[2, 0, 1])
    return X, 3 * X[2]


def explain(X, y, **options):
    vi = lw.VariableImportance(
        LinearRegression(), "dropout", random_state=0, inference="paired", **options
    )
    result = vi.fit(X, y).result_
    return dict(zip(result.names, result.importance, strict=True))


def test_features_are_removed_by_their_integer_names(shuffled):
    importance = explain(*shuffled, features=[2, 0])
    assert importance["2"] > 1
    assert importance["0"] == pytest.approx(0, abs=1e-12)


def test_groups_are_formed_by_integer_names(shuffled):
    importance = explain(*shuffled, groups={"without": [0, 1]})
    assert importance["2"] > 1
    assert importance["without"] == pytest.approx(0, abs=1e-12)


def test_a_fill_is_given_by_integer_name(shuffled):
    X, y = shuffled
    moved = explain(X, y, features=[2], fill={2: 100.0})
    assert moved["2"] > 50 * explain(X, y, features=[2], fill={0: 100.0})["2"]


def test_shapley_players_are_named_by_integers(shuffled):
    X, y = shuffled
    sv = lw.ShapleyImportance(
        LinearRegression(), "dropout", features=[2], random_state=0, inference="paired"
    ).fit(X, y)
    assert sv.result_.names == ("2",)
    assert sv.result_.players == ((0,),)


def test_names_that_appear_twice_are_refused_with_evaluation_rows_too(shuffled):
    X, y = shuffled
    twice = X.set_axis(["a", "b", "a"], axis=1)
    with pytest.raises(ValueError, match=r"unique column names.*\['a'\]"):
        lw.VariableImportance(model="boosting", method="early_stopping", inference="paired").fit(
            twice, y, X_eval=twice, y_eval=y
        )


def test_an_arrow_table_with_a_name_twice_is_refused(shuffled):
    arrow = pytest.importorskip("pyarrow")
    X, y = shuffled
    table = arrow.table([X[0], X[1], X[2]], names=["a", "b", "a"])
    with pytest.raises(ValueError, match=r"unique column names.*\['a'\]"):
        lw.VariableImportance(model="boosting", method="early_stopping", inference="paired").fit(
            table, y
        )
