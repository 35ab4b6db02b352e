"""Kernel ridge regression that chooses everything itself, as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from lukewarm._random import as_generator
from lukewarm._typing import Features, Vector
from lukewarm._validation import check_count, check_vector
from lukewarm.learners.kernel._choice import Choice, Training, choose_penalty
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._estimator import (
    KernelMachineEstimator,
    check_given_together,
    weighted_rows,
)
from lukewarm.learners.kernel._refit import FittedRows
from lukewarm.learners.kernel._search import choose
from lukewarm.learners.kernel._validation_rows import ValidationRows


class KernelMachineRegressor(RegressorMixin, KernelMachineEstimator):
    """Kernel ridge regression with its kernel, scales, penalty and landmarks chosen by the data.

    Parameters
    ----------
    kernel : str, default "auto"
        "linear", "rbf", "laplace", "polynomial" (of degree 2), the sums "rbf+linear" and
        "laplace+linear", or "auto", which compares them. "ntk", which "auto" leaves out: the
        tangent kernel of ReLU networks of infinite width.
    length_scale : float, optional
        The same for all columns, in units of the rows' spread: at 1 the RBF kernel of two typical
        rows is 1 / e. None compares several.
    penalty : float, optional
        Of the squared norm, beside the *mean* squared error. None compares many.
    ard : bool or "auto", default "auto"
        Whether every column may have a length scale and a slope of its own, by marginal
        likelihood; they are kept where they predict better. "auto": from 40 rows on, unless
        `length_scale` is given.
    max_landmarks : int, default 2000
        With more training rows than this, as many of them stand for all; fewer, where twice the
        number hardly helps. With at least as many as rows, and the help, the machine is exact.
    random_state : int, numpy.random.Generator or None
        Draws the rows that become landmarks.
    depth : int, optional
        Hidden layers of the networks that "ntk" stands for. None compares 1, 2 and 3.
    by_rank : bool, default False
        Whether columns with heavy tails (incomes, counts of all sizes) count by their ranks, as a
        normal column would have them.

    Attributes
    ----------
    loo_loss_ : float
        Mean squared error of the training rows, each predicted by the machine without it (at most
        5,000 of them); only without ``X_val``. Rows that tuned length scales of single columns (up
        to 1,000) make it somewhat too low.
    validation_loss_ : float
        Mean squared error on ``X_val``; only with it.
    kernel_ : Kernel
        Shape, inverse length scales and slopes of the coded columns.
    penalty_ : float
    n_landmarks_ : int
    n_features_in_, feature_names_in_

    Notes
    -----
    Columns are brought to unit spread, far tails clipped. The levels of a category are indicators
    of one length scale (an overlap kernel); a gap takes the mean and is flagged by a column of its
    own. Weights count relative to their mean.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = KernelMachineRegressor(random_state=0).fit(X, X[:, 0] * X[:, 1])
    >>> model.score(X, X[:, 0] * X[:, 1]) > 0.99
    True
    """

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None
    ) -> KernelMachineRegressor:
        """Train on `X` (n, p) and `y` (n,); ``X_val``, ``y_val`` choose, where they are given.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
        X_val, y_val : array-likes of shape (m, p) and (m,), optional
            Rows that choose kernel and penalty; without them the training rows do, each by being
            left out.
        """
        settings = self.settings()
        check_given_together(X_val, y_val)
        X = self._check_training(X)
        X, target, weights = weighted_rows(X, _as_target(y, len(X)), sample_weight)
        coding = Coding.learn(X, weights, by_rank=self.by_rank)
        held_out = None if X_val is None else self._held_out(coding, X_val, y_val)
        order = as_generator(self.random_state).permutation(len(target))
        training = Training(coding.code(X)[order], target[order, None], weights[order], held_out)
        relevance = self.finds_relevance(len(target))
        choice = choose(training, coding.block, relevance=relevance, **settings)
        self._take(choice, training, coding)
        setattr(self, "loo_loss_" if held_out is None else "validation_loss_", choice.loss)
        return self

    def refitted(self, X: Features, y: Vector, weights: Vector | None) -> KernelMachineRegressor:
        """Return the regressor with the same kernel on other rows; the penalty is chosen anew.

        Parameters
        ----------
        X : Features of shape (n, p)
        y : ndarray of shape (n,)
        weights : ndarray of shape (n,), optional
        """
        check_is_fitted(self)
        X, target, weights = weighted_rows(X, y, weights)
        order = as_generator(self.random_state).permutation(len(target))
        rows, coding = self.machine_.coding.code(X)[order], self.machine_.coding
        training = Training(rows, target[order, None], weights[order])
        n_landmarks = self._fitted.landmarks_of(len(target), self.max_landmarks)
        other = self._without_losses()
        other._take(choose_penalty(training, self.kernel_, n_landmarks, None), training, coding)
        return other

    def _take(self, choice: Choice, training: Training, coding: Coding) -> None:
        self.machine_ = choice.machine(coding)
        self.kernel_, self.penalty_ = choice.kernel, choice.penalty
        self.n_landmarks_ = len(self.machine_.landmarks)
        self._fitted = FittedRows(training, coding, choice.n_landmarks)

    def predict(self, X: Any) -> Vector:
        """Return one prediction per row."""
        check_is_fitted(self)
        return self.machine_.outputs(self._check_features(X, reset=False))[:, 0]

    def without(self, *columns: int | str) -> KernelMachineRegressor:
        """Return the regressor refitted without some columns, at the same kernel and scales.

        It takes tables with all columns and does not read those removed: they are replaced by the
        best linear guess from the others, so that a column can replace another that had no
        part while both were there. The refit is in closed form; the penalty is chosen anew where
        that is cheap (up to 600 landmarks).

        Parameters
        ----------
        *columns : int or str
            Numbers, or names where the regressor was fitted on a frame.

        Examples
        --------
        >>> X = np.random.default_rng(0).normal(size=(100, 2))
        >>> model = KernelMachineRegressor(random_state=0).fit(X, X[:, 0] + X[:, 1])
        >>> round(model.score(X, X[:, 1]), 1), model.without(0).score(X, X[:, 1]) > 0.9
        (-0.0, True)
        """
        check_is_fitted(self)
        removed = [self._position(column) for column in columns]
        # The refit is not evaluated again in every case; the full model's loss is not its own.
        reduced = self._without_losses()
        if self._fitted.is_used(removed, self.kernel_):
            refit = self._fitted.without(removed, self.kernel_, self.penalty_)
            reduced.machine_, reduced.penalty_ = refit
        reduced.n_landmarks_ = len(reduced.machine_.landmarks)
        reduced.kernel_ = reduced.machine_.kernel
        return reduced

    def _position(self, column: int | str) -> int:
        if isinstance(column, str):
            names = list(getattr(self, "feature_names_in_", ()))
            if column not in names:
                raise ValueError(f"columns must be among {names}; got {column!r}.")
            return names.index(column)
        return check_count("columns", column, minimum=0, maximum=self.n_features_in_ - 1)

    def _held_out(self, coding: Coding, X_val: Any, y_val: Any) -> ValidationRows:
        X: Features = self._check_features(X_val, reset=False)
        target = _as_target(y_val, len(X), "y_val")
        return ValidationRows(coding.code(X), target[:, None], np.ones(len(target)), None)


def _as_target(y: Any, n_rows: int, name: str = "y") -> Vector:
    if y is None:
        raise ValueError(
            f"This estimator requires {name} to be passed, but the target {name} is None."
        )
    return check_vector(name, column_or_1d(y, warn=True), n_rows=n_rows)
