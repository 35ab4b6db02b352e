"""Oblivious boosting for classes, as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from lukewarm._random import as_generator, draw_seeds
from lukewarm._typing import Prediction, RandomState, Vector
from lukewarm.learners.boosting._estimator import ObliviousBoostingEstimator


class ObliviousBoostingClassifier(ClassifierMixin, ObliviousBoostingEstimator):
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
        # scikit-learn reads the parameters off this signature, so they cannot be passed on unnamed.
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
        """Train on `X` (n, p) and labels `y` (n,); ``X_val`` and ``y_val`` decide when to stop.

        Parameters
        ----------
        X, y, sample_weight, X_val, y_val
            As for :meth:`ObliviousBoostingRegressor.fit`; y and y_val hold labels.
        """
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
        learner = self.make_learner(
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


def _as_labels(y: Any, n_rows: int) -> np.ndarray:
    labels = column_or_1d(y, warn=True)
    check_classification_targets(labels)
    check_consistent_length(labels, np.empty(n_rows))
    return labels
