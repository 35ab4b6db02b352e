import numpy as np
from matplotlib import pyplot as plt

from lukewarm import experiments
from lukewarm.experiments._correlation import Correlation


def record(method, rho, replicate):
    numbers = {"estimate": [2.0 + replicate], "std_error": [0.1], "seconds": [0.1]}
    return {
        **{"model": "boosting", "correlation": rho, "replicate": replicate, "features": ["X1"]},
        **{"truth": [2.25 * (1 - rho**2)], "methods": {method: numbers}},
    }


def without_seconds(records):
    for each in records:
        del each["full_seconds"]
        for numbers in each["methods"].values():
            del numbers["seconds"]
    return records


def test_one_replicate_estimates_the_importance_of_x1():
    jobs = Correlation().jobs("quick", ["boosting"], 1, seed=0)
    job = next(job for job in jobs if job["correlation"] == 0.5)
    outcome = Correlation().run(job)
    warm, dropout = outcome["methods"]["early_stopping"], outcome["methods"]["dropout"]
    assert abs(warm["estimate"][0] - 1.6875) < 4.5 * warm["std_error"][0]
    assert dropout["estimate"][0] - 1.6875 > 4.5 * dropout["std_error"][0]
    assert without_seconds([outcome]) == without_seconds([Correlation().run(job)])


def test_a_run_cut_off_in_a_line_ends_like_an_uninterrupted_one(tmp_path):
    whole = experiments.run("correlation", models=["boosting"], n_replicates=1, out=tmp_path / "a")
    text = whole.records.read_text()
    (tmp_path / "b").mkdir()
    cut = tmp_path / "b" / whole.records.name
    cut.write_text(text[: len(text) // 2])
    assert not cut.read_text().endswith("\n")
    experiments.run("correlation", models=["boosting"], n_replicates=1, out=tmp_path / "b")
    read = experiments._run.read_records
    assert without_seconds(read(cut)) == without_seconds(read(whole.records))


def test_table_and_figure_come_from_records_alone():
    records = [
        record(method, rho, replicate)
        for method in ("dropout", "early_stopping")
        for rho in (0.0, 1.0)
        for replicate in range(2)
    ]
    table = Correlation().table(records)
    assert table["estimate"].tolist() == [2.5] * 4
    assert np.isnan(table.loc[table["correlation"] == 1, "relative_error"]).all()
    figure = Correlation().figure(records)
    assert figure.axes[0].get_title() == "boosted trees"
    assert figure.legends[0].get_texts()[0].get_text() == "truth"
    plt.close("all")
