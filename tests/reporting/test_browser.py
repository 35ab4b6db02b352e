"""The page in a real browser; skipped where playwright or Chromium is not installed."""

import csv
import io
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import lukewarm as lw
from lukewarm.reporting import Correlated, Subject
from lukewarm.results import EffectCurve, EffectCurves

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
LONG = "mean income of the household in the year before the survey [1,000 euros]"
NAMES = [
    *(f"feature {number}" for number in range(40)),
    *("=1+1", 'say "hi"', "<i>x</i>", "العمر", LONG, "x" * 90),
]


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium or Chrome is on the path")
    with playwright.sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        try:
            started = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        except playwright.Error as error:
            pytest.skip(f"{CHROMIUM} does not start: {str(error).splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory, make_result, shapley):
    # Thirty that matter, ten at the edge of what can be told, and names that are hard to show.
    sizes = [
        *np.linspace(0.6, 0.05, 30),
        *np.linspace(-0.004, 0.004, 10),
        0.31,
        0,
        0,
        0.22,
        0.3,
        0.25,
    ]
    strengths = dict(zip(NAMES, sizes, strict=True))
    path = tmp_path_factory.mktemp("page") / "report.html"
    return lw.report([make_result(strengths), shapley], path).as_uri()


class Explained:
    """A result with correlated columns, as a fitted estimator hands it over."""

    def __init__(self, result, clusters):
        self.result, self.clusters = result, clusters

    def _report_subjects(self):
        return [Subject(self.result, find_correlated=lambda: self.clusters)]


@pytest.fixture(scope="module")
def extras_address(tmp_path_factory):
    """A page with every section there is."""
    a, b = np.random.default_rng(0).normal(size=(2, 300))
    y = a * (b > 0) + b
    result = lw.importance_from_predictions(y, y, {"<i>a</i>": b, "العمر": a * (b > 0)})
    places, share = np.linspace(-1, 1, 12), np.full(12, 1 / 12)
    two = np.stack([places, -places], axis=1)
    effects = EffectCurves(
        (
            EffectCurve("<i>a</i>", tuple(places), two, share, places),
            EffectCurve("level", ("a long name of a level", "b"), two[:2], share[:2], None),
        ),
        ("probability of yes", "probability of no"),
        "m",
    )
    pairs = pd.DataFrame({"first": ["<i>a</i>"], "second": ["العمر"], "interaction": [0.2]})
    pairs = pairs.assign(std_error=0.05, ci_low=0.1, ci_high=0.3, p_value=0.001)
    segments = result.by(np.where(b > 0, "north", "south"))
    path = tmp_path_factory.mktemp("extras") / "report.html"
    more = {"effects": effects, "interactions": pairs, "segments": segments}
    joint = lw.importance_from_predictions(y, y, {"<i>a</i> + العمر": np.zeros(300)})
    clusters = Correlated(0.7, ((0, 1), (1, 2)), replace(joint, removed=((0, 1),)))
    return lw.report(Explained(result, clusters), path, **more).as_uri()


@pytest.fixture
def opened(browser, address):
    """Return a function that opens the page; what the browser complains of fails the test."""
    contexts, complaints = [], []

    def open_page(where=address, **options):
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(request.url))
        page.goto(where)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def bars(page):
    return page.locator(".chart:visible .bar:not(.axis) .name").all_inner_texts()


def table(page, column=0):
    rows = page.locator("#panel-0 tbody tr:visible")
    return rows.evaluate_all(
        "(rows, at) => rows.map(row => row.cells[at].textContent.trim())", column
    )


def choose(page, name, value):
    page.locator(f".tools [name={name}]").select_option(value)


def test_the_script_draws_what_the_page_already_shows(opened):
    still = opened(java_script_enabled=False)
    drawn = opened()
    for what in (".chart", "tbody"):
        texts = [page.locator(f"#panel-0 {what}").inner_text() for page in (still, drawn)]
        assert texts[0].split() == texts[1].split()


def test_bars_and_table_sort_together(opened):
    page = opened()
    assert bars(page)[0] == "feature 0"
    choose(page, "sort", "name")
    assert table(page)[:2] == ["<i>x</i>", "=1+1"]
    assert bars(page) == table(page)[:30]
    page.get_by_role("button", name="Importance").click()
    assert table(page)[0] == "feature 0"
    page.get_by_role("button", name="Importance").click()
    assert table(page)[-1] == "feature 0"
    head = page.locator("#panel-0 th[data-key=value]")
    assert head.get_attribute("aria-sort") == "ascending"


def test_a_part_of_a_name_filters(opened):
    page = opened()
    page.locator("[name=query]").fill("FEATURE 1")
    assert len(table(page)) == len(bars(page)) == 11
    assert page.get_by_role("status").inner_text() == "11 of 46 features fit the filter."
    page.locator("[name=query]").fill("no such feature")
    assert bars(page) == table(page) == []


def test_all_bars_are_drawn_when_asked_for(opened):
    page = opened()
    assert len(bars(page)) == 30
    page.locator("[name=all]").check()
    assert len(bars(page)) == 46


def test_intervals_follow_the_level_and_can_be_hidden(opened):
    page = opened()
    own = table(page, 3)
    choose(page, "level", "99\N{NO-BREAK SPACE}%")
    wider = table(page, 3)
    assert all(
        float(a.replace("−", "-")) < float(b.replace("−", "-"))
        for a, b in zip(own, wider, strict=True)
    )
    assert "99\N{NO-BREAK SPACE}% from" in page.locator("#panel-0 thead").inner_text()
    choose(page, "level", "")
    assert page.locator(".whisker:visible").count() == 0
    choose(page, "level", "95\N{NO-BREAK SPACE}%")
    assert table(page, 3) == own


def test_the_adjustment_of_p_decides_what_is_told_from_zero(opened):
    page = opened()
    page.locator("[name=clear]").check()
    counts = []
    for name in ("p_holm", "p_bh", "p_value"):
        choose(page, "p", name)
        counts.append(len(table(page)))
    assert counts == sorted(counts)
    assert 20 < counts[0] < counts[-1] < 46


def test_importances_switch_to_shapley_values(opened):
    page = opened()
    assert page.locator(".panel:visible").count() == 1
    choose(page, "panel", "1")
    assert set(bars(page)) == {"X1", "X2", "X3", "X4"}
    assert page.locator("#panel-1 caption").inner_text().startswith("Shapley value, R²")


def test_the_download_is_the_table_and_no_formula(opened):
    page = opened()
    page.locator("[name=query]").fill("1+1")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download CSV").click()
    assert waiting.value.suggested_filename == "importance.csv"
    text = waiting.value.path().read_text(encoding="utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["feature"] == "'=1+1"
    assert list(row)[:4] == ["feature", "importance", "ci_low", "ci_high"]
    # In the units of the result, not in points.
    assert 0.2 < float(row["ci_low"]) < float(row["importance"]) < float(row["ci_high"]) < 0.6


def test_the_excel_file_holds_the_table_with_numbers_as_numbers(opened):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    page = opened()
    choose(page, "sort", "name")
    with page.expect_download() as waiting:
        page.locator("#panel-0").get_by_role("button", name="Download Excel").click()
    assert waiting.value.suggested_filename == "importance.xlsx"
    sheet = openpyxl.load_workbook(io.BytesIO(waiting.value.path().read_bytes())).active
    head, *rows = sheet.iter_rows(values_only=True)
    assert head[:4] == ("feature", "importance", "ci_low", "ci_high")
    assert [row[0] for row in rows] == table(page)
    # Text, though a spreadsheet would take it for a formula.
    assert sheet.cell(2 + table(page).index("=1+1"), 1).data_type == "s"
    assert all(row[2] < row[1] < row[3] for row in rows)


def test_quotes_and_markup_are_only_text(opened):
    page = opened()
    assert page.locator("i", has_text="x").filter(has_text="x").count() == 0
    page.locator("[name=query]").fill('"hi"')
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download CSV").click()
    text = waiting.value.path().read_text(encoding="utf-8-sig")
    assert next(csv.DictReader(io.StringIO(text)))["feature"] == 'say "hi"'


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_dark_and_light_follow_the_reader_and_the_switch(opened):
    light, dark = opened(color_scheme="light"), opened(color_scheme="dark")
    assert background(light) == "rgb(255, 255, 255)" != background(dark)
    switch = dark.get_by_role("button", name="Switch between light and dark")
    assert switch.inner_text() == "Light"
    switch.click()
    assert background(dark) == background(light)
    assert switch.inner_text() == "Dark"


def test_a_dark_page_prints_on_white_with_everything_on_it(opened):
    page = opened(color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert background(page) == "rgb(255, 255, 255)"
    assert page.locator(".tools").is_hidden()
    assert page.locator(".panel:visible").count() == 2
    shown = page.locator("#panel-0 .scroll").evaluate("e => [e.clientHeight, e.scrollHeight]")
    assert shown[0] == shown[1]
    assert page.pdf().startswith(b"%PDF")


def test_a_sheet_of_paper_is_wide_enough(opened, address, extras_address):
    # 210 mm without margins of 15 mm, at 96 dots per inch.
    sheet = {"viewport": {"width": 680, "height": 1000}}
    for each in (address, extras_address):
        page = opened(each, **sheet)
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth") <= 680
        # Names beside the bars, not above them as on a phone.
        name, track = (page.locator(f".chart .{part}").first for part in ("name", "track"))
        assert name.bounding_box()["x"] < track.bounding_box()["x"]


def test_of_a_long_table_paper_has_the_first_rows_that_fit_the_filter(
    opened, make_result, tmp_path
):
    strengths = {f"f{number}": 0.6 - number / 500 for number in range(250)}
    page = opened(lw.report(make_result(strengths), tmp_path / "report.html").as_uri())
    page.locator("[name=query]").fill("f1")
    on_screen = table(page)
    assert set(on_screen) == {name for name in strengths if "f1" in name}
    page.emulate_media(media="print")
    assert table(page) == on_screen[:100] != on_screen
    assert page.get_by_text("The first 100 rows are printed").is_visible()


def test_without_scripts_everything_is_there_but_the_controls(opened):
    page = opened(java_script_enabled=False)
    assert page.locator(".tools, #theme, .downloads").locator("visible=true").count() == 0
    assert page.locator(".panel:visible").count() == 2
    assert page.locator("#panel-0 tbody tr:visible").count() == 46
    assert page.get_by_text("matters most: without it").is_visible()


@pytest.mark.parametrize("width", [320, 390, 1200])
def test_nothing_is_wider_than_the_screen(opened, width):
    page = opened(viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_keyboard_reaches_every_control(opened):
    page = opened()
    reached = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.name || document.activeElement.id"))
    assert {"theme", "panel", "query", "sort", "level", "p", "clear", "all"} <= reached


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_rule_of_accessibility_is_broken(opened, scheme):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    page = opened(color_scheme=scheme, bypass_csp=True)
    found = axe.Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"][:80] for node in each["nodes"][:3]]) for each in found] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_sections_on_request_break_no_rule_and_fit_a_phone(opened, extras_address, scheme):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    small = {"viewport": {"width": 320, "height": 800}}
    page = opened(extras_address, color_scheme=scheme, bypass_csp=True, **small)
    assert page.locator("#correlated, #effects, #interactions, #segments").count() == 4
    page.locator("details summary").first.click()
    assert page.locator("details table").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    found = axe.Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"][:80] for node in each["nodes"][:3]]) for each in found] == []
