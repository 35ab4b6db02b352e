"""Do intervals of Shapley values cover, and do worthless features stay at zero?

python benchmarks/trust_shapley.py --sizes 500,2000 --replicates 30 --jobs 2

As trust.py, for `ShapleyImportance` and the problems of `shapley_problems.py`. Finished data sets
are kept in results/runs/trust_shapley.jsonl, so a stopped run goes on; the table goes to
results/shapley_trust.json.
"""

import json
import os
import warnings
import zlib
from pathlib import Path
from time import process_time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import click
import numpy as np
import pandas as pd
import trust
from shapley_problems import PROBLEMS

import lukewarm as lw
from lukewarm.parallel import run_resumable


def explain(job):
    """Return estimates and truths of one data set."""
    problem = PROBLEMS[job["problem"]]
    key = zlib.crc32(problem.name.encode())
    generator = np.random.default_rng([job["seed"], key, job["n"], job["replicate"]])
    X, y = problem.draw(job["n"], generator)
    sv = lw.ShapleyImportance(
        job["model"],
        job["method"],
        problem.measure,
        inference=job["inference"],
        random_state=job["replicate"],
    )
    started = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sv.fit(X, y)
    seconds = process_time() - started
    result = sv.result_
    low, high = result.interval()
    # A true Shapley value is not negative: what lies wholly below zero reaches it.
    high = np.maximum(high, 0.0)
    columns = (problem.truth, result.shapley_value, result.standard_error, low, high)
    rows = [
        [problem.measure, name, *(float(number) for number in numbers)]
        for name, *numbers in zip(
            result.names, *columns, result.p_value(), result.shift, strict=True
        )
    ]
    full = result.value_of(result.names)
    return {
        "rows": rows,
        "parts": [result.sampling_error.tolist(), result.data_error.tolist()],
        "seconds": seconds,
        "n_fits": result.n_fits,
        "skill": float(full.value - full.shift),
        "underfit": bool((result.health()["name"] == "underfit").any()),
    }


@click.command()
@click.option("--problems", default=",".join(PROBLEMS), help="Names, comma-separated.")
@click.option("--sizes", default="500,2000", show_default=True)
@click.option("--model", default="auto", show_default=True)
@click.option("--method", default="auto", show_default=True)
@click.option("--inference", default="auto", show_default=True)
@click.option("--replicates", default=30, show_default=True)
@click.option("--first", default=0, show_default=True, help="Number of the first data set.")
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=1, show_default=True)
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    default=trust.FOLDER / "runs" / "trust_shapley.jsonl",
)
@click.option("--out", type=click.Path(path_type=Path), default=trust.FOLDER / "shapley_trust.json")
def main(problems, sizes, model, method, inference, replicates, first, seed, jobs, store, out):
    settings = {"model": model, "method": method, "inference": inference, "seed": seed}
    work = [
        {"problem": problem, "n": int(n), "replicate": replicate, **settings}
        for n in sizes.split(",")
        for replicate in range(first, first + replicates)
        for problem in problems.split(",")
    ]
    records = run_resumable(explain, work, store, n_jobs=jobs, description="data sets")
    table = trust.summary(records)
    fits = pd.DataFrame(records).groupby(["problem", "n"]).n_fits.mean()
    table["n_fits"] = [fits[row.problem, row.n] for row in table.itertuples()]
    pd.set_option("display.width", 250, "display.max_columns", 30, "display.max_rows", 500)
    print(table.drop(columns=["model", "method", "inference"]).round(3).to_string(index=False))
    rows = json.loads(table.to_json(orient="records"))
    out.write_text(json.dumps({"seed": seed, "rows": rows}))


if __name__ == "__main__":
    main()
