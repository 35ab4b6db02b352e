"""What draws of some columns change in a booster's margins, from the trees as they were read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from lukewarm._typing import Features, Matrix
from lukewarm.data import RowCache, filled, first_if_repeated

# Training, stopping and evaluation rows, and those by which it is seen what a model looks at.
_TABLES_KEPT = 4
# A library that is read in a wrong way goes astray on most rows.
_ROWS_CHECKED = 200


class ReadForest(Protocol):
    """Trees read from a library. Rows are in the form that `MarginLearner` makes for them."""

    @property
    def used_columns(self) -> frozenset[int]:
        """The columns that some tree splits on."""
        ...

    @property
    def rounding(self) -> float:
        """What the library's own sum may differ by."""
        ...

    def can_draw(self, columns: frozenset[int]) -> bool:
        """Return whether `changes` can tell what draws of these columns do."""
        ...

    def changes(
        self,
        rows: Any,
        drawn: dict[int, Matrix],
        weights: Matrix | None,
        *,
        with_leaves: bool = False,
    ) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return what margins change by, and leaves; see `Forest.changes`."""
        ...


@runtime_checkable
class ReadableSegment(Protocol):
    """A segment whose trees can be read."""

    def read(self) -> ReadForest | None:
        """Return the trees; None where they are more than tables hold."""
        ...

    def own_margin(self, data: Any) -> Matrix:
        """Return what all the trees add by the library's own prediction, (n, d)."""
        ...

    def read_margin(self, rows: Any) -> Matrix:
        """Return what all the trees add as they were read, (n, d): up to a constant."""
        ...


class DrawnMargins:
    """Margins of one model for many values of some columns.

    Parameters
    ----------
    forests : sequence of ReadForest
        The trees of all its segments.
    own_margin : callable
        The margins (n, d) of a table by the library's own predictions.
    read_margin : callable
        The margins (n, d), up to a constant, of rows in the form that the forests read.
    as_rows : callable
        A table in the form that the forests read; None where it cannot be.
    place_of : callable
        The number that the trees have for a column of the table.
    """

    def __init__(
        self,
        forests: Sequence[ReadForest],
        own_margin: Callable[[Features], Matrix],
        read_margin: Callable[[Any], Matrix],
        as_rows: Callable[[Features], Any],
        place_of: Callable[[int], int],
    ) -> None:
        self._forests = forests
        self._own_margin, self._read_margin = own_margin, read_margin
        self._as_rows = as_rows
        self._place_of = place_of
        self._rows: RowCache[Any] = RowCache(_TABLES_KEPT)
        self._margins: RowCache[Matrix] = RowCache(_TABLES_KEPT)
        self._is_right: bool | None = None
        self._is_exact = False

    def uses(self, column: int) -> bool:
        """Return whether some tree splits on the column."""
        place = self._place_of(column)
        return any(place in forest.used_columns for forest in self._forests)

    def known_margin(self, X: Features) -> Matrix | None:
        """Return the margins (n, d) of a table that draws were made for; None of others."""
        return self._margins.recall(X)

    def margins(
        self,
        X: Features,
        fills: Sequence[dict[int, Any]],
        weights: Matrix | None,
        *,
        with_leaves: bool = False,
    ) -> tuple[np.ndarray, list[np.ndarray]] | None:
        """Return the margins with the values of each fill, (m, n, d); None where trees cannot tell.

        Parameters
        ----------
        X : DataFrame or ndarray of shape (n, p)
        fills : sequence of dicts
            Values (n,) by column number, one dict for each of m draws.
        weights : ndarray of shape (m, n), optional
            Of sum one over the draws: the mean over them is returned, (1, n, d).
        with_leaves : bool, default False
            Whether the leaves are asked for that rows reach with the last of the draws: an array
            (n_trees, n) for every output.
        """
        rows = self._read_rows(X, fills)
        if rows is None:
            return None
        drawn, numbers = rows
        changes = [
            forest.changes(numbers, drawn, weights, with_leaves=with_leaves)
            for forest in self._forests
        ]
        leaves = [np.concatenate(each) for each in zip(*(part for _, part in changes), strict=True)]
        own = self._margins.recall(X)
        if own is None:
            # Trees know by now which leaves the rows reach.
            own = self._read_margin(numbers) if self._is_exact else self._own_margin(X)
            self._margins.keep(own, X)
        return own + np.sum([change for change, _ in changes], axis=0), leaves

    def _read_rows(
        self, X: Features, fills: Sequence[dict[int, Any]]
    ) -> tuple[dict[int, Matrix], Any] | None:
        """Return the fills and the rows as the trees compare them."""
        places = frozenset(map(self._place_of, fills[0]))
        if not all(forest.can_draw(places) for forest in self._forests):
            return None
        if self._is_right is None:
            self._is_right = self._reads_right(X)
        if not self._is_right:
            return None
        rows = self._rows.recall(X)
        if rows is None:
            rows = self._rows.keep(self._as_rows(X), X)
        drawn = {}
        for column in fills[0]:
            values = self._numbers(X, column, [fill[column] for fill in fills])
            if values is None:
                return None
            drawn[self._place_of(column)] = values
        return drawn, rows

    def _reads_right(self, X: Features) -> bool:
        """Return whether the trees as they were read add up to the library's own margins.

        Up to a constant, and to the rounding of sums. Where they are the same to the bit, the trees
        stand in for the library.
        """
        few = X[:_ROWS_CHECKED]
        rows = self._as_rows(few)
        if rows is None:
            return False
        expected = self._own_margin(few)
        margin = self._read_margin(rows)
        self._is_exact = np.array_equal(margin, expected)
        error = (margin - margin[:1]) - (expected - expected[:1])
        return bool(np.abs(error).max() <= 4 * sum(each.rounding for each in self._forests))

    def _numbers(self, X: Features, column: int, values: Sequence[Any]) -> Matrix | None:
        """Return values of a column as the trees compare them, (m, n); None where they do not."""
        if not isinstance(X, pd.DataFrame) or not _has_levels(X, column):
            return np.array([np.asarray(each, dtype=float) for each in values])
        # Few levels: what the library makes of each is seen in a row of its own.
        codes, levels = pd.factorize(np.concatenate([first_if_repeated(each) for each in values]))
        one_each = X.iloc[np.zeros(len(levels) + 1, dtype=int)]
        rows = self._as_rows(filled(one_each, {column: [*levels, None]}))
        if not isinstance(rows, np.ndarray):
            return None
        numbers = rows[:, self._place_of(column)][codes]
        lengths = [len(first_if_repeated(each)) for each in values]
        parts = np.split(numbers, np.cumsum(lengths)[:-1])
        return np.array([np.broadcast_to(each, len(X)) for each in parts])


def _has_levels(X: pd.DataFrame, column: int) -> bool:
    return isinstance(X.dtypes.iloc[column], pd.CategoricalDtype)
