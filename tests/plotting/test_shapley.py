import numpy as np
import pytest
from plain import PLAIN

import lukewarm as lw

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")


@pytest.fixture(scope="module")
def data():
    return lw.datasets.make_correlated_linear(n_samples=300, random_state=0)


@pytest.fixture(scope="module")
def estimator(data):
    return lw.ShapleyImportance(**PLAIN, n_coalitions=40).fit(data.X, data.y)


def test_bars_stand_in_the_order_of_the_values(estimator):
    axes = estimator.plot()
    lengths = [bar.get_width() for bar in axes.patches]
    np.testing.assert_allclose(lengths, np.sort(estimator.result_.shapley_value)[::-1])
    assert axes.yaxis_inverted()


def test_at_most_so_many_bars(estimator):
    assert len(lw.plot_shapley(estimator.result_, max_features=2).patches) == 2


def test_importances_stand_beside_the_same_features(estimator, data):
    importance = lw.VariableImportance(**PLAIN).fit(data.X, data.y).result_
    axes = lw.plot_shapley(estimator.result_, importance=importance)
    names = [label.get_text() for label in axes.get_yticklabels()]
    expected = [importance.importance[importance.names.index(name)] for name in names]
    beside = [bar.get_width() for bar in axes.containers[2].patches]
    np.testing.assert_allclose(beside, expected)


def test_importances_of_other_features_are_refused(estimator, data):
    other = lw.VariableImportance(**PLAIN, features=["X1"]).fit(data.X, data.y).result_
    with pytest.raises(ValueError, match=r"it lacks \['X2'"):
        lw.plot_shapley(estimator.result_, importance=other)


def test_convergence_has_a_line_per_feature_that_ends_at_its_value(estimator):
    axes = lw.plot_convergence(estimator.result_)
    ends = sorted(line.get_ydata()[-1] for line in axes.lines)
    np.testing.assert_allclose(ends, np.sort(estimator.result_.shapley_value))


def test_exact_values_have_no_convergence_to_show(data):
    result = lw.ShapleyImportance(**PLAIN).fit(data.X.iloc[:, :2], data.y).result_
    with pytest.raises(ValueError, match=r"result was not followed .* by solver 'exact'"):
        lw.plot_convergence(result)


def test_a_waterfall_goes_from_a_constant_guess_to_the_full_model(estimator):
    result = estimator.result_
    axes = lw.plot_waterfall(result, max_features=3)
    bars = sorted(axes.patches, key=lambda bar: bar.get_y())
    assert len(bars) == 4
    assert axes.get_yticklabels()[3].get_text() == "3 others"
    # The mean squared error is drawn as an error, which falls.
    assert result.measure == "neg_mse"
    assert bars[0].get_x() == pytest.approx(-result.value_of([]).value)
    ends = [bar.get_x() + bar.get_width() for bar in bars]
    np.testing.assert_allclose([bar.get_x() for bar in bars[1:]], ends[:-1])
    full = result.value_of(range(len(result))).value
    # Shapley values of a sampling solver add up to the gain, to round-off.
    assert ends[-1] == pytest.approx(-full, rel=1e-9)
    assert axes.get_xlabel().startswith("mean squared error, from a constant guess")
