"""What the site promises without being built: `make docs` checks the rest."""

import re
import runpy
import sys
from importlib import import_module
from pathlib import Path

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
SETTINGS = {"architecture", "choosing", "importance", "inference", "lofo", "vimp"}
# Made from docs/results by lukewarm.experiments.
REPRODUCED = {"paper"}
# Pages whose text quotes experiments of the paper, or counts lines of the tree.
QUOTED = {"architecture", "open_directions"}


@pytest.mark.parametrize("page", MEASURED["PAGES"], ids=lambda page: page.stem)
def test_measured_numbers_of_a_page_are_those_of_the_results(page):
    text = page.read_text(encoding="utf-8")
    assert MEASURED["filled"](text) == text, "run: python docs/measured.py"


@pytest.mark.parametrize("page", MEASURED["PAGES"], ids=lambda page: page.stem)
def test_no_measured_table_is_typed_by_hand(page):
    text = page.read_text(encoding="utf-8")
    typed = "" if "<!-- Made by " in text else MEASURED["BLOCK"].sub("", text)
    tables = re.findall(r"(?:^\|.*\n)+", typed, re.MULTILINE)
    has_decimals = any(re.search(r"(?<![\w.])\d+\.\d+", table) for table in tables)
    assert has_decimals == (page.stem in SETTINGS | REPRODUCED)


# Numbers with decimals that stand in the text of a page: settings, definitions, examples, versions,
# what a paper says. A number that was measured belongs into a block.
WRITTEN = {
    "README": "0.03 0.8 1.2 1.5 3.10",
    "boosting": "0.1",
    "coverage": "0.007 0.02 0.03 2.5",  # Monte-Carlo errors of so many data sets
    "engines": "0.1 0.25 0.3 0.9 1.2.10 1.5 2.5",
    "forest_kernel": "0.127 0.37 0.40 0.46 0.78 0.8 2.65",  # of the code on the page
    "index": "0.8 1.2 1.5",
    "inference": "1.96 2.2 3.4",
    "kernel_flow": "0.1 0.5",
    "report": "0.12",
    "rows": "0.75",
    "scale": "0.5",  # bytes of so many numbers
    "shapley": "0.025 2.98 5.44",
    "start": "0.05 3.10",
    "theory": "0.8 1.96 4.1",
}
DECIMAL = re.compile(r"(?<![\w.=])\d+(?:\.\d+)+")


@pytest.mark.parametrize("page", MEASURED["PAGES"], ids=lambda page: page.stem)
def test_no_measured_number_is_typed_into_the_text(page):
    text = page.read_text(encoding="utf-8")
    if "<!-- Made by " in text or page.stem in REPRODUCED | QUOTED:
        return
    code, link, table = r"(?s)```.*?```|`[^`]*`", r"\]\([^)]*\)", r"(?m)^\|.*$"
    for left_out in (MEASURED["BLOCK"], code, link, table):
        text = re.sub(left_out, "", text)
    assert set(DECIMAL.findall(text)) == set(WRITTEN.get(page.stem, "").split())


def test_the_page_of_the_papers_tables_is_made_of_its_results():
    made = runpy.run_path(str(DOCS / "paper_page.py"))["page"]()
    written = (DOCS / "paper_tables.md").read_text(encoding="utf-8")
    assert made == written, "run: python docs/paper_page.py"


def test_every_measured_block_is_on_a_page():
    text = "".join(page.read_text(encoding="utf-8") for page in MEASURED["PAGES"])
    assert set(MEASURED["BLOCKS"]) == {name for name, _ in MEASURED["BLOCK"].findall(text)}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib is new in Python 3.11")
def test_the_badges_of_the_readme_say_what_is_true():
    badges = runpy.run_path(str(DOCS / "badges.py"))
    for name, texts in badges["facts"]().items():
        drawn = (DOCS / "figures" / f"badge-{name}.svg").read_text(encoding="utf-8")
        assert drawn == badges["badge"](*texts), "run: python docs/badges.py"
