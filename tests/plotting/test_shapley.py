import numpy as np
import pytest
from matplotlib import pyplot as plt

import lukewarm as lw

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def data():
    return lw.datasets.make_correlated_linear(n_samples=300, random_state=0)


@pytest.fixture(scope="module")
def estimator(data):
    return lw.ShapleyImportance(
        n_coalitions=40,
        random_state=0,
        model="boosting",
        method="early_stopping",
        inference="paired",
    ).fit(data.X, data.y)


def test_bars_stand_in_the_order_of_the_values(estimator):
    axes = estimator.plot()
    lengths = [bar.get_width() for bar in axes.patches]
    np.testing.assert_allclose(lengths, np.sort(estimator.result_.shapley_value)[::-1])
    assert axes.yaxis_inverted()


def test_at_most_so_many_bars(estimator):
    assert len(lw.plot_shapley(estimator.result_, max_features=2).patches) == 2


def test_importances_stand_beside_the_same_features(estimator, data):
    importance = (
        lw.VariableImportance(
            random_state=0, model="boosting", method="early_stopping", inference="paired"
        )
        .fit(data.X, data.y)
        .result_
    )
    axes = lw.plot_shapley(estimator.result_, importance=importance)
    names = [label.get_text() for label in axes.get_yticklabels()]
    expected = [importance.importance[importance.names.index(name)] for name in names]
    beside = [bar.get_width() for bar in axes.containers[2].patches]
    np.testing.assert_allclose(beside, expected)


def test_importances_of_other_features_are_refused(estimator, data):
    other = (
        lw.VariableImportance(
            features=["X1"],
            random_state=0,
            model="boosting",
            method="early_stopping",
            inference="paired",
        )
        .fit(data.X, data.y)
        .result_
    )
    with pytest.raises(ValueError, match=r"it lacks \['X2'"):
        lw.plot_shapley(estimator.result_, importance=other)


def test_convergence_has_a_line_per_feature_that_ends_at_its_value(estimator):
    axes = lw.plot_convergence(estimator.result_)
    ends = sorted(line.get_ydata()[-1] for line in axes.lines)
    np.testing.assert_allclose(ends, np.sort(estimator.result_.shapley_value))


def test_exact_values_have_no_convergence_to_show(data):
    result = (
        lw.ShapleyImportance(
            random_state=0, model="boosting", method="early_stopping", inference="paired"
        )
        .fit(data.X.iloc[:, :2], data.y)
        .result_
    )
    with pytest.raises(ValueError, match=r"result was not followed .* by solver 'exact'"):
        lw.plot_convergence(result)
