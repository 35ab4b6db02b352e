"""Coverage of the intervals on the paper's correlated linear data.

python benchmarks/coverage.py --models boosting:early_stopping --replicates 500 --jobs 2

Appends one JSON line per replicate to benchmarks/results/coverage.jsonl, so that an interrupted
run goes on where it stopped; prints the table, writes it as JSON, and draws the figure.
"""

import json
import sys
from pathlib import Path

# numba looks for a package of this file's name, so its folder must not be searched for modules.
sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).parent]

import click

from lukewarm._files import write_text
from lukewarm.experiments import (
    coverage_jobs,
    coverage_table,
    plot_coverage,
    run_coverage_job,
)
from lukewarm.parallel import run_resumable
from lukewarm.plotting import save_figure

RESULTS = Path(__file__).parent / "results"
FIGURES = Path(__file__).parent.parent / "docs" / "figures"


@click.command()
@click.option(
    "--models",
    default="boosting:early_stopping",
    show_default=True,
    help="Comma-separated model:method pairs.",
)
@click.option("--correlations", default="0,0.2,0.5,0.8,1", show_default=True)
@click.option("--replicates", default=100, show_default=True)
@click.option("--jobs", default=2, show_default=True)
@click.option("--name", default="coverage", show_default=True, help="Name of the result files.")
def main(models, correlations, replicates, jobs, name):
    pairs = [tuple(pair.split(":")) for pair in models.split(",")]
    planned = coverage_jobs(pairs, [float(each) for each in correlations.split(",")], replicates)
    records = run_resumable(
        run_coverage_job, planned, RESULTS / f"{name}.jsonl", n_jobs=jobs, description="replicates"
    )
    table = coverage_table(records)
    print(table.round(4).to_string(index=False))
    text = json.dumps(table.to_dict(orient="records"), indent=1)
    write_text(RESULTS / f"{name}.json", text + "\n")
    save_figure(plot_coverage(table), FIGURES / f"{name}.png")


if __name__ == "__main__":
    main()
