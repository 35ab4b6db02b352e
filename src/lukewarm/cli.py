"""The command line: arguments to calls, nothing else."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from lukewarm._files import locked_folder, replacing_report, write_text
from lukewarm._text import frame_to_csv, printable
from lukewarm._validation import check_choice
from lukewarm._version import __version__


class _Failure(click.ClickException):
    exit_code = 2

    def format_message(self) -> str:
        return printable(" ".join(self.message.split()))


class _OneOf(click.ParamType):
    """One of the names in a registry, whose room is loaded when the option is used or explained."""

    name = "name"

    def __init__(self, room: str, registry: str, *more: str) -> None:
        self._room, self._registry, self._more = room, registry, more

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return check_choice("it", value, self._known())
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return f"[{'|'.join(self._known())}]"

    def _known(self) -> tuple[str, ...]:
        return (*self._more, *getattr(import_module(f"lukewarm.{self._room}"), self._registry))


class _NamedPath(click.Path):
    """A path; nothing is not the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value):
            self.fail("the path is empty.", param, ctx)
        return super().convert(value, param, ctx)


_PATH = _NamedPath(path_type=Path)


@contextmanager
def _one_line() -> Iterator[None]:
    """Turn click's three lines about a wrong option into one."""
    try:
        yield
    except click.UsageError as error:
        # Newer versions of click show the help by this error when there are no arguments.
        if error.ctx is None or isinstance(
            error, getattr(click.exceptions, "NoArgsIsHelpError", ())
        ):
            raise
        hint = f"Try '{error.ctx.command_path} --help'."
        raise _Failure(f"{error.format_message()} {hint}") from error


class _Commands(click.Group):
    def make_context(self, *args: Any, **options: Any) -> click.Context:
        with _one_line():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        with _one_line():
            return super().invoke(ctx)


def _plain_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Turn what the library refuses into one line and exit code 2."""

    @wraps(command)
    def guarded(*args: Any, **options: Any) -> None:
        try:
            with warnings.catch_warnings(record=True) as notes:
                command(*args, **options)
            for note in notes:
                click.echo(f"Note: {printable(str(note.message), keep=chr(10))}", err=True)
        except (ValueError, TypeError, OSError, ImportError, FloatingPointError) as error:
            raise _Failure(str(error)) from error

    return guarded


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lukewarm")
def main() -> None:
    """Which features matter, and how sure are you?

    Importance is the predictive skill lost when a feature is taken away, with a confidence
    interval and a test. No model is retrained for each feature.

    \b
    Try:  lukewarm demo
          lukewarm explain data.csv --target price
    """


@main.command()
@click.argument("file", type=_PATH)
@click.option("--target", required=True, help="Column to predict.")
@click.option(
    "--model",
    type=_OneOf("learners", "MODELS"),
    default="auto",
    show_default=True,
    help="What is trained; catboost and network need their extras.",
)
@click.option(
    "--method",
    type=_OneOf("reduction", "METHODS"),
    default="auto",
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
    type=_PATH,
    help='JSON file of columns taken away together: {"ambient": ["AT", "AP", "AH"]}.',
)
@click.option("--drop", help="Columns to leave out altogether, comma-separated.")
@click.option(
    "--inference",
    type=_OneOf("estimators", "INFERENCES"),
    default="auto",
    show_default=True,
    help="How sure the numbers are: learning_curve counts what more rows would change; paired is "
    "the paper's; split evaluates the two models on different rows.",
)
@click.option("--cv", type=int, help="Evaluate every row once, with this many folds.")
@click.option("--shapley", is_flag=True, help="Share the skill out among features: Shapley values.")
@click.option(
    "--solver",
    type=_OneOf("shapley", "SOLVERS", "auto"),
    help="With --shapley: how values of coalitions become Shapley values.  [default: auto]",
)
@click.option("--coalitions", type=int, help="With --shapley: most reduced models to fit.")
@click.option(
    "--tolerance",
    type=float,
    help="With --shapley: fit until the sampling error is below this share of the range.",
)
@click.option("--out", type=_PATH, help="Folder for CSV, JSON and figures.")
@click.option(
    "--report",
    is_flag=True,
    help="Write one HTML page to hand over: report.html in the folder of --out, else "
    "FILE-report.html in the current one.",
)
@click.option("--open", "opens", is_flag=True, help="Write the report and open it in a browser.")
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
    report: bool,
    opens: bool,
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
    the p-value of "no importance", what the estimate moved when the training rows doubled
    (shift), the steps of further training and the seconds they took. With --shapley: its fair
    share of the skill, which correlated features do not take from each other.

    \b
    Example:  lukewarm explain turbines.csv --target NOX --drop CO --measure r2 --out report
              lukewarm explain turbines.csv --target NOX --drop CO --shapley --tolerance 0.02
              lukewarm explain turbines.csv --target NOX --report --open
    """
    from lukewarm.estimators import ShapleyImportance, VariableImportance

    X, y = _read_table(file, target, _names(drop) or [])
    work = {"solver": solver, "n_coalitions": coalitions, "tolerance": tolerance}
    options |= {name: value for name, value in work.items() if value is not None}
    if not shapley and any(value is not None for value in work.values()):
        raise _Failure("--solver, --coalitions and --tolerance need --shapley.")
    estimator = (ShapleyImportance if shapley else VariableImportance)(
        features=_names(features),
        groups=None if groups is None else _read_groups(groups),
        measure=list(measure) or None,
        random_state=seed,
        n_jobs=jobs,
        **options,
    )
    with nullcontext() if out is None else locked_folder(out):
        estimator.fit(X, y)
        for result in estimator.results_.values():
            click.echo(printable(str(result), keep="\n"))
        page = Path(f"{file.stem}-report.html") if out is None else out / "report.html"
        asked = report or opens
        title = f"What predicts {target}"
        if out is not None:
            with replacing_report(out, "explain") as staged:
                _write_results(staged, estimator.results_)
                if asked:
                    estimator.report(staged / page.name, title=title)
            click.echo(f"\nTables and figures are in {out}")
        elif asked:
            estimator.report(page, title=title)
        if asked:
            click.echo(f"\nThe report is {page}")
        if opens:
            click.launch(page.resolve().as_uri())


@main.command()
@click.option(
    "--out",
    type=_PATH,
    default=Path("lukewarm-demo"),
    show_default=True,
    help="Folder for tables and figures.",
)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True, help="Feature sets at a time.")
@_plain_errors
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
@click.option("--scale", type=_OneOf("experiments", "SCALES"), default="quick", show_default=True)
@click.option(
    "--model",
    multiple=True,
    help="May be repeated.  [default: boosting, and network where torch is installed]",
)
@click.option("--replicates", type=int, help="Data sets per setting.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Replicates at a time.")
@click.option(
    "--out",
    type=_PATH,
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
        header = [str(name) for name in table.columns]
    else:
        try:
            table = pd.read_csv(file)
            header = list(pd.read_csv(file, header=None, nrows=1, dtype=str).iloc[0].dropna())
        except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
            raise _Failure(f"{str(file)!r} is not a readable CSV file: {error}.") from error
        if not isinstance(table.index, pd.RangeIndex):
            raise _Failure(f"the rows of {str(file)!r} have more cells than its header.")
    # pandas would call the second one of two "price" columns "price.1".
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise _Failure(f"{str(file)!r} has more than one column called {repeated}; rename them.")
    if target in dropped:
        raise _Failure(f"--drop names the target, {target!r}.")
    for column in (target, *dropped):
        if column not in table:
            raise _Failure(
                f"{str(file)!r} has no column {column!r}; it has {list(table)}.{_hint(header)}"
            )
    return table.drop(columns=[target, *dropped]), table[target]


def _hint(header: list[str]) -> str:
    """Return what to do about a file whose cells are not separated by commas."""
    separators = [each for each in (";", "\t", "|") if len(header) == 1 and each in header[0]]
    if not separators:
        return ""
    return f" Its cells are separated by {separators[0]!r}; save it with commas."


def _read_groups(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise _Failure(f"there is no file {str(path)!r}.")
    try:
        groups = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise _Failure(f"{str(path)!r} is not a JSON file: {error}.") from error
    if not isinstance(groups, dict):
        raise _Failure(f'{str(path)!r} must hold a mapping such as {{"name": ["column", ...]}}.')
    return groups


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"{repeated} appear more than once")
    return dict(pairs)


def _write_results(folder: Path, results: dict[str, Any]) -> None:
    from lukewarm.plotting import plot_importance, plot_shapley, save_figure
    from lukewarm.results import ShapleyResult

    for name, result in results.items():
        frame = result.to_frame(adjust=("holm", "bh"))
        write_text(folder / f"{name}.csv", frame_to_csv(frame))
        text = json.dumps(frame.to_dict(orient="records"), indent=1)
        write_text(folder / f"{name}.json", text)
        result.save(folder / f"{name}.npz")
        plot = plot_shapley if isinstance(result, ShapleyResult) else plot_importance
        save_figure(plot(result), folder / f"{name}.png")
