import numpy as np
import pytest
from matplotlib import pyplot as plt

from lukewarm.datasets import make_correlated_linear
from lukewarm.experiments._comparison import reduce, train_full
from lukewarm.experiments._models import paper_model
from lukewarm.experiments._symmetric import Symmetric


def record(task="linear", truth=(1.0,)):
    def numbers(estimate, literal):
        return {"estimate": [estimate], "literal": [literal], "std_error": [0.1]}

    return {
        **{"model": "network", "task": task, "replicate": 0, "features": ["X1"]},
        **{"truth": None if truth is None else list(truth)},
        "methods": {
            "retrain": numbers(1.1, 1.1),
            "early_stopping": numbers(1.05, 0.9),
            "distil": numbers(1.02, 1.02),
        },
    }


def test_one_replicate_compares_both_ways_on_one_scale(monkeypatch):
    monkeypatch.delenv("LUKEWARM_DATA", raising=False)
    jobs = Symmetric().jobs("quick", ["boosting"], 1, 0)
    assert [job["task"] for job in jobs] == ["linear", "linear, p = 100", "logistic"]
    outcome = Symmetric().run(jobs[0])
    assert outcome["features"] == [f"X{number}" for number in range(1, 7)]
    assert 0.2 < outcome["truth"][0] < 0.4
    for method in ("early_stopping", "distil"):
        estimate = outcome["methods"][method]["estimate"][0]
        assert estimate == pytest.approx(outcome["truth"][0], rel=0.25)


def test_gaps_are_to_retraining_and_to_the_truth_where_it_is_known():
    table = Symmetric().table([record(), record("logistic", None)])
    rows = table.set_index(["task", "comparison"])
    assert rows.loc[("linear", "literal"), "gap_to_retrain"] == pytest.approx(0.2)
    assert rows.loc[("linear", "symmetric"), "gap_to_truth"] == pytest.approx(0.05)
    assert rows.loc[("linear", "literal"), "bias"] == pytest.approx(-0.1)
    assert np.isnan(rows.loc[("logistic", "symmetric"), "gap_to_truth"])
    assert rows.loc[("logistic", "symmetric"), "bias"] == pytest.approx(-0.05)
    assert rows.loc[("linear", "distilled"), "gap_to_truth"] == pytest.approx(0.02)
    assert len(rows) == 2 * 3


def test_distilling_with_nothing_removed_leaves_the_full_model_as_it_is():
    data = make_correlated_linear(400, random_state=0)
    trained = train_full(data.X, data.y, paper_model("boosting", "quick"), np.random.default_rng(0))
    assert trained.prediction.std() > 1
    np.testing.assert_array_equal(reduce(trained, "distil", ()).prediction, trained.prediction)
    assert np.abs(reduce(trained, "distil", (0,)).prediction - trained.prediction).max() > 0.1


def test_the_figure_tells_the_two_apart_without_colour():
    figure = Symmetric().figure([record(), record("logistic", None)])
    fills = {line.get_label(): line.get_fillstyle() for line in figure.axes[0].lines}
    assert fills["early stopping, literal"] != fills["early stopping, symmetric"]
    plt.close("all")
