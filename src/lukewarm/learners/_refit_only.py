"""Any other estimator: it can be trained as a whole, not a step at a time."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV

from lukewarm._typing import Features, Prediction, Vector
from lukewarm.learners._class_outputs import ScoredClassifier, certain_of_labels, class_output
from lukewarm.learners._fitted import as_seen, check_fitted
from lukewarm.learners._sklearn_epochs import (
    prediction_of,
    sample_weight_option,
    untrained_prediction,
)
from lukewarm.learners._task import cannot_go_on, check_task
from lukewarm.measures import mean_log_loss, mean_squared_error

_FOLDS = 5


class RefitOnlyLearner:
    """An estimator that is trained in one step, the whole fit.

    It serves projection, dropout and retraining. It cannot be warm-started: advancing a copy of a
    trained one raises a TypeError.

    Parameters
    ----------
    estimator : estimator with fit and predict
        Cloned, never changed. Of a classifier without predict_proba the scores are brought to
        probabilities by Platt's map, cross-fitted; labels are probabilities of 0 and 1.
    n_classes : int, optional
        None for regression.
    seed : int, default 0
        Set as ``random_state`` where the estimator has one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> learner = RefitOnlyLearner(LinearRegression())
    >>> learner.advance(X, X[:, 0], 1)
    >>> bool(np.allclose(learner.predict(X), X[:, 0]))
    True
    """

    can_warm_start = False
    # Unknown here; the estimator itself refuses what it cannot take.
    accepts_missing = True
    accepts_categories = True
    reads = "given"

    def __init__(self, estimator: Any, *, n_classes: int | None = None, seed: int = 0) -> None:
        check_task(estimator, n_classes)
        self.estimator = estimator
        self.n_classes = n_classes
        self.output = None if n_classes is None else class_output(estimator)
        self.seed = seed
        self.loss = mean_squared_error if n_classes is None else mean_log_loss
        self.n_steps = 0
        self._model: Any = None
        self._is_copy = False

    @classmethod
    def from_fitted(cls, estimator: Any, *, n_classes: int | None, seed: int) -> RefitOnlyLearner:
        """Return a learner that stands where the fitted estimator stands."""
        check_fitted(estimator, n_classes)
        learner = cls(estimator, n_classes=n_classes, seed=seed)
        learner._model = ScoredClassifier(estimator) if learner.output == "scores" else estimator
        learner.n_steps = 1
        return learner

    @property
    def output_note(self) -> str | None:
        """How predictions are obtained, where they are not the model's own."""
        notes = {"scores": "probabilities from scores", "labels": "labels"}
        return None if self.output is None else notes.get(self.output)

    def calibrate(self, X: Features, y: Vector, weights: Vector | None = None) -> None:
        """Learn what the scores of a trained classifier are worth, if it gives nothing else."""
        if isinstance(self._model, ScoredClassifier):
            self._model.calibrate(as_seen(self._model.model, X), y, weights)

    def fresh(self, seed: int) -> RefitOnlyLearner:
        """Return an untrained learner with the same settings."""
        return type(self)(self.estimator, n_classes=self.n_classes, seed=seed)

    def copy(self, seed: int | None = None) -> RefitOnlyLearner:
        """Return a learner that predicts as this one does; it cannot be trained further."""
        twin = copy(self)
        twin._is_copy = True
        return twin

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Fit the model at the first step; further steps on it change nothing."""
        if self.n_steps and self._is_copy:
            raise TypeError(cannot_go_on(self.estimator))
        if n_steps and not self.n_steps:
            model = clone(self.estimator)
            if "random_state" in model.get_params():
                model.set_params(random_state=self.seed)
            target = y if self.n_classes is None else y.astype(int)
            options = sample_weight_option(model.fit, weights)
            if self.output == "scores":
                # Scores of rows that were trained on are too sure, so they are cross-fitted.
                n_folds = int(min(_FOLDS, np.bincount(target).min()))
                model = CalibratedClassifierCV(model, cv=n_folds, ensemble=False)
            try:
                self._model = model.fit(X, target, **options)
            except (TypeError, ValueError) as error:
                raise ValueError(
                    f"model {type(model).__name__} cannot be fitted: {error}"
                ) from error
        self.n_steps += n_steps

    def predict(self, X: Features) -> Prediction:
        """Return predicted values, or class probabilities; those of no knowledge before a step."""
        if self._model is None:
            return untrained_prediction(len(X), self.n_classes)
        is_scored = isinstance(self._model, ScoredClassifier)
        rows = as_seen(self._model.model if is_scored else self._model, X)
        if self.n_classes is not None and self.output == "labels":
            return certain_of_labels(self._model, rows, self.n_classes)
        return prediction_of(self._model, rows, self.n_classes)
