"""What the judges of importances and of Shapley values share: data sets, command line, file."""

import json
import warnings
import zlib
from pathlib import Path
from time import process_time

import click
import numpy as np
import pandas as pd

from lukewarm.parallel import run_resumable

FOLDER = Path(__file__).parent / "results"


def drawn(problem, job):
    """Return X and y of one data set of the problem; sizes and replicates are independent."""
    key = zlib.crc32(problem.name.encode())
    generator = np.random.default_rng([job["seed"], key, job["n"], job["replicate"]])
    return problem.draw(job["n"], generator)


def fit_seconds(estimator, X, y, **options):
    """Fit, with warnings off, and return the seconds of this process."""
    started = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(X, y, **options)
    return process_time() - started


def command(explain, summary, *, problems, sizes, replicates, store, out):
    """Return the command line of a judge.

    Parameters
    ----------
    explain : callable
        From a job to the record of one data set.
    summary : callable
        From all records to a table.
    problems : dict
        The problems by name.
    sizes, replicates : str, int
        Defaults of the options.
    store, out : str
        Names of the files of finished data sets and of the table.
    """

    @click.command()
    @click.option("--problems", default=",".join(problems), help="Names, comma-separated.")
    @click.option("--sizes", default=sizes, show_default=True)
    @click.option("--model", default="auto", show_default=True)
    @click.option("--method", default="auto", show_default=True)
    @click.option("--inference", default="auto", show_default=True)
    @click.option("--replicates", default=replicates, show_default=True)
    @click.option("--first", default=0, show_default=True, help="Number of the first data set.")
    @click.option("--seed", default=0, show_default=True)
    @click.option("--jobs", default=1, show_default=True)
    @click.option("--store", type=click.Path(path_type=Path), default=FOLDER / "runs" / store)
    @click.option("--out", type=click.Path(path_type=Path), default=FOLDER / out)
    def main(problems, sizes, model, method, inference, replicates, first, seed, jobs, store, out):
        settings = {"model": model, "method": method, "inference": inference, "seed": seed}
        work = [
            {"problem": problem, "n": int(n), "replicate": replicate, **settings}
            for n in sizes.split(",")
            for problem in problems.split(",")
            for replicate in range(first, first + replicates)
        ]
        records = run_resumable(explain, work, store, n_jobs=jobs, description="data sets")
        table = summary(records)
        pd.set_option("display.width", 250, "display.max_columns", 30, "display.max_rows", 500)
        print(table.drop(columns=["model", "method", "inference"]).round(3).to_string(index=False))
        rows = json.loads(table.to_json(orient="records"))
        out.write_text(json.dumps({"seed": seed, "rows": rows}))

    return main
