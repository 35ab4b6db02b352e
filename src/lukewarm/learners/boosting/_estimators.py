"""Oblivious boosting as scikit-learn estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from lukewarm._random import as_generator, draw_seeds
from lukewarm._typing import Features, Prediction, RandomState, Vector
from lukewarm._validation import check_count, check_fraction, check_vector, check_weights
from lukewarm.data import Rows
from lukewarm.learners._training import train_until
from lukewarm.learners.boosting._learner import ObliviousBoosting
from lukewarm.stopping import Patience

_LEARNER_PARAMETERS = (
    "depth",
    "learning_rate",
    "n_bins",
    "random_strength",
    "l2_leaf",
    "shrinkage",
    "subsample",
    "feature_fraction",
)


class _ObliviousBoostingEstimator(BaseEstimator):
    """What the regressor and the classifier share."""

    def __init__(
        self,
        n_trees: int = 200,
        learning_rate: float = 0.1,
        depth: int = 3,
        n_bins: int = 128,
        random_strength: float = 0.0,
        l2_leaf: float = 0.0,
        shrinkage: float = 0.0,
        subsample: float = 1.0,
        feature_fraction: float = 1.0,
        patience: int | None = None,
        validation_fraction: float = 0.25,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_trees = n_trees
        self.learning_rate = learning_rate
        self.depth = depth
        self.n_bins = n_bins
        self.random_strength = random_strength
        self.l2_leaf = l2_leaf
        self.shrinkage = shrinkage
        self.subsample = subsample
        self.feature_fraction = feature_fraction
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _make_learner(self, seed: int, **others: Any) -> ObliviousBoosting:
        settings = {name: getattr(self, name) for name in _LEARNER_PARAMETERS}
        n_threads = effective_n_jobs(self.n_jobs)
        return ObliviousBoosting(**settings, n_threads=n_threads, seed=seed, **others)

    def _train(
        self,
        learner: Any,
        X: Features,
        y: Vector,
        sample_weight: Any,
        validation: tuple[Features, Vector] | None,
        generator: np.random.Generator,
    ) -> None:
        """Set `learner_` to the learner trained on these rows, or on part of them till it stops."""
        n_trees = check_count("n_trees", self.n_trees)
        weights = check_weights(sample_weight, len(y))
        if weights is not None and not weights.all():
            # A row without weight must not move a border either.
            X, y, weights = _take(X, weights > 0), y[weights > 0], weights[weights > 0]
        if self.patience is None:
            (rows,) = learner.bind(X)
            learner.advance(rows, y, n_trees, weights)
            self.learner_ = learner
            return
        train, stopping = Rows(X, y, weights), Rows(*validation) if validation else None
        if stopping is None:
            train, stopping = self._hold_out(train, generator)
        bound_train, bound_stopping = learner.bind(train.X, stopping.X)
        learner, trace = train_until(
            learner,
            Rows(bound_train, train.y, train.weights),
            Rows(bound_stopping, stopping.y, stopping.weights),
            Patience(self.patience),
            n_trees,
        )
        self.learner_ = learner
        self.validation_losses_ = trace.losses

    def _hold_out(self, rows: Rows, generator: np.random.Generator) -> tuple[Rows, Rows]:
        share = check_fraction("validation_fraction", self.validation_fraction)
        n_rows = len(rows)
        if n_rows < 2:
            raise ValueError(
                "patience needs at least 2 samples, one of them to stop by; got 1 sample. Pass "
                "X_val and y_val, or patience=None."
            )
        n_stopping = min(max(round(share * n_rows), 1), n_rows - 1)
        order = generator.permutation(n_rows)
        parts = (np.sort(order[n_stopping:]), np.sort(order[:n_stopping]))
        train, stopping = (
            Rows(
                _take(rows.X, part),
                rows.y[part],
                None if rows.weights is None else rows.weights[part],
            )
            for part in parts
        )
        return train, stopping

    def _check_features(self, X: Any, *, reset: bool) -> Features:
        """Return a frame with categories as it is, anything else as a float matrix."""
        if isinstance(X, pd.DataFrame) and self._keeps_frame(X, reset):
            _check_feature_names(self, X, reset=reset)
            _check_n_features(self, X, reset=reset)
            return X
        return validate_data(
            self, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )

    def _keeps_frame(self, X: pd.DataFrame, reset: bool) -> bool:
        if reset:
            return not all(pd.api.types.is_numeric_dtype(dtype) for dtype in X.dtypes)
        return self._has_categories

    def _check_validation(self, X_val: Any, y_val: Any) -> tuple[Features, Any] | None:
        if (X_val is None) != (y_val is None):
            raise ValueError("X_val and y_val must be given together, or neither.")
        if X_val is None:
            return None
        if self.patience is None:
            raise ValueError(
                "X_val and y_val serve to stop early; set patience, or leave them out."
            )
        return self._check_features(X_val, reset=False), y_val

    def _check_training(self, X: Any) -> Features:
        X = self._check_features(X, reset=True)
        self._has_categories = isinstance(X, pd.DataFrame)
        return X

    @property
    def n_trees_(self) -> int:
        """Trees of the fitted model; fewer than `n_trees` where it stopped early."""
        check_is_fitted(self)
        return self.learner_.n_steps


class ObliviousBoostingRegressor(RegressorMixin, _ObliviousBoostingEstimator):
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
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = ObliviousBoostingRegressor(n_trees=50).fit(X, X[:, 0])
    >>> model.score(X, X[:, 0]) > 0.99
    True
    """

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None
    ) -> ObliviousBoostingRegressor:
        """Train on `X` (n, p) and `y` (n,); ``X_val`` and ``y_val`` decide when to stop."""
        X = self._check_training(X)
        target = _as_target(y, len(X))
        validation = self._check_validation(X_val, y_val)
        if validation is not None:
            validation = (validation[0], _as_target(validation[1], len(validation[0]), "y_val"))
        generator = as_generator(self.random_state)
        learner = self._make_learner(draw_seeds(generator, 1)[0])
        self._train(learner, X, target, sample_weight, validation, generator)
        return self

    def predict(self, X: Any) -> Vector:
        """Return one prediction per row."""
        check_is_fitted(self)
        return self.learner_.predict(self._check_features(X, reset=False))


class ObliviousBoostingClassifier(ClassifierMixin, _ObliviousBoostingEstimator):
    """Boosted oblivious trees for two or more classes.

    All classes of a problem share each tree's splits; a leaf has a value for every class.

    Parameters
    ----------
    objective : {"log_loss", "squared_error"}, default "log_loss"
        What the trees minimise; the squared error is that of the probabilities.
    n_trees, learning_rate, depth, n_bins, random_strength, l2_leaf, shrinkage, subsample,
    feature_fraction, patience, validation_fraction, n_jobs, random_state
        As in :class:`ObliviousBoostingRegressor`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_trees_, validation_losses_, learner_, n_features_in_, feature_names_in_
        As in :class:`ObliviousBoostingRegressor`.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = np.where(X[:, 0] > 0, "warm", "cold")
    >>> model = ObliviousBoostingClassifier(n_trees=20).fit(X, y)
    >>> model.predict([[2.0, 0.0]])
    array(['warm'], dtype='<U4')
    """

    def __init__(
        self,
        objective: str = "log_loss",
        n_trees: int = 200,
        learning_rate: float = 0.1,
        depth: int = 3,
        n_bins: int = 128,
        random_strength: float = 0.0,
        l2_leaf: float = 0.0,
        shrinkage: float = 0.0,
        subsample: float = 1.0,
        feature_fraction: float = 1.0,
        patience: int | None = None,
        validation_fraction: float = 0.25,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(
            n_trees=n_trees,
            learning_rate=learning_rate,
            depth=depth,
            n_bins=n_bins,
            random_strength=random_strength,
            l2_leaf=l2_leaf,
            shrinkage=shrinkage,
            subsample=subsample,
            feature_fraction=feature_fraction,
            patience=patience,
            validation_fraction=validation_fraction,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.objective = objective

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None
    ) -> ObliviousBoostingClassifier:
        """Train on `X` (n, p) and labels `y` (n,); ``X_val`` and ``y_val`` decide when to stop."""
        X = self._check_training(X)
        labels = _as_labels(y, len(X))
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y must hold at least two classes; got 1 class, {self.classes_[0]!r}."
            )
        validation = self._check_validation(X_val, y_val)
        if validation is not None:
            validation = (validation[0], self._codes_of(validation[1], len(validation[0])))
        generator = as_generator(self.random_state)
        learner = self._make_learner(
            draw_seeds(generator, 1)[0], objective=self.objective, n_classes=len(self.classes_)
        )
        self._train(learner, X, codes.astype(float), sample_weight, validation, generator)
        return self

    def predict_proba(self, X: Any) -> Prediction:
        """Return the probability of every class, shape (n, n_classes)."""
        check_is_fitted(self)
        probabilities = self.learner_.predict(self._check_features(X, reset=False))
        if probabilities.ndim == 1:
            return np.column_stack([1 - probabilities, probabilities])
        return probabilities

    def predict(self, X: Any) -> np.ndarray:
        """Return the most likely class of each row."""
        chosen = self.predict_proba(X).argmax(axis=1)
        return self.classes_[chosen]

    def _codes_of(self, y_val: Any, n_rows: int) -> Vector:
        labels = _as_labels(y_val, n_rows)
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise ValueError(f"y_val holds {unknown[0]!r}, which is not a class of y.")
        return np.searchsorted(self.classes_, labels).astype(float)


def learner_of_boosting(
    estimator: _ObliviousBoostingEstimator, *, n_classes: int | None, seed: int
) -> ObliviousBoosting:
    """Return an untrained learner with an estimator's settings; `n_trees` is its `max_steps`."""
    others: dict[str, Any] = {"n_classes": n_classes}
    if isinstance(estimator, ObliviousBoostingClassifier):
        others["objective"] = estimator.objective
    learner = estimator._make_learner(seed, **others)
    learner.max_steps = check_count("n_trees", estimator.n_trees)
    if estimator.patience is not None:
        learner.patience = check_count("patience", estimator.patience)
    return learner


def _as_target(y: Any, n_rows: int, name: str = "y") -> Vector:
    if y is None:
        raise ValueError(
            f"This estimator requires {name} to be passed, but the target {name} is None."
        )
    return check_vector(name, column_or_1d(y, warn=True), n_rows=n_rows)


def _as_labels(y: Any, n_rows: int) -> np.ndarray:
    labels = column_or_1d(y, warn=True)
    check_classification_targets(labels)
    check_consistent_length(labels, np.empty(n_rows))
    return labels


def _take(X: Features, rows: np.ndarray) -> Features:
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
