"""``lukewarm`` and its smaller commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lukewarm._version import __version__
from lukewarm.cli._explain import explain
from lukewarm.cli._options import PATH, Commands, OneOf, plain_errors


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lukewarm")
def main() -> None:
    """Which features matter, and how sure are you?

    Importance is the predictive skill lost when a feature is taken away, with a confidence
    interval and a test. No model is retrained for each feature.

    \b
    Try:  lukewarm demo
          lukewarm explain data.csv --target price
    """


main.add_command(explain)


@main.command()
@click.option(
    "--out",
    type=PATH,
    default=Path("lukewarm-demo"),
    show_default=True,
    help="Folder for tables and figures.",
)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True, help="Feature sets at a time.")
@plain_errors
def demo(out: Path, seed: int, jobs: int) -> None:
    """Show three ways to an importance on data whose answer is known, then on real data."""
    from lukewarm.demo import REPORT, run_demo

    comparisons = run_demo(out, seed=seed, n_jobs=jobs)
    click.echo(
        "Simulated: y = 1.5 X1 + 1.2 X2 + X3 + noise, X1 and X2 correlated 0.8, 5000 rows.\n"
        "Importance = increase in mean squared error without the feature [95 % interval].\n"
    )
    click.echo(comparisons["correlated_linear"].to_text())
    click.echo(
        "\nDropout overshoots where features are correlated; early stopping hits the truth like\n"
        "retraining does, for a fraction of the time.\n\n"
        "Diabetes progression (442 patients, scikit-learn): loss of R2 without the feature.\n"
    )
    click.echo(comparisons["diabetes"].to_text())
    click.echo(f"\nTables and figures are in {out}\nOpen the report in a browser: {out / REPORT}")


@main.command()
@click.argument("name", required=False)
@click.option("--list", "list_all", is_flag=True, help="Name the experiments and their cost.")
@click.option("--scale", type=OneOf("experiments", "SCALES"), default="quick", show_default=True)
@click.option(
    "--model",
    multiple=True,
    help="May be repeated.  [default: boosting, and network where torch is installed]",
)
@click.option("--replicates", type=int, help="Data sets per setting.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Replicates at a time.")
@click.option(
    "--out",
    type=PATH,
    default=Path("lukewarm-paper"),
    show_default=True,
    help="Folder for records, table and figure; an interrupted run goes on from there.",
)
@click.option("--seed", type=int, default=0, show_default=True)
@plain_errors
def reproduce(
    name: str | None,
    list_all: bool,
    model: tuple[str, ...],
    replicates: int | None,
    jobs: int,
    out: Path,
    **options: Any,
) -> None:
    """Reproduce a figure or table of the paper by its NAME."""
    from lukewarm import experiments

    if list_all or name is None:
        click.echo(experiments.describe().to_string(index=False, justify="left"))
        return
    done = experiments.run(
        name, models=list(model) or None, n_replicates=replicates, n_jobs=jobs, out=out, **options
    )
    click.echo(done.table.round(4).to_string(index=False))
    click.echo(f"\nThe figure is {done.figure_file}, the table {done.table_file}")
