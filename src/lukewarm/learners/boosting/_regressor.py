"""Oblivious boosting for numbers, as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any

from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from lukewarm._random import as_generator, draw_seeds
from lukewarm._typing import Vector
from lukewarm._validation import check_vector
from lukewarm.learners.boosting._estimator import ObliviousBoostingEstimator


class ObliviousBoostingRegressor(RegressorMixin, ObliviousBoostingEstimator):
    """Boosted oblivious trees for regression: SampleTree and TrainGBDT of the paper's appendix.

    Parameters
    ----------
    n_trees : int, default 200
        Trees to grow; with `patience`, the most.
    learning_rate : float, default 0.1
    depth : int, default 3
        Levels of a tree, 1 to 10.
    n_bins : int, default 128
        Bins of a feature, 2 to 255; a missing value has one more of its own.
    random_strength : float, default 0
        beta of the paper: each split is drawn with probability proportional to exp(D / beta).
        0 takes the best split, infinity any.
    l2_leaf : float, default 0
        Added to the weight of a leaf where its value and its score are taken.
    shrinkage : float, default 0
        lambda of the paper: each step first multiplies the trees so far by
        ``1 - lambda * learning_rate / N``.
    subsample, feature_fraction : float in (0, 1], default 1
        The shares of rows and of features that a tree is grown on.
    patience : int, optional
        Stop once the loss on held-out rows has not fallen for so many trees, and keep the best.
        None grows all the trees on all the rows.
    validation_fraction : float, default 0.25
        The share of rows held out when `patience` is set and `fit` gets no ``X_val``.
    n_jobs : int, optional
        Threads; None means 1, -1 all. Their number never changes a result.
    random_state : int, numpy.random.Generator or None

    Attributes
    ----------
    n_trees_ : int
    validation_losses_ : ndarray
        The held-out loss before any tree and after each; only with `patience`.
    learner_ : ObliviousBoosting
    n_features_in_, feature_names_in_

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = ObliviousBoostingRegressor(n_trees=50).fit(X, X[:, 0])
    >>> model.score(X, X[:, 0]) > 0.99
    True
    """

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None
    ) -> ObliviousBoostingRegressor:
        """Train on `X` (n, p) and `y` (n,); ``X_val`` and ``y_val`` decide when to stop.

        Parameters
        ----------
        X : table of n rows
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
        X_val, y_val : table and array-like, optional
            Rows to stop by.
        """
        X = self._check_training(X)
        target = _as_target(y, len(X))
        validation = self._check_validation(X_val, y_val)
        if validation is not None:
            validation = (validation[0], _as_target(validation[1], len(validation[0]), "y_val"))
        generator = as_generator(self.random_state)
        learner = self.make_learner(draw_seeds(generator, 1)[0])
        self._train(learner, X, target, sample_weight, validation, generator)
        return self

    def predict(self, X: Any) -> Vector:
        """Return one prediction per row."""
        check_is_fitted(self)
        return self.learner_.predict(self._check_features(X, reset=False))


def _as_target(y: Any, n_rows: int, name: str = "y") -> Vector:
    if y is None:
        raise ValueError(
            f"This estimator requires {name} to be passed, but the target {name} is None."
        )
    return check_vector(name, column_or_1d(y, warn=True), n_rows=n_rows)
