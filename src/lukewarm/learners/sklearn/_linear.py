"""Linear models of scikit-learn: retrained without columns in closed form.

Least squares, ridge and logistic regression minimise a function whose Hessian H (p, p) is known, or
is known where it matters. With b the solution for all columns and O = H^-1, the solution without
the columns I is, for a parabola exactly,

    b_-I = b - O[:, I] O[I, I]^-1 b[I],

so that all of them cost one inverse. The intercept is free, so least squares and ridge work on
centred columns; logistic regression sets out from the formula (`_logistic.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from lukewarm._typing import Features, FeatureSet, Matrix, Prediction, Vector
from lukewarm.data import RowCache, Rows
from lukewarm.learners._base import Predicts
from lukewarm.learners.sklearn._downdates import as_matrix, inverse_of
from lukewarm.learners.sklearn._logistic import Logistic
from lukewarm.learners.sklearn._refit_only import RefitOnlyLearner
from lukewarm.measures import REGRESSION, Task


class LinearLearner(RefitOnlyLearner):
    """LinearRegression, Ridge or LogisticRegression, which can be refitted without columns at once.

    Settings without a closed form (several classes, no intercept, other penalties) are refitted
    like any other estimator.

    Parameters
    ----------
    estimator : LinearRegression, Ridge or LogisticRegression
    task : Task
    seed : int, default 0

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
        self._solution: tuple[Rows, _Parabola | Logistic | None] | None = None

    def refit_without(self, train: Rows, removed: FeatureSet) -> Predicts | None:
        """Return the model fitted to these rows without some columns; None without closed form."""
        # Sets of columns are refitted side by side, so what is kept is read once.
        kept = self._solution
        if kept is None or kept[0] is not train:
            kept = self._solution = (train, self._solve(train))
        return None if kept[1] is None else kept[1].without(removed)

    def _solve(self, train: Rows) -> _Parabola | Logistic | None:
        if not _has_closed_form(self.estimator, self.task):
            return None
        try:
            X = as_matrix(train.X)
        except (TypeError, ValueError):
            return None
        if not np.isfinite(X).all():
            return None
        if self.task.is_regression:
            return _Parabola.learn(X, train.y, train.weights, getattr(self.estimator, "alpha", 0.0))
        fitted = self._model
        start = None if fitted is None else (fitted.coef_[0], float(fitted.intercept_[0]))
        return Logistic.learn(X, train.y, train.weights, 1 / self.estimator.C, start)


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
        inverse = inverse_of(gram)
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

        Every set of columns is evaluated on the same rows, so this is one product for all of them.
        """
        seen = self._seen.recall(X)
        if seen is not None:
            return seen
        centred = as_matrix(X) - self._centre
        seen = centred @ self._slopes + self._level, centred @ self._inverse
        return self._seen.keep(seen, X)


def _has_closed_form(estimator: Any, task: Task) -> bool:
    # The very classes: a subclass may choose its penalty by cross-validation.
    name = type(estimator).__name__
    if not estimator.fit_intercept or task.n_targets > 1:
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
