import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.neighbors import KNeighborsRegressor

from lukewarm.datasets import make_high_dimensional_network
from lukewarm.experiments._high_dimension import HighDimension
from lukewarm.experiments._truths import true_network_importance


def record(model, replicate, truth=None):
    def numbers(estimate, seconds):
        return {"estimate": [estimate], "seconds": [seconds], "steps": [1.0]}

    return {
        **{"model": model, "replicate": replicate, "features": ["X1"], "truth": truth},
        "methods": {
            "dropout": numbers(3.0, 0.1),
            "retrain": numbers(2.0, 4.0),
            "early_stopping": numbers(2.2, 2.0),
        },
    }


def test_one_replicate_of_trees_ranks_the_methods_as_the_paper_does():
    job = HighDimension().jobs("quick", ["boosting"], 1, seed=0)[0]
    outcome = HighDimension().run(job)
    table = HighDimension().table([{**job, **outcome}]).set_index("method")
    assert outcome["truth"] == [18.75]
    assert table.loc["early_stopping", "error_to_retrain"] < 0.1
    assert table.loc["dropout", "error_to_retrain"] > 0.15


def test_errors_are_relative_to_retraining_on_the_same_data_and_to_the_truth():
    records = [record("network", r) for r in range(2)] + [record("boosting", 0, [2.5])]
    table = HighDimension().table(records).set_index(["model", "method"])
    np.testing.assert_allclose(table.loc[("network", "dropout"), "error_to_retrain"], 0.5)
    np.testing.assert_allclose(table.loc[("network", "early_stopping"), "speed_up"], 2)
    assert np.isnan(table.loc[("network", "dropout"), "error_to_truth"])
    np.testing.assert_allclose(table.loc[("boosting", "retrain"), "error_to_truth"], 0.2)


def test_the_figure_has_two_panels_per_model_and_a_legend_outside():
    figure = HighDimension().figure([record("network", 0), record("boosting", 0, [2.5])])
    assert len(figure.axes) == 4
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["dropout", "retraining", "early stopping"]
    assert all(axes.get_legend() is None for axes in figure.axes)
    plt.close("all")


def test_the_truth_of_network_data_is_what_a_regression_on_many_rows_leaves():
    data = make_high_dimensional_network(n_samples=100_000, n_features=5, random_state=0)
    truth = true_network_importance(data, 0)
    # Nearest neighbours in four features are a slow but consistent estimate of the best
    # prediction; their own variance adds a k-th of what is left.
    others = data.X.to_numpy()[:, 1:]
    neighbours = KNeighborsRegressor(50).fit(others[2000:], data.y[2000:])
    left = np.mean((data.y[:2000] - neighbours.predict(others[:2000])) ** 2)
    assert truth > 0.05 * data.y.var()
    assert left == pytest.approx(truth, rel=0.25)
