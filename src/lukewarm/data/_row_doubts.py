"""Rows that are copies of others: a model is then evaluated on what it was trained on."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lukewarm._typing import Features, Vector
from lukewarm.results import Remark

# A table is looked through whole, since a sample has few copies of large tables.
_MOST_ROWS = 100_000
# Copies agree in every column; so many tell rows apart that are none.
_MOST_COLUMNS = 30
# A few copies change no number that a reader would see.
_LEAST_SHARE = 0.05
# Of its own value for nearly every distinct row, and on no grid of which a tenth is taken, a column
# repeats values by copying alone. Rows of levels and counts are alike by chance.
_OWN_VALUES = 0.9
_MOST_DENSE = 0.1


def row_doubts(table: Features, y: Vector) -> tuple[Remark, ...]:
    """Return a remark where many rows are copies of others, target included.

    Parameters
    ----------
    table : Features of shape (n, p)
    y : ndarray of shape (n,) or (n, n_outputs)

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> row_doubts(X, X[:, 0])
    ()
    >>> remark, = row_doubts(np.tile(X, (2, 1)), np.tile(X[:, 0], 2))
    >>> remark.name, remark.message[:37]
    ('repeated_rows', '50% of the rows are copies of others,')
    """
    if len(y) > _MOST_ROWS:
        return ()
    columns = pd.DataFrame(table).iloc[:, :_MOST_COLUMNS].reset_index(drop=True)
    rows = pd.concat([columns, pd.DataFrame(y)], axis=1, ignore_index=True)
    is_copy = rows.duplicated()
    if is_copy.mean() < _LEAST_SHARE:
        return ()
    distinct = rows[~is_copy].select_dtypes("number")
    if not any(_is_continuous(distinct[column].to_numpy(float)) for column in distinct):
        return ()
    message = (
        f"{is_copy.mean():.0%} of the rows are copies of others, target included, so models are "
        "evaluated on rows they were trained on: skill and importances are too large, p-values too "
        "small. Leave the copies out, or give rows weights instead; or pass the number of the "
        "original of each row as groups of fit."
    )
    return (Remark("repeated_rows", "warning", "", message),)


def _is_continuous(values: Vector) -> bool:
    """Return whether nearly every value is another, and they are no neighbours on a grid."""
    found = np.unique(values[~np.isnan(values)])
    if len(found) < max(_OWN_VALUES * len(values), 2):
        return False
    with np.errstate(over="ignore"):
        steps = np.ptp(found) / np.diff(found).min()
    return bool(len(found) < _MOST_DENSE * steps)
