import numpy as np
from matplotlib import pyplot as plt

from lukewarm.experiments._correlation import Correlation


def test_one_replicate_estimates_the_importance_of_x1():
    jobs = Correlation().jobs("quick", ["boosting"], 1, seed=0)
    job = next(j for j in jobs if j["method"] == "early_stopping" and j["correlation"] == 0.5)
    outcome = Correlation().run(job)
    assert abs(outcome["estimate"] - outcome["truth"]) < 4.5 * outcome["std_error"]
    assert outcome == {**Correlation().run(job), "seconds": outcome["seconds"]}


def test_table_and_figure_come_from_records_alone():
    records = [
        {
            **{"model": "boosting", "method": method, "correlation": rho, "replicate": replicate},
            **{"truth": 2.25 * (1 - rho**2), "estimate": 2.0 + replicate, "seconds": 0.1},
        }
        for method in ("dropout", "early_stopping")
        for rho in (0.0, 1.0)
        for replicate in range(2)
    ]
    table = Correlation().table(records)
    assert table["estimate"].tolist() == [2.5] * 4
    assert np.isnan(table.loc[table["correlation"] == 1, "relative_error"]).all()
    figure = Correlation().figure(records)
    assert figure.axes[0].get_title() == "boosting"
    plt.close("all")
