"""What is predicted: a number, several of them, or the probabilities of two or more classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, softmax

from lukewarm._typing import Prediction, Vector
from lukewarm._validation import check_count
from lukewarm.measures._losses import mean_log_loss, mean_squared_error


@dataclass(frozen=True)
class Task:
    """A regression, of one or several targets, or a classification with its number of classes.

    It owns what follows from that: how many outputs a model has, which link turns them into
    predictions, what shape predictions have and which loss they have.

    Parameters
    ----------
    n_classes : int, optional
        None for a regression.
    n_targets : int, default 1
        Columns of the target of a regression.

    Examples
    --------
    >>> Task().kind, Task(2).kind, Task(3).kind
    ('regression', 'binary', 'multiclass')
    >>> Task(2).n_outputs, Task(3).n_outputs
    (1, 3)
    >>> Task(3).prediction_shape(10), Task(n_targets=2).prediction_shape(10)
    ((10, 3), (10, 2))
    """

    n_classes: int | None = None
    n_targets: int = 1

    def __post_init__(self) -> None:
        check_count("n_targets", self.n_targets)
        if self.n_classes is not None:
            check_count("n_classes", self.n_classes, minimum=2)

    @property
    def kind(self) -> str:
        """The task by name: "regression", "binary" or "multiclass"."""
        if self.n_classes is None:
            return "regression"
        return "binary" if self.n_classes == 2 else "multiclass"

    @property
    def is_regression(self) -> bool:
        """Whether numbers are predicted."""
        return self.n_classes is None

    @property
    def is_multiclass(self) -> bool:
        """Whether there are more than two classes: predictions then have a column for each."""
        return self.n_classes is not None and self.n_classes > 2

    @property
    def n_outputs(self) -> int:
        """Outputs of a model: one for each target or class, and one for two classes."""
        if self.n_classes is not None and self.n_classes > 2:
            return self.n_classes
        return self.n_targets

    @property
    def codes(self) -> np.ndarray:
        """The codes of the classes, 0 .. n_classes - 1; none for a regression."""
        return np.arange(self.n_classes or 0)

    @property
    def default_measure(self) -> str:
        """The measure where the user names none and the model has no loss of its own."""
        if self.n_targets > 1:  # in units of their own, which no mean of squares respects
            return "r2"
        return "neg_mse" if self.is_regression else "deviance"

    def prediction_shape(self, n_rows: int) -> tuple[int, ...]:
        """Return the shape of the predictions of so many rows."""
        return (n_rows, self.n_outputs) if self.n_outputs > 1 else (n_rows,)

    def untrained_prediction(self, n_rows: int) -> Prediction:
        """Return what a model predicts that knows nothing: zeros, or equal probabilities."""
        value = 0.0 if self.n_classes is None else 1 / self.n_classes
        return np.full(self.prediction_shape(n_rows), value)

    def link(self, outputs: np.ndarray) -> Prediction:
        """Return predictions (..., n) or (..., n, k) of outputs (..., n, d).

        For classes the outputs are logits. Two classes may have one logit or one for each.
        """
        if self.is_regression:
            return outputs if self.n_targets > 1 else outputs[..., 0]
        if outputs.shape[-1] == 1:
            return expit(outputs[..., 0])
        return self.as_prediction(softmax(outputs, axis=-1))

    def as_prediction(self, probabilities: np.ndarray) -> Prediction:
        """Return probabilities with a column for each class, (..., n, k), in our shape."""
        return probabilities if self.is_multiclass else probabilities[..., 1]

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the mean squared error, over all targets, or the mean log-loss.

        Parameters
        ----------
        y : ndarray of shape (n,), or (n, k) for k targets
            Class codes for a classification.
        prediction : ndarray of the shape of `prediction_shape`
        weights : ndarray of shape (n,), optional
        """
        if self.n_targets > 1:
            pairs = zip(y.T, prediction.T, strict=True)
            return float(np.mean([mean_squared_error(*pair, weights) for pair in pairs]))
        mean_loss = mean_squared_error if self.is_regression else mean_log_loss
        return mean_loss(y, prediction, weights)

    def constant(self, y: Vector, weights: Vector | None = None) -> np.ndarray:
        """Return the best constant prediction by that loss, shape () or (k,).

        Parameters
        ----------
        y : ndarray of shape (n,), or (n, k) for k targets
        weights : ndarray of shape (n,), optional
        """
        if not self.is_multiclass:
            return np.array(np.average(y, axis=0, weights=weights))
        counts = np.bincount(y.astype(int), weights=weights, minlength=self.n_outputs)
        return counts / counts.sum()


REGRESSION = Task()
