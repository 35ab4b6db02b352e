"""What all measured blocks are made with: the results of a benchmark, and a table in Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
BENCHMARKS = DOCS.parent / "benchmarks"


def results(name: str) -> Any:
    """Return what the benchmark of that name wrote."""
    return json.loads((BENCHMARKS / "results" / f"{name}.json").read_text(encoding="utf-8"))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return (
        "\n".join(f"| {' | '.join(line)} |" for line in lines)
        .replace("| --- ", "|---")
        .replace("|--- |", "|---|")
    )


def span(values: Iterable[float], form: str) -> str:
    """Return "0.2 to 0.3", or one number where both ends read the same."""
    known = sorted(values)
    ends = [format(known[0], form), format(known[-1], form)]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def digits(value: float, count: int = 2) -> str:
    """Return a number with so many significant digits and no power of ten."""
    return f"{float(f'{value:.{count}g}'):.10f}".rstrip("0").rstrip(".")
