"""Any other estimator: it can be trained as a whole, not a step at a time."""

from __future__ import annotations

from copy import copy, deepcopy
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV

from lukewarm._typing import Features, Prediction, Vector
from lukewarm.learners._class_outputs import ScoredClassifier, certain_of_labels, class_output
from lukewarm.learners._fitted import as_seen, check_fitted
from lukewarm.learners._model_wrapper import ModelWrapper
from lukewarm.learners._outputs import quantile_levels
from lukewarm.learners._registry import cannot_warm_start
from lukewarm.learners._traits import LearnerTraits
from lukewarm.learners.sklearn._epochs import (
    prediction_of,
    sample_weight_option,
)
from lukewarm.learners.sklearn._refit_objectives import measure_of
from lukewarm.measures import REGRESSION, MeanLoss, OutputsLoss, Pinball, Task, loss_of

# scikit-learn's default for calibration.
_FOLDS = 5


def _remedy(X: Features) -> str:
    """Return what to do about columns that many estimators cannot read."""
    if not isinstance(X, pd.DataFrame):
        return ""
    text = [str(name) for name in X if not pd.api.types.is_numeric_dtype(X[name].dtype)]
    gaps = [str(name) for name in X if X[name].isna().any()]
    dates = [str(name) for name in X if X[name].dtype.kind in "mM"]
    text = [name for name in text if name not in dates]
    reasons = [
        *([f"columns {text} hold text or categories"] if text else []),
        *([f"columns {dates} hold dates or durations"] if dates else []),
        *([f"columns {gaps} have gaps"] if gaps else []),
    ]
    if not reasons:
        return ""
    return (
        f" ({' and '.join(reasons)}; encode or impute them before, such as in a Pipeline, or use a "
        "model that takes them: 'auto', 'boosting', 'kernel', 'catboost', 'lightgbm', 'xgboost')."
    )


def _unfitted(estimator: Any) -> Any:
    """Return an untrained estimator with the same settings."""
    try:
        return clone(estimator)
    except RuntimeError:
        # CatBoost copies the lists it is given, such as cat_features, and clone refuses that.
        return type(estimator)(**deepcopy(estimator.get_params(deep=False)))


def _loss_of(estimator: Any, task: Task) -> MeanLoss:
    levels = quantile_levels(estimator)
    if levels and len(levels) == task.n_targets:
        return OutputsLoss(tuple(Pinball(level) for level in levels))
    return loss_of(measure_of(estimator), task.n_targets)


class RefitOnlyLearner(ModelWrapper):
    """An estimator that is trained in one step, the whole fit.

    It serves projection, dropout and retraining. It cannot be warm-started: advancing a copy of a
    trained one raises a TypeError.

    Parameters
    ----------
    estimator : estimator with fit and predict
        Cloned, never changed. Of a classifier without predict_proba the scores are brought to
        probabilities by Platt's map, cross-fitted; labels are probabilities of 0 and 1.
    task : Task
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

    n_steps = 0
    # What it accepts is unknown here; the estimator itself refuses what it cannot take.
    traits = LearnerTraits(
        can_warm_start=False, accepts_missing=True, accepts_categories=True, reads="given"
    )

    def __init__(self, estimator: Any, *, task: Task = REGRESSION, seed: int = 0) -> None:
        super().__init__(estimator, task=task, seed=seed)
        self.measure = _loss_of(estimator, task)
        self.seed = seed
        self._model: Any = None
        self._is_copy = False

    @classmethod
    def from_fitted(cls, estimator: Any, *, task: Task, seed: int) -> RefitOnlyLearner:
        """Return a learner in the state of the fitted estimator."""
        check_fitted(estimator, task)
        learner = cls(estimator, task=task, seed=seed)
        learner._model = ScoredClassifier(estimator) if learner.output == "scores" else estimator
        learner.n_steps = 1
        return learner

    @property
    def output(self) -> str | None:
        """What class probabilities are made of, where they are not the estimator's own."""
        return None if self.task.is_regression else class_output(self.estimator)

    def calibrate_scores(self, X: Features, y: Vector, weights: Vector | None = None) -> None:
        """Learn what the scores of a trained classifier are worth, if it gives nothing else."""
        if isinstance(self._model, ScoredClassifier):
            self._model.calibrate(as_seen(self._model.model, X), y, weights)

    def copy(self, seed: int | None = None) -> RefitOnlyLearner:
        """Return a learner that predicts as this one does; it cannot be trained further."""
        copied = copy(self)
        copied._is_copy = True
        return copied

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Fit the model at the first step; further steps on it change nothing."""
        if self.n_steps and self._is_copy:
            raise TypeError(cannot_warm_start(self.model_type))
        if n_steps and not self.n_steps:
            model = _unfitted(self.estimator)
            if "random_state" in model.get_params():
                model.set_params(random_state=self.seed)
            target = self._target(model, y)
            options = sample_weight_option(model.fit, weights)
            if self.output == "scores":
                # Scores of rows that were trained on are too sure, so they are cross-fitted.
                n_folds = int(min(_FOLDS, np.bincount(target).min()))
                model = CalibratedClassifierCV(model, cv=n_folds, ensemble=False)
            try:
                self._model = model.fit(X, target, **options)
            except Exception as error:  # every library has an exception of its own
                raise ValueError(
                    f"model {type(model).__name__} cannot be fitted: {error}{_remedy(X)}"
                ) from error
        self.n_steps += n_steps

    def _target(self, model: Any, y: Vector) -> np.ndarray:
        """Return the target as the estimator takes it."""
        if not self.task.is_regression:
            return y.astype(int)
        if y.ndim == 2 and quantile_levels(model):  # of one target, which is in every column
            return y[:, 0]
        tags = getattr(model, "__sklearn_tags__", None)
        # Some take a matrix only, be it of one column.
        is_matrix = tags is not None and not tags().target_tags.single_output
        return y[:, np.newaxis] if is_matrix and y.ndim == 1 else y

    def predict(self, X: Features) -> Prediction:
        """Return predicted values, or class probabilities; those of no knowledge before a step."""
        if self._model is None:
            return self.task.untrained_prediction(len(X))
        is_scored = isinstance(self._model, ScoredClassifier)
        rows = as_seen(self._model.model if is_scored else self._model, X)
        if self.output == "labels":
            return certain_of_labels(self._model, rows, self.task)
        prediction = prediction_of(self._model, rows, self.task)
        n_bad = len(X) - int(np.isfinite(prediction).reshape(len(X), -1).all(axis=1).sum())
        if n_bad:
            raise ValueError(
                f"model {self.model_type} predicts nan or infinite values for {n_bad} of {len(X)} "
                "rows; a model that is to be explained must predict every row."
            )
        return prediction
