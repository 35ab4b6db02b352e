"""Write measured numbers into the pages of the documentation, from benchmarks/results/*.json.

python docs/measured.py            # all pages
python docs/measured.py --check    # only say which pages would change

A page marks what is measured: between ``<!-- measured: NAME -->`` and ``<!-- /measured -->`` stands
what the function NAME of one of the files measured_*.py makes of the results.
tests/test_docs.py checks that they agree.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import click

# The tests run this file by its path.
sys.path.insert(0, str(Path(__file__).parent))
import measured_boosting
import measured_comparisons
import measured_coverage
import measured_directions
import measured_methods
import measured_paper
import measured_projection
import measured_readme
import measured_scale
from measured_tables import DOCS

from lukewarm._files import write_text

PAGES = [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"<!-- measured: (\w+) -->\n(.*?)<!-- /measured -->", re.DOTALL)


def filled(text: str) -> str:
    """Return a page with its measured blocks made anew."""

    def made(match: re.Match[str]) -> str:
        return f"<!-- measured: {match[1]} -->\n{BLOCKS[match[1]]()}\n<!-- /measured -->"

    return BLOCK.sub(made, text)


BLOCKS: dict[str, Callable[[], str]] = {
    function.__name__: function
    for function in (
        *runpy.run_path(str(DOCS / "paper_page.py"))["SUMMARIES"],
        *measured_coverage.BLOCKS,
        *measured_boosting.BLOCKS,
        *measured_projection.BLOCKS,
        *measured_readme.BLOCKS,
        *measured_methods.BLOCKS,
        *measured_paper.BLOCKS,
        *measured_comparisons.BLOCKS,
        *measured_directions.BLOCKS,
        *measured_scale.BLOCKS,
    )
}


@click.command()
@click.option("--check", is_flag=True, help="Change nothing; fail where a page would change.")
def main(check: bool) -> None:
    """Fill in the measured numbers of all pages."""
    changed = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if filled(text) != text:
            changed.append(page.name)
            if not check:
                write_text(page, filled(text))
    click.echo(f"changed: {', '.join(changed) or 'none'}")
    if check and changed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
