import numpy as np
import pytest
from matplotlib import pyplot as plt

from lukewarm.experiments._regular_trees import KINDS, RegularTreesExperiment, regular_run


@pytest.fixture(name="records", scope="module")
def _records():
    return [
        {
            **{"kind": kind, "depth": 2, "size": size, "replicate": replicate},
            **regular_run(kind, 2, float(size), 48, np.random.default_rng(replicate)),
        }
        for kind in KINDS
        for size in ((0, 1, 10000) if kind == "oblivious" else (0, 0.1, 1, 100, 10000))
        for replicate in range(1 if kind == "oblivious" else 2)
    ]


def of_kind(records, kind, size):
    return next(each for each in records if (each["kind"], each["size"]) == (kind, size))


@pytest.mark.parametrize("kind", KINDS)
def test_noise_keeps_the_kernel_in_place_and_greed_does_not(records, kind):
    assert of_kind(records, kind, 10000)["kernel_change"] < 1e-5
    assert of_kind(records, kind, 0)["kernel_change"] > 0.3


@pytest.mark.parametrize("kind", KINDS)
def test_the_lemma_holds_at_the_last_step_that_the_spectrum_allows(records, kind):
    for size in (0, 10000):
        record = of_kind(records, kind, size)
        assert record["max_step"] >= 1
        assert record["error"] <= record["bound"]
        assert record["error"] < record["dropout"]


def test_the_table_has_the_exponent_of_one_over_the_strength(records):
    table = RegularTreesExperiment().table(records)
    assert len(table) == 8
    regular = table[table["kind"] == "regular"]
    assert regular["kernel_change_slope"].iloc[0][0] == pytest.approx(-1, abs=0.02)


def test_the_figure_has_two_panels(records):
    figure = RegularTreesExperiment().figure(records)
    assert len(figure.axes) == 2
    plt.close("all")
