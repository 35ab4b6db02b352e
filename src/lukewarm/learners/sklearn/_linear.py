"""Linear models of scikit-learn: retrained without columns in closed form.

Least squares, ridge and logistic regression minimise a function whose Hessian H (p, p) is known, or
is known where it matters. With b the solution for all columns and O = H^-1, the solution without
the columns I is, for a parabola exactly,

    b_-I = b - O[:, I] O[I, I]^-1 b[I],

so that all of them cost one inverse. The intercept is free, so least squares and ridge work on
centred columns; logistic regression has it as a column of its own, sets out from the formula and
goes on by Newton's steps with the inverse at hand, O - O[:, I] O[I, I]^-1 O[I, :], which is
computed anew only where the steps do not shrink quickly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from scipy.special import expit

from lukewarm._typing import Features, FeatureSet, Matrix, Prediction, Vector
from lukewarm.data import RowCache, Rows
from lukewarm.learners._base import Predicts
from lukewarm.learners.sklearn._refit_only import RefitOnlyLearner
from lukewarm.measures import REGRESSION, Task

# Eight digits are left of the sixteen where the reciprocal condition is above.
_SINGULAR = 1e-7
# Of the coefficients' size, in a Newton step: the next one would be rounding.
_CONVERGED = 1e-11
# Steps that shrink less than this ask for a new Hessian, which costs p gradients.
_SLOW = 0.2
# Bounds the time where steps do not shrink.
_MOST_STEPS = 50


@dataclass(frozen=True, eq=False)
class _LogisticModel:
    """The probability with log-odds intercept + X @ slopes; zero for columns left out."""

    slopes: Vector
    intercept: float

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row."""
        return expit(_as_matrix(X) @ self.slopes + self.intercept)


class LinearLearner(RefitOnlyLearner):
    """LinearRegression, Ridge or LogisticRegression, which can be refitted without columns at once.

    Settings without a closed form (several classes, no intercept, other penalties) are refitted
    like any other estimator.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> rows = Rows(X, X[:, 0] + X[:, 1])
    >>> model = LinearLearner(Ridge()).refit_without(rows, (1,))
    >>> again = Ridge().fit(X[:, [0, 2]], rows.y)
    >>> bool(np.allclose(model.predict(X), again.predict(X[:, [0, 2]]), atol=1e-8))
    True
    """

    def __init__(self, estimator: Any, *, task: Task = REGRESSION, seed: int = 0) -> None:
        super().__init__(estimator, task=task, seed=seed)
        self._solution: tuple[Rows, _Parabola | _Logistic | None] | None = None

    def refit_without(self, train: Rows, removed: FeatureSet) -> Predicts | None:
        """Return the model fitted to these rows without some columns; None without closed form."""
        # Sets of columns are refitted side by side, so what is kept is read once.
        kept = self._solution
        if kept is None or kept[0] is not train:
            kept = self._solution = (train, self._solve(train))
        return None if kept[1] is None else kept[1].without(removed)

    def _solve(self, train: Rows) -> _Parabola | _Logistic | None:
        if not _has_closed_form(self.estimator, self.task):
            return None
        try:
            X = _as_matrix(train.X)
        except (TypeError, ValueError):
            return None
        if not np.isfinite(X).all():
            return None
        if self.task.is_regression:
            return _Parabola.learn(X, train.y, train.weights, getattr(self.estimator, "alpha", 0.0))
        weights = np.ones(len(X)) if train.weights is None else train.weights
        return _Logistic.learn(X, train.y, weights, 1 / self.estimator.C)


@dataclass(frozen=True, eq=False)
class _DowndatedModel:
    """A least-squares model without columns: the full one minus a multiple of known columns."""

    full: _Parabola
    columns: list[int]
    taken: Vector

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row."""
        prediction, moved = self.full.seen(X)
        return prediction - moved[:, self.columns] @ self.taken


class _Parabola:
    """Least squares with a ridge on the slopes."""

    def __init__(self, centre: Vector, level: float, inverse: Matrix, slopes: Vector) -> None:
        self._centre = centre
        self._level = level
        self._inverse = inverse
        self._slopes = slopes
        self._seen: RowCache[tuple[Vector, Matrix]] = RowCache()

    @classmethod
    def learn(
        cls, X: Matrix, y: Vector, weights: Vector | None, penalty: float
    ) -> _Parabola | None:
        """Return the solution for all columns; None where they are too nearly dependent."""
        centre, level = np.average(X, axis=0, weights=weights), np.average(y, weights=weights)
        centred, target = X - centre, y - level
        if weights is not None:
            centred, target = np.sqrt(weights)[:, np.newaxis] * centred, np.sqrt(weights) * target
        gram = centred.T @ centred
        gram[np.diag_indices_from(gram)] += penalty
        inverse = _inverse(gram)
        if inverse is None:
            return None
        slopes = inverse @ (centred.T @ target)
        return cls(centre, float(level), inverse, slopes)

    def without(self, removed: FeatureSet) -> _DowndatedModel:
        columns = list(removed)
        part = self._inverse[np.ix_(columns, columns)]
        return _DowndatedModel(self, columns, linalg.solve(part, self._slopes[columns]))

    def seen(self, X: Features) -> tuple[Vector, Matrix]:
        """Return the predictions for all columns, and the rows times the inverse.

        Every set of columns is judged by the same rows, so this is one product for all of them.
        """
        seen = self._seen.recall(X)
        if seen is not None:
            return seen
        centred = _as_matrix(X) - self._centre
        seen = centred @ self._slopes + self._level, centred @ self._inverse
        return self._seen.keep(seen, X)


class _Logistic:
    """Logistic regression with a ridge on the slopes; the intercept is the last coefficient."""

    def __init__(self, X: Matrix, y: Vector, weights: Vector, penalty: float) -> None:
        # Centred and scaled columns: a well conditioned Hessian.
        self._centre, self._spread = X.mean(axis=0), X.std(axis=0)
        self._spread[self._spread == 0] = 1.0
        ones = np.ones((len(X), 1))
        self._X = np.hstack([(X - self._centre) / self._spread, ones])
        self._y, self._weights = y, weights
        self._penalty = np.append(penalty / np.square(self._spread), 0.0)
        self._coefficients = np.zeros(X.shape[1] + 1)
        self._inverse = np.zeros((0, 0))

    @classmethod
    def learn(cls, X: Matrix, y: Vector, weights: Vector, penalty: float) -> _Logistic | None:
        """Return the solution for all columns; None where Newton's method does not find it."""
        solution = cls(X, y, weights, penalty)
        start = _inverse(solution._hessian(solution._coefficients))
        found = None if start is None else solution._newton(solution._coefficients, start, [])
        if found is None:
            return None
        solution._coefficients = found
        inverse = _inverse(solution._hessian(found))
        if inverse is None:
            return None
        solution._inverse = inverse
        return solution

    def without(self, removed: FeatureSet) -> _LogisticModel | None:
        columns = list(removed)
        start = _downdated(self._coefficients, self._inverse, columns)
        inverse = _downdated_inverse(self._inverse, columns)
        found = self._newton(start, inverse, columns)
        if found is None:
            return None
        slopes = found[:-1] / self._spread
        return _LogisticModel(slopes, float(found[-1] - self._centre @ slopes))

    def _newton(self, start: Vector, inverse: Matrix, removed: list[int]) -> Vector | None:
        coefficients, last, is_current = start, np.inf, False
        for _ in range(_MOST_STEPS):
            gradient = self._gradient(coefficients)
            gradient[removed] = 0.0
            step = inverse @ gradient
            size = float(np.abs(step).max())
            if size > _SLOW * last and not is_current:
                renewed = _inverse(self._hessian(coefficients), removed)
                if renewed is None:
                    return None
                inverse, is_current = renewed, True
                step = inverse @ gradient
                size = float(np.abs(step).max())
            else:
                is_current = False
            coefficients = coefficients - step
            if size <= _CONVERGED * (1 + float(np.abs(coefficients).max())):
                return coefficients
            last = size
        return None

    def _gradient(self, coefficients: Vector) -> Vector:
        error = self._weights * (expit(self._X @ coefficients) - self._y)
        return self._X.T @ error + self._penalty * coefficients

    def _hessian(self, coefficients: Vector) -> Matrix:
        probability = expit(self._X @ coefficients)
        scaled = np.sqrt(self._weights * probability * (1 - probability))[:, np.newaxis] * self._X
        return scaled.T @ scaled + np.diag(self._penalty)


def _has_closed_form(estimator: Any, task: Task) -> bool:
    # The very classes: a subclass may choose its penalty by cross-validation.
    name = type(estimator).__name__
    if not estimator.fit_intercept:
        return False
    if name in ("LinearRegression", "Ridge"):
        is_number = np.isscalar(getattr(estimator, "alpha", 0.0))
        return task.is_regression and is_number and not estimator.positive
    return (
        name == "LogisticRegression"
        and task.n_classes == 2
        and estimator.solver != "liblinear"  # it shrinks the intercept, too
        and getattr(estimator, "penalty", "l2") in ("l2", "deprecated")
        and not estimator.l1_ratio
        and estimator.class_weight is None
        and np.isfinite(estimator.C)
    )


def _inverse(matrix: Matrix, removed: list[int] | None = None) -> Matrix | None:
    """Return the inverse, zero in the removed rows and columns; None where nearly singular."""
    kept = np.setdiff1d(np.arange(len(matrix)), removed or [])
    part = matrix[np.ix_(kept, kept)]
    scale = np.sqrt(np.diag(part))
    if not (scale > 0).all():
        return None
    scaled = part / np.outer(scale, scale)
    eigenvalues, vectors = linalg.eigh(scaled)
    if eigenvalues[0] < _SINGULAR * eigenvalues[-1]:
        return None
    inverse = np.zeros_like(matrix)
    inverse[np.ix_(kept, kept)] = (vectors / eigenvalues) @ vectors.T / np.outer(scale, scale)
    return inverse


def _downdated(coefficients: Vector, inverse: Matrix, columns: list[int]) -> Vector:
    part = inverse[np.ix_(columns, columns)]
    slopes = coefficients - inverse[:, columns] @ linalg.solve(part, coefficients[columns])
    slopes[columns] = 0.0
    return slopes


def _downdated_inverse(inverse: Matrix, columns: list[int]) -> Matrix:
    part = inverse[np.ix_(columns, columns)]
    left = inverse - inverse[:, columns] @ linalg.solve(part, inverse[columns])
    left[columns], left[:, columns] = 0.0, 0.0
    return left


def _as_matrix(X: Features) -> Matrix:
    return np.asarray(X, dtype=float)
