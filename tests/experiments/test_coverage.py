from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy.stats import norm

from lukewarm import learners
from lukewarm.experiments import _comparison as comparison
from lukewarm.experiments._coverage import Coverage
from lukewarm.experiments._models import paper_model


def record(correlation, z, truth=1.0, model="boosting"):
    """Return a replicate whose estimate is z standard errors from the truth."""
    outcome = [truth + 0.1 * z, 0.1, norm.sf((truth + 0.1 * z) / 0.1)]
    by_inference = {"paired": outcome, "split": outcome, "seconds": 1.0}
    return {
        **{"model": model, "correlation": correlation, "truth": truth},
        "methods": {"early_stopping": by_inference},
    }


def test_one_replicate_judges_both_kinds_of_inference_on_one_fit():
    job = Coverage().jobs("quick", ["boosting"], 1, seed=0)[2]
    outcome = Coverage().run(job)
    np.testing.assert_allclose(outcome["truth"], 1.6875)
    assert set(outcome["methods"]) == {"early_stopping", "retrain"}
    for numbers in outcome["methods"].values():
        assert numbers["split"][1] > numbers["paired"][1]
        assert abs(numbers["paired"][0] - 1.6875) < 6 * numbers["paired"][1]


@pytest.mark.parametrize(("model", "factor"), [("boosting", 1.5), ("catboost", 2.5)])
def test_trees_are_judged_with_the_library_s_own_warm_start(model, factor, monkeypatch):
    pytest.importorskip("catboost")
    asked = []

    def train_full(X, y, settings, generator):
        asked.append(settings)
        raise InterruptedError

    monkeypatch.setattr("lukewarm.experiments._coverage.train_full", train_full)
    job = Coverage().jobs("quick", [model], 1, seed=0)[0]
    with pytest.raises(InterruptedError):
        Coverage().run(job)
    assert asked[0].learning_rate_factor == factor
    assert asked[0].conditional_imputation


def test_the_wide_network_is_the_paper_s_and_printed_on_the_first_data_sets_only(monkeypatch):
    pytest.importorskip("torch")
    asked = []

    def train_full(X, y, settings, generator):
        asked.append(settings)
        # Two epochs of a narrow network will do.
        narrow = learners.Network((8, 8), optimizer="sgd", batch_size=256)
        brief = replace(settings, model=narrow, max_steps=2, max_reduced_steps=4)
        return comparison.train_full(X, y, brief, generator)

    monkeypatch.setattr("lukewarm.experiments._coverage.train_full", train_full)
    jobs = Coverage().jobs("paper", ["wide_network"], None, seed=0)
    assert {job["correlation"] for job in jobs} == {0.8, 1.0}
    first, later = (
        Coverage().run(next(job for job in jobs if job["replicate"] == number))["methods"]
        for number in (0, 50)
    )
    assert asked == [replace(paper_model("network", "paper"), model=each.model) for each in asked]
    assert set(first) == {"kernel_flow", "algorithm_1"}
    assert set(later) == {"kernel_flow"}


def test_the_table_counts_what_covers_and_what_rejects():
    records = [record(0.0, z) for z in (-3.0, -1.0, 0.0, 1.9)]
    records += [record(1.0, z, truth=0.0) for z in (0.0, 1.0, 1.7, 3.0)]
    table = Coverage().table(records).set_index(["inference", "correlation"])
    assert table.loc[("paired", 0.0), "coverage"] == 0.75
    assert table.loc[("split", 1.0), "coverage"] == 0.75
    assert table.loc[("split", 1.0), "rejection"] == 0.5
    assert table.loc[("paired", 0.0), "bias"] == pytest.approx(0.1 * np.mean([-3, -1, 0, 1.9]))


def test_the_figure_has_a_panel_per_model_and_a_line_per_inference():
    records = [record(rho, 0.5, model=model) for rho in (0.0, 1.0) for model in ("a", "b")]
    figure = Coverage().figure(records)
    assert [axes.get_title() for axes in figure.axes] == ["a", "b"]
    for axes in figure.axes:
        assert len([line for line in axes.lines if line.get_marker() == "o"]) == 2
    plt.close("all")
