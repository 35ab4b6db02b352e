"""Rows that may not be parted: those of one patient, one query, one day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._validation import check_readable, shown
from lukewarm.data._columns import as_pandas


@dataclass(frozen=True, eq=False)
class RowUnits:
    """The unit of each row: rows of one unit train, stop or evaluate together.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
    in_order : bool, default False
        Whether units follow each other in time, in the order of their codes: then the first train
        and the last evaluate. Else which unit does what is drawn.
    name : str, default "groups"
        The parameter they come from, for messages.
    """

    codes: np.ndarray
    in_order: bool = False
    name: str = "groups"

    def at(self, rows: np.ndarray | slice) -> RowUnits:
        """Return the units of some of the rows."""
        return RowUnits(self.codes[rows], self.in_order, self.name)

    @property
    def n_units(self) -> int:
        """Different units."""
        return len(np.unique(self.codes))


def as_codes(name: str, labels: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a code for each row, in the order of appearance, and the labels behind the codes.

    Parameters
    ----------
    name : str
        The parameter, for messages.
    labels : array-like of shape (n_rows,)
    n_rows : int

    Examples
    --------
    >>> codes, labels = as_codes("groups", ["b", "a", "b"], 3)
    >>> codes.tolist(), " ".join(labels)
    ([0, 1, 0], 'b a')
    """
    values = check_readable(name, as_pandas(labels))
    if values.ndim == 0:
        raise TypeError(
            f"{name} must have one label for each of the {n_rows} rows; got {shown(labels)}. Pass "
            "the labels themselves, such as a column of the table."
        )
    if values.shape != (n_rows,):
        raise ValueError(
            f"{name} must have one label for each of the {n_rows} rows; got shape {values.shape}."
        )
    if pd.isna(values).any():
        row = int(np.flatnonzero(pd.isna(values))[0])
        raise ValueError(f"{name} must have a label in every row; row {row} has none.")
    try:
        codes, found = pd.factorize(values)
    except TypeError as error:
        raise TypeError(f"{name} must hold labels, such as numbers or text; {error}.") from None
    return codes.astype(int), np.asarray(found)
