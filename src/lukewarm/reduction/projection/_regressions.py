"""Regressions of anything known on all rows on the columns that are kept.

A conditional guess of a removed column and the distillation of a model's predictions are the same
task: a target without y, known on the training and the stopping rows, explained by the columns that
stay. Each is an additive ridge regression (closed form, one inverse for all sets of columns) with
our trees on what it leaves, and for forests an average among neighbours on what these leave, all
only as far as the stopping rows show that they help.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lukewarm._typing import Features, FeatureSet, Matrix, Prediction, Vector
from lukewarm.data import Removal, RowCache, Rows
from lukewarm.learners import BaseLearner, train_until
from lukewarm.learners.additive import AdditiveBasis, RidgeFamily, RidgeFit
from lukewarm.learners.boosting import Borders, ObliviousBoosting, suitable_bins
from lukewarm.reduction.projection._random_trees import RandomTrees
from lukewarm.results import TrainingTrace
from lukewarm.stopping import Patience

# A slope is known to a hundredth from as many rows; more cost time and change nothing.
_MOST_ROWS = 20_000
# Rows by which it is seen whether a model looks at a column at all.
_PROBED_ROWS = 500
# In rows. Lines have few coefficients; curves up to nine for every column.
_LINE_PENALTIES = (1.0,)
_CURVE_PENALTIES = (3.0, 30.0, 300.0)
# Beyond as many columns curves are left out: the inverse would cost more than they bring.
_MOST_CURVED = 100
# Interactions of up to four columns. What a guess gains from trees shows early, so they need not
# wait as long as a model's, and their number has an end for the sake of time.
_TREE_DEPTH = 4
_TREE_PATIENCE = 10
_MOST_TREES = 200
# Trees of neighbours: some to see what they are worth, others to average.
_TREES_SEEN, _TREES_KEPT = 8, 32
# A target whose variance is below this share of what it came from is nothing but rounding.
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """Rows of the table with the functions of their columns, computed once."""

    X: Features
    functions: Matrix


@dataclass(frozen=True, eq=False)
class Regression:
    """A function of the kept columns: a ridge regression, and trees on what it leaves."""

    ridge: RidgeFit
    trees: BaseLearner | None
    trace: TrainingTrace
    neighbours: _Neighbours | None = None

    def predict(self, rows: PreparedRows) -> Vector:
        """Return the fitted values, shape (n,)."""
        values = self.ridge.predict(rows.functions)
        if self.trees is not None:
            values = values + self.trees.predict(rows.X)
        return values if self.neighbours is None else values + self.neighbours.predict(rows)


@dataclass(frozen=True, eq=False)
class _Neighbours:
    """A share of what trees of neighbours say, which read the codes of the kept columns."""

    trees: RandomTrees
    share: float
    borders: Borders
    kept: np.ndarray

    def predict(self, rows: PreparedRows) -> Vector:
        codes = self.borders.encode(rows.X)[self.kept]
        return self.share * self.trees.predict(codes.T)


class Regressions:
    """What regressions on the kept columns share: functions, inverses and bins of all columns.

    Parameters
    ----------
    train, stopping : Rows
        Their targets are not looked at.
    removal : Removal
    """

    def __init__(self, train: Rows, stopping: Rows, removal: Removal) -> None:
        if not len(stopping):
            train, stopping = _set_aside(train)
        self.train, self.stopping = _at_most(train), _at_most(stopping)
        self._removal = removal
        self._prepared: RowCache[PreparedRows] = RowCache()
        is_narrow = self.train.X.shape[1] <= _MOST_CURVED
        basis = self._basis = AdditiveBasis.learn(self.train.X, curved=is_narrow)
        self.train_rows, self.stopping_rows = (
            self.prepare(rows.X) for rows in (self.train, self.stopping)
        )
        functions, weights = self.train_rows.functions, self.train.weights
        self._lines = np.flatnonzero(basis.is_line)
        self._line_family = RidgeFamily(functions[:, self._lines], _LINE_PENALTIES, weights)
        self._curve_family = (
            None
            if len(self._lines) == len(basis.owner)
            else RidgeFamily(functions, _CURVE_PENALTIES, weights)
        )
        every = -(-len(self.stopping) // _PROBED_ROWS)
        self.probed = self.stopping.at(np.arange(len(self.stopping))[::every]).X
        self._predicted: dict[BaseLearner, tuple[Prediction, Prediction, Prediction]] = {}
        self._trees = ObliviousBoosting(_TREE_DEPTH, n_bins=suitable_bins(len(self.train)))
        self._binned = self._trees.datasets(self.train.X, self.stopping.X)

    def predictions(self, full: BaseLearner) -> tuple[Prediction, Prediction, Prediction]:
        """Return what the full model predicts, computed once for all sets of columns.

        For the training, the stopping and the probed rows.
        """
        if full not in self._predicted:
            tables = (self.train.X, self.stopping.X, self.probed)
            train, stopping, probed = (full.predict(X) for X in tables)
            self._predicted[full] = train, stopping, probed
        return self._predicted[full]

    def prepare(self, X: Features) -> PreparedRows:
        """Return rows of the table as regressions read them; the last ones are kept."""
        rows = self._prepared.recall(X)
        if rows is not None:
            return rows
        return self._prepared.keep(PreparedRows(X, self._basis.transform(X)), X)

    def fit(
        self,
        target: Vector,
        held_out: Vector,
        removed: FeatureSet,
        *,
        with_trees: bool = True,
        with_neighbours: bool = False,
    ) -> Regression:
        """Return the regression of a target on all columns but `removed`.

        Parameters
        ----------
        target, held_out : ndarray of shape (n_train,), (n_stopping,)
            The target on the training and the stopping rows that regressions read.
        removed : FeatureSet
        with_trees : bool, default True
            Whether trees are tried on what the ridge regression leaves.
        with_neighbours : bool, default False
            Whether an average among neighbours is tried on what the trees leave.
        """
        kept = ~np.isin(self._basis.owner, removed)
        functions = self.stopping_rows.functions
        ridge, *others = self._ridge_fits(target, kept)
        left = held_out - ridge.predict(functions)
        for fit in others:
            left_by_fit = held_out - fit.predict(functions)
            if self._helps(left, left_by_fit):
                ridge, left = fit, left_by_fit
        scale = max(float(np.mean(np.square(held_out))), _NOTHING)
        if not with_trees or np.mean(np.square(left)) <= _NOTHING * scale:
            return Regression(ridge, None, TrainingTrace.untrained())
        train, stopping = (
            Rows(rows.without(removed, self._removal.fill_values), values, part.weights)
            for rows, values, part in zip(
                self._binned,
                (
                    target - ridge.predict(self.train_rows.functions),
                    left,
                ),
                (self.train, self.stopping),
                strict=True,
            )
        )
        trees, trace = train_until(
            self._trees.fresh(0), train, stopping, Patience(_TREE_PATIENCE), _MOST_TREES
        )
        left_by_trees = left - trees.predict(stopping.X)
        helps = self._helps(left, left_by_trees)
        regression = Regression(ridge, trees if helps else None, trace)
        if not with_neighbours:
            return regression
        left_in_train = train.y - trees.predict(train.X) if helps else train.y
        neighbours = self._fit_neighbours(
            left_in_train, left_by_trees if helps else left, train.X.candidates
        )
        return replace(regression, neighbours=neighbours)

    def _fit_neighbours(
        self, target: Vector, held_out: Vector, kept: np.ndarray
    ) -> _Neighbours | None:
        """Return the share of an average among neighbours that the stopping rows ask for."""
        codes, others = (rows.codes[kept].T for rows in self._binned)
        weights = self.train.weights
        seen = RandomTrees.fit(codes, target, weights, n_trees=_TREES_SEEN).predict(others)
        square = float(seen @ seen)
        share = min(float(seen @ held_out) / square, 1.0) if square > 0 else 0.0
        if share <= 0 or not self._helps(held_out, held_out - share * seen):
            return None
        # Close neighbours count, so the stopping rows are not spared any longer.
        also = self.stopping.weights
        every = None if weights is None or also is None else np.append(weights, also)
        trees = RandomTrees.fit(
            np.concatenate([codes, others]),
            np.append(target, held_out),
            every,
            n_trees=_TREES_KEPT,
        )
        return _Neighbours(trees, share, self._binned[0].borders, kept)

    def _ridge_fits(self, target: Vector, kept: np.ndarray) -> list[RidgeFit]:
        mean = float(np.average(target, weights=self.train.weights))
        fits = [RidgeFit(mean, np.zeros(len(kept)))]
        lines, owner = self._lines, self._basis.owner
        for fit in (
            self._line_family.fit_selected(target, kept[lines], 0, owner[lines]),
            self._line_family.fit(target, kept[lines], 0),
        ):
            coefficients = np.zeros(len(kept))
            coefficients[lines] = fit.coefficients
            fits.append(RidgeFit(fit.offset, coefficients))
        if self._curve_family is not None:
            fits += [
                self._curve_family.fit_selected(target, kept, number, owner)
                for number in range(len(_CURVE_PENALTIES))
            ]
        return fits

    def _helps(self, before: Vector, after: Vector) -> bool:
        """Return whether errors on the stopping rows fall by more than their standard error.

        The richer function has more to learn from the same rows; without clear gain it would only
        bring noise into the guess.
        """
        gain = np.square(before) - np.square(after)
        weights = self.stopping.weights
        gain = gain if weights is None else gain * (weights / weights.mean())
        return bool(gain.mean() > gain.std() / np.sqrt(len(gain)))


def _set_aside(rows: Rows) -> tuple[Rows, Rows]:
    """Return three quarters of the rows, and the others to stop by."""
    is_stopping = np.arange(len(rows)) % 4 == 3
    return rows.at(np.flatnonzero(~is_stopping)), rows.at(np.flatnonzero(is_stopping))


def _at_most(rows: Rows) -> Rows:
    """Return at most so many rows, evenly spaced."""
    numbers = np.arange(len(rows))[:: -(-len(rows) // _MOST_ROWS)]
    return rows if len(numbers) == len(rows) else rows.at(numbers)
