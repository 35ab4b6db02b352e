import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
SIZE = runpy.run_path(str(DOCS / "size.py"))
TEXT = '''"""A module."""


def twice(x):  # doubles
    """Return 2 x.

    It says more.
    """
    # A comment.
    return 2 * x
'''


def test_docstrings_and_comments_are_no_code(tmp_path):
    (tmp_path / "twice.py").write_text(TEXT)
    size = SIZE["size_of"](tmp_path / "twice.py")
    assert (size.n_lines, size.n_code, size.n_comments, size.n_docstrings) == (10, 2, 2, 5)
    assert size.functions == (3,)


def test_tests_are_left_out(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_twice.py").write_text(TEXT)
    (tmp_path / "twice.py").write_text(TEXT)
    assert [path.name for path in SIZE["sizes_below"](tmp_path)] == ["twice.py"]


def test_the_page_is_within_a_twentieth_of_the_tree():
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| lines |"))
    said = int(row.split("|")[2].replace(",", ""))
    now = sum(size.n_lines for size in SIZE["sizes_below"](SIZE["OURS"]).values())
    # Every commit changes a line; a page that is a twentieth off was forgotten.
    assert said == pytest.approx(now, rel=0.05), "run: python docs/size.py"
