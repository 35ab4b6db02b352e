"""Any other estimator: it can be trained as a whole, not a step at a time."""

from __future__ import annotations

from copy import copy
from typing import Any

from sklearn.base import clone

from lukewarm._typing import Features, Prediction, Vector
from lukewarm.learners._fitted import as_seen, check_fitted
from lukewarm.learners._refit_objectives import measure_of
from lukewarm.learners._sklearn_epochs import (
    prediction_of,
    sample_weight_option,
    untrained_prediction,
)
from lukewarm.learners._task import cannot_go_on, check_task
from lukewarm.measures import mean_log_loss


class RefitOnlyLearner:
    """An estimator that is trained in one step, the whole fit.

    It serves projection, dropout and retraining. It cannot be warm-started: advancing a copy of a
    trained one raises a TypeError.

    Parameters
    ----------
    estimator : estimator with fit and predict (predict_proba for classes)
        Cloned, never changed.
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
        if n_classes is not None and not hasattr(estimator, "predict_proba"):
            raise ValueError(
                f"model is a {type(estimator).__name__} without predict_proba; wrap it in "
                "sklearn.calibration.CalibratedClassifierCV."
            )
        self.estimator = estimator
        self.n_classes = n_classes
        self.seed = seed
        self.measure = measure_of(estimator)
        self.loss = self.measure.mean_loss if n_classes is None else mean_log_loss
        self.n_steps = 0
        self._model: Any = None
        self._is_copy = False

    @classmethod
    def from_fitted(cls, estimator: Any, *, n_classes: int | None, seed: int) -> RefitOnlyLearner:
        """Return a learner that stands where the fitted estimator stands."""
        check_fitted(estimator, n_classes)
        learner = cls(estimator, n_classes=n_classes, seed=seed)
        learner._model = estimator
        learner.n_steps = 1
        return learner

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
            try:
                self._model = model.fit(X, target, **sample_weight_option(model.fit, weights))
            except (TypeError, ValueError) as error:
                raise ValueError(
                    f"model {type(model).__name__} cannot be fitted: {error}"
                ) from error
        self.n_steps += n_steps

    def predict(self, X: Features) -> Prediction:
        """Return predicted values, or class probabilities; those of no knowledge before a step."""
        if self._model is None:
            return untrained_prediction(len(X), self.n_classes)
        return prediction_of(self._model, as_seen(self._model, X), self.n_classes)
