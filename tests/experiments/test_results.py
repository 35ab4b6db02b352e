import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from lukewarm import experiments
from lukewarm.parallel import read_records

RESULTS = Path(__file__).parents[2] / "docs" / "results"
RUNS = sorted(path.stem for path in RESULTS.glob("*.jsonl"))


@pytest.mark.parametrize("run", RUNS)
def test_the_published_table_follows_from_the_published_records(run, tmp_path):
    shutil.copy(RESULTS / f"{run}.jsonl", tmp_path)
    name = run.rsplit("-", 1)[0]
    table = experiments.redraw(name, tmp_path / f"{run}.jsonl").table
    published = pd.DataFrame(json.loads((RESULTS / f"{run}.json").read_text()))
    assert len(published) > 0
    # Records are published with six digits; a gap between two of them has fewer.
    pd.testing.assert_frame_equal(
        table, published, check_dtype=False, check_index_type=False, rtol=1e-3, atol=1e-4
    )


@pytest.mark.parametrize(
    "name",
    [
        "bounds",
        "tangent-stability",
        "correlation",
        "high-dimension",
        "shapley-logistic",
        "coverage",
    ],
)
def test_the_published_quick_run_is_the_one_the_command_makes(name):
    experiment = experiments._run._KNOWN[name]
    jobs = experiment.jobs("quick", ["boosting", "network"], None, 0)
    records = read_records(RESULTS / f"{name}-quick.jsonl")
    settings = [{key: record[key] for key in jobs[0]} for record in records]
    assert sorted(map(str, settings)) == sorted(map(str, jobs))


def test_every_experiment_has_a_published_run():
    published = {run.rsplit("-", 1)[0] for run in RUNS}
    assert published == set(experiments.EXPERIMENTS)
