"""Dots with intervals."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

import lukewarm as lw


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")


@pytest.fixture(name="results", scope="module")
def _results():
    data = lw.datasets.make_correlated_linear(n_samples=200, random_state=0)
    X = data.X[["X1", "X2", "X3"]]
    settings = {"model": "boosting", "measure": "r2", "random_state": 0}
    curve = lw.VariableImportance(**settings).fit(X, data.y).result_
    shapley = lw.ShapleyImportance(**settings, inference="paired").fit(X, data.y).result_
    return curve, shapley


def test_a_forest_says_the_numbers_beside_the_dots(results):
    result = results[0]
    axes = lw.plot_forest(result)
    first = int(np.argmax(result.importance))
    low, high = (end[first] for end in result.interval())
    assert axes.texts[0].get_text() == f"{result.importance[first]:.3f} [{low:.3f}, {high:.3f}]"
    joint = lw.plot_forest(result, simultaneous=True).collections[0].get_segments()[0]
    assert joint[1, 0] - joint[0, 0] > high - low


def test_importances_stand_against_shapley_values(results):
    axes = lw.plot_importance_against_shapley(*results)
    drawn = axes.containers[0][0].get_xydata()
    np.testing.assert_allclose(drawn[:, 0], results[1].shapley_value)
    np.testing.assert_allclose(drawn[:, 1], results[0].importance)
    y = np.arange(10.0)
    other = lw.importance_from_predictions(y, y, {"X1": 0 * y})
    with pytest.raises(ValueError, match="measured by 'neg_mse' and shapley by 'r2'"):
        lw.plot_importance_against_shapley(other, results[1])


def test_a_learning_curve_goes_through_both_numbers_of_rows(results):
    result = results[0]
    axes = lw.plot_learning_curve(result, max_features=1)
    first = int(np.argmax(result.importance))
    value, shift = result.importance[first], result.shift[first]
    assert shift != 0
    line = axes.lines[0].get_ydata()
    np.testing.assert_allclose(line, [value - 2 * shift, value - shift, value])
    y = np.arange(10.0)
    with pytest.raises(ValueError, match="has no learning curve"):
        lw.plot_learning_curve(lw.importance_from_predictions(y, y, {"a": 0 * y}))
