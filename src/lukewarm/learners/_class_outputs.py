"""What a classifier says of a class: probabilities, scores or labels, brought to probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, softmax

from lukewarm._typing import Features, Matrix, Prediction, Vector
from lukewarm.measures import Task

# As good as no penalty on the slope of the scores, and a finite slope where they separate classes.
_WEAK_PENALTY = 1e6
# Scores of rows that trained a model nearly separate several classes: that takes hundreds of steps.
_MOST_STEPS = 10_000


def class_output(model: Any) -> str | None:
    """Return what a classifier gives: "scores" or "labels"; None for probabilities of its own.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.svm import SVC
    >>> class_output(SVC()), class_output(LogisticRegression())
    ('scores', None)
    """
    if hasattr(model, "predict_proba"):
        return None
    return "scores" if hasattr(model, "decision_function") else "labels"


class ScoredClassifier:
    """A fitted classifier with scores only, as one with probabilities.

    Parameters
    ----------
    model : object with decision_function

    Notes
    -----
    Platt's map: the log-odds are linear in the scores, with coefficients learnt by `calibrate`.
    Before that they are the scores themselves.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self._map: Any = None

    def calibrate(self, X: Features, y: Vector, weights: Vector | None = None) -> None:
        """Learn from the class codes `y` of these rows what a score is worth."""
        # Here, so that fits without such a model do not wait for the import.
        from sklearn.linear_model import LogisticRegression

        self._map = LogisticRegression(C=_WEAK_PENALTY, max_iter=_MOST_STEPS).fit(
            self._scores(X), y.astype(int), sample_weight=weights
        )

    def predict_proba(self, X: Features) -> Matrix:
        """Return the probabilities of the classes, shape (n, n_classes)."""
        scores = self._scores(X)
        if self._map is not None:
            return self._map.predict_proba(scores)
        if scores.shape[1] > 1:
            return softmax(scores, axis=1)
        return np.column_stack([1 - expit(scores), expit(scores)])

    def _scores(self, X: Features) -> Matrix:
        return np.asarray(self.model.decision_function(X), dtype=float).reshape(len(X), -1)


def certain_of_labels(model: Any, X: Features, task: Task) -> Prediction:
    """Return the predicted labels as probabilities of 0 and 1, in our shape."""
    labels = np.asarray(model.predict(X)).reshape(len(X))
    codes = np.searchsorted(getattr(model, "classes_", task.codes), labels)
    return task.as_prediction(np.eye(len(task.codes))[codes])
