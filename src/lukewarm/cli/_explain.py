"""``lukewarm explain``: a table in a file to importances, a folder and a report."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from lukewarm._files import locked_folder, replacing_report, write_text
from lukewarm._text import frame_to_csv, printable
from lukewarm._validation import check_count, check_fraction
from lukewarm.cli._columns import complete_column, groups_of, names, taken_apart, without_gaps
from lukewarm.cli._options import PATH, OneOf, failure, plain_errors
from lukewarm.cli._sections import check_sections, sections_of, segment_labels


@click.command()
@click.argument("file", type=PATH)
@click.option("--target", required=True, shell_complete=complete_column, help="Column to predict.")
@click.option(
    "--model",
    type=OneOf("learners", "MODELS"),
    default="auto",
    show_default=True,
    help="What is trained; catboost, lightgbm, xgboost and network need their extras.",
)
@click.option(
    "--method",
    type=OneOf("reduction", "METHODS"),
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
    type=PATH,
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
@click.option(
    "--weights",
    metavar="COLUMN",
    shell_complete=complete_column,
    help="Weights of the rows; not a feature.",
)
@click.option(
    "--row-groups",
    metavar="COLUMN",
    shell_complete=complete_column,
    help="Which rows belong together, such as the patient: they are never parted, and errors count "
    "groups. Not a feature.",
)
@click.option(
    "--time",
    metavar="COLUMN",
    shell_complete=complete_column,
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
    type=OneOf("estimators", "INFERENCES"),
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
@click.option(
    "--store",
    type=PATH,
    help="Folder that keeps finished work: the same command goes on after a break or a kill.",
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
    type=OneOf("shapley", "SOLVERS", "auto"),
    help="With --shapley: how values of coalitions become Shapley values.  [default: auto]",
)
@click.option("--coalitions", type=int, help="With --shapley: most reduced models to fit.")
@click.option(
    "--tolerance",
    type=float,
    help="With --shapley: fit until the sampling error is below this share of the range.",
)
@click.option("--out", type=PATH, help="Folder for CSV, JSON and figures.")
@click.option(
    "--report",
    is_flag=True,
    help="Write one HTML page to hand over: report.html in the folder of --out, else "
    "FILE-report.html in the current one.",
)
@click.option(
    "--effects",
    is_flag=True,
    help="On the report: how the prediction moves with each feature. Shows quantiles and levels of "
    "the columns.",
)
@click.option(
    "--interactions",
    is_flag=True,
    help="On the report: which pairs of the five leading features need each other.",
)
@click.option(
    "--segments",
    metavar="COLUMN",
    shell_complete=complete_column,
    help="On the report: the importances in each segment, by the values of a feature; numbers of "
    "many values are cut into quarters.",
)
@click.option("--open", "opens", is_flag=True, help="Write the report and open it in a browser.")
@click.option(
    "--forecast", is_flag=True, help="Say how many models and seconds it would take, and stop."
)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True, help="Feature sets at a time.")
@plain_errors
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
    effects: bool,
    interactions: bool,
    segments: str | None,
    opens: bool,
    forecast: bool,
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
    X, columns = taken_apart(table, file, roles, names(drop) or [], names(parse_dates) or [])
    if missing_target == "drop":
        X, columns = without_gaps(X, columns)
    _check_shown(top, select)
    work = {"solver": solver, "n_coalitions": coalitions, "tolerance": tolerance}
    if not shapley and any(value is not None for value in work.values()):
        raise failure("--solver, --coalitions and --tolerance need --shapley.")
    if shapley and (time_limit is not None or select is not None):
        raise failure("--time-limit and --select do not go with --shapley.")
    if shapley and forecast:
        raise failure("--forecast does not go with --shapley; --coalitions limits the work.")
    asked = report or opens
    more = {"effects": effects, "interactions": interactions}
    check_sections(is_report=asked, shapley=shapley, segments=segments, **more)
    labels = segment_labels(X, segments)
    work["time_limit"] = time_limit
    options |= {name: value for name, value in work.items() if value is not None}
    estimator = (ShapleyImportance if shapley else VariableImportance)(
        features=names(features),
        groups=groups_of(groups, correlated),
        measure=list(measure) or None,
        random_state=seed,
        n_jobs=jobs,
        **options,
    )
    if forecast:
        click.echo(str(estimator.forecast(X, **_rows(columns))))
        return
    with nullcontext() if out is None else locked_folder(out):
        _fit(estimator, X, columns)
        for result in estimator.results_.values():
            click.echo(printable(_shown(result, top, select), keep="\n"))
        page = Path(f"{file.stem}-report.html") if out is None else out / "report.html"
        sections = sections_of(estimator, labels, **more) if asked else {}
        if out is not None:
            with replacing_report(out, "explain") as staged:
                _write_results(staged, estimator.results_)
                if asked:
                    estimator.report(staged / page.name, **sections)
            click.echo(f"\nTables and figures are in {out}")
        elif asked:
            estimator.report(page, **sections)
        if asked:
            click.echo(f"\nThe report is {page}")
        if opens:
            click.launch(page.resolve().as_uri())


def _rows(columns: dict[str, Any]) -> dict[str, Any]:
    """Return what `fit` is told about the rows."""
    return {
        "y": columns["--target"],
        "sample_weight": columns.get("--weights"),
        "groups": columns.get("--row-groups"),
        "time": columns.get("--time"),
    }


def _fit(estimator: Any, X: Any, columns: dict[str, Any]) -> None:
    """Fit the estimator; a break leaves the feature sets that were done."""
    try:
        estimator.fit(X, **_rows(columns))
    except KeyboardInterrupt:
        if estimator.store is not None:
            kept = printable(str(estimator.store))
            click.echo(f"Finished work is in {kept}; the same command goes on.", err=True)
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
