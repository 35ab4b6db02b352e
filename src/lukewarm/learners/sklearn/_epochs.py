"""scikit-learn's networks and linear models: a step is one pass over the rows."""

from __future__ import annotations

from copy import deepcopy
from inspect import signature
from typing import Any

import numpy as np
from scipy.special import logit
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.neural_network import MLPClassifier

from lukewarm._typing import Features, Prediction, Vector
from lukewarm.learners._calibration import calibration
from lukewarm.learners._class_weights import ClassWeights
from lukewarm.learners._fitted import as_seen, check_fitted
from lukewarm.learners._model_wrapper import ModelWrapper
from lukewarm.learners._objectives import objective_of
from lukewarm.learners._traits import LearnerTraits
from lukewarm.learners.sklearn._private import with_codes
from lukewarm.measures import REGRESSION, MeanLoss, Task

_FAINTEST = 1e-12  # probability of a class


class PartialFitLearner(ModelWrapper):
    """A model of scikit-learn that takes one more epoch by ``partial_fit``.

    Parameters
    ----------
    estimator : MLPRegressor, MLPClassifier, SGDRegressor or SGDClassifier
        Its settings are read; the object itself is never changed or trained. ``max_iter`` becomes
        `max_steps`; its own early stopping gives way to the stopping rule.
    task : Task
    seed : int, default 0

    Examples
    --------
    >>> from sklearn.linear_model import SGDRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> learner = PartialFitLearner(SGDRegressor())
    >>> learner.advance(X, X[:, 0], 10)
    >>> float(np.var(learner.predict(X) - X[:, 0])) < 0.01
    True
    """

    n_steps = 0
    traits = LearnerTraits()

    def __init__(self, estimator: Any, *, task: Task = REGRESSION, seed: int = 0) -> None:
        super().__init__(estimator, task=task, seed=seed)
        if not task.is_regression and not hasattr(estimator, "predict_proba"):
            raise ValueError(
                f"model is a {type(estimator).__name__} with loss={estimator.loss!r}, which gives "
                "no probabilities; use loss='log_loss'."
            )
        # The first passes of SGD take such steps that its log-loss may start above a coin's: a
        # patience of 5 ends 14 % above the log-loss of 50, one of 20 within 1 % (classes from
        # Friedman's function, 1,500 rows, three draws).
        is_linear = isinstance(estimator, SGDClassifier | SGDRegressor)
        self.traits = LearnerTraits(
            patience=20 if is_linear else int(estimator.n_iter_no_change),
            max_steps=int(estimator.max_iter),
        )
        self.measure = _measure(estimator, is_linear) if task.is_regression else None
        self._class_weights = ClassWeights(estimator.get_params())
        self._model = _without_own_stopping(clone(estimator), seed)

    @classmethod
    def from_fitted(cls, estimator: Any, *, task: Task, seed: int) -> PartialFitLearner:
        """Return a learner in the state of the fitted estimator."""
        check_fitted(estimator, task)
        learner = cls(estimator, task=task, seed=seed)
        learner._model = with_codes(deepcopy(estimator), task)
        _without_own_stopping(learner._model, seed)
        learner.n_steps = max(int(estimator.n_iter_), 1)
        return learner

    def copy(self, seed: int | None = None) -> PartialFitLearner:
        """Return an independent learner in the same state, with the optimiser's memory."""
        copied = deepcopy(self)
        if seed is not None:
            _without_own_stopping(copied._model, seed)
        return copied

    def match_calibration(
        self, X: Features, before: Features, y: Vector, weights: Vector | None = None
    ) -> None:
        """Make a network's class probabilities for `X` as confident as they were `before`.

        Otherwise it spends its first epochs on unlearning what it was sure of.
        """
        if not isinstance(self._model, MLPClassifier) or self.n_steps == 0:
            return
        margin, full_margin = (_log_odds(self.predict(rows)) for rows in (X, before))
        scaling = calibration(margin, full_margin, y, weights)
        if scaling is not None:
            self._model.coefs_[-1] *= scaling.scale
            self._model.intercepts_[-1] *= scaling.scale
            self._model.intercepts_[-1] += scaling.offset

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Pass over the rows `n_steps` times."""
        options: dict[str, Any] = sample_weight_option(self._model.partial_fit, weights)
        rows, target = as_seen(self._model, X), y
        if not self.task.is_regression:
            options["classes"] = self.task.codes
            target = y.astype(int)
        for _ in range(n_steps):
            self._model.partial_fit(rows, target, **options)
        self.n_steps += n_steps

    def predict(self, X: Features) -> Prediction:
        """Return predicted values, or class probabilities; those of no knowledge before a step."""
        if self.n_steps == 0:
            return self.task.untrained_prediction(len(X))
        return prediction_of(self._model, as_seen(self._model, X), self.task)


def _measure(estimator: Any, is_linear: bool) -> MeanLoss | None:
    # MLPs older than scikit-learn 1.7 know squared error only.
    name = getattr(estimator, "loss", "squared_error")
    return objective_of("SGD" if is_linear else "MLP", name, vars(estimator)).measure


def _log_odds(probability: Prediction) -> np.ndarray:
    """Return margins (n, d) of class probabilities."""
    bounded = np.clip(probability, _FAINTEST, 1 - _FAINTEST)
    return np.log(bounded) if bounded.ndim == 2 else logit(bounded)[:, np.newaxis]


def prediction_of(model: Any, X: Features, task: Task) -> Prediction:
    """Return a fitted estimator's values (n,) or (n, k), or its probabilities in our shape."""
    if task.is_regression:
        values, shape = np.asarray(model.predict(X), dtype=float), task.prediction_shape(len(X))
        if values.size != np.prod(shape):
            raise ValueError(
                f"model {type(model).__name__} must predict {task.n_targets} values for each of "
                f"{len(X)} rows, as y has; it returned an array of shape {values.shape}."
            )
        return values.reshape(shape)
    return task.as_prediction(np.asarray(model.predict_proba(X), dtype=float))


def sample_weight_option(fit: Any, weights: Vector | None) -> dict[str, Any]:
    """Return the keyword that hands `weights` to a fit method, or raise when it takes none."""
    if weights is None:
        return {}
    if "sample_weight" not in signature(fit).parameters:
        raise TypeError(
            f"{fit.__qualname__} takes no sample_weight; leave the weights out, or use a model "
            "that takes them."
        )
    return {"sample_weight": weights}


def _without_own_stopping(model: Any, seed: int) -> Any:
    # A generator, not the seed itself: partial_fit would draw the same order every epoch from one.
    generator = np.random.RandomState(seed)
    return model.set_params(
        random_state=generator, early_stopping=False, warm_start=False, verbose=0
    )
