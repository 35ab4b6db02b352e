"""Coverage of the intervals on the paper's correlated linear data.

python benchmarks/coverage_of_intervals.py --models boosting --replicates 500 --jobs 2

The experiment is that of `lukewarm reproduce coverage`; this command keeps its table among the
benchmarks' results and its figure among the docs'. An interrupted run goes on where it stopped.
"""

import shutil
from pathlib import Path

import click

from lukewarm import experiments

RESULTS = Path(__file__).parent / "results"
FIGURES = Path(__file__).parent.parent / "docs" / "figures"


@click.command()
@click.option("--models", default="boosting", show_default=True, help="Comma-separated.")
@click.option("--replicates", default=100, show_default=True)
@click.option("--jobs", default=2, show_default=True)
def main(models, replicates, jobs):
    chosen = models.split(",")
    done = experiments.run(
        "coverage",
        scale="paper",
        models=chosen,
        n_replicates=replicates,
        n_jobs=jobs,
        out=RESULTS / "runs",
    )
    print(done.table.round(4).to_string(index=False))
    name = "coverage_" + "_".join(chosen)
    shutil.copyfile(done.table_file, RESULTS / f"{name}.json")
    shutil.copyfile(done.figure_file, FIGURES / f"{name}.png")


if __name__ == "__main__":
    main()
