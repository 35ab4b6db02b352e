import pytest

from lukewarm import experiments
from lukewarm.experiments import _models, _run


class Tiny:
    """An experiment of squares."""

    description = experiments._run.Correlation.description
    models = ("boosting",)

    def jobs(self, scale, models, n_replicates, seed):
        return [{"model": model, "x": x} for model in models for x in range(n_replicates or 3)]

    def run(self, job):
        return {"square": job["x"] ** 2}

    def table(self, records):
        import pandas as pd

        return pd.DataFrame(list(records))

    def figure(self, records):
        from matplotlib import pyplot as plt

        figure, axes = plt.subplots()
        axes.plot([record["square"] for record in records])
        return figure


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setitem(_run._KNOWN, "tiny", Tiny())


def test_a_run_writes_records_table_and_figure(tiny, tmp_path):
    done = experiments.run("tiny", out=tmp_path)
    assert done.table["square"].tolist() == [0, 1, 4]
    assert done.figure_file.read_bytes().startswith(b"\x89PNG")
    assert done.table_file.exists()
    again = experiments.redraw("tiny", done.records)
    assert again.table.equals(done.table)


def test_a_resumed_run_ends_with_the_file_of_an_uninterrupted_one(tiny, tmp_path):
    whole = experiments.run("tiny", out=tmp_path / "whole")
    experiments.run("tiny", n_replicates=1, out=tmp_path / "parts")
    resumed = experiments.run("tiny", out=tmp_path / "parts")
    assert resumed.records.read_bytes() == whole.records.read_bytes()


def test_a_corrupt_line_is_named(tiny, tmp_path):
    done = experiments.run("tiny", out=tmp_path)
    lines = done.records.read_text().splitlines()
    done.records.write_text("\n".join([lines[0], "{broken", lines[2]]) + "\n")
    with pytest.raises(ValueError, match=r"line 2 of .* is not JSON"):
        experiments.run("tiny", out=tmp_path)
    with pytest.raises(ValueError, match=r"line 2 of .* is not JSON"):
        experiments.redraw("tiny", done.records)


def test_the_default_models_are_those_that_are_installed(monkeypatch):
    known = ("boosting", "network", "catboost")
    monkeypatch.setattr(_models, "find_spec", lambda name: None)
    assert _models.installed_models(known) == ["boosting"]
    monkeypatch.setattr(_models, "find_spec", lambda name: object())
    assert _models.installed_models(known) == ["boosting", "network"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "figure 7"}, "name must be one of 'bounds', 'tangent-stability', 'correlation'"),
        ({"name": "correlation", "scale": "huge"}, "scale must be one of 'quick', 'paper'"),
        ({"name": "correlation", "models": ["forest"]}, "model must be one of 'boosting'"),
        ({"name": "correlation", "n_replicates": 0}, "n_replicates must be at least 1"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        experiments.run(**arguments)


def test_every_experiment_is_described():
    table = experiments.describe()
    assert table["name"].tolist() == list(experiments.EXPERIMENTS)
    assert (table["quick (min)"] > 0).all()
