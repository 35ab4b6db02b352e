"""Frames of results as texts and files: screen, notebook, Markdown, LaTeX, spreadsheet."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._files import replacing
from lukewarm._optional import require
from lukewarm._text import csv_cell, printable
from lukewarm._validation import check_count, check_flag
from lukewarm.inference import adjust_p_values, check_adjustments
from lukewarm.results._html import html_fragment

# Below the precision of a float's distance from 1, a p-value is no more than an order of size.
_LEAST_P_VALUE = 1e-16
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # Other characters stand in their places in LaTeX's own encoding of fonts.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


class Tabular:
    """What a result can do that has a frame, a headline and footnotes."""

    def to_frame(self, *args: Any, **options: Any) -> pd.DataFrame:
        """Return one row per estimate."""
        raise NotImplementedError

    def _headline(self) -> str:
        raise NotImplementedError

    @property
    def _footnotes(self) -> list[str]:
        raise NotImplementedError

    def to_markdown(self, **options: Any) -> str:
        """Return the frame as a Markdown table.

        Parameters
        ----------
        **options
            Those of `to_frame`, such as ``sort=True, top=10``.
        """
        return markdown_table(self.to_frame(**options))

    def to_latex(self, **options: Any) -> str:
        """Return the frame as a LaTeX table, for the package booktabs.

        Parameters
        ----------
        **options
            Those of `to_frame`, such as ``sort=True, top=10``.
        """
        return latex_table(self.to_frame(**options))

    def to_excel(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the frame to an Excel file, all of it or nothing, and return its path.

        Parameters
        ----------
        path : path-like
            Ends in .xlsx.
        **options
            Those of `to_frame`, such as ``sort=True, top=10``.
        """
        return write_excel(path, self.to_frame(**options))

    def to_text(self, **options: Any) -> str:
        """Return what is printed: a headline, the frame, and what to know about it.

        Parameters
        ----------
        **options
            Those of `to_frame`.
        """
        head = f"{type(self).__name__}: {self._headline()}"
        return "\n".join([head, text_table(self.to_frame(**options)), *self._footnotes])

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        return html_fragment(self._headline(), frame, _cells(frame), self._footnotes)


def with_adjusted(frame: pd.DataFrame, adjust: str | Iterable[str]) -> pd.DataFrame:
    """Return the frame with a column of adjusted p-values for each way that is asked for."""
    for method in check_adjustments(adjust):
        frame[f"p_{method}"] = adjust_p_values(frame["p_value"].to_numpy(), method)
    return frame


def arranged(
    frame: pd.DataFrame,
    estimate: str,
    *,
    sort: bool = False,
    top: int | None = None,
    relative: bool = False,
) -> pd.DataFrame:
    """Return the frame with its rows and columns as `to_frame` was asked for.

    Parameters
    ----------
    frame : DataFrame
    estimate : str
        The column to sort by.
    sort : bool
        Whether the largest estimate comes first.
    top : int, optional
        Only so many rows, those of the largest estimates, sorted.
    relative : bool
        Whether a column "relative" is added, the estimate over the largest one; nan where none is
        positive.
    """
    check_flag("sort", sort)
    if check_flag("relative", relative):
        largest = frame[estimate].max()
        share = frame[estimate] / (largest if largest > 0 else np.nan)
        frame.insert(_names(frame).index(estimate) + 1, "relative", share)
    if sort or top is not None:
        frame = frame.sort_values(estimate, ascending=False, kind="stable", ignore_index=True)
    return frame if top is None else frame.head(check_count("top", top))


def text_table(frame: pd.DataFrame) -> str:
    """Return the frame for a screen."""
    return frame.to_string(index=False, formatters=_formatters(frame))


def markdown_table(frame: pd.DataFrame) -> str:
    r"""Return the frame as a table in Markdown.

    Examples
    --------
    >>> print(markdown_table(pd.DataFrame({"feature": ["a|b"], "p_value": [0.0]})))
    | feature | p_value |
    |:--|--:|
    | a\|b | <1e-16 |
    """
    rows = [[cell.replace("|", r"\|") for cell in row] for row in _cells(frame)]
    rule = "|".join(":--" if _is_text(frame, name) else "--:" for name in _names(frame))
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|{rule}|", *body])


def latex_table(frame: pd.DataFrame) -> str:
    r"""Return the frame as a tabular of the package booktabs.

    Examples
    --------
    >>> print(latex_table(pd.DataFrame({"feature": ["a_b"], "p_value": [0.25]})))
    \begin{tabular}{lr}
    \toprule
    feature & p\_value \\
    \midrule
    a\_b & 0.25 \\
    \bottomrule
    \end{tabular}
    """
    head, *body = (
        " & ".join("".join(_LATEX.get(each, each) for each in cell) for cell in row) + r" \\"
        for row in _cells(frame)
    )
    columns = "".join("l" if _is_text(frame, name) else "r" for name in _names(frame))
    opening = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule"]
    return "\n".join([*opening, *body, r"\bottomrule", r"\end{tabular}"])


def write_excel(path: str | os.PathLike[str], frame: pd.DataFrame) -> Path:
    """Write the frame to an Excel file in which no text is a formula."""
    target = Path(path)
    if target.suffix.lower() != ".xlsx":
        raise ValueError(f"path must end in .xlsx; got {str(target)!r}.")
    require("openpyxl", "excel")
    texts = [name for name in _names(frame) if _is_text(frame, name)]
    harmless = frame.assign(**{name: frame[name].map(csv_cell) for name in texts})
    buffer = io.BytesIO()
    harmless.to_excel(buffer, index=False, engine="openpyxl")
    with replacing(target) as temporary:
        temporary.write_bytes(buffer.getvalue())
    return target


def p_value_text(p_value: float) -> str:
    """Return a p-value as it is shown: never 0.

    Examples
    --------
    >>> p_value_text(0.0), p_value_text(0.01234567)
    ('<1e-16', '0.01235')
    """
    return f"<{_LEAST_P_VALUE:.0e}" if p_value < _LEAST_P_VALUE else f"{p_value:.4g}"


def _cells(frame: pd.DataFrame) -> list[list[str]]:
    """Return the names of the columns and the formatted cells, row by row."""
    columns = [
        [formatter(value) for value in frame[name]]
        for name, formatter in _formatters(frame).items()
    ]
    return [_names(frame), *(list(row) for row in zip(*columns, strict=True))]


def _formatters(frame: pd.DataFrame) -> dict[str, Callable[[Any], str]]:
    def of(name: str) -> Callable[[Any], str]:
        if _is_text(frame, name):
            return lambda value: printable(str(value))
        if name.startswith("p_"):
            return p_value_text
        if pd.api.types.is_integer_dtype(frame[name]):
            return str
        return lambda value: f"{value:.4g}"

    return {name: of(name) for name in _names(frame)}


def _names(frame: pd.DataFrame) -> list[str]:
    return [str(name) for name in frame.columns]


def _is_text(frame: pd.DataFrame, name: str) -> bool:
    return not pd.api.types.is_numeric_dtype(frame[name])
