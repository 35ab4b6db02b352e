"""Write the sizes of files, functions and comments into architecture.md.

python docs/size.py                  # the column of this library
python docs/size.py --count FOLDER   # only print the column of another package

Lines are those of all files, tests left out. ``__init__.py`` does not count for the lengths of
files; a function's length leaves out its docstring. Comments and docstrings are per 100 lines of
code.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from lukewarm._files import write_text

PAGE = Path(__file__).parent / "architecture.md"
OURS = PAGE.parents[1] / "src" / "lukewarm"
DENSE = ("learners/boosting", "shapley", "reduction", "kernels")
# Of the packages as installed, counted in the same way; `--count` gives them again.
OTHERS = {
    "Optuna": ("37,197", "5.6", "136", "435", "1,685", "9 / 37", "6.0", "37"),
    "shapiq": ("19,030", "4.8", "170", "589", "1,282", "12 / 53", "9.5", "61"),
    "skorch": ("14,367", "1.9", "443", "1,149", "2,883", "7 / 25", "13.3", "99"),
}
HEADS = (
    "lines",
    "files per 1,000 lines",
    "file, median",
    "file, 90th percentile",
    "longest file",
    "function, median / 90th percentile",
    "comments",
    "docstrings",
)
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


@dataclass(frozen=True)
class FileSize:
    """What one file holds, in lines."""

    n_lines: int
    n_code: int
    n_comments: int
    n_docstrings: int
    functions: tuple[int, ...]


def size_of(path: Path) -> FileSize:
    """Return the size of a file."""
    text = path.read_text(encoding="utf-8")
    docstrings: set[int] = set()
    functions = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        own: set[int] = set()
        if ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            own = set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
        docstrings |= own
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.append((node.end_lineno or node.lineno) - node.lineno + 1 - len(own))
    comments, code = set(), set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
        elif token.type not in _NO_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    n_code = len(code - docstrings)
    return FileSize(
        len(text.splitlines()), n_code, len(comments), len(docstrings), tuple(functions)
    )


def sizes_below(folder: Path) -> dict[Path, FileSize]:
    """Return the size of every file of a package but its tests."""
    paths = (path for path in sorted(folder.rglob("*.py")) if "tests" not in path.parts)
    return {path: size_of(path) for path in paths}


def _per_code(lines: int, sizes: Iterable[FileSize]) -> float:
    return 100 * lines / sum(each.n_code for each in sizes)


def _nine_tenths(lengths: list[int]) -> int:
    return int(np.percentile(lengths, 90, method="inverted_cdf"))


def column_of(folder: Path) -> tuple[str, ...]:
    """Return the numbers of a package, in the order of HEADS."""
    sizes = sizes_below(folder)
    every = list(sizes.values())
    lengths = [each.n_lines for path, each in sizes.items() if path.name != "__init__.py"]
    functions = [length for each in every for length in each.functions]
    n_lines = sum(each.n_lines for each in every)
    return (
        f"{n_lines:,}",
        f"{1000 * len(every) / n_lines:.1f}",
        f"{np.median(lengths):,.0f}",
        f"{_nine_tenths(lengths):,}",
        f"{max(lengths):,}",
        f"{np.median(functions):.0f} / {_nine_tenths(functions)}",
        f"{_per_code(sum(each.n_comments for each in every), every):.1f}",
        f"{_per_code(sum(each.n_docstrings for each in every), every):.0f}",
    )


def dense_rooms() -> dict[str, float]:
    """Return the comment lines per 100 lines of code in the rooms of dense numerics."""
    found = {}
    for room in DENSE:
        every = list(sizes_below(OURS / room).values())
        found[room] = _per_code(sum(each.n_comments for each in every), every)
    return found


def made() -> str:
    """Return the table, at its end the comments of our dense rooms."""
    columns = {"lukewarm": column_of(OURS), **OTHERS}
    rows = [["", *columns], ["---"] * (len(columns) + 1)]
    rows += [
        [head, *(each[place] for each in columns.values())] for place, head in enumerate(HEADS)
    ]
    rows += [
        [f"comments in `{room}`", f"{share:.1f}", *("" for _ in OTHERS)]
        for room, share in dense_rooms().items()
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def filled(text: str) -> str:
    """Return the page with its block made anew."""
    before, rest = text.split("<!-- size -->\n")
    return f"{before}<!-- size -->\n{made()}\n<!-- /size -->{rest.split('<!-- /size -->')[1]}"


@click.command()
@click.option("--count", type=click.Path(exists=True, path_type=Path))
def main(count: Path | None) -> None:
    """Write the block, or print the column of another package."""
    if count is None:
        write_text(PAGE, filled(PAGE.read_text(encoding="utf-8")))
        return
    for head, number in zip(HEADS, column_of(count), strict=True):
        click.echo(f"{head}: {number}")


if __name__ == "__main__":
    main()
