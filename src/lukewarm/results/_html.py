"""A frame of results for a notebook: the table of the report, with a small bar in each row.

The fragment is complete in itself: no script, no style sheet, nothing to load, every name escaped.
Colours are seen on light and on dark pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import pandas as pd

_ESTIMATES = ("importance", "shapley_value", "loss")
# A notebook is no place for a thousand rows.
_MOST_ROWS = 60
# Pixels of the bar in a row: as high as the text beside it.
_WIDTH, _HEIGHT = 160, 14
_FILL, _EDGE = "#3f8fd0", "#3f8fd0"
_CELL = "padding:2px 10px;text-align:{}"


def html_fragment(
    headline: str, frame: pd.DataFrame, cells: Sequence[Sequence[str]], notes: Sequence[str]
) -> str:
    """Return the headline, the table and the notes as HTML.

    Parameters
    ----------
    headline : str
    frame : DataFrame
    cells : sequence of sequences of str
        The names of the columns, then the rows of the frame as text.
    notes : sequence of str
    """
    heads, *rows = cells
    estimate = next((name for name in _ESTIMATES if name in frame and "ci_low" in frame), None)
    order = np.arange(len(rows))
    if estimate is not None and len(rows) > _MOST_ROWS:
        order = np.argsort(-frame[estimate].to_numpy(dtype=float), kind="stable")
    shown = order[:_MOST_ROWS].tolist()
    bars = [""] * len(shown) if estimate is None else _bars(frame.iloc[shown], estimate)
    is_text = [not pd.api.types.is_numeric_dtype(frame[name]) for name in frame.columns]
    place = None if estimate is None else heads.index(estimate)

    def line(tag: str, texts: Sequence[str], bar: str) -> str:
        cells_of_row = []
        for number, text in enumerate(texts):
            side = "left" if is_text[number] else "right"
            cells_of_row.append(f'<{tag} style="{_CELL.format(side)}">{escape(text)}</{tag}>')
            if number == place:
                cells_of_row.append(f'<{tag} style="{_CELL.format("left")}">{bar}</{tag}>')
        return f"<tr>{''.join(cells_of_row)}</tr>"

    body = "".join(line("td", rows[row], bar) for row, bar in zip(shown, bars, strict=True))
    more = [f"The {len(shown)} largest of {len(rows):,} rows are shown."] * (len(shown) < len(rows))
    said = "".join(f"<p>{escape(note)}</p>" for note in (*more, *notes))
    return (
        f'<p>{escape(headline)}</p><div style="overflow-x:auto">'
        f'<table style="border-collapse:collapse"><thead>{line("th", heads, "")}</thead>'
        f"<tbody>{body}</tbody></table></div>{said}"
    )


def _bars(frame: pd.DataFrame, estimate: str) -> list[str]:
    """Return a drawing of each estimate with its interval, all on one scale."""
    columns = [frame[name].to_numpy(dtype=float) for name in (estimate, "ci_low", "ci_high")]
    finite = np.concatenate(columns)
    finite = finite[np.isfinite(finite)]
    low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    scale = (_WIDTH - 4) / (high - low) if high > low else 0.0

    def place(value: float) -> float:
        return round(2 + scale * (min(max(value, low), high) - low), 1)

    bars = []
    for value, start, end in zip(*columns, strict=True):
        left, right = sorted((place(0.0), place(value if np.isfinite(value) else 0.0)))
        drawn = (
            f'<rect x="{left}" y="2" width="{round(right - left, 1)}" height="10" fill="{_FILL}" '
            f'fill-opacity="0.55" stroke="{_EDGE}" stroke-width="0.5"/>'
            f'<line x1="{place(0.0)}" x2="{place(0.0)}" y1="0" y2="{_HEIGHT}" '
            'stroke="currentColor" stroke-opacity="0.6"/>'
        )
        if np.isfinite(start) and np.isfinite(end):
            drawn += (
                f'<line x1="{place(start)}" x2="{place(end)}" y1="7" y2="7" stroke="currentColor" '
                'stroke-width="1.6"/>'
            )
        bars.append(f'<svg width="{_WIDTH}" height="{_HEIGHT}" aria-hidden="true">{drawn}</svg>')
    return bars
