import numpy as np
import pytest
from matplotlib import pyplot as plt

from lukewarm.experiments._tangent_runs import network_drift, tree_drift
from lukewarm.experiments._tangent_stability import TangentStability


def test_noisy_trees_keep_to_the_stationary_kernel_in_proportion():
    near, far = (tree_drift(strength, 64, np.random.default_rng(0)) for strength in (1e4, 1e3))
    for distance in ("prediction_gap", "kernel_change"):
        assert near[distance] > 0
        # First order in 1 / beta; the full models differ by their chance.
        assert far[distance] / near[distance] == pytest.approx(10, rel=0.5)


def test_a_wide_network_stays_nearer_to_its_linearisation():
    pytest.importorskip("torch")
    narrow, wide = (network_drift(width, 32, np.random.default_rng(0)) for width in (32, 512))
    for distance in ("prediction_gap", "kernel_change"):
        assert wide[distance] < 0.7 * narrow[distance]
        assert 0 < wide[distance] < 0.2


def test_table_and_figure_come_from_records_alone():
    records = [
        {
            **{"model": model, "size": size, "replicate": replicate},
            **{"prediction_gap": 1 / size, "kernel_change": size**-0.5},
        }
        for model in ("boosting", "network")
        for size in (10, 100, 1000)
        for replicate in range(2)
    ]
    table = TangentStability().table(records)
    slopes = table.groupby("distance")["slope"].first()
    np.testing.assert_allclose(slopes["prediction_gap"], -1)
    np.testing.assert_allclose(slopes["kernel_change"], -0.5)
    figure = TangentStability().figure(records)
    assert [axes.get_title() for axes in figure.axes] == ["boosted trees"] * 2 + ["network"] * 2
    plt.close("all")


def test_networks_vary_in_width_and_trees_in_random_strength():
    jobs = TangentStability().jobs("quick", ["boosting", "network"], 1, seed=0)
    sizes = {
        model: [j["size"] for j in jobs if j["model"] == model] for model in ("boosting", "network")
    }
    assert sizes["boosting"][0] == 1
    assert sizes["network"][0] == 64
