"""Splits of the rows that the user says: `cv` as a splitter or as arrays of row numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from lukewarm._validation import check_count, check_readable, shown
from lukewarm.data import RowSplit, RowUnits, part_rows
from lukewarm.estimators._problem import Problem

_PART_NAMES = {2: ("training", "evaluation"), 3: ("training", "stopping", "evaluation")}


def check_cv(cv: Any) -> None:
    """Raise unless `cv` is None, a number of folds, a splitter or something to iterate over."""
    if cv is not None and not is_user_cv(cv):
        check_count("cv", cv, minimum=2)


def is_user_cv(cv: Any) -> bool:
    """Whether `cv` names rows itself, rather than a number of folds to draw."""
    is_text = isinstance(cv, str | bytes)  # which has a `split` of its own
    return not is_text and (hasattr(cv, "split") or isinstance(cv, Iterable))


def user_splits(
    cv: Any, problem: Problem, train_fraction: float, generator: np.random.Generator
) -> tuple[list[RowSplit], RowUnits | None]:
    """Return one split per fold that `cv` names, and the units by which stopping rows were drawn.

    Parameters
    ----------
    cv : splitter of scikit-learn, or iterable of pairs or triples of arrays of row numbers
    problem : Problem
    train_fraction : float
        Share of the training rows that serve the gradient steps, where `cv` names no stopping rows.
    generator : numpy.random.Generator
    """
    folds = _folds_of(cv, problem)
    for number, fold in enumerate(folds):
        _check_fold(number, fold, problem)
    units = problem.units
    if units is None and all(fold[0].max() < fold[-1].min() for fold in folds):
        units = RowUnits(np.arange(len(problem.y)), in_order=True, name="cv")
    splits = []
    for fold in folds:
        *learnt, evaluation = fold
        if len(learnt) == 1:
            learnt = [*part_rows(learnt[0], train_fraction, generator, problem.strata, units)]
        splits.append(RowSplit(*(np.sort(rows) for rows in (*learnt, evaluation))))
    return splits, units


def _folds_of(cv: Any, problem: Problem) -> list[list[np.ndarray]]:
    """Return the row numbers of each part of each fold, in the problem's own numbering."""
    n_rows = len(problem.y)
    is_splitter = hasattr(cv, "split")
    if is_splitter:
        try:
            given = list(cv.split(problem.X, problem.y, problem.clusters))
        except (TypeError, ValueError) as error:
            raise type(error)(f"cv could not split the {n_rows} rows: {error}") from error
    else:
        try:
            given = list(cv)
        except TypeError as error:
            raise TypeError(f"cv must be an int, a splitter or index pairs; {error}.") from error
    if not given:
        raise ValueError(
            "cv gave no fold; a generator can be used once only, so pass a list of index pairs."
        )
    n_table_rows = n_rows if is_splitter else problem.evaluated(np.arange(n_rows)).n_table_rows
    folds = [
        [
            _as_rows(number, name, part, n_table_rows)
            for name, part in zip(_names_of(number, fold), fold, strict=True)
        ]
        for number, fold in enumerate(given)
    ]
    if is_splitter or problem.places is None:
        return folds
    # Rows of no weight were left out, and the others have moved up.
    now = np.full(n_table_rows, -1)
    now[problem.places.rows] = np.arange(n_rows)
    return [[now[part][now[part] >= 0] for part in fold] for fold in folds]


def _names_of(number: int, fold: Any) -> tuple[str, ...]:
    try:
        return _PART_NAMES[len(fold)]
    except (TypeError, KeyError):
        raise ValueError(
            f"cv[{number}] must be a pair (training rows, evaluation rows) or a triple (training, "
            f"stopping, evaluation); got {shown(fold)}."
        ) from None


def _as_rows(number: int, name: str, part: Any, n_table_rows: int) -> np.ndarray:
    rows = check_readable(f"cv[{number}]", part)
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise ValueError(
            f"cv[{number}] must hold the numbers of its {name} rows; got an array of shape "
            f"{rows.shape} and type {rows.dtype}."
        )
    if len(rows) and not (rows.min() >= 0 and rows.max() < n_table_rows):
        wrong = rows[(rows < 0) | (rows >= n_table_rows)][0]
        raise ValueError(
            f"cv[{number}] names row {wrong} among its {name} rows; X has rows 0 to "
            f"{n_table_rows - 1}."
        )
    if len(np.unique(rows)) < len(rows):
        raise ValueError(f"cv[{number}] names a row twice among its {name} rows.")
    return rows.astype(int)


def _check_fold(number: int, fold: list[np.ndarray], problem: Problem) -> None:
    least = 2 if len(fold) == 2 else 1
    names = _PART_NAMES[len(fold)]
    for name, part, fewest in zip(names, fold, (least, *[1] * (len(fold) - 1)), strict=True):
        if len(part) < fewest:
            raise ValueError(
                f"cv[{number}] must have at least {fewest} {name} rows of positive weight; it has "
                f"{len(part)}."
            )
    for first in range(len(fold)):
        for second in range(first + 1, len(fold)):
            pair = f"its {names[first]} and its {names[second]} rows"
            _check_apart(number, pair, fold[first], fold[second], problem)


def _check_apart(
    number: int, pair: str, earlier: np.ndarray, later: np.ndarray, problem: Problem
) -> None:
    """Raise where two parts of a fold share a row or a unit, or are in the wrong order.

    Parameters
    ----------
    number : int
        Of the fold.
    pair : str
        How messages name the two parts.
    earlier, later : ndarrays of int
        Their rows.
    problem : Problem
    """
    shared = np.intersect1d(earlier, later)
    if len(shared):
        raise ValueError(f"cv[{number}] has row {shared[0]} both among {pair}.")
    units = problem.units
    if units is None:
        return
    codes = units.codes
    if units.in_order and codes[earlier].max() >= codes[later].min():
        raise ValueError(
            f"cv[{number}]: the time windows of {pair} overlap; with time, later parts must come "
            "later. Sort the table by time before a splitter such as TimeSeriesSplit."
        )
    both = np.intersect1d(codes[earlier], codes[later])
    if len(both):
        row = later[codes[later] == both[0]][0]
        raise ValueError(
            f"cv[{number}] parts the group of row {row}: it is both among {pair}. Use a splitter "
            "that knows groups, such as GroupKFold, or leave out groups."
        )
