"""Effect curves against functions that are known."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import lukewarm as lw

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")
SLOPES = {"a": 2.0, "b": -1.0, "unused": 0.0}
HEIGHTS = {"low": -3.0, "mid": 1.0, "high": 5.0}


def additive(X):
    """2 a - b + t squared + the height of a level + 3 flag, whatever is correlated with what."""
    known = sum(slope * X[name] for name, slope in SLOPES.items())
    heights = X["level"].astype(object).map(HEIGHTS).astype(float)
    return (known + X["t"] ** 2 + heights + 3 * X["flag"]).to_numpy()


@pytest.fixture(name="table", scope="module")
def _table():
    generator = np.random.default_rng(0)
    common = generator.normal(size=600)
    X = pd.DataFrame(
        {
            name: 0.9 * common + 0.3 * generator.normal(size=600)
            for name in ("a", "b", "unused", "t")
        }
    )
    ranks = common + 0.3 * generator.normal(size=600)
    X["level"] = np.select([ranks < -0.5, ranks < 0.5], ["low", "mid"], "high")
    X["flag"] = (common + generator.normal(size=600) > 0).astype(float)
    return X


@pytest.fixture(name="curves", scope="module")
def _curves(table):
    y = additive(table)
    vi = lw.VariableImportance(additive, prefit=True, random_state=0)
    return vi.fit(table[:300], y[:300], X_eval=table[300:], y_eval=y[300:]).effects()


def curve_of(curves, name):
    return curves[name].curves[0]


@pytest.mark.parametrize("name", SLOPES)
def test_a_line_has_its_slope_however_correlated_the_column_is(curves, name):
    curve = curve_of(curves, name)
    assert np.ptp(curve.positions) > 2
    np.testing.assert_allclose(
        curve.effect[:, 0] - curve.effect[0, 0],
        SLOPES[name] * (curve.positions - curve.positions[0]),
        atol=1e-9,
    )


def test_a_parabola_is_found_at_every_point(curves):
    curve = curve_of(curves, "t")
    gap = curve.effect[:, 0] - curve.positions**2
    np.testing.assert_allclose(gap, gap[0], atol=1e-9)
    assert curve.direction == "mixed"


@pytest.mark.parametrize(("name", "heights"), [("level", HEIGHTS), ("flag", {0.0: 0, 1.0: 3})])
def test_values_that_are_told_by_the_others_keep_their_differences(curves, name, heights):
    curve = curve_of(curves, name)
    assert set(curve.values) == set(heights)
    gap = curve.effect[:, 0] - [heights[value] for value in curve.values]
    np.testing.assert_allclose(gap, gap[0], atol=1e-9)


def test_effects_are_measured_from_their_mean_over_the_rows(curves):
    for curve in curves.curves:
        assert curve.share.sum() == pytest.approx(1)
        # The mean over bins of a bent curve is that of its chords: the trapezoid rule.
        assert curve.share @ curve.effect[:, 0] == pytest.approx(0, abs=1e-9)


def test_directions_tell_which_way_the_prediction_goes(curves):
    found = dict(
        zip(*(curves.directions()[each] for each in ("feature", "direction")), strict=True)
    )
    expected = {"a": "up", "b": "down", "unused": "none", "t": "mixed", "level": "", "flag": "up"}
    assert found == expected


def test_the_frame_of_a_result_shows_directions_on_request(table, curves):
    result = lw.importance_from_predictions(
        table["a"], table["a"], {"a": 0 * table["a"], "a + b": 0 * table["a"]}
    )
    frame = result.to_frame(effects=curves)
    assert frame["direction"].tolist() == ["up", ""]
    assert "direction" not in result.to_frame()


@pytest.mark.parametrize("method", ["projection", "early_stopping"])
def test_folds_and_learners_with_their_own_rows_have_curves_over_all_rows(method):
    generator = np.random.default_rng(1)
    X = pd.DataFrame(generator.normal(size=(300, 2)), columns=["a", "b"])
    X["day"] = pd.date_range("2020-01-01", periods=300)
    vi = lw.VariableImportance("boosting", method, inference="paired", cv=3, random_state=0)
    effects = vi.fit(X, 3 * X["a"] + 0.1 * generator.normal(size=300)).effects()
    assert effects.directions()["direction"].tolist()[0] == "up"
    day = curve_of(effects, "day")
    assert (day.values[0], day.values[-1]) == (X["day"].min(), X["day"].max())


def test_classes_have_a_curve_each_and_they_cancel(generator):
    X = generator.normal(size=(300, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    vi = lw.VariableImportance("boosting", task="classification", random_state=0).fit(X, y)
    frame = vi.effects([0]).to_frame()
    assert set(frame["output"]) == {f"probability of {each}" for each in range(3)}
    assert frame.groupby("value")["effect"].sum().abs().max() < 1e-12
    assert vi.effects().directions()["direction"].tolist() == ["", ""]


def test_sets_of_several_columns_have_no_curve(generator):
    X = pd.DataFrame(generator.normal(size=(100, 3)), columns=["a", "b", "c"])
    vi = lw.VariableImportance(LinearRegression(), groups={"pair": ["a", "b"]}, inference="paired")
    vi.fit(X, X["a"] + X["c"])
    assert [curve.feature for curve in vi.effects().curves] == ["c"]
    assert [curve.feature for curve in vi.effects(["a"]).curves] == ["a"]
    with pytest.raises(ValueError, match=r"features must name single columns.*'a \+ b'"):
        vi.effects([("a", "b")])
