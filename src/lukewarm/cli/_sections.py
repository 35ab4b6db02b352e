"""Sections of the report that are computed on request."""

from __future__ import annotations

from typing import Any

from lukewarm.cli._options import failure

# A figure has room for so many; numbers of more values are cut into quarters.
_MOST_SEGMENTS = 6


def check_sections(
    *, is_report: bool, shapley: bool, effects: bool, interactions: bool, segments: str | None
) -> None:
    """Raise where a section is asked for that has no page to stand on, or no estimator."""
    asked = {"--effects": effects, "--interactions": interactions, "--segments": segments}
    for option, value in asked.items():
        if value and not is_report:
            raise failure(f"{option} needs --report or --open.")
        if value and shapley and option != "--effects":
            raise failure(f"{option} does not go with --shapley.")


def segment_labels(X: Any, column: str | None) -> Any:
    """Return the segment of each row: its value, or the quarter of a number of many values."""
    import pandas as pd

    if column is None:
        return None
    if column not in X:
        raise failure(f"--segments names {column!r}, which is no feature; there are {list(X)}.")
    values = X[column]
    n_values = values.nunique()
    if pd.api.types.is_numeric_dtype(values) and n_values > _MOST_SEGMENTS:
        return pd.qcut(values, 4, duplicates="drop")
    if n_values > _MOST_SEGMENTS:
        raise failure(
            f"--segments: column {column!r} has {n_values} values; a page shows at most "
            f"{_MOST_SEGMENTS} segments. Join some of them in a column of its own."
        )
    return values


def sections_of(
    estimator: Any, labels: Any, *, effects: bool, interactions: bool
) -> dict[str, Any]:
    """Return the sections that `report` takes, of a fitted estimator."""
    sections: dict[str, Any] = {}
    if effects:
        sections["effects"] = estimator.effects()
    if interactions:
        sections["interactions"] = estimator.interactions()
    if labels is not None:
        sections["segments"] = estimator.result_.by(labels)
    return sections
