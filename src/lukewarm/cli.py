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
from lukewarm._validation import check_choice, check_count, check_fraction
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
    help="Predictive skill: neg_mse, r2, rmse, neg_mae, pinball(0.9), huber(1), poisson_deviance, "
    "gamma_deviance, tweedie_deviance(1.5); deviance, neg_log_loss, brier, accuracy, "
    "balanced_accuracy, f1, auc, macro_auc, average_precision for classes; any scorer of "
    "scikit-learn. May be repeated.  [default: neg_mse, or deviance for classes]",
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
    help='JSON file of columns taken away together: {"ambient": ["AT", "AP", "AH"]}; or auto, for '
    "one-hot columns.",
)
@click.option(
    "--correlated",
    type=float,
    metavar="R",
    help="Columns whose rank correlations reach R are taken away together.",
)
@click.option("--drop", help="Columns to leave out altogether, comma-separated.")
@click.option("--weights", metavar="COLUMN", help="Weights of the rows; not a feature.")
@click.option(
    "--row-groups",
    metavar="COLUMN",
    help="Which rows belong together, such as the patient: they are never parted, and errors count "
    "groups. Not a feature.",
)
@click.option(
    "--time",
    metavar="COLUMN",
    help="Numbers or dates: the first rows train, the last evaluate. Not a feature.",
)
@click.option("--sep", default=",", show_default=True, help="Between the cells of a CSV file.")
@click.option("--encoding", default="utf-8", show_default=True, help="Of a CSV file.")
@click.option("--parse-dates", metavar="COLUMNS", help="Columns of dates, comma-separated.")
@click.option(
    "--missing-target",
    type=click.Choice(("refuse", "drop")),
    default="refuse",
    show_default=True,
    help="What to do about rows without a target.",
)
@click.option(
    "--inference",
    type=_OneOf("estimators", "INFERENCES"),
    default="auto",
    show_default=True,
    help="How sure the numbers are: learning_curve counts what more rows would change; paired is "
    "the paper's; split evaluates the two models on different rows.",
)
@click.option("--cv", type=int, help="Evaluate every row once, with this many folds.")
@click.option(
    "--time-limit",
    type=float,
    metavar="SECONDS",
    help="Begin no further feature set after it; the most promising ones come first.",
)
@click.option("--top", type=int, help="Show the largest importances only, so many of them.")
@click.option(
    "--select",
    type=float,
    metavar="FDR",
    help="Name the features that matter, with this share of false ones among them.",
)
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
    correlated: float | None,
    drop: str | None,
    sep: str,
    encoding: str,
    parse_dates: str | None,
    missing_target: str,
    weights: str | None,
    row_groups: str | None,
    time: str | None,
    time_limit: float | None,
    top: int | None,
    select: float | None,
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
    """Explain what predicts TARGET in FILE (CSV, Parquet or Excel).

    Prints one row per feature: the skill lost without it, its standard error, a 95 % interval,
    the p-value of "no importance", what the estimate moved when the training rows doubled
    (shift), the steps of further training and the seconds they took. With --shapley: its fair
    share of the skill, which correlated features do not take from each other.

    \b
    Example:  lukewarm explain turbines.csv --target NOX --drop CO --measure r2 --out report
              lukewarm explain turbines.csv --target NOX --drop CO --shapley --tolerance 0.02
              lukewarm explain turbines.csv --target NOX --report --open
              lukewarm explain visits.csv --target bmi --row-groups patient --select 0.1
    """
    from lukewarm.data import read_table
    from lukewarm.estimators import ShapleyImportance, VariableImportance

    table = read_table(file, "\t" if sep == "\\t" else sep, encoding)
    roles = {"--target": target, "--weights": weights, "--row-groups": row_groups, "--time": time}
    X, columns = _taken_apart(table, file, roles, _names(drop) or [], _names(parse_dates) or [])
    if missing_target == "drop":
        X, columns = _without_gaps(X, columns)
    _check_shown(top, select)
    work = {"solver": solver, "n_coalitions": coalitions, "tolerance": tolerance}
    if not shapley and any(value is not None for value in work.values()):
        raise _Failure("--solver, --coalitions and --tolerance need --shapley.")
    if shapley and (time_limit is not None or select is not None):
        raise _Failure("--time-limit and --select do not go with --shapley.")
    work["time_limit"] = time_limit
    options |= {name: value for name, value in work.items() if value is not None}
    estimator = (ShapleyImportance if shapley else VariableImportance)(
        features=_names(features),
        groups=_groups(groups, correlated),
        measure=list(measure) or None,
        random_state=seed,
        n_jobs=jobs,
        **options,
    )
    with nullcontext() if out is None else locked_folder(out):
        _fit(estimator, X, columns)
        for result in estimator.results_.values():
            click.echo(printable(_shown(result, top, select), keep="\n"))
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


def _taken_apart(
    table: Any, file: Path, roles: dict[str, str | None], dropped: list[str], dates: list[str]
) -> tuple[Any, dict[str, Any]]:
    """Return the features, and the column of each role that one was named for."""
    from lukewarm.data import separator_hint

    named = {option: column for option, column in roles.items() if column is not None}
    for column in (*named.values(), *dropped, *dates):
        if column not in table:
            raise _Failure(
                f"{str(file)!r} has no column {column!r}; it has {list(table)}."
                f"{separator_hint(table)}"
            )
    for option, column in named.items():
        others = [each for each in named if named[each] == column and each != option]
        if others or column in dropped:
            raise _Failure(f"{others[0] if others else '--drop'} names {option[2:]}, {column!r}.")
    for column in dates:
        table[column] = _as_dates("--parse-dates", table[column])
    columns = {option: table[column] for option, column in named.items()}
    if "--time" in columns and columns["--time"].dtype.kind not in "iufbM":
        columns["--time"] = _as_dates("--time", columns["--time"])
    return table.drop(columns=[*named.values(), *dropped]), columns


def _as_dates(option: str, column: Any) -> Any:
    import pandas as pd

    try:
        return pd.to_datetime(column)
    except (ValueError, TypeError, OverflowError) as error:
        raise _Failure(f"{option}: column {column.name!r} does not hold dates; {error}.") from error


def _without_gaps(X: Any, columns: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the rows that have a target."""
    known = columns["--target"].notna()
    if not known.all():
        click.echo(f"Note: {int((~known).sum())} rows without a target are left out.", err=True)
    return X[known], {option: column[known] for option, column in columns.items()}


def _fit(estimator: Any, X: Any, columns: dict[str, Any]) -> None:
    """Fit the estimator; a break leaves the feature sets that were done."""
    y, weights = columns["--target"], columns.get("--weights")
    groups, time = columns.get("--row-groups"), columns.get("--time")
    try:
        estimator.fit(X, y, weights, groups=groups, time=time)
    except KeyboardInterrupt:
        if not hasattr(estimator, "results_"):
            raise
        click.echo("Interrupted; these are the feature sets that were done.", err=True)


def _check_shown(top: int | None, select: float | None) -> None:
    if top is not None:
        check_count("--top", top)
    if select is not None:
        check_fraction("--select", select)


def _shown(result: Any, top: int | None, fdr: float | None) -> str:
    text = str(result.to_text(top=top))
    if fdr is None:
        return text
    chosen = ", ".join(result.select(fdr)) or "none"
    return f"{text}\nSelected with a share of {fdr:g} false ones expected: {chosen}."


def _groups(path: Path | None, correlated: float | None) -> Any:
    if correlated is not None and path is not None:
        raise _Failure("give --groups or --correlated, not both.")
    if correlated is not None:
        return {"correlation": correlated}
    if path is None or (str(path) == "auto" and not path.exists()):
        return None if path is None else "auto"
    return _read_groups(path)


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
