import numpy as np
import pytest
from matplotlib import pyplot as plt

from lukewarm.experiments._bounds import Bounds, network_errors, tree_errors
from lukewarm.experiments._random_functions import random_network, random_trees
from lukewarm.experiments._slopes import fit_slope


def test_trees_come_nearer_to_the_truth_with_more_rows():
    errors = [tree_errors(n_rows, np.random.default_rng(0)) for n_rows in (64, 512)]
    assert errors[1]["empirical"] < errors[0]["empirical"]
    assert errors[1]["steps"] > errors[0]["steps"] >= 1
    # Few values per feature: new rows are like the old ones.
    assert errors[1]["population"] == pytest.approx(errors[1]["empirical"], rel=0.2)


def test_a_network_starts_off_the_truth_and_stops_near_it():
    pytest.importorskip("torch")
    errors = network_errors(128, 64, np.random.default_rng(0))
    assert 0 < errors["empirical"] < 0.5
    assert errors["steps"] >= 1
    assert network_errors(128, 64, np.random.default_rng(0)) == errors


@pytest.mark.parametrize("make", [lambda g: random_network(64, g), random_trees])
def test_the_truth_knows_nothing_of_the_first_feature(make):
    generator = np.random.default_rng(0)
    truth = make(generator)
    firsts = np.arange(3)
    X = generator.integers(firsts, firsts + 4, size=(50, 3)).astype(float)
    moved = X + np.array([5.0, 0, 0])
    np.testing.assert_array_equal(truth(moved), truth(X))
    assert truth(X).std() > 0.1


def test_the_slope_of_a_noisy_power_law_is_covered_whatever_the_replicates_levels():
    generator = np.random.default_rng(0)
    sizes, replicates = np.tile([64.0, 256.0, 1024.0], 10), np.repeat(np.arange(10), 3)
    levels = 10.0 ** generator.uniform(-2, 2, size=10)[replicates]
    errors = levels * sizes**-0.75 * np.exp(0.3 * generator.standard_normal(30))
    slope = fit_slope(sizes, errors, replicates)
    assert slope.low < -0.75 < slope.high
    # 0.3 / sqrt(sum of x**2 = 38) is a standard error of 0.05.
    assert slope.high - slope.low < 0.3


def records():
    generator = np.random.default_rng(0)
    return [
        {
            **{"model": model, "n_rows": n_rows, "replicate": replicate, "steps": 5.0},
            **{"empirical": 1 / n_rows, "population": generator.uniform(1, 2) / n_rows},
        }
        for model in ("boosting", "network")
        for n_rows in (64, 128, 256)
        for replicate in range(3)
    ]


def test_the_table_carries_the_slope_of_each_panel():
    table = Bounds().table(records())
    assert len(table) == 2 * 2 * 3
    exact = table[table["norm"] == "empirical"]
    np.testing.assert_allclose(exact["slope"], -1)
    noisy = table[table["norm"] == "population"]
    assert (noisy["slope_low"] < -1).all()
    assert (noisy["slope_high"] > -1).all()


def test_the_figure_has_a_panel_per_model_and_norm():
    figure = Bounds().figure(records())
    assert len(figure.axes) == 4
    assert "slope -1.00" in figure.axes[0].texts[0].get_text()
    plt.close("all")
