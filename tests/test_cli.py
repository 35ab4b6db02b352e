import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import lukewarm as lw
from lukewarm._files import locked_folder
from lukewarm.cli import main
from lukewarm.estimators import _prepared
from lukewarm.evaluation import INFERENCES
from lukewarm.learners import MODELS
from lukewarm.measures import MEASURES
from lukewarm.reduction import METHODS
from lukewarm.shapley import SOLVERS


@pytest.fixture(scope="module")
def csv(tmp_path_factory):
    data = lw.datasets.make_correlated_linear(n_samples=400, random_state=0)
    path = tmp_path_factory.mktemp("cli") / "table.csv"
    text = [f"row {number}" for number in range(400)]
    data.X.assign(y=data.y, label=data.y > 0, name="a", text=text).to_csv(path, index=False)
    return path


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_explain_prints_a_row_per_feature(csv):
    outcome = run("explain", csv, "--target", "y", "--drop", "label,name,text")
    assert outcome.exit_code == 0, outcome.output
    for name in ("X1", "X6", "ci_low", "p_value"):
        assert name in outcome.output


def test_explain_tells_what_is_wrong_with_the_table(csv, tmp_path):
    table = pd.read_csv(csv).drop(columns=["label", "name"])
    table["X1"] = table["X1"].astype(str).str.replace(".", ",")
    table.to_csv(tmp_path / "table.csv", index=False)
    outcome = run("explain", tmp_path / "table.csv", "--target", "y")
    assert outcome.exit_code == 0, outcome.output
    assert "X1: it holds numbers with decimal commas" in outcome.output
    assert "text: it has 400 levels in 400 rows" in outcome.output
    assert "Health: 2 warnings (decimal_comma, id_like)" in outcome.output


def test_explain_writes_tables_and_a_figure(csv, tmp_path):
    out = tmp_path / "new" / "folder"
    outcome = run(
        *("explain", csv, "--target", "y", "--drop", "label,name,text", "--features", "X1, X3"),
        *("--measure", "r2", "--measure", "neg_mse", "--out", out, "--seed", 3, "--jobs", 2),
    )
    assert outcome.exit_code == 0, outcome.output
    frame = pd.read_csv(out / "r2.csv")
    assert frame["feature"].tolist() == ["X1", "X3"]
    assert json.loads((out / "r2.json").read_text())[0]["feature"] == "X1"
    loaded = lw.ImportanceResult.load(out / "neg_mse.npz")
    assert loaded.names == ("X1", "X3")
    assert (out / "r2.png").read_bytes().startswith(b"\x89PNG")


SMALL = ("--drop", "label,name,text", "--features", "X1,X3", "--model", "boosting")


def test_explain_writes_a_report_beside_the_tables(csv, tmp_path):
    outcome = run("explain", csv, "--target", "y", *SMALL, "--report", "--out", tmp_path)
    assert outcome.exit_code == 0, outcome.output
    assert f"The report is {tmp_path / 'report.html'}" in outcome.output
    assert "What predicts y" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "neg_mse.csv").is_file()


def test_a_forecast_counts_the_models_and_stops(csv):
    outcome = run("explain", csv, "--target", "y", *SMALL, "--model", "linear", "--forecast")
    assert outcome.exit_code == 0, outcome.output
    assert outcome.output.startswith("6 full models (")
    assert "p_value" not in outcome.output
    refused = run("explain", csv, "--target", "y", "--shapley", "--forecast")
    assert "--forecast does not go with --shapley" in refused.output


def test_effects_are_on_the_report_where_they_are_asked_for(csv, tmp_path):
    outcome = run(
        *("explain", csv, "--target", "y", *SMALL, "--model", "linear"),
        *("--report", "--effects", "--out", tmp_path),
    )
    assert outcome.exit_code == 0, outcome.output
    assert "Which way the features work" in (tmp_path / "report.html").read_text(encoding="utf-8")
    refused = run("explain", csv, "--target", "y", *SMALL, "--effects")
    assert "--effects needs --report or --open" in refused.output


def test_pairs_and_segments_are_on_the_report_where_they_are_asked_for(csv, tmp_path):
    outcome = run(
        *("explain", csv, "--target", "y", *SMALL, "--model", "linear", "--features", "X1,X3"),
        *("--report", "--interactions", "--segments", "X1", "--out", tmp_path),
    )
    assert outcome.exit_code == 0, outcome.output
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Which features need each other" in text
    assert "X1 × X3" in text
    assert text.count("(100 rows)") == 4, "quarters of 400 rows"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--interactions"], "--interactions needs --report or --open"),
        (["--report", "--segments", "y"], "--segments names 'y', which is no feature"),
        (
            ["--report", "--segments", "text"],
            "column 'text' has 400 values; a page shows at most 6",
        ),
        (["--report", "--shapley", "--segments", "X1"], "--segments does not go with --shapley"),
    ],
)
def test_sections_that_cannot_be_shown_are_refused(csv, options, message):
    outcome = run("explain", csv, "--target", "y", *options)
    assert outcome.exit_code == 2
    assert message in " ".join(outcome.output.split())


def test_explain_opens_the_report_it_wrote(csv, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("click.launch", opened.append)
    monkeypatch.chdir(tmp_path)
    outcome = run("explain", csv, "--target", "y", *SMALL, "--open")
    assert outcome.exit_code == 0, outcome.output
    assert opened == [(tmp_path / "table-report.html").as_uri()]
    assert [path.name for path in tmp_path.iterdir()] == ["table-report.html"]


def test_explain_takes_parquet_and_groups(csv, tmp_path):
    pytest.importorskip("pyarrow")
    table = tmp_path / "table.parquet"
    pd.read_csv(csv).drop(columns=["label", "name", "text"]).to_parquet(table)
    groups = tmp_path / "groups.json"
    groups.write_text('{"pair": ["X1", "X2"]}')
    outcome = run("explain", table, "--target", "y", "--groups", groups)
    assert outcome.exit_code == 0, outcome.output
    assert "pair" in outcome.output


def test_explain_classifies_labels(csv):
    outcome = run("explain", csv, "--target", "label", "--drop", "y,name,text", "--features", "X1")
    assert outcome.exit_code == 0, outcome.output
    assert "deviance" in outcome.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.csv", "--target", "y"), "there is no file 'none.csv'"),
        (("CSV", "--target", "price"), "has no column 'price'; it has"),
        (("CSV", "--target", "y", "--drop", "height"), "has no column 'height'"),
        (("CSV", "--target", "y", "--measure", "rsme"), "measure must be one of"),
        (("CSV", "--target", "name"), "at least two classes"),
        (("CSV", "--target", "text"), "400 different labels in 400 rows"),
        (("CSV", "--target", "y", "--features", "X9"), "no such column"),
        (("CSV", "--target", "y", "--groups", "none.json"), "there is no file 'none.json'"),
        (("CSV", "--target", "y", "--groups", "CSV"), "is not a JSON file"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(csv, arguments, message):
    outcome = run("explain", *(csv if argument == "CSV" else argument for argument in arguments))
    assert outcome.exit_code == 2
    assert message in outcome.output
    assert "Traceback" not in outcome.output
    assert len(outcome.output.strip().splitlines()) == 1


def test_a_diverged_network_gets_one_line_and_exit_code_2(csv, monkeypatch):
    pytest.importorskip("torch")
    from lukewarm import learners

    diverging = partial(learners.Network, widths=(8,), optimizer="sgd", learning_rate=1e4)
    monkeypatch.setattr(learners, "Network", diverging, raising=False)
    outcome = run(
        *("explain", csv, "--target", "y", "--drop", "label,name,text", "--model", "network")
    )
    assert outcome.exit_code == 2
    assert "training diverged" in outcome.output
    assert len(outcome.output.strip().splitlines()) == 1


def test_demo_shows_the_truth_and_writes_what_it_says(tmp_path):
    out = tmp_path / "demo"
    outcome = run("demo", "--out", out)
    assert outcome.exit_code == 0, outcome.output
    assert "truth" in outcome.output
    assert str(out) in outcome.output
    frame = pd.read_csv(out / "correlated_linear.csv")
    x1 = frame[frame["feature"] == "X1"].set_index("method")
    assert x1.loc["dropout", "ci_low"] > x1.loc["dropout", "truth"]
    error = abs(x1["importance"] - x1["truth"])["early_stopping"]
    assert error < 4 * x1.loc["early_stopping", "std_error"]
    assert len(list(out.glob("*.png"))) == 6
    assert outcome.output.rstrip().endswith(str(out / "report.html"))
    assert "What predicts the progression of diabetes" in (out / "report.html").read_text("utf-8")


@pytest.mark.parametrize("command", [(), ("explain",), ("demo",)])
def test_help_teaches(command):
    outcome = run(*command, "--help")
    assert outcome.exit_code == 0
    assert "feature" in outcome.output or "importance" in outcome.output


def test_explain_shares_the_skill_out(csv, tmp_path):
    outcome = run(
        *("explain", csv, "--target", "y", "--drop", "label,name,text", "--shapley"),
        *("--coalitions", 24, "--solver", "kernel", "--out", tmp_path),
    )
    assert outcome.exit_code == 0, outcome.output
    assert "6 players by kernel over 24 reduced models" in outcome.output
    assert "shapley_value" in (tmp_path / "neg_mse.csv").read_text()
    assert lw.ShapleyResult.load(tmp_path / "neg_mse.npz").n_fits == 24
    assert (tmp_path / "neg_mse.png").read_bytes().startswith(b"\x89PNG")


def test_explain_refuses_options_of_shapley_without_it(csv):
    outcome = run("explain", csv, "--target", "y", "--tolerance", 0.1)
    assert outcome.exit_code == 2
    assert "need --shapley" in outcome.output


ROWS = "\n".join(f"{each % 7},{each % 5},{each % 7 + each % 3}" for each in range(60))


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ("", "is not a readable CSV file"),
        ("x0,x1,y\n", "at least 20 rows"),
        ("y\n" + "1\n2\n" * 30, "at least one feature"),
        (f"x0;x1;y\n{ROWS}".replace(",", ";"), "Its cells are separated by ';'"),
        (f"x0,x1,price\n{ROWS}", "has no column 'y'; it has ['x0', 'x1', 'price']"),
        (f"x0,x0,y\n{ROWS}", "more than one column called ['x0']"),
        (f"x0,y,y\n{ROWS}", "more than one column called ['y']"),
        (f"x0,x1,y\n{ROWS}".replace("\n", "\n9,"), "more cells than its header"),
        (f"x0,x1,y\n{ROWS}".encode("utf-16"), "is not a readable CSV file"),
    ],
)
def test_an_odd_csv_is_refused_in_one_line(tmp_path, contents, message):
    file = tmp_path / "odd.csv"
    file.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    outcome = run("explain", file, "--target", "y")
    assert outcome.exit_code == 2
    assert message in outcome.output
    assert outcome.output.startswith("Error: ")
    assert len(outcome.output.strip().splitlines()) == 1


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path):
    file = tmp_path / "marked.csv"
    file.write_text(f"y,x1,x2\n{ROWS}", encoding="utf-8-sig")
    assert run("explain", file, "--target", "y").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain",),
        ("explain", "table.csv", "--target", "y", "--model", "forest"),
        ("explain", "table.csv", "--target", "y", "--jobs", "two"),
        ("explain", "table.csv", "--target", "y", "--out", ""),
        ("explain", "table.csv", "--target", "y", "--nonsense"),
        ("exlpain",),
        ("reproduce", "--scale", "huge"),
        ("reproduce", "correlation", "--jobs", "0"),
    ],
)
def test_a_wrong_option_gets_one_line_and_exit_code_2(arguments):
    outcome = run(*arguments)
    assert outcome.exit_code == 2
    assert outcome.output.startswith("Error: ")
    assert len(outcome.output.strip().splitlines()) == 1


def test_the_help_lists_what_the_registries_hold():
    text = run("explain", "--help").output
    names = [*MODELS, *METHODS, *MEASURES, *SOLVERS, *INFERENCES]
    assert [name for name in names if name not in "".join(text.split())] == []


def test_names_are_harmless_on_screen_and_in_the_csv(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(f"=cmd(),\x1b[2Jclear,y\n{ROWS}")
    outcome = run("explain", file, "--target", "y", "--out", tmp_path / "out")
    assert outcome.exit_code == 0, outcome.output
    assert "\x1b" not in outcome.output
    assert "\\x1b[2Jclear" in outcome.output
    table = (tmp_path / "out" / "neg_mse.csv").read_text()
    assert [line.split(",")[0] for line in table.splitlines()] == [
        *("feature", "'=cmd()", "\\x1b[2Jclear")
    ]


def test_a_second_report_takes_the_place_of_the_first(csv, tmp_path):
    out = tmp_path / "out"
    kept = out / "notes.txt"
    for measure in ("r2", "neg_mae"):
        outcome = run(
            *("explain", csv, "--target", "y", "--features", "X1", "--drop", "label,name,text"),
            *("--measure", measure, "--out", out),
        )
        assert outcome.exit_code == 0, outcome.output
        kept.write_text("mine")
    names = {path.stem for path in out.iterdir() if not path.name.startswith(".")}
    assert names == {"neg_mae", "notes"}


def test_a_folder_in_use_is_refused_before_any_work(csv, tmp_path):
    with locked_folder(tmp_path / "out"):
        outcome = run("explain", csv, "--target", "y", "--out", tmp_path / "out")
    assert outcome.exit_code == 2
    assert outcome.output.startswith("Error: another run is writing to")


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    generator = np.random.default_rng(0)
    table = pd.DataFrame(generator.normal(size=(120, 3)), columns=["dose", "age", "noise"])
    table["outcome"] = 3 * table["dose"] + generator.normal(size=120)
    table["patient"] = [f"p{number // 4}" for number in range(120)]
    table["day"] = pd.date_range("2024-01-01", periods=120).strftime("%Y-%m-%d")
    table["weight"] = 1.0
    path = tmp_path_factory.mktemp("visits") / "visits.csv"
    table.to_csv(path, index=False)
    return path


ROLES = ("--row-groups", "patient", "--weights", "weight", "--drop", "day")
QUICK = ("--target", "outcome", "--model", "boosting", "--method", "dropout")


def test_row_groups_and_weights_are_not_features(visits):
    outcome = run("explain", visits, *QUICK, *ROLES, "--cv", 3)
    assert outcome.exit_code == 0, outcome.output
    assert "3 feature sets" in outcome.output
    assert "120 rows in 30 groups" in outcome.output


def test_rows_in_time_are_read_as_dates(visits):
    drop = ("--drop", "patient,weight")
    outcome = run("explain", visits, *QUICK, *drop, "--time", "day", "--inference", "paired")
    assert outcome.exit_code == 0, outcome.output
    assert "3 feature sets" in outcome.output
    outcome = run("explain", visits, *QUICK, *drop, "--parse-dates", "day", "--cv", 2)
    assert outcome.exit_code == 0, outcome.output
    assert "dates_as_text" not in outcome.output
    outcome = run("explain", visits, *QUICK, "--time", "patient")
    assert outcome.exit_code == 2
    assert "--time: column 'patient' does not hold dates" in outcome.output


def test_the_first_are_shown_and_those_that_matter_named(visits):
    some = ("--drop", "patient,weight,day", "--cv", 2, "--method", "projection")
    outcome = run("explain", visits, *QUICK, *some, "--top", 1, "--select", 0.1)
    assert outcome.exit_code == 0, outcome.output
    table = outcome.output.split("Health")[0].split("Selected")[0]
    assert "dose" in table
    assert "age" not in table
    assert "expected to be false: dose" in outcome.output


def test_a_break_shows_what_is_done(visits, monkeypatch):
    measured = _prepared.Prepared.outcome

    def outcome(prepared, model, removed):
        if removed == (1,):
            raise KeyboardInterrupt
        return measured(prepared, model, removed)

    monkeypatch.setattr(_prepared.Prepared, "outcome", outcome)
    done = run("explain", visits, *QUICK, "--drop", "patient,weight,day", "--cv", 2)
    assert done.exit_code == 0, done.output
    assert "Interrupted; these are the feature sets that were done." in done.output
    assert "1 feature set by" in done.output
    assert "not_reached" in done.output


def test_a_stored_run_goes_on_after_a_break(visits, tmp_path, monkeypatch):
    obtained = _prepared.Prepared._obtained
    asked = []

    def broken(prepared, model, removed):
        asked.append(removed)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return obtained(prepared, model, removed)

    monkeypatch.setattr(_prepared.Prepared, "_obtained", broken)
    stored = ("--drop", "patient,weight,day", "--store", tmp_path / "run")
    done = run("explain", visits, *QUICK, *stored, "--inference", "paired")
    assert "the same command goes on" in done.output
    done = run("explain", visits, *QUICK, *stored, "--inference", "paired")
    assert done.exit_code == 0, done.output
    assert asked == [(), (0,), (1,), (1,), (2,)]
    done = run("explain", visits, *QUICK, *stored, "--inference", "split")
    assert done.exit_code == 2
    assert "inference='paired' (here: 'split')" in done.output


def test_a_time_limit_names_what_was_not_reached(visits):
    some = ("--drop", "patient,weight,day", "--cv", 2)
    outcome = run("explain", visits, *QUICK, *some, "--time-limit", 1e-9)
    assert outcome.exit_code == 0, outcome.output
    assert "1 feature set" in outcome.output
    assert "2 of 3 feature sets were not reached" in outcome.output


def test_files_of_other_kinds_are_read(visits, tmp_path):
    table = pd.read_csv(visits).rename(columns={"dose": "größe"})
    table.loc[3, "outcome"] = None
    table.to_csv(tmp_path / "odd.csv", sep=";", index=False, encoding="latin-1")
    arguments = (*QUICK, "--drop", "patient,weight,day", "--cv", 2)
    latin = ("--encoding", "latin-1")
    outcome = run("explain", tmp_path / "odd.csv", *arguments)
    assert "Say its --encoding, such as latin-1" in outcome.output
    outcome = run("explain", tmp_path / "odd.csv", *arguments, *latin)
    assert "Its cells are separated by ';'; say so by --sep" in outcome.output
    outcome = run("explain", tmp_path / "odd.csv", *arguments, *latin, "--sep", ";")
    assert outcome.exit_code == 2
    assert "--missing-target drop leaves those rows out" in outcome.output
    drop = ("--missing-target", "drop")
    outcome = run("explain", tmp_path / "odd.csv", *arguments, *latin, "--sep", ";", *drop)
    assert outcome.exit_code == 0, outcome.output
    assert "1 rows without a target" in outcome.output
    assert "119 rows" in outcome.output


def test_excel_is_read(visits, tmp_path):
    pytest.importorskip("openpyxl")
    pd.read_csv(visits).to_excel(tmp_path / "visits.xlsx", index=False)
    arguments = (*QUICK, "--drop", "patient,weight,day", "--cv", 2)
    outcome = run("explain", tmp_path / "visits.xlsx", *arguments)
    assert outcome.exit_code == 0, outcome.output
    (tmp_path / "broken.xlsx").write_text("no archive")
    outcome = run("explain", tmp_path / "broken.xlsx", *arguments)
    assert outcome.exit_code == 2
    assert "is not a readable Excel file" in outcome.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--sep", "ab"), "--sep must be one character"),
        (("--encoding", "klingon"), "--encoding must be one that Python knows"),
        (("--weights", "mass"), "has no column 'mass'"),
        (("--weights", "outcome"), "--weights names target, 'outcome'"),
        (("--row-groups", "patient", "--drop", "patient"), "--drop names row-groups, 'patient'"),
        (("--parse-dates", "patient"), "--parse-dates: column 'patient' does not hold dates"),
        (("--groups", "auto", "--correlated", "0.9"), "--groups or --correlated, not both"),
        (("--top", "0"), "--top must be at least 1"),
        (("--select", "2"), "--select must be"),
        (("--select", "0.1", "--shapley"), "do not go with --shapley"),
        (("--time-limit", "0"), "time_limit must be"),
    ],
)
def test_options_that_cannot_be_met_are_refused_in_one_line(visits, arguments, message):
    outcome = run("explain", visits, *QUICK, *arguments)
    assert outcome.exit_code == 2, outcome.output
    assert message in outcome.output
    assert len(outcome.output.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--target", "Outcome"), "Did you mean 'outcome'?"),
        (("--target", "gappy"), "--missing-target drop leaves those rows out."),
        (
            ("--target", "outcome", "--weights", "gappy"),
            "--weights: column 'gappy' has no value in 2 of 120 rows, the first of them row 8 ",
        ),
        (("--target", "outcome", "--row-groups", "gappy"), "--row-groups: column 'gappy' has no"),
        (("--target", "outcome", "--weights", "patient"), "must hold numbers; it holds 'p0'."),
        (("--target", "outcome", "--drop", '"dose'), "the list '\"dose' cannot be read"),
    ],
)
def test_columns_that_cannot_play_their_part_are_named(visits, tmp_path, arguments, message):
    table = pd.read_csv(visits).assign(gappy=1.0)
    table.loc[[7, 9], "gappy"] = np.nan
    table.to_csv(tmp_path / "gappy.csv", index=False)
    outcome = run("explain", tmp_path / "gappy.csv", *arguments)
    assert outcome.exit_code == 2, outcome.output
    assert message in outcome.output
    assert len(outcome.output.strip().splitlines()) == 1


def test_names_with_commas_are_quoted_and_blanks_at_their_ends_need_not_be_typed(visits, tmp_path):
    names = {"dose": "dose, daily", "age": " age ", "noise": "noise;x"}
    table = pd.read_csv(visits)[["outcome", *names]].rename(columns=names)
    table.to_csv(tmp_path / "odd.csv", index=False)
    asked = ("--features", '"dose, daily",age', "--drop", "noise;x", "--cv", 2)
    outcome = run("explain", tmp_path / "odd.csv", *QUICK, *asked)
    assert outcome.exit_code == 0, outcome.output
    assert "2 feature sets" in outcome.output
    assert "health()" not in outcome.output
    # Its own header has more of another separator than there are columns.
    table.to_csv(tmp_path / "odd.csv", index=False, sep=";")
    outcome = run("explain", tmp_path / "odd.csv", *QUICK)
    assert "Its cells are separated by ';'" in outcome.output


def test_a_year_at_the_head_of_a_column_is_its_name(visits, tmp_path):
    pytest.importorskip("openpyxl")
    table = pd.read_csv(visits)[["outcome", "dose", "age"]]
    table.rename(columns={"outcome": 2024, "age": 2023}).to_excel(
        tmp_path / "years.xlsx", index=False
    )
    asked = ("--target", 2024, "--features", "2023,dose", "--model", "boosting", "--cv", 2)
    outcome = run("explain", tmp_path / "years.xlsx", *asked)
    assert outcome.exit_code == 0, outcome.output
    assert "2 feature sets" in outcome.output


def completed(words):
    """Return what bash would offer after these words."""
    typed = words.split(" ")
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(typed) - 1)}
    done = CliRunner(env={"_LUKEWARM_COMPLETE": "bash_complete", **asked}).invoke(
        main, prog_name="lukewarm"
    )
    return [line.partition(",")[2] for line in done.output.split()]


def test_the_shell_completes_commands_options_names_and_columns(csv):
    assert completed("lukewarm ex") == ["explain"]
    assert completed("lukewarm explain --tar") == ["--target"]
    assert completed("lukewarm explain x.csv --method pro") == ["projection"]
    heads = list(pd.read_csv(csv).columns)
    assert completed(f"lukewarm explain {csv} --target ") == heads
    assert completed(f"lukewarm explain {csv} --target {heads[-1][:2]}") == [
        name for name in heads if name.startswith(heads[-1][:2])
    ]
    assert completed("lukewarm explain nowhere.csv --target ") == []
