import json
import re
from dataclasses import replace

import numpy as np
import pytest

import lukewarm as lw
from lukewarm.reporting._page import MOST_BYTES
from lukewarm.results import Remark

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"double\" & 'single'",
    "{{ 7 * 7 }}{% raw %}",
    "שם העמודה",
    "a\u202eevil\x1b[2J",
    "x" * 300,
    "\N{MAN}\u200d\N{WOMAN} \N{HOUSE BUILDING}",
    "=1+1",
]


@pytest.fixture(scope="module")
def hostile(make_result):
    return make_result(dict(zip(HOSTILE, np.linspace(0.6, 0, len(HOSTILE)), strict=True)))


def test_names_are_text_and_never_markup(page, hostile):
    found = page(hostile, title="<b>Title</b>")
    names = [row[0] for row in found.rows()[1:]]
    assert names[:4] == HOSTILE[:4]
    assert not [tag for tag, _ in found.tags if tag == "img"]
    kinds = [attributes.get("type") for attributes, _ in found.scripts]
    assert kinds == ["application/json", None]
    assert "<b>Title</b>" not in found.source


def test_control_codes_and_turned_directions_are_spelled_out(page, hostile):
    found = page(hostile)
    names = [row[0] for row in found.rows()[1:]]
    assert r"a\u202eevil\x1b[2J" in names
    assert HOSTILE[7] in names, "joiners hold an emoji together"
    assert "\u202e" not in found.source


def test_long_names_are_whole_in_the_table_and_short_beside_bars(page, hostile):
    found = page(hostile)
    assert "x" * 300 in [row[0] for row in found.rows()]
    assert found.source.count("x" * 300) == 1


def test_the_page_loads_nothing(page, importance, shapley):
    found = page([importance, shapley])
    loading = {"src", "href", "srcset", "data", "action", "style"}
    used = {
        value
        for _, attributes in found.tags
        for name, value in attributes.items()
        if name in loading
    }
    assert {value for value in used if not value.startswith("#")} == set()
    # Names of formats, which a script needs to draw and to write Excel files; nothing fetches them.
    assert set(re.findall(r"https?://[^\s\"')]+", found.source)) == {
        "http://www.w3.org/2000/svg",
        "http://schemas.openxmlformats.org/",
    }
    assert "@import" not in found.source
    assert "url(" not in found.source


def test_only_our_own_script_may_run(page, hostile):
    found = page(hostile)
    (policy,) = (each["content"] for tag, each in found.tags if "http-equiv" in each)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_every_figure_is_followed_by_a_table_with_its_numbers(page, importance, shapley):
    found = page([importance, shapley])
    kinds = [tag for tag, _ in found.tags if tag in ("figure", "table")]
    n_figures = kinds.count("figure")
    assert n_figures == 3, "two measures and Shapley values"
    assert kinds[: 2 * n_figures] == ["figure", "table"] * n_figures
    for place, result in enumerate([*importance.results_.values(), shapley.result_]):
        assert {row[0] for row in found.rows(place)[1:]} == set(result.names)


def test_the_table_holds_the_numbers_of_the_result(page, importance):
    result = importance.result_
    found = page(result)
    heads, *rows = found.rows()
    frame = result.to_frame(adjust=("holm", "bh")).set_index("feature")
    assert heads[:4] == ["Feature", "Importance", "95\N{NO-BREAK SPACE}% from", "to"]
    for name, *cells in rows:
        shown = [float(cell.replace("\N{MINUS SIGN}", "-")) for cell in cells[:4]]
        truth = 100 * frame.loc[name, ["importance", "ci_low", "ci_high", "std_error"]]
        # Four digits of the largest value, which is between 1 and 100 points.
        np.testing.assert_allclose(shown, truth.to_numpy(float), atol=0.005 + 1e-9)


def test_what_the_script_draws_is_the_result_in_its_own_units(page, importance):
    result = importance.result_
    found = page(result)
    drawn = json.loads(found.scripts[0][1])["columns"]
    order = np.argsort(-result.importance)
    np.testing.assert_allclose(drawn["value"], result.importance[order], rtol=1e-4)
    np.testing.assert_allclose(drawn["high"], result.interval()[1][order], rtol=1e-4)


def test_the_page_holds_no_value_of_the_table(page, data):
    X = data.X[["X1", "X2"]].assign(when=[f"3.{1 + row % 12}.1987" for row in range(len(data.y))])
    fitted = lw.VariableImportance("boosting", random_state=0).fit(X, data.y)
    assert "1987" in " ".join(fitted.result_.health()["message"]), "a remark quotes a cell"
    found = page(fitted)
    assert "1987" not in found.source
    assert "it holds dates as text" in found.said("health")


def test_a_thousand_features_stay_below_500_kb(page, make_result):
    names = [f"feature_{number:04d}" for number in range(1000)]
    result = make_result(dict(zip(names, np.linspace(0.6, 0, 1000), strict=True)), n_rows=50)
    found = page([result, result])
    assert len(found.source.encode()) < MOST_BYTES
    assert [len(found.rows(place)) for place in (0, 1)] == [1001, 1001]
    assert len(found.with_class("bar")) == 2 * 31
    assert "30 of 1,000 features shown; the table has all of them." in found.said("numbers")


def test_what_the_page_has_no_room_for_is_said(page, make_result):
    names = [f"{number:04d}" + "\N{HOUSE BUILDING}" * 300 for number in range(1000)]
    result = make_result(dict(zip(names, np.linspace(0.6, 0, 1000), strict=True)), n_rows=50)
    found = page(result)
    assert len(found.source.encode()) <= MOST_BYTES
    n_rows = len(found.rows()) - 1
    assert 100 < n_rows < 1000
    assert f"The {n_rows} largest of 1,000 features are on this page" in found.said("numbers")


def test_one_feature_and_importances_of_exactly_zero_are_drawn(page, make_result):
    assert len(page(make_result({"only": 0.3})).with_class("bar")) == 2
    zero = page(make_result({"a": 0.0, "b": 0.0}, noise=0.0))
    assert len(zero.with_class("bar")) == 3
    assert not zero.with_class("box")


@pytest.mark.parametrize(("scale", "unit"), [(1e5, "10⁹"), (1e-5, "10⁻¹²")])
def test_very_large_and_very_small_errors_are_in_units_of_a_power(page, make_result, scale, unit):
    result = make_result({"a": 0.3, "b": 0.1}, measure="neg_mse", scale=scale)
    found = page(result)
    assert f"Increase in mean squared error, in units of {unit}" in found.said("numbers")
    assert all(len(cell) < 8 for row in found.rows()[1:] for cell in row)


def test_infinite_errors_are_not_known_rather_than_drawn(page, shapley):
    from dataclasses import replace

    result = replace(shapley.result_, covariance=np.full((4, 4), np.inf))
    found = page(result)
    assert found.rows()[1][2:4] == ["not known", "not known"]
    assert not found.with_class("whisker")
    assert "NaN" not in found.scripts[0][1]
    assert "Infinity" not in found.scripts[0][1]


def test_classes_are_explained_in_points_of_the_deviance(page, data):
    y = np.where(data.y > 0, "high", "low")
    fitted = lw.VariableImportance("boosting", inference="paired", random_state=0)
    found = page(fitted.fit(data.X[["X1", "X3"]], y))
    assert "percentage points less of the deviance" in found.said("verdict")


def test_a_measure_of_ones_own_is_spoken_of_by_its_name(page):
    from lukewarm.measures import NegMeanLoss

    measure = NegMeanLoss(lambda y, f: np.abs(y - f), "cost {0} <i>")
    y = np.arange(50.0)
    result = lw.importance_from_predictions(y, y, {"a": y + 1 + y % 2}, measure=measure)
    said = page(result).said("verdict")
    assert "a matters: without it the skill measured by cost {0} <i> falls by 1.50 (95 %" in said


def test_every_measure_of_ours_has_words():
    from lukewarm.measures import MEASURES
    from lukewarm.results import words_for

    for name in (*MEASURES, "pinball(0.9)", "huber(1)", "tweedie_deviance(1.5)"):
        assert "measured by" not in words_for(name).loss, name


def test_a_bar_below_zero_is_not_filled_whatever_its_test_says(page, make_result):
    result = make_result({"above": 0.3, "below": -0.05})
    score = replace(result.full, value=100.0)
    sure = replace(result, scores=(score, score))
    assert sure.importance[1] < 0
    bars = [
        each["class"].split() for each in page(sure).with_class("clear") if "bar" in each["class"]
    ]
    assert bars == [["bar", "clear", "filled"], ["bar", "clear"]]


def test_groups_are_listed_with_their_columns(page, importance):
    found = page(importance)
    assert "pair" in found.said("groups")
    assert "X1 and X2" in found.said("groups")
    assert "groups" not in page(lw.importance_from_predictions([1.0, 2], [1, 2], [2, 1])).sections


def test_the_skill_is_compared_with_a_constant_guess(page, importance):
    said = page(importance).said("skill")
    assert "On the 400 evaluation rows the model explains" in said
    assert "of the variance; a constant guess explains none of it." in said
    assert "% less than a constant guess." in said
    assert "When the training rows doubled, the model gained" in said
    assert max(map(float, re.findall("([0-9.]+) %", said))) <= 100


def test_the_skill_is_compared_with_a_linear_model(page, importance):
    found = page(importance)
    # The data are linear, so that the line is the better of the two.
    assert "A linear model of the same columns does no worse: it explains" in found.said("skill")
    heads, r2, mse = found.rows(-2)
    assert heads[1:4] == ["always the same guess", "a linear model", "the model"]
    assert float(r2[2].removesuffix(" %")) > float(r2[3].removesuffix(" %")) > 50
    assert float(mse[2]) < float(mse[3]) < float(mse[1])


def test_the_time_of_retraining_is_an_estimate_and_said_to_be_one(page, importance, make_result):
    n_sets, seconds = len(importance.result_), importance.result_.full_seconds
    said = page(importance).said("provenance")
    assert f"estimated as {n_sets} times the full models" in said
    assert ("saved" in said) == (n_sets * seconds > sum(importance.result_.seconds))
    assert "retraining instead" not in page(make_result({"a": 0.3})).said("provenance")


def test_a_column_without_a_name_has_a_row_that_can_be_spoken_of(page, make_result):
    found = page(make_result({"": 0.4, "a": 0.1}))
    assert [row[0] for row in found.rows()[1:]] == ["(no name)", "a"]
    assert found.said("verdict").startswith("In short (no name) matters most")


def test_controls_that_one_feature_has_no_use_for_are_left_out(page, make_result):
    def names(found):
        return {each["name"] for tag, each in found.tags if tag in ("input", "select")}

    many = make_result({f"f{number}": 0.1 for number in range(40)})
    assert names(page(many)) == {"query", "sort", "level", "p", "clear", "all"}
    assert names(page(make_result({"a": 0.3, "b": 0.1}))) == {
        "query",
        "sort",
        "level",
        "p",
        "clear",
    }
    assert names(page(make_result({"a": 0.3}))) == {"level", "p"}


def test_what_was_not_measured_is_said(page, make_result):
    said = page(make_result({"a": 0.3})).said("skill")
    assert "What more rows would change was not measured" in said


def test_settings_versions_and_seed_are_named(page, importance, shapley):
    said = page([importance, shapley]).said("provenance")
    assert "seed (random_state) 7" in said
    assert "setting groups {'pair': ['X1', 'X2']}" in said
    assert "setting model 'boosting'" in said
    assert "exact, 14 reduced models" in said
    assert f"lukewarm {lw.__version__}, Python" in page(importance).source


def test_models_are_named_by_their_class_not_their_contents(page, data):
    from sklearn.linear_model import Ridge

    fitted = lw.VariableImportance(Ridge(alpha=0.123456), random_state=0, inference="paired")
    found = page(fitted.fit(data.X[["X1"]], data.y))
    assert "setting model Ridge" in found.said("provenance")
    assert "0.123456" not in found.source


def test_the_same_remark_on_several_features_is_said_once(page, make_result):
    from dataclasses import replace

    remarks = [Remark("leaking", "warning", name, "tells the target.") for name in ("a", "b")]
    result = replace(make_result({"a": 0.3, "b": 0.2}), remarks=tuple(remarks))
    assert page(result).said("health").count("tells the target.") == 1
    assert "a and b: tells the target." in page(result).said("health")


def test_nothing_to_remark_on_is_said(page, make_result):
    assert "found nothing to remark on" in page(make_result({"a": 0.3})).said("health")


def test_an_estimator_writes_where_it_is_told_and_returns_the_path(importance, tmp_path):
    path = importance.report(tmp_path / "page.html", title="Mine")
    assert path == tmp_path / "page.html"
    assert "<title>Mine</title>" in path.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [path]


def test_the_function_is_still_one_after_its_room_was_loaded():
    import lukewarm.reporting

    assert callable(lw.report)
    assert lukewarm.reporting.report is lw.report


@pytest.mark.parametrize(
    ("results", "error", "message"),
    [
        ([], ValueError, "results is empty"),
        ("result", TypeError, "results must be fitted estimators or their results; got 'result'"),
        (lw.ImportanceResult, TypeError, "results must be fitted estimators"),
        (lw.VariableImportance, TypeError, "results must be fitted estimators"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path, results, error, message):
    with pytest.raises(error, match=message):
        lw.report(results, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_an_estimator_that_was_not_fitted_is_refused(tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        lw.VariableImportance().report(tmp_path / "page.html")


def test_a_missing_folder_is_named(make_result, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        lw.report(make_result({"a": 0.3}), tmp_path / "none" / "page.html")


def test_the_list_of_contents_leads_to_every_section(page, importance):
    found = page(importance)
    links = [each["href"] for tag, each in found.tags if tag == "a" and "href" in each]
    names = [name for name in found.sections if name != "verdict"]
    assert links == ["#main", *(f"#{name}" for name in names)]
    ids = {each["id"] for _, each in found.tags if "id" in each}
    assert set(names) <= ids
