"""Kernel logistic regression that chooses everything itself, as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from lukewarm._random import as_generator
from lukewarm._typing import Features, Matrix, Prediction, Vector
from lukewarm.learners.kernel._choice import Training
from lukewarm.learners.kernel._class_search import (
    choose_for_classes,
    fit_class_machine,
    most_landmarks,
)
from lukewarm.learners.kernel._coding import Coding
from lukewarm.learners.kernel._estimator import (
    KernelMachineEstimator,
    check_given_together,
    weighted_rows,
)
from lukewarm.learners.kernel._log_loss import indicators, probabilities
from lukewarm.learners.kernel._refit import FittedRows
from lukewarm.learners.kernel._validation_rows import ValidationRows
from lukewarm.measures import Task


class KernelMachineClassifier(ClassifierMixin, KernelMachineEstimator):
    """Kernel logistic (softmax) regression with everything chosen by the data.

    Parameters
    ----------
    kernel, length_scale, penalty, ard, max_landmarks, random_state, depth, by_rank
        As in :class:`KernelMachineRegressor`; the penalty stands beside the mean log-loss.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    cv_loss_ : float
        Mean log-loss of the training rows, predicted by machines that were fitted without their
        fold (one of five); only without ``X_val``.
    validation_loss_ : float
        Mean log-loss on ``X_val``; only with it.
    kernel_, penalty_, n_landmarks_, n_features_in_, feature_names_in_
        As in :class:`KernelMachineRegressor`.

    Notes
    -----
    Kernel, scales and landmarks are chosen by the squared error of indicators of the classes,
    which has a closed form; the penalty by log-loss, and whether scales are made shorter for it.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    >>> KernelMachineClassifier(random_state=0).fit(X, y).predict([[2.0, 1.0]])
    array(['same'], dtype='<U5')
    """

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, X_val: Any = None, y_val: Any = None
    ) -> KernelMachineClassifier:
        """Train on `X` (n, p) and labels `y`; ``X_val``, ``y_val`` choose, where given.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
        X_val, y_val : array-likes of shape (m, p) and (m,), optional
            Rows that choose kernel and penalty; without them the training rows do, each by being
            left out.
        """
        settings = self.settings()
        check_given_together(X_val, y_val)
        X = self._check_training(X)
        X, labels, weights = weighted_rows(X, _as_labels(y, len(X)), sample_weight)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y must hold at least two classes; got 1 class, {self.classes_[0]!r}."
            )
        coding = Coding.learn(X, weights, by_rank=self.by_rank)
        held_out = None if X_val is None else self._held_out(coding, X_val, y_val)
        order = as_generator(self.random_state).permutation(len(codes))
        targets = indicators(codes, Task(len(self.classes_)).n_outputs)
        training = Training(coding.code(X)[order], targets[order], weights[order], held_out)
        relevance = self.finds_relevance(len(codes))
        choice = choose_for_classes(training, coding.block, relevance=relevance, **settings)
        self.machine_ = choice.machine(coding)
        self.kernel_, self.penalty_ = choice.path.basis.kernel, choice.penalty
        self.n_landmarks_ = len(self.machine_.landmarks)
        self._fitted = FittedRows(training, coding, choice.n_landmarks)
        setattr(self, "cv_loss_" if held_out is None else "validation_loss_", choice.loss)
        return self

    def refitted(
        self, X: Features, codes: Vector, weights: Vector | None
    ) -> KernelMachineClassifier:
        """Return the classifier with the same kernel and penalty on other rows of the same classes.

        Parameters
        ----------
        X : Features of shape (n, p)
        codes : ndarray of shape (n,)
            Classes by their numbers in ``classes_``.
        weights : ndarray of shape (n,), optional
        """
        check_is_fitted(self)
        X, codes, weights = weighted_rows(X, codes, weights)
        order = as_generator(self.random_state).permutation(len(codes))
        targets = indicators(codes, Task(len(self.classes_)).n_outputs)
        coding = self.machine_.coding
        training = Training(coding.code(X)[order], targets[order], weights[order])
        most = most_landmarks(len(codes), self.max_landmarks)
        n_landmarks = self._fitted.landmarks_of(len(codes), most)
        other = self._without_losses()
        path = training.path(self.kernel_, n_landmarks)
        other.machine_ = fit_class_machine(training, coding, path, self.penalty_)
        other.n_landmarks_ = len(other.machine_.landmarks)
        other._fitted = FittedRows(training, coding, n_landmarks)
        return other

    def predict_proba(self, X: Any) -> Prediction:
        """Return the probability of every class, shape (n, n_classes)."""
        check_is_fitted(self)
        shares = probabilities(self.machine_.outputs(self._check_features(X, reset=False)))
        return np.column_stack([1 - shares, shares]) if shares.ndim == 1 else shares

    def predict(self, X: Any) -> np.ndarray:
        """Return the most likely class of each row."""
        chosen = self.predict_proba(X).argmax(axis=1)
        return self.classes_[chosen]

    def _held_out(self, coding: Coding, X_val: Any, y_val: Any) -> ValidationRows:
        X = self._check_features(X_val, reset=False)
        labels = _as_labels(y_val, len(X))
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise ValueError(f"y_val holds {unknown.tolist()[0]!r}, which is not a class of y.")
        codes = np.searchsorted(self.classes_, labels)
        targets: Matrix = indicators(codes, Task(len(self.classes_)).n_outputs)
        return ValidationRows(coding.code(X), targets, np.ones(len(codes)), None)


def _as_labels(y: Any, n_rows: int) -> np.ndarray:
    labels = column_or_1d(y, warn=True)
    check_classification_targets(labels)
    check_consistent_length(labels, np.empty(n_rows))
    return labels
