import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from lukewarm.experiments._gas_turbine import GasTurbine

SENSORS = ["AT", "TIT", "AP"]


@pytest.fixture
def turbines(tmp_path, monkeypatch):
    """A stand-in for the file: three sensors, two of them correlated."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((300, 3))
    X[:, 1] += X[:, 0]
    table = pd.DataFrame(X, columns=SENSORS)
    table["CO"], table["NOX"] = X[:, 0] + X[:, 1], 60 + 10 * X[:, 1]
    table.to_csv(tmp_path / "gas_turbine_2015.csv", index=False)
    monkeypatch.setenv("LUKEWARM_DATA", str(tmp_path))


def test_without_the_file_the_error_says_what_to_set(monkeypatch):
    monkeypatch.delenv("LUKEWARM_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match="LUKEWARM_DATA"):
        GasTurbine().jobs("quick", ["boosting"], None, 0)


def test_a_run_ranks_the_sensor_that_matters_first(turbines):
    jobs = [
        job
        for job in GasTurbine().jobs("paper", ["boosting"], None, 0)
        if job["target"] in ("NOX", "") and job["method"] in ("", "early_stopping")
    ]
    assert [job["kind"] for job in jobs] == ["correlation", "importance", "shapley"]
    records = [{**job, **GasTurbine().run(job)} for job in jobs]
    table = GasTurbine().table(records)
    first = table[table["rank"] == 1]
    assert set(first["feature"]) == {"TIT"}
    assert set(first["kind"]) == {"importance", "shapley"}
    np.testing.assert_allclose(records[0]["correlation"][0][1], np.sqrt(0.5), atol=0.15)


def test_shapley_values_of_wide_networks_are_those_that_need_no_training(turbines):
    jobs = GasTurbine().jobs("paper", ["network", "boosting"], None, 0)
    asked = {
        model: {
            each["method"] for each in jobs if (each["model"], each["kind"]) == (model, "shapley")
        }
        for model in ("network", "boosting")
    }
    assert asked["network"] == {"dropout", "kernel_flow"}
    assert asked["boosting"] == {"dropout", "retrain", "early_stopping"}


def test_the_figure_has_a_row_per_model_and_target_and_the_heat_map():
    numbers = {
        name: [0.1, 0.2, 0.0] for name in ("estimate", "std_error", "literal", "seconds", "steps")
    }
    records = [
        {"kind": "correlation", "features": SENSORS, "correlation": np.eye(3).tolist()},
        *(
            {
                **{"kind": "importance", "model": "boosting", "target": target},
                **{"features": SENSORS, "methods": {"retrain": numbers, "dropout": numbers}},
            }
            for target in ("NOX", "CO")
        ),
        *(
            {
                **{"kind": "shapley", "model": "boosting", "target": target, "method": "retrain"},
                **{"features": SENSORS, "shapley": [0.1, 0.2, 0.0]},
                **{"std_error": [0.01] * 3, "seconds": 1.0},
            }
            for target in ("NOX", "CO")
        ),
    ]
    figure = GasTurbine().figure(records)
    titles = [axes.get_title() for axes in figure.axes]
    assert titles[:4] == ["NOx, boosted trees"] * 2 + ["CO, boosted trees"] * 2
    assert "correlation of the sensors" in titles
    plt.close("all")
