"""A user's typed code: checked by mypy with the sources, never run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import lukewarm as lw

if TYPE_CHECKING:
    from typing import assert_type

    from matplotlib.axes import Axes


def explain(X: pd.DataFrame, y: pd.Series[float]) -> None:
    vi = lw.VariableImportance(measure="r2", groups={"pair": ["a", "b"]}, random_state=0)
    assert_type(vi.fit(X, y), lw.VariableImportance)
    assert_type(vi.result_, lw.ImportanceResult)
    assert_type(vi.result_.to_frame(sort=True), pd.DataFrame)
    assert_type(vi.result_.health(), pd.DataFrame)
    assert_type(vi.result_.to_markdown(), str)
    assert_type(vi.result_.names, tuple[str, ...])
    assert_type(vi.result_.save("result"), Path)
    assert_type(vi.report("report.html"), Path)
    assert_type(lw.report([vi, vi.result_], "report.html"), Path)
    assert_type(lw.report_comparison(vi, vi, "comparison.html"), Path)
    sv = lw.ShapleyImportance(n_coalitions=40).fit(X, y)
    assert_type(sv.result_, lw.ShapleyResult)
    assert_type(sv.result_.to_frame(), pd.DataFrame)
    assert_type(vi.interactions(top=3), pd.DataFrame)


def draw(vi: lw.VariableImportance, sv: lw.ShapleyImportance) -> None:
    assert_type(vi.plot(), Axes)
    assert_type(sv.plot(), Axes)
    assert_type(lw.plot_waterfall(sv.result_), Axes)


def measure(y: np.ndarray[Any, np.dtype[np.float64]], name: str) -> float:
    assert_type(lw.measures.as_measure(name), lw.measures.Measure)
    return lw.measures.as_measure(name).evaluate(y, y).value


def misspelt() -> None:
    lw.VariableImportanc()  # type: ignore[attr-defined]
    lw.report("result", nowhere="x")  # type: ignore[call-arg]
