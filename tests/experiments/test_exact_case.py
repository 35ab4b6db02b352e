import numpy as np
import pytest
from matplotlib import pyplot as plt

from lukewarm.experiments._exact_case import STARTS, ExactCase, exact_run


@pytest.fixture(name="records", scope="module")
def _records():
    return [
        {
            **{"model": "kernel", "start": start, "n_rows": n_rows, "replicate": replicate},
            **exact_run(
                n_rows,
                start,
                np.random.default_rng([replicate, n_rows]),
                with_curves=(n_rows, replicate) == (32, 0),
            ),
        }
        for start in STARTS
        for n_rows in (32, 64)
        for replicate in range(2)
    ]


def test_the_learner_runs_along_its_kernel_to_round_off(records):
    # Landmarks that others span to 1e-10 are left out of the basis.
    assert max(record["drift"] for record in records) < 1e-12
    assert min(record["dropout"] for record in records) > 0.1


def test_without_drift_the_optimal_step_is_the_last_that_the_rule_allows(records):
    for record in records:
        assert record["optimal_step"] == record["max_step"] >= 1


def test_the_lemma_holds_along_every_run_and_the_bounds_are_in_order(records):
    for record in records:
        assert record["lemma_holds"]
        assert record["error"] <= record["lemma"]
        assert record["step_bound"] <= record["rate_bound"]
        assert record["expected"] <= record["step_bound"]


def test_the_population_radius_is_larger(records):
    assert all(record["population_radius"] > record["radius"] for record in records)


def test_table_and_figure_are_made_from_records(records):
    table = ExactCase().table(records)
    assert len(table) == 4
    assert (table["within_step_bound"] == 1).all()
    figure = ExactCase().figure(records)
    assert len(figure.axes) == 4
    plt.close("all")
