"""Whatever predicts: a function, a booster, a client of a service. It is asked, never trained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features, Prediction, Vector
from lukewarm._validation import check_count
from lukewarm.learners._base import BaseLearner
from lukewarm.learners._booster_models import measure_of_booster
from lukewarm.learners._class_outputs import ScoredClassifier, class_output
from lukewarm.learners._traits import LearnerTraits
from lukewarm.measures import REGRESSION, NegMSE, Task, loss_of

# Rounding of a model in single precision.
_ROUNDING = 1e-4
_METHODS = ("predict", "predict_proba", "decision_function")


@dataclass(frozen=True)
class Predictor:
    """Anything that predicts, asked for a number of rows at a time.

    Parameters
    ----------
    model : callable, or object with predict, predict_proba or decision_function
        Gets rows of the user's table: a frame with its names and dtypes, or an array.
    batch_size : int, optional
        Most rows of one call; all at once by default.

    Examples
    --------
    >>> import lukewarm as lw
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = X @ [2.0, 1.0] + np.random.default_rng(1).normal(size=200)
    >>> service = lw.learners.Predictor(lambda rows: rows @ [2.0, 1.0], batch_size=50)
    >>> vi = lw.VariableImportance(service, prefit=True, random_state=0)
    >>> result = vi.fit(X[:100], y[:100], X_eval=X[100:], y_eval=y[100:]).result_
    >>> result.method
    'projection'
    """

    model: Any
    batch_size: int | None = None

    def __post_init__(self) -> None:
        if not predicts(self.model):
            raise TypeError(
                "model of a Predictor must be a function of the rows, or have one of the methods "
                f"{', '.join(_METHODS)}; got {type(self.model).__name__}."
            )
        if self.batch_size is not None:
            check_count("batch_size", self.batch_size)


def predicts(model: Any) -> bool:
    """Return whether a model can be asked for predictions."""
    return callable(model) or any(hasattr(model, method) for method in _METHODS)


class PredictOnlyLearner(BaseLearner):
    """A model that only predicts: for projection and dropout.

    Parameters
    ----------
    model : Predictor, callable or object with predict, predict_proba or decision_function
    task : Task

    Examples
    --------
    >>> learner = PredictOnlyLearner(lambda rows: rows.sum(axis=1))
    >>> learner.predict(np.array([[1.0, 2.0]]))
    array([3.])
    """

    n_steps = 1
    # What it accepts is unknown here; the model itself refuses what it cannot take.
    traits = LearnerTraits(
        can_warm_start=False,
        can_train=False,
        accepts_missing=True,
        accepts_categories=True,
        reads="given",
    )

    def __init__(self, model: Any, *, task: Task = REGRESSION) -> None:
        asked = model if isinstance(model, Predictor) else Predictor(model)
        self.model = asked.model
        self.batch_size = asked.batch_size
        self.task = task
        is_one = task.is_regression and task.n_targets == 1
        self.measure = (
            measure_of_booster(self.model) if is_one else loss_of(NegMSE(), task.n_targets)
        )
        self._scored: ScoredClassifier | None = None
        self._answer = self._way_to_ask()

    @classmethod
    def from_model(cls, model: Any, *, task: Task, seed: int, prefit: bool) -> PredictOnlyLearner:
        """Return the learner, which must be `prefit`; there is nothing random about it."""
        if not prefit:
            raise TypeError(
                f"model is a {type(model).__name__}, which predicts and cannot be trained; pass "
                "prefit=True, and rows it has not seen as X_eval and y_eval."
            )
        return cls(model, task=task)

    @property
    def model_type(self) -> str:
        """The type of what predicts."""
        return type(self.model).__name__

    @property
    def output(self) -> str | None:
        """What class probabilities are made of, where they are not the model's own."""
        return "scores" if self._scored is not None else None

    def fresh(self, seed: int) -> PredictOnlyLearner:
        """Raise: a model that only predicts cannot be trained."""
        raise TypeError(cannot_train(self.model_type))

    def copy(self, seed: int | None = None) -> PredictOnlyLearner:
        """Return itself, which never changes."""
        return self

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Raise: a model that only predicts cannot be trained."""
        raise TypeError(cannot_train(self.model_type))

    def calibrate_scores(self, X: Features, y: Vector, weights: Vector | None = None) -> None:
        """Learn what scores are worth, of a classifier that gives nothing else."""
        if self._scored is not None:
            self._scored.calibrate(X, y, weights)

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row, asked for in batches; class probabilities in our shape."""
        size = len(X) if self.batch_size is None else self.batch_size
        parts = [
            self._checked(self._answer(_rows(X, begin, begin + size)), begin, len(X), size)
            for begin in range(0, len(X), max(size, 1))
        ]
        return np.concatenate(parts)

    def _way_to_ask(self) -> Callable[[Features], Any]:
        model, package = self.model, type(self.model).__module__.partition(".")[0]
        if package == "xgboost" and type(model).__name__ == "Booster":
            return lambda X: _ask_xgboost(model, X)
        if not any(hasattr(model, method) for method in _METHODS):
            return model
        if self.task.is_regression:
            return model.predict if hasattr(model, "predict") else model.decision_function
        output = class_output(model)
        if output == "labels":  # a booster predicts probabilities by this name
            return model.predict
        if output == "scores":
            self._scored = ScoredClassifier(model)
            return self._scored.predict_proba
        return model.predict_proba

    def _checked(self, answer: Any, begin: int, n_rows: int, size: int) -> Prediction:
        n_asked = min(size, n_rows - begin)
        try:
            values = np.asarray(answer, dtype=float)
        except (RuntimeError, TypeError, ValueError):  # torch: a tensor with a gradient
            raise TypeError(
                f"model must return numbers{self._wanted()}; it returned "
                f"{type(answer).__name__} that cannot be read as numbers."
            ) from None
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if self.task.n_classes == 2 and values.shape == (n_asked, 2):
            values = values[:, 1]
        if values.shape != self.task.prediction_shape(n_asked):
            raise ValueError(
                f"model must return one prediction for each of {n_asked} rows{self._wanted()}; it "
                f"returned an array of shape {np.shape(answer)}."
            )
        if not np.isfinite(values).all():
            raise ValueError("model returned values that are not finite; it must not.")
        if not self.task.is_regression:
            if values.min() < -_ROUNDING or values.max() > 1 + _ROUNDING:
                raise ValueError(
                    f"model must return numbers{self._wanted()}; they reach from {values.min():g} "
                    f"to {values.max():g}."
                )
            values = np.clip(values, 0.0, 1.0)
        return values

    def _wanted(self) -> str:
        if self.task.is_regression:
            several = self.task.n_targets > 1
            return f", {self.task.n_targets} numbers as y has" if several else ""
        which = "of every class" if self.task.is_multiclass else "of the second class"
        return f", the probabilities {which} in the sorted order of the labels"


def cannot_train(model_type: str) -> str:
    """Return why a method that trains is not for a model of this type, and what is."""
    return (
        f"a {model_type} only predicts, so no model like it can be trained; use "
        "method='projection', the default, or method='dropout'."
    )


def _ask_xgboost(booster: Any, X: Features) -> Any:
    import xgboost

    names = None if isinstance(X, pd.DataFrame) else booster.feature_names
    return booster.predict(xgboost.DMatrix(X, feature_names=names, enable_categorical=True))


def _rows(X: Features, begin: int, end: int) -> Features:
    if begin == 0 and end >= len(X):
        return X
    return X.iloc[begin:end] if isinstance(X, pd.DataFrame) else X[begin:end]
