"""What the site promises without being built: `make docs` checks the rest."""

import json
import re
import runpy
import sys
from contextlib import suppress
from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import iter_modules

import pytest

import lukewarm as lw

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
API = (DOCS / "api.rst").read_text(encoding="utf-8")
MODULES = {"datasets", "exceptions", "shapley", "__version__"}
HOW_TO = [
    "your_measure",
    "your_learner",
    "your_stopping_rule",
    "your_game",
    "forest_kernel",
    "open_directions",
    "paper",
]


def listed():
    """Names of the API page without their rooms: warnings are listed under `exceptions` only."""
    return {name.rpartition(".")[2] for name in re.findall(r"^   ([\w.]+)$", API, re.MULTILINE)}


def test_every_public_name_is_in_the_api_page():
    assert set(lw.__all__) - MODULES <= listed()


@pytest.mark.parametrize("room", ["datasets", "exceptions", "kernels", "stopping"])
def test_every_name_of_a_small_room_is_in_the_api_page(room):
    assert set(import_module(f"lukewarm.{room}").__all__) <= listed()


def test_every_page_is_in_a_table_of_contents():
    named = {"index"}
    for page in DOCS.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL):
            named |= {line.strip() for line in block.splitlines()}
    pages = [*DOCS.glob("*.md"), *DOCS.glob("migrating/*.md")]
    assert {page.relative_to(DOCS).with_suffix("").as_posix() for page in pages} <= named


@pytest.mark.parametrize("page", HOW_TO)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_the_code_of_a_how_to_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    code = tmp_path / "page.py"
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    code.write_text("\n".join(blocks), encoding="utf-8")
    assert runpy.run_path(str(code))


def test_the_readme_shows_the_output_that_docs_start_output_wrote():
    output = (DOCS / "start_output.txt").read_text(encoding="utf-8")
    assert output in (ROOT / "README.md").read_text(encoding="utf-8")


def test_citation_and_changelog_name_the_version():
    assert f"version: {lw.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{lw.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


MEASURED = runpy.run_path(str(DOCS / "measured.py"))
# Tables whose numbers are settings, what an example says, or counts of lines; not measured here.
SETTINGS = {
    "architecture",
    "choosing",
    "importance",
    "inference",
    "lofo",
    "report",
    "vimp",
    "warm_start",
}


@pytest.mark.parametrize("page", MEASURED["PAGES"], ids=lambda page: page.stem)
def test_measured_numbers_of_a_page_are_those_of_the_results(page):
    text = page.read_text(encoding="utf-8")
    assert MEASURED["filled"](text) == text, "run: make pages"


@pytest.mark.parametrize("page", MEASURED["PAGES"], ids=lambda page: page.stem)
def test_no_measured_table_is_typed_by_hand(page):
    text = page.read_text(encoding="utf-8")
    typed = "" if "<!-- Made by " in text else MEASURED["BLOCK"].sub("", text)
    tables = re.findall(r"(?:^\|.*\n)+", typed, re.MULTILINE)
    has_decimals = any(re.search(r"(?<![\w.])\d+\.\d+", table) for table in tables)
    assert has_decimals == (page.stem in SETTINGS)


# Numbers that look measured and stand in the text of a page: settings, definitions, examples,
# versions, what a paper says, what a test asserts. A number that was measured belongs into a block.
WRITTEN = {
    "README": "0.025 0.03 0.8 1.2 1.5 3.10",
    "architecture": "1.4.0 1.4.1 1.9 2.8 3.2 4.9 5.0.0",  # lines of the tree, versions
    "boosting": "0.1",
    "coverage": "0.007 0.02 0.03 2.5",  # Monte-Carlo errors of so many data sets
    "engines": "0.9 20",
    "forest_kernel": "0.127 0.37 0.40 0.46 0.78 0.8 2.65",  # checked below
    "index": "0.8 1.2 1.5",
    # A least probability, quantiles, a section, arithmetic with them.
    "inference": "0.025 0.05 1.96 2.2 3.4 0.46 3.92 4.6 7.7 15.4 97.5",
    "kernel_flow": "0.1 0.5",
    "kernel_machines": "1 2",  # a threshold each
    "open_directions": "1.5",
    "paper": "0.005 0.1 2.25 4.3 5.1 5.2 5.3 5.4 5.5 5.6 5.7 3.4",  # settings and sections
    "projection": "0.3",  # a learning rate
    "report": "0.12 0.7",
    "rows": "0.75 60 93 97",  # bounds that a test asserts
    "scale": "0.5",  # bytes of so many numbers
    "shapley": "0.025 2.98 5.44 90",  # a bound that a test asserts
    "start": "0.025 0.05 3.10",
    "theory": "0.8 1.96 4.1",
    "warm_start": "0.1",  # a learning rate
}
# The level of nearly all intervals, and of their tests.
LEVELS = {"95", "5"}
# With a point, or followed by what is counted when something is measured.
LOOKS_MEASURED = re.compile(
    r"(?<![\w.=/^])\d[\d,]*(?:\.\d+)+"
    r"|(?<![\w.=/^])\d[\d,]*(?=(?: (?:to|and|or) \d+)?\s(?:%|times|seconds|minutes|hours|m?s\b))"
)


@pytest.mark.parametrize("page", MEASURED["PAGES"], ids=lambda page: page.stem)
def test_no_measured_number_is_typed_into_the_text(page):
    text = page.read_text(encoding="utf-8")
    if "<!-- Made by " in text:
        return
    code, link, table = r"(?s)```.*?```|`[^`]*`", r"\]\([^)]*\)", r"(?m)^\|.*$"
    for left_out in (MEASURED["BLOCK"], code, link, table):
        text = re.sub(left_out, "", text)
    written = LEVELS | set(WRITTEN.get(page.stem, "").split())
    assert set(LOOKS_MEASURED.findall(text)) <= written


@pytest.mark.parametrize(
    "typed", ["0.3 of it", "13 to 26 times", "in 45 % of", "35 minutes", "8.8 s", "1,200 seconds"]
)
def test_what_looks_measured_is_found(typed):
    assert LOOKS_MEASURED.search(typed)


def test_the_page_of_forest_kernels_says_what_its_code_computes():
    text = (DOCS / "forest_kernel.md").read_text(encoding="utf-8")
    found: dict = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, found)
    error = found["terms"].error
    computed = [error[0], error[2], error.min(), error[found["last"]], error[-1], found["radius"]]
    said = re.search(
        r"is ([\d.]+) before any step.*?([\d.]+) after.*?([\d.]+) at the best step \((\d+)\), "
        r"([\d.]+) at T_max\s\((\d+)\) and ([\d.]+) after 300.*?critical radius is ([\d.]+)\.",
        text,
        re.DOTALL,
    )
    assert said is not None
    *numbers, best, last = (float(said[place]) for place in (1, 2, 3, 5, 7, 8, 4, 6))
    # Half of the last of two digits.
    assert numbers == pytest.approx(computed, rel=0.02)
    assert (best, last) == (found["oracle"], found["last"])


RESULTS = ROOT / "benchmarks" / "results"
FULL_MODELS = RESULTS / "full_models.json"


@pytest.mark.parametrize(
    ("script", "page", "given"),
    [
        ("paper_page", "paper_tables", lambda: ()),
        ("peers_page", "peers", lambda: ()),
        ("trust_page", "trust", lambda: (sorted(RESULTS.glob("trust*.json")),)),
        ("full_models_page", "full_models", lambda: (json.loads(FULL_MODELS.read_text("utf-8")),)),
    ],
)
def test_a_page_of_results_is_what_its_script_makes_of_them(script, page, given):
    made = runpy.run_path(str(DOCS / f"{script}.py"))["page"](*given())
    written = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    assert made == written, "run: make pages"


def test_every_measured_block_is_on_a_page():
    text = "".join(page.read_text(encoding="utf-8") for page in MEASURED["PAGES"])
    assert set(MEASURED["BLOCKS"]) == {name for name, _ in MEASURED["BLOCK"].findall(text)}


# Parameters of other libraries that pages name.
OF_OTHERS = {
    "auto_group_threshold",
    "cores",
    "dtype",
    "feature_groups",
    "feature_perturbation",
    "image",
    "loss_function",
    "memory",
    "min_samples_leaf",
    "n_repeats",
    "n_splits",
    "n_workers",
    "name",
    "processes",
    "quantile_alpha",
    "scoring",
    "threads_per_worker",
    "variance_power",
    "wait_for_workers_timeout",
}


def _parameters():
    """Return the names of the parameters of everything public."""
    rooms = [lw, *(import_module(f"lukewarm.{each.name}") for each in iter_modules(lw.__path__))]
    public = [getattr(room, name) for room in rooms for name in getattr(room, "__all__", ())]
    members = [getattr(each, name, None) for each in public for name in dir(each)]
    found = set()
    for each in filter(callable, [*public, *members]):
        with suppress(TypeError, ValueError):
            found |= set(signature(each).parameters)
    return found


def test_pages_name_no_parameter_that_does_not_exist():
    known = _parameters() | OF_OTHERS
    assert {"cv", "measure"} <= known
    unknown = set()
    for page in MEASURED["PAGES"]:
        text = re.sub(r"(?s)```.*?```", "", page.read_text(encoding="utf-8"))
        for code in re.findall(r"`([^`\n]+)`", text):
            named = re.findall(r"(?<![\w.-])([a-z_]\w*)=(?!=)", code)
            unknown |= {(page.stem, name) for name in named if name not in known}
    assert unknown == set()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib is new in Python 3.11")
def test_the_badges_of_the_readme_say_what_is_true():
    badges = runpy.run_path(str(DOCS / "badges.py"))
    for name, texts in badges["facts"]().items():
        drawn = (DOCS / "figures" / f"badge-{name}.svg").read_text(encoding="utf-8")
        assert drawn == badges["badge"](*texts), "run: make pages"
