"""Columns that cannot tell what they seem to: constant, alike, row numbers, copies of the target.

The cost is bounded: each column is looked at on a sample of rows, and only what is found there is
verified on the whole column. Pairs are looked for among a bounded number of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import combinations

import numpy as np
import pandas as pd

from lukewarm._typing import Features, FeatureSet, Matrix, Vector
from lukewarm.data._grouping import rank_correlation
from lukewarm.results import Remark

# A rank correlation is known to 0.02 from as many rows.
_MOST_ROWS = 2000
# All pairs are looked at: the cost grows with the square.
_MOST_COLUMNS = 300
# A longer list is not read; the rest is counted.
_MOST_PAIRS = 20
# At 0.95 two columns share 90 % of their variance: what one adds to the other is mostly noise.
_ALIKE = 0.95
# A feature that measures the target itself reaches it; a good predictor does not.
_LEAK = 0.999
# With fewer rows to a level, levels fit any target.
_ROWS_PER_LEVEL = 20
# Fewer rows outside the largest class can be set apart by chance.
_LEAST_MINORITY = 10
# Row numbers are whole, and hardly a number between the first and the last is left out.
_DENSE = 1.1
# In the place of a correlation, for columns of which each tells the other.
_COPY = 2.0


def column_doubts(
    table: Features,
    names: tuple[str, ...],
    y: Vector,
    n_classes: int | None,
    sets: Sequence[FeatureSet],
) -> tuple[Remark, ...]:
    """Return remarks on columns that are constant, alike, row numbers or tell the target.

    Parameters
    ----------
    table : Features of shape (n, p)
    names : tuple of str
    y : ndarray of shape (n,)
        Numbers, or class codes.
    n_classes : int, optional
    sets : sequence of FeatureSet
        The feature sets that are explained. Columns that are taken away together may be alike.

    Examples
    --------
    >>> x, noise = np.random.default_rng(0).normal(size=(2, 100))
    >>> X = np.column_stack([x, 2 * x, np.ones(100)])
    >>> for remark in column_doubts(X, ("a", "b", "c"), x + noise, None, [(0,), (1,), (2,)]):
    ...     print(remark.name, "|", remark.feature)
    constant | c
    correlated | a + b
    """
    explained = list(dict.fromkeys(column for columns in sets for column in columns))
    looked_at = list(dict.fromkeys([*explained, *range(len(names))]))[:_MOST_COLUMNS]
    rows = _sample(len(y))
    values = {column: _as_floats(table, column, rows) for column in looked_at}
    constant = [column for column in looked_at if _is_constant(table, column, values[column])]
    varying = {column: values[column] for column in sorted(set(looked_at) - set(constant))}
    numeric = [
        column
        for column, sampled in varying.items()
        # A handful of values among gaps may be in any order by chance.
        if not _is_levels(table, column) and 2 * np.isnan(sampled).sum() < len(sampled)
    ]
    # The target is the last column; one pass ranks them all.
    correlation = rank_correlation(
        np.column_stack([*(varying[column] for column in numeric), y[rows]])
    )
    told = dict(zip(numeric, np.abs(correlation[-1]), strict=False))
    copies = _copies(table, varying)
    alike = copies + _correlated(numeric, correlation[:-1, :-1], {pair[:2] for pair in copies})
    together = [set(columns) for columns in sets if len(columns) > 1]
    pairs = [
        pair
        for pair in alike
        if not set(pair[:2]).isdisjoint(explained)
        and not any(set(pair[:2]) <= columns for columns in together)
    ]
    return (
        *(_constant_remark(names[column]) for column in sorted(constant)),
        *(
            Remark("id_like", "warning", names[column], _ROW_NUMBER)
            for column, sampled in varying.items()
            if _is_row_number(table, column, sampled)
        ),
        *_leaks(varying, names, y[rows], n_classes, told),
        *_pair_remarks(pairs, names),
        *_unseen_remark(len(names)),
    )


_ROW_NUMBER = (
    "it looks like a row number: whole numbers, hardly one twice and hardly one left out. Leave "
    "the column out, unless it stands for time."
)


def _sample(n_rows: int) -> np.ndarray:
    if n_rows <= _MOST_ROWS:
        return np.arange(n_rows)
    # A seed of its own: looking at the table must not change the numbers of a fit.
    return np.sort(np.random.default_rng(0).choice(n_rows, _MOST_ROWS, replace=False))


def _is_levels(table: Features, column: int) -> bool:
    return isinstance(table, pd.DataFrame) and isinstance(
        table.dtypes.iloc[column], pd.CategoricalDtype
    )


def _as_floats(table: Features, column: int, rows: np.ndarray | slice = slice(None)) -> Vector:
    """Return numbers as they are, levels as their codes; nan for gaps."""
    if not isinstance(table, pd.DataFrame):
        return np.asarray(table[rows, column], dtype=float)
    values = table.iloc[rows, column]
    if _is_levels(table, column):
        codes = values.cat.codes.to_numpy().astype(float)
        return np.where(codes < 0, np.nan, codes)
    return values.to_numpy(float)


def _is_constant(table: Features, column: int, sampled: Vector) -> bool:
    return _holds_one_value(sampled) and _holds_one_value(_as_floats(table, column))


def _holds_one_value(values: Vector) -> bool:
    gaps = np.isnan(values)
    return bool(gaps.all() or (not gaps.any() and (values == values[0]).all()))


def _constant_remark(name: str) -> Remark:
    return Remark("constant", "note", name, "it holds one value only, so it cannot matter.")


def _is_row_number(table: Features, column: int, sampled: Vector) -> bool:
    if _is_levels(table, column) or not _is_whole_and_distinct(sampled):
        return False
    values = _as_floats(table, column)
    with np.errstate(over="ignore"):
        is_dense = np.ptp(values) + 1 <= _DENSE * len(values)
    return bool(is_dense) and _is_whole_and_distinct(values)


def _is_whole_and_distinct(values: Vector) -> bool:
    if np.isnan(values).any() or (values != np.floor(values)).any():
        return False
    return len(np.unique(values)) == len(values)


def _correlated(
    columns: list[int], correlation: Matrix, named_pairs: set[tuple[int, int]]
) -> list[tuple[int, int, float]]:
    """Return the pairs of high rank correlation that are not known yet, the highest first."""
    first, second = np.nonzero(np.triu(np.abs(correlation) > _ALIKE, 1))
    pairs = [
        (columns[a], columns[b], float(correlation[a, b]))
        for a, b in zip(first, second, strict=True)
        if (columns[a], columns[b]) not in named_pairs
    ]
    return sorted(pairs, key=lambda pair: -abs(pair[2]))


def _copies(table: Features, values: dict[int, Vector]) -> list[tuple[int, int, float]]:
    """Return pairs of columns that group the rows alike, or hold the same numbers."""
    # What is rare may look alike on a sample only because it does not occur there.
    varying = {column: each for column, each in values.items() if not _holds_one_value(each)}
    # Where whole rows are repeated, numbers that are all different come several times, too.
    n_distinct = int((~pd.DataFrame(varying).duplicated()).sum())
    alike = _same_pattern(varying, most_levels=n_distinct // 2)
    candidates = [columns for columns in alike if len(columns) > 1]
    return [
        (first, second, _COPY)
        for columns in candidates
        for same in _same_pattern(
            {column: _as_floats(table, column) for column in columns}, most_levels=len(table)
        )
        for first, second in combinations(same, 2)
    ]


def _same_pattern(values: dict[int, Vector], most_levels: int) -> list[list[int]]:
    by_pattern: dict[bytes, list[int]] = {}
    for column, each in values.items():
        by_pattern.setdefault(_pattern(each, most_levels), []).append(column)
    return list(by_pattern.values())


def _pattern(values: Vector, most_levels: int) -> bytes:
    """Return a digest of the order in which values appear: the same for one-to-one codings.

    Where nearly every value is another, every coding has that pattern; there the values count.
    """
    codes, levels = pd.factorize(values)
    n_known = int(np.count_nonzero(codes >= 0))
    content = codes if len(levels) <= min(most_levels, n_known // 2) else values
    return blake2b(content.tobytes()).digest()


def _pair_remarks(pairs: list[tuple[int, int, float]], names: tuple[str, ...]) -> list[Remark]:
    remarks = [
        Remark(
            "duplicate", "warning", _label(pair, names), f"each tells the other exactly, {_HINT}"
        )
        if pair[2] == _COPY
        else Remark("correlated", "warning", _label(pair, names), f"{_CORRELATED}, {_HINT}")
        for pair in pairs[:_MOST_PAIRS]
    ]
    if len(pairs) > _MOST_PAIRS:
        more = f"and {len(pairs) - _MOST_PAIRS} more pairs"
        remarks.append(Remark("correlated", "warning", more, f"{_CORRELATED}, {_HINT}"))
    return remarks


_SAME = "each tells the other exactly"
_CORRELATED = f"their rank correlation is beyond {_ALIKE}"
_HINT = (
    "so neither is missed while the other is there. To see what they are worth together, take them "
    f'away together: groups={{"name": ["first", "second"]}}, or groups={{"correlation": {_ALIKE}}} '
    f"for all such columns (--correlated {_ALIKE} on the command line)."
)


def _label(pair: tuple[int, int, float], names: tuple[str, ...]) -> str:
    return f"{names[pair[0]]} + {names[pair[1]]}"


def _unseen_remark(n_columns: int) -> list[Remark]:
    if n_columns <= _MOST_COLUMNS:
        return []
    message = (
        f"constant, alike and leaking columns were looked for among {_MOST_COLUMNS} of the "
        f"{n_columns} columns only."
    )
    return [Remark("columns_not_looked_at", "note", "", message)]


def _leaks(
    values: dict[int, Vector],
    names: tuple[str, ...],
    y: Vector,
    n_classes: int | None,
    told: dict[int, float],
) -> list[Remark]:
    """Return remarks on columns that tell the target.

    Parameters
    ----------
    values : dict from column number to ndarray of shape (n,)
    names : tuple of str
        Of all columns.
    y : ndarray of shape (n,)
    n_classes : int, optional
        None for a regression.
    told : dict from column number to float
        Size of the rank correlation of numeric columns with the target.
    """
    message = (
        "it tells the target almost perfectly by itself. Was it known before the target was? If "
        "not, leave it out."
    )
    tells = (
        (lambda column: _tells_number(values[column], y, told.get(column)))
        if n_classes is None
        else (lambda column: _tells_class(values[column], y.astype(int), column in told))
    )
    return [
        Remark("leaking", "warning", names[column], message) for column in values if tells(column)
    ]


def _levels_of(values: Vector) -> tuple[np.ndarray, bool]:
    """Return the number of each row's value in their order, and whether there are few values."""
    levels, codes = np.unique(np.where(np.isnan(values), -np.inf, values), return_inverse=True)
    return codes, _ROWS_PER_LEVEL * len(levels) <= len(values)


def _tells_number(values: Vector, y: Vector, correlation: float | None) -> bool:
    """Return whether means per level, or an order, explain nearly all of a numeric target."""
    y = y - y.mean()
    largest = np.abs(y).max()
    if largest == 0:
        return False
    y = y / largest  # squares of very large targets would overflow
    codes, are_few = _levels_of(values)
    if are_few:
        counts = np.bincount(codes)
        means = np.bincount(codes, weights=y) / counts
        return bool((counts * np.square(means)).sum() > _LEAK * np.square(y).sum())
    return correlation is not None and bool(correlation > _LEAK)


def _tells_class(values: Vector, y: np.ndarray, is_numeric: bool) -> bool:
    """Return whether levels, or intervals, hold one class each but for a row in a thousand."""
    sizes = np.bincount(y)
    n_others = len(y) - sizes.max()
    if n_others < _LEAST_MINORITY:
        return False
    codes, are_few = _levels_of(values)
    if are_few:
        table = np.zeros((codes.max() + 1, len(sizes)))
        np.add.at(table, (codes, y), 1)
        n_wrong = len(y) - table.max(axis=1).sum()
    elif is_numeric:
        # Rows in the order of the column: a row out of place changes the class twice.
        changes = np.count_nonzero(np.diff(y[np.lexsort((y, codes))]))
        n_wrong = (changes - (np.count_nonzero(sizes) - 1)) / 2
    else:
        return False
    return bool(n_wrong <= (1 - _LEAK) * n_others)
