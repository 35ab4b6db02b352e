"""The command line: arguments to calls, nothing else."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from lukewarm._files import write_text
from lukewarm._version import __version__

_MODELS = ("boosting", "catboost", "network")
_METHODS = ("early_stopping", "dropout", "retrain", "kernel_flow", "lazy")
_SOLVERS = ("auto", "exact", "regression_adjusted", "kernel", "permutation", "marginal")


class _Failure(click.ClickException):
    exit_code = 2


def _plain_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Turn what the library refuses into one line and exit code 2."""

    @wraps(command)
    def guarded(*args: Any, **options: Any) -> None:
        try:
            with warnings.catch_warnings(record=True) as notes:
                command(*args, **options)
            for note in notes:
                click.echo(f"Note: {note.message}", err=True)
        except (ValueError, TypeError, OSError, ImportError, FloatingPointError) as error:
            raise _Failure(" ".join(str(error).split())) from error

    return guarded


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lukewarm")
def main() -> None:
    """Which features matter, and how sure are you?

    Importance is the predictive skill lost when a feature is taken away. The model without it
    starts from the full model and stops early: the accuracy of retraining, near the cost of not
    retraining at all.

    \b
    Try:  lukewarm demo
          lukewarm explain data.csv --target price
    """


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--target", required=True, help="Column to predict.")
@click.option(
    "--model",
    type=click.Choice(_MODELS),
    default="boosting",
    show_default=True,
    help="What is trained; catboost and network need their extras.",
)
@click.option(
    "--method",
    type=click.Choice(_METHODS),
    default="early_stopping",
    show_default=True,
    help="How the model without a feature is obtained.",
)
@click.option(
    "--measure",
    multiple=True,
    help="Predictive skill: neg_mse, r2, neg_mae, pinball(0.9), huber(1), poisson_deviance, "
    "gamma_deviance, tweedie_deviance(1.5); accuracy, auc, deviance, neg_log_loss for classes. May "
    "be repeated.  [default: neg_mse, or deviance for classes]",
)
@click.option(
    "--task",
    type=click.Choice(("auto", "regression", "classification")),
    default="auto",
    show_default=True,
    help="Whether TARGET holds numbers or classes, such as codes 0 and 1; auto: text is classes.",
)
@click.option("--features", help="Columns to explain, comma-separated.  [default: all]")
@click.option(
    "--groups",
    type=click.Path(path_type=Path),
    help='JSON file of columns taken away together: {"ambient": ["AT", "AP", "AH"]}.',
)
@click.option("--drop", help="Columns to leave out altogether, comma-separated.")
@click.option(
    "--inference",
    type=click.Choice(("paired", "split")),
    default="paired",
    show_default=True,
    help="split: wider intervals that stay valid when the true importance is zero.",
)
@click.option("--cross-fit", type=int, help="Evaluate every row once, with this many folds.")
@click.option("--shapley", is_flag=True, help="Share the skill out among features: Shapley values.")
@click.option(
    "--solver",
    type=click.Choice(_SOLVERS),
    help="With --shapley: how values of coalitions become Shapley values.  [default: auto]",
)
@click.option("--coalitions", type=int, help="With --shapley: most reduced models to fit.")
@click.option(
    "--tolerance",
    type=float,
    help="With --shapley: fit until the sampling error is below this share of the range.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder for CSV, JSON and figures.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True, help="Feature sets at a time.")
@_plain_errors
def explain(
    file: Path,
    target: str,
    features: str | None,
    groups: Path | None,
    drop: str | None,
    out: Path | None,
    seed: int,
    jobs: int,
    measure: tuple[str, ...],
    shapley: bool,
    solver: str | None,
    coalitions: int | None,
    tolerance: float | None,
    **options: Any,
) -> None:
    """Explain what predicts TARGET in FILE (CSV or Parquet).

    Prints one row per feature: the skill lost without it, its standard error, a 95 % interval,
    the p-value of "no importance", the steps of further training and the seconds they took. With
    --shapley: its fair share of the skill, which correlated features do not take from each other.

    \b
    Example:  lukewarm explain turbines.csv --target NOX --drop CO --measure r2 --out report
              lukewarm explain turbines.csv --target NOX --drop CO --shapley --tolerance 0.02
    """
    from lukewarm.estimators import ShapleyImportance, VariableImportance

    X, y = _read_table(file, target, _names(drop) or [])
    work = {"solver": solver, "n_coalitions": coalitions, "tolerance": tolerance}
    options |= {name: value for name, value in work.items() if value is not None}
    if not shapley and (solver or coalitions or tolerance):
        raise _Failure("--solver, --coalitions and --tolerance need --shapley.")
    estimator = (ShapleyImportance if shapley else VariableImportance)(
        features=_names(features),
        groups=None if groups is None else _read_groups(groups),
        measure=list(measure) or None,
        random_state=seed,
        n_jobs=jobs,
        **options,
    )
    estimator.fit(X, y)
    for result in estimator.results_.values():
        click.echo(result)
    if out is not None:
        _write_results(out, estimator.results_)
        click.echo(f"\nTables and figures are in {out}")


@main.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("lukewarm-demo"),
    show_default=True,
    help="Folder for tables and figures.",
)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True, help="Feature sets at a time.")
@_plain_errors
def demo(out: Path, seed: int, jobs: int) -> None:
    """Show three ways to an importance on data whose answer is known, then on real data."""
    from lukewarm.demo import run_demo

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
    click.echo(f"\nTables and figures are in {out}")


@main.command()
@click.argument("name", required=False)
@click.option("--list", "list_all", is_flag=True, help="Name the experiments and their cost.")
@click.option("--scale", type=click.Choice(("quick", "paper")), default="quick", show_default=True)
@click.option(
    "--model",
    multiple=True,
    help="May be repeated.  [default: boosting, and network where torch is installed]",
)
@click.option("--replicates", type=int, help="Data sets per setting.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Replicates at a time.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("lukewarm-paper"),
    show_default=True,
    help="Folder for records, table and figure; an interrupted run goes on from there.",
)
@click.option("--seed", type=int, default=0, show_default=True)
@_plain_errors
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


def _names(listed: str | None) -> list[str] | None:
    return None if listed is None else [name.strip() for name in listed.split(",") if name.strip()]


def _read_table(file: Path, target: str, dropped: list[str]) -> tuple[Any, Any]:
    import pandas as pd

    if not file.is_file():
        raise _Failure(f"there is no file {str(file)!r}.")
    if file.suffix.lower() in (".parquet", ".pq"):
        table = pd.read_parquet(file)
    else:
        try:
            table = pd.read_csv(file)
        except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
            raise _Failure(f"{str(file)!r} is not a readable CSV file: {error}.") from error
    for column in (target, *dropped):
        if column not in table:
            raise _Failure(f"{str(file)!r} has no column {column!r}; it has {list(table)}.")
    return table.drop(columns=[target, *dropped]), table[target]


def _read_groups(path: Path) -> dict[str, list[str]]:
    if not path.is_file():
        raise _Failure(f"there is no file {str(path)!r}.")
    try:
        groups = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _Failure(f"{str(path)!r} is not a JSON file: {error}.") from error
    if not isinstance(groups, dict):
        raise _Failure(f'{str(path)!r} must hold a mapping such as {{"name": ["column", ...]}}.')
    return groups


def _write_results(folder: Path, results: dict[str, Any]) -> None:
    from lukewarm.plotting import plot_importance, plot_shapley, save_figure
    from lukewarm.results import ShapleyResult

    folder.mkdir(parents=True, exist_ok=True)
    for name, result in results.items():
        frame = result.to_frame(adjust=("holm", "bh"))
        write_text(folder / f"{name}.csv", frame.to_csv(index=False))
        write_text(folder / f"{name}.json", json.dumps(frame.to_dict(orient="records"), indent=1))
        result.save(folder / f"{name}.npz")
        plot = plot_shapley if isinstance(result, ShapleyResult) else plot_importance
        save_figure(plot(result), folder / f"{name}.png")
