"""Rows that belong together or follow each other, as the user gives them with the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lukewarm._validation import check_readable, shown
from lukewarm.data import RowUnits, as_codes, as_pandas
from lukewarm.estimators._problem import Problem


class Ties(NamedTuple):
    """What `fit` was told about its rows; see `VariableImportance.fit`."""

    groups: Any = None
    groups_eval: Any = None
    time: Any = None


def tied(problem: Problem, ties: Ties) -> Problem:
    """Return the problem with its units, which no split parts, and the groups that errors know."""
    n_fit = len(problem.y) - problem.n_evaluation
    clusters = units = None
    if ties.groups is not None or ties.groups_eval is not None:
        clusters, labels = _as_clusters(ties, n_fit, problem.n_evaluation)
        units = RowUnits(clusters)
    if ties.time is not None:
        codes = _as_times(ties.time, n_fit)
        if clusters is not None:
            codes = _groups_in_order(codes, clusters[:n_fit], labels)
        # The rows of X_eval, which are not split, count as one more time.
        codes = np.concatenate([codes, np.full(problem.n_evaluation, codes.max() + 1)])
        units = RowUnits(codes, in_order=True, name="time")
    return replace(problem, units=units, clusters=clusters)


def _as_clusters(ties: Ties, n_fit: int, n_evaluation: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the group of each row, first those of X, then those of X_eval, and the labels of X."""
    if n_evaluation == 0 and ties.groups_eval is not None:
        raise ValueError(
            "groups_eval belongs to X_eval, which is missing; without it, groups is for all rows."
        )
    if n_evaluation and (ties.groups is None or ties.groups_eval is None):
        raise ValueError(
            "groups and groups_eval belong together where X_eval is given; pass both or neither."
        )
    codes, labels = as_codes("groups", ties.groups, n_fit)
    if n_evaluation == 0:
        return codes, labels
    more, other_labels = as_codes("groups_eval", ties.groups_eval, n_evaluation)
    shared = set(labels.tolist()) & set(other_labels.tolist())
    if shared:
        raise ValueError(
            "groups_eval must name other groups than groups, or models are evaluated on rows "
            f"of groups they have learnt; both have {shown(sorted(shared, key=str)[0])}."
        )
    return np.concatenate([codes, more + len(labels)]), labels


def _as_times(time: Any, n_rows: int) -> np.ndarray:
    """Return the rank of each row's time; rows of the same time have the same."""
    values = as_pandas(time)
    if not isinstance(values, pd.Series):  # numpy would make objects of times with a zone
        values = check_readable("time", values)
    if values.ndim == 0:
        raise TypeError(
            f"time must have one value for each of the {n_rows} rows; got {shown(time)}. Pass the "
            "values themselves, such as a column of the table."
        )
    if values.shape != (n_rows,):
        raise ValueError(
            f"time must have one value for each of the {n_rows} rows; got shape {values.shape}."
        )
    series = pd.Series(values).infer_objects()
    is_time = pd.api.types.is_datetime64_any_dtype(series)
    if not is_time and not pd.api.types.is_numeric_dtype(series):
        raise TypeError(
            f"time must hold numbers or dates; got {series.dtype}. Read text by pandas.to_datetime."
        )
    if series.isna().any():
        row = int(np.flatnonzero(series.isna())[0])
        raise ValueError(f"time must have a value in every row; row {row} has none.")
    return series.rank(method="dense").to_numpy().astype(int) - 1


def _groups_in_order(times: np.ndarray, clusters: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return for each row the place of its group in time; groups must not overlap."""
    windows = pd.DataFrame({"time": times}).groupby(clusters)["time"].agg(["min", "max"])
    windows = windows.sort_values(["min", "max"])
    overlaps = np.flatnonzero(windows["min"].to_numpy()[1:] <= windows["max"].to_numpy()[:-1])
    if len(overlaps):
        first, second = (labels.tolist()[windows.index[overlaps[0] + step]] for step in (0, 1))
        raise ValueError(
            f"the time windows of groups {shown(first)} and {shown(second)} overlap, so that no "
            "split can keep groups together and come later; pass groups that follow each other, "
            "such as weeks, or one of groups and time."
        )
    place = np.empty(len(labels), dtype=int)
    place[windows.index.to_numpy()] = np.arange(len(labels))
    return place[clusters]
