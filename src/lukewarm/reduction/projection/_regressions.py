"""Regressions of anything known on all rows on the columns that are kept.

A conditional guess of a removed column and the distillation of a model's predictions are the same
task: a target without y, known on the training and the stopping rows, explained by the columns that
stay. Each is an additive ridge regression (closed form, one inverse for all sets of columns), or a
kernel regression where products of columns play a part, with our trees on what it leaves, and for
forests an average among neighbours on what these leave, all only as far as the stopping rows show
that they help.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lukewarm._typing import Features, FeatureSet, Matrix, Prediction, Vector
from lukewarm.data import Removal, RowCache, Rows
from lukewarm.learners import BaseLearner, train_until
from lukewarm.learners.additive import AdditiveBasis, RidgeFit
from lukewarm.learners.boosting import ObliviousBoosting, suitable_bins
from lukewarm.reduction.projection._effort import LOCAL, QUICK, THOROUGH
from lukewarm.reduction.projection._functions_fit import FunctionsFit
from lukewarm.reduction.projection._interplay import MOST_TRAINING_ROWS, Interplay
from lukewarm.reduction.projection._line_guesses import LineGuesses
from lukewarm.reduction.projection._prepared_rows import PreparedRows
from lukewarm.reduction.projection._random_trees import RandomTrees
from lukewarm.reduction.projection._ridges import Ridges
from lukewarm.reduction.projection._rules import fit_rule, may_follow_a_rule
from lukewarm.reduction.projection._screening import Screening
from lukewarm.results import TrainingTrace
from lukewarm.stopping import Patience

# Rows by which it is seen whether a model looks at a column at all.
_PROBED_ROWS = 500
# Beyond as many columns curves are left out, for the inverse would cost more than they bring, and
# trees ask for few of the columns.
_MOST_CURVED = 100
# Interactions of up to four columns.
_TREE_DEPTH = 4
# Trees of neighbours: some to see what they are worth, others to average.
_TREES_SEEN, _TREES_KEPT = 8, 32
# The share of what is left that trees find where it is for neighbours to follow.
_MUCH = 0.02
# A target whose variance is below this share of what it came from is nothing but rounding.
_NOTHING = 1e-12
# One in so many rows, or groups of rows, chooses among guesses where the model needs none to stop.
_ONE_IN = 4


@dataclass(frozen=True, eq=False)
class Regression:
    """A function of the kept columns: a ridge or kernel regression, and trees on what it leaves.

    Or the rule by which others determine a column.
    """

    base: RidgeFit | FunctionsFit
    trees: BaseLearner | None
    trace: TrainingTrace
    neighbours: _Neighbours | None = None

    def predict(self, rows: PreparedRows) -> Vector:
        """Return the fitted values, shape (n,)."""
        values = rows.fitted(self.base)
        if self.trees is not None:
            values = values + self.trees.predict(rows.binned)
        return values if self.neighbours is None else values + self.neighbours.predict(rows)


@dataclass(frozen=True, eq=False)
class _Neighbours:
    """A share of what trees of neighbours say, which read the codes of the kept columns."""

    trees: RandomTrees
    share: float
    kept: np.ndarray

    def predict(self, rows: PreparedRows) -> Vector:
        codes = rows.binned.codes[self.kept]
        return self.share * self.trees.predict(codes.T)


@dataclass(frozen=True, eq=False)
class _Stage:
    """A regression, what it leaves of training and stopping rows, and the columns trees may use."""

    regression: Regression
    left_in_train: Vector
    left: Vector
    kept: np.ndarray


class Regressions:
    """What regressions on the kept columns share: functions, inverses and bins of all columns.

    Parameters
    ----------
    train, stopping : Rows
        No regression is on their targets.
    removal : Removal
    is_quick : bool, default False
        Whether less is spent on each, for models that are trained as fast as they predict.
    is_local : bool, default False
        Whether the model follows the nearest training rows.
    """

    def __init__(
        self,
        train: Rows,
        stopping: Rows,
        removal: Removal,
        *,
        is_quick: bool = False,
        is_local: bool = False,
    ) -> None:
        if not len(stopping):
            train, stopping = _set_aside(train)
        self.is_quick = is_quick
        self._effort = effort = QUICK if is_quick else LOCAL if is_local else THOROUGH
        self.train, self.stopping = (_at_most(rows, effort.most_rows) for rows in (train, stopping))
        self._removal = removal
        self._prepared: RowCache[PreparedRows] = RowCache()
        self._predictions: RowCache[Prediction] = RowCache()
        self.is_wide = self.train.X.shape[1] > _MOST_CURVED
        basis = self._basis = AdditiveBasis.learn(self.train.X, curved=not self.is_wide)
        self._trees = ObliviousBoosting(
            _TREE_DEPTH, effort.learning_rate, n_bins=suitable_bins(len(self.train))
        )
        self._binned = self._trees.datasets(self.train.X, self.stopping.X)
        self.train_rows, self.stopping_rows = (
            PreparedRows(rows.X, basis, binned.borders, binned)
            for rows, binned in zip((self.train, self.stopping), self._binned, strict=True)
        )
        functions, weights = self.train_rows.functions, self.train.weights
        self._ridges = Ridges(basis, functions, weights, effort.curve_penalties)
        every = -(-len(self.stopping) // _PROBED_ROWS)
        self.probed = self.stopping.at(np.arange(len(self.stopping))[::every]).X
        self._predicted: dict[BaseLearner, tuple[Prediction, Prediction, Prediction]] = {}

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
        for own in (self.train_rows, self.stopping_rows):
            if own.X is X:
                return own
        rows = self._prepared.recall(X)
        if rows is not None:
            return rows
        borders = self._binned[0].borders
        return self._prepared.keep(PreparedRows(X, self._basis, borders), X)

    def predict(self, full: BaseLearner, X: Features) -> Prediction:
        """Return what the full model predicts for a table; the last predictions are kept."""
        known = self._predictions.recall(full, X)
        return self._predictions.keep(full.predict(X), full, X) if known is None else known

    def line_guess(self, column: int) -> RidgeFit | None:
        """Return the guess of a column by lines in all others, of wide tables; None where unknown.

        Unknown are columns of levels and such with gaps.
        """
        return None if self._line_guesses is None else self._line_guesses.of_columns.get(column)

    def level_guesses(self, column: int, values: tuple[Any, ...]) -> dict[Any, RidgeFit]:
        """Return the guesses of a column's levels by lines in all others, of wide tables."""
        return {} if self._line_guesses is None else self._line_guesses.of_levels(column, values)

    @cached_property
    def _screening(self) -> Screening:
        return Screening(self._binned[0], self.train.weights)

    @cached_property
    def _line_guesses(self) -> LineGuesses | None:
        family = self._ridges.line_family
        if not self.is_wide or not family.has_inverse:
            return None
        return LineGuesses(family, self._basis, self.stopping_rows.functions, self.helps)

    def fit(
        self,
        target: Vector,
        held_out: Vector,
        removed: FeatureSet,
        *,
        ridge: RidgeFit | None = None,
        with_trees: bool = True,
        with_machine: bool = True,
        with_neighbours: bool = False,
    ) -> Regression:
        """Return the regression of a target on all columns but `removed`.

        Parameters
        ----------
        target, held_out : ndarray of shape (n_train,), (n_stopping,)
            The target on the training and the stopping rows that regressions read.
        removed : FeatureSet
        ridge : RidgeFit, optional
            The ridge regression, where it is known already.
        with_trees : bool, default True
            Whether trees are tried on what the ridge regression leaves.
        with_machine : bool, default True
            Whether a kernel regression is tried beside trees.
        with_neighbours : bool, default False
            Whether an average among neighbours is tried on what the trees leave.
        """
        ridge = self._best_ridge(target, held_out, removed) if ridge is None else ridge
        left = held_out - ridge.predict(self.stopping_rows.functions)
        scale = max(float(np.mean(np.square(held_out))), _NOTHING)
        if not with_trees or np.mean(np.square(left)) <= _NOTHING * scale:
            return Regression(ridge, None, TrainingTrace.untrained())
        stage = self._with_trees(ridge, target, held_out, removed)
        machine = None
        # What trees find, an average among neighbours follows better than a smooth function does.
        gain = 1 - np.mean(np.square(stage.left)) / np.mean(np.square(left))
        is_found = with_neighbours and gain > _MUCH
        with_machine &= len(self.train) <= MOST_TRAINING_ROWS and not self.is_quick
        if with_machine and not is_found:
            machine = self._machine(target, ridge, ~np.isin(self._basis.owner, removed))
        functions = self.stopping_rows.functions
        if machine is not None and self.helps(stage.left, held_out - machine.predict(functions)):
            stage = self._with_trees(machine, target, held_out, removed)
        if not with_neighbours:
            return stage.regression
        neighbours = self._fit_neighbours(stage.left_in_train, stage.left, stage.kept)
        return replace(stage.regression, neighbours=neighbours)

    def may_follow_a_rule(self, column: tuple[Vector, Vector], removed: FeatureSet) -> bool:
        """Return whether a column on training and stopping rows may be determined by others."""
        functions = self.train_rows.functions, self.stopping_rows.functions
        return may_follow_a_rule(functions, column, self._lines_without(removed))

    def rule(self, target: Vector, removed: FeatureSet) -> Regression:
        """Return the rule of a target, (n_train,), in all columns but `removed`."""
        places, weights = self._lines_without(removed), self.train.weights
        fit = fit_rule(self.train_rows.functions, target, places, weights)
        return Regression(fit, None, TrainingTrace.untrained())

    def places_for(self, left: Matrix, removed: FeatureSet, most: int) -> np.ndarray:
        """Return functions of the kept columns, those most correlated with what is left (n, k)."""
        kept = np.flatnonzero(~np.isin(self._basis.owner, removed))
        if len(kept) <= most:
            return kept
        weights = self.train.weights
        centred = left - np.average(left, axis=0, weights=weights)
        weighted = centred if weights is None else centred * weights[:, None]
        products = np.abs(weighted.T @ self.train_rows.functions).max(axis=0)[kept]
        return np.sort(kept[np.argsort(-products, kind="stable")[:most]])

    def _lines_without(self, removed: FeatureSet) -> np.ndarray:
        basis = self._basis
        return np.flatnonzero(basis.is_line & ~np.isin(basis.owner, removed))

    def _machine(self, target: Vector, ridge: RidgeFit, kept: np.ndarray) -> FunctionsFit | None:
        left = target - ridge.predict(self.train_rows.functions)
        return self._interplay.fit(target, ridge, left, kept)

    @cached_property
    def _interplay(self) -> Interplay:
        basis = self._basis
        functions = self.train_rows.functions
        weights, kernel_rows = self.train.weights, self._effort.kernel_rows
        return Interplay(functions, basis.owner, basis.is_line, weights, kernel_rows)

    def _with_trees(
        self,
        base: RidgeFit | FunctionsFit,
        target: Vector,
        held_out: Vector,
        removed: FeatureSet,
    ) -> _Stage:
        """Return the regression with trees on what its base leaves, where they help."""
        train, stopping = (
            Rows(
                binned.without(removed, self._removal.fill_values),
                values - base.predict(rows.functions),
                part.weights,
            )
            for binned, values, rows, part in zip(
                self._binned,
                (target, held_out),
                (self.train_rows, self.stopping_rows),
                (self.train, self.stopping),
                strict=True,
            )
        )
        kept = train.X.candidates
        trees, trace = self._fit_trees(train, stopping)
        if trees is None:
            return _Stage(Regression(base, None, trace), train.y, stopping.y, kept)
        left_in_train = train.y - trees.predict(train.X)
        left = stopping.y - trees.predict(stopping.X)
        return _Stage(Regression(base, trees, trace), left_in_train, left, kept)

    def _fit_trees(self, train: Rows, stopping: Rows) -> tuple[BaseLearner | None, TrainingTrace]:
        """Return trees on what is left, if they help, and how they were trained.

        In a wide table they ask for the columns that one split each shows to count.
        """
        if self.is_wide:
            asked = self._screening.columns(train.y, train.X.candidates)
            if not len(asked):
                return None, TrainingTrace.untrained()
            train, stopping = (replace(rows, X=rows.X.only(asked)) for rows in (train, stopping))
        trees, trace = train_until(
            self._trees.fresh(0),
            train,
            stopping,
            Patience(self._effort.patience),
            self._effort.most_trees,
        )
        helps = self.helps(stopping.y, stopping.y - trees.predict(stopping.X))
        return (trees if helps else None), trace

    def _fit_neighbours(
        self, target: Vector, held_out: Vector, kept: np.ndarray
    ) -> _Neighbours | None:
        """Return the share of an average among neighbours that the stopping rows ask for."""
        codes, others = (rows.codes[kept].T for rows in self._binned)
        weights = self.train.weights
        seen = RandomTrees.fit(codes, target, weights, n_trees=_TREES_SEEN).predict(others)
        square = float(seen @ seen)
        share = min(float(seen @ held_out) / square, 1.0) if square > 0 else 0.0
        if share <= 0 or not self.helps(held_out, held_out - share * seen):
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
        return _Neighbours(trees, share, kept)

    def _best_ridge(self, target: Vector, held_out: Vector, removed: FeatureSet) -> RidgeFit:
        """Return the plainest ridge regression that no richer one clearly improves."""
        functions = self.stopping_rows.functions
        ridge, *others = self._ridges.fits(target, removed)
        left = held_out - ridge.predict(functions)
        for fit in others:
            left_by_fit = held_out - fit.predict(functions)
            if self.helps(left, left_by_fit):
                ridge, left = fit, left_by_fit
        return ridge

    def helps(self, before: Vector, after: Vector) -> bool:
        """Return whether errors on the stopping rows fall by more than their standard error.

        The richer function has more to learn from the same rows; without clear gain it would only
        bring noise into the guess. Rows that belong together count as one: what is the same in all
        visits of a patient can be learnt by heart, and gains by chance on twenty rows at once.
        """
        gain = np.square(before) - np.square(after)
        weights = self.stopping.weights
        gain = gain if weights is None else gain * (weights / weights.mean())
        error = gain.std() / np.sqrt(len(gain))
        if self.stopping.clusters is not None:
            _, codes = np.unique(self.stopping.clusters, return_inverse=True)
            totals = np.bincount(codes, gain - gain.mean())
            error = np.linalg.norm(totals) / len(gain)
        return bool(gain.mean() > error)


def _set_aside(rows: Rows) -> tuple[Rows, Rows]:
    """Return three quarters of the rows, and the others to stop by; groups stay whole."""
    numbers = np.arange(len(rows))
    if rows.clusters is not None:
        labels, codes = np.unique(rows.clusters, return_inverse=True)
        # Too few groups to set one aside are parted.
        numbers = codes if len(labels) >= _ONE_IN else numbers
    is_stopping = numbers % _ONE_IN == _ONE_IN - 1
    return rows.at(np.flatnonzero(~is_stopping)), rows.at(np.flatnonzero(is_stopping))


def _at_most(rows: Rows, most: int) -> Rows:
    """Return at most so many rows, evenly spaced."""
    numbers = np.arange(len(rows))[:: -(-len(rows) // most)]
    return rows if len(numbers) == len(rows) else rows.at(numbers)
