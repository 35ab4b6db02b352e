import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy.stats import norm

from lukewarm.experiments._coverage import Coverage


def record(correlation, z, truth=1.0, model="boosting"):
    """Return a replicate whose estimate is z standard errors from the truth."""
    outcome = [truth + 0.1 * z, 0.1, norm.sf((truth + 0.1 * z) / 0.1)]
    return {
        **{"model": model, "method": "early_stopping", "correlation": correlation},
        **{"truth": truth, "paired": outcome, "split": outcome, "seconds": 1.0},
    }


def test_one_replicate_judges_both_kinds_of_inference_on_one_fit():
    job = Coverage().jobs("quick", ["boosting"], 1, seed=0)[2]
    outcome = Coverage().run(job)
    np.testing.assert_allclose(outcome["truth"], 1.6875)
    assert outcome["split"][1] > outcome["paired"][1]
    assert abs(outcome["paired"][0] - 1.6875) < 6 * outcome["paired"][1]


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
