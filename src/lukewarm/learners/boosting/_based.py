"""Trees on an additive base: what lines and curves explain is not left to steps."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from lukewarm._typing import Features, FeatureSet, Matrix, Prediction, Vector
from lukewarm._validation import check_choice
from lukewarm.learners.additive import AdditiveBasis, RidgeFamily, RidgeFit
from lukewarm.learners.boosting._learner import ObliviousBoosting
from lukewarm.learners.boosting._rows import BinnedRows
from lukewarm.measures import mean_squared_error

BASES = ("none", "linear", "additive")
# In rows: lines are known from few of them, curves need more to be told from noise.
_PENALTY = {"linear": 1.0, "additive": 10.0}


@dataclass(frozen=True, eq=False)
class _BasedRows:
    """Rows as bin codes for the trees and as functions for the base."""

    binned: BinnedRows
    functions: Matrix
    owner: np.ndarray

    def __len__(self) -> int:
        return len(self.functions)

    def without(self, removed: FeatureSet, fill_values: tuple[Any, ...]) -> _BasedRows:
        """Return these rows with the columns in `removed` held at what they are on average."""
        # A function is zero at its mean; the base was fitted to functions centred there.
        functions = np.where(np.isin(self.owner, removed), 0.0, self.functions)
        return _BasedRows(self.binned.without(removed, fill_values), functions, self.owner)


class BasedBoosting:
    """Boosted oblivious trees on a ridge regression; a learner for regression.

    The base is fitted in closed form before the first tree. Trees approximate a line by steps and
    stop at the last row; on a base they only add what it leaves.

    Parameters
    ----------
    base : {"none", "linear", "additive"}, default "additive"
        What is below the trees: nothing, a ridge regression on the columns, or one on the columns,
        their squares and hinges at their quantiles.
    **settings
        Those of :class:`ObliviousBoosting`.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> learner = BasedBoosting("linear")
    >>> learner.advance(X, 2 * X[:, 0], n_steps=1)
    >>> bool(np.abs(learner.predict(X) - 2 * X[:, 0]).max() < 0.1)
    True
    """

    patience = 50
    max_steps = 2000
    stride = 1.5
    accepts_missing = True
    accepts_categories = True
    n_classes = None

    def __init__(self, base: str = "additive", **settings: Any) -> None:
        self.base = check_choice("base", base, BASES)
        self._trees = ObliviousBoosting(**settings)
        self._basis: AdditiveBasis | None = None
        self._fit: RidgeFit | None = None

    @property
    def block_size(self) -> int:
        """Trees worth growing in one call."""
        return self._trees.block_size

    @property
    def n_steps(self) -> int:
        """Trees grown so far."""
        return self._trees.n_steps

    def fresh(self, seed: int) -> BasedBoosting:
        """Return an untrained learner with the same settings."""
        other = copy(self)
        other._trees = self._trees.fresh(seed)
        other._basis = other._fit = None
        return other

    def copy(self, seed: int | None = None) -> BasedBoosting:
        """Return an independent learner that stands where this one stands."""
        other = copy(self)
        other._trees = self._trees.copy(seed)
        return other

    def lengthen_steps(self, factor: float) -> None:
        """Multiply the learning rate of further trees by `factor`."""
        self._trees.lengthen_steps(factor)

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the mean squared error."""
        return mean_squared_error(y, prediction, weights)

    def bind(self, X_train: Features, *others: Features) -> tuple[_BasedRows, ...]:
        """Return all the tables as bin codes and functions."""
        tables = (X_train, *others)
        if self._basis is None and self.base != "none":
            self._basis = AdditiveBasis.learn(X_train, curved=self.base == "additive")
        owner = np.zeros(0, dtype=int) if self._basis is None else self._basis.owner
        return tuple(
            _BasedRows(binned, self._functions(X), owner)
            for binned, X in zip(self._trees.bind(*tables), tables, strict=True)
        )

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Grow `n_steps` further trees on what the base leaves of these rows."""
        if n_steps == 0:
            return
        if not isinstance(X, _BasedRows):
            X = self.bind(X)[0]
        if self._fit is None:
            self._fit = self._fitted(X, y, weights)
        residual = y - self._fit.predict(X.functions)
        self._trees.advance(X.binned, residual, n_steps, weights)

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row."""
        if self._fit is None:
            return np.zeros(len(X))
        if isinstance(X, _BasedRows):
            return self._fit.predict(X.functions) + self._trees.predict(X.binned)
        return self._fit.predict(self._functions(X)) + self._trees.predict(X)

    def predict_filled(self, X: Features, fills: Sequence[dict[int, Any]]) -> list[Prediction]:
        """Return the predictions for the table `X` with the values of each fill in its columns."""
        if self._fit is None:
            return [self.predict(X)] * len(fills)
        functions = self._functions(X)
        base, slopes = self._fit.predict(functions), self._fit.coefficients
        predictions = [base + each for each in self._trees.predict_filled(X, fills)]
        if self._basis is None:
            return predictions
        for number, values in enumerate(fills):
            places, changed = self._basis.functions_of(X, values)
            predictions[number] += (changed - functions[:, places]) @ slopes[places]
        return predictions

    def rewind(self, step: int) -> None:
        """Go back to the model after `step` trees, exactly."""
        self._trees.rewind(step)
        if step == 0:
            self._fit = None

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`."""
        rows = X if isinstance(X, _BasedRows) else self.bind(X)[0]
        stages = self._trees.staged_predict(rows.binned, first_step)
        if self._fit is None:
            return stages
        stages = stages + self._fit.predict(rows.functions)
        if first_step == 0:
            # Before the first step there is no base either.
            stages[0] = 0.0
        return stages

    def _functions(self, X: Features) -> Matrix:
        return np.zeros((len(X), 0)) if self._basis is None else self._basis.transform(X)

    def _fitted(self, rows: _BasedRows, y: Vector, weights: Vector | None) -> RidgeFit:
        if self.base == "none":
            return RidgeFit(0.0, np.zeros(0))
        family = RidgeFamily(rows.functions, (_PENALTY[self.base],), weights)
        return family.fit(y, np.ones(rows.functions.shape[1], dtype=bool), 0)
