"""What boosting minimises: squared error, log-loss, squared error of probabilities."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.special import expit, softmax

from lukewarm._typing import Prediction, Vector
from lukewarm.learners.boosting._work import LOGISTIC, SOFTMAX, SQUARED
from lukewarm.measures import Task, mean_log_loss, mean_squared_error


class Objective(Protocol):
    """How targets become outputs of the trees, and outputs predictions.

    `kind` names the gradient in the compiled loop; `neutral` (n_outputs,) is where the model
    stands before its first step.
    """

    kind: int
    neutral: np.ndarray

    def target(self, y: Vector) -> np.ndarray:
        """Return what the outputs should become, shape (n_outputs, n)."""
        ...

    def start(self, target: np.ndarray, weights: Vector | None) -> np.ndarray:
        """Return the best constant, shape (n_outputs,)."""
        ...

    def largest_value(self, target: np.ndarray, start: np.ndarray) -> float:
        """Return the scale of the leaf values."""
        ...

    def predictions(self, outputs: np.ndarray) -> Prediction:
        """Return the predictions that outputs (..., n_outputs, n) stand for."""
        ...

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the mean loss of predictions."""
        ...


def objective_for(task: Task, name: str) -> Objective:
    """Return the objective of a regression or of a classification."""
    if task.is_regression:
        return SquaredError()
    return LogLoss(task) if name == "log_loss" else ProbabilityError(task)


class SquaredError:
    """Squared error of a number."""

    kind = SQUARED
    neutral = np.zeros(1)

    def target(self, y: Vector) -> np.ndarray:
        """Return y as the one output's target."""
        return _as_row(y)

    def start(self, target: np.ndarray, weights: Vector | None) -> np.ndarray:
        """Return the mean of y."""
        return np.average(target, axis=1, weights=weights)

    def largest_value(self, target: np.ndarray, start: np.ndarray) -> float:
        """Return the largest residual of the start value."""
        return float(np.abs(target - start[:, None]).max())

    def predictions(self, outputs: np.ndarray) -> Prediction:
        """Return the one output."""
        return outputs[..., 0, :]

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the mean squared error."""
        return mean_squared_error(y, prediction, weights)


class LogLoss:
    """Log-loss of class probabilities; one output for two classes, else one per class."""

    def __init__(self, task: Task) -> None:
        self.n_outputs = task.n_outputs
        self.kind = SOFTMAX if task.is_multiclass else LOGISTIC
        self.neutral = np.zeros(self.n_outputs)

    def target(self, y: Vector) -> np.ndarray:
        """Return the indicators of the classes."""
        return _indicators(y, self.n_outputs)

    def start(self, target: np.ndarray, weights: Vector | None) -> np.ndarray:
        """Return the log-odds (for more than two classes, logarithms) of the class shares."""
        shares = np.average(target, axis=1, weights=weights)
        # A class without rows starts as if half a row had it.
        smallest = 0.5 / target.shape[1]
        shares = np.clip(shares, smallest, 1 - smallest)
        return np.log(shares / (1 - shares)) if self.n_outputs == 1 else np.log(shares)

    def largest_value(self, target: np.ndarray, start: np.ndarray) -> float:
        """Return a bound on log-odds worth telling apart."""
        return 8.0

    def predictions(self, outputs: np.ndarray) -> Prediction:
        """Return the probabilities."""
        if self.n_outputs == 1:
            return expit(outputs[..., 0, :])
        return softmax(outputs, axis=-2).swapaxes(-1, -2)

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the mean log-loss."""
        return mean_log_loss(y, prediction, weights)


class ProbabilityError:
    """Squared error of class probabilities: the trees' outputs are the probabilities."""

    kind = SQUARED

    def __init__(self, task: Task) -> None:
        self.n_outputs = task.n_outputs
        self.neutral = task.untrained_prediction(1).ravel()

    def target(self, y: Vector) -> np.ndarray:
        """Return the indicators of the classes."""
        return _indicators(y, self.n_outputs)

    def start(self, target: np.ndarray, weights: Vector | None) -> np.ndarray:
        """Return the class shares."""
        return np.average(target, axis=1, weights=weights)

    def largest_value(self, target: np.ndarray, start: np.ndarray) -> float:
        """Return the largest difference of two probabilities."""
        return 1.0

    def predictions(self, outputs: np.ndarray) -> Prediction:
        """Return the outputs brought into [0, 1], with sum one over several classes."""
        clipped = np.clip(outputs, 0.0, 1.0)
        if self.n_outputs == 1:
            return clipped[..., 0, :]
        # Outputs of a row sum to one, so at least one of them is positive.
        return (clipped / clipped.sum(axis=-2, keepdims=True)).swapaxes(-1, -2)

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the mean over rows of the squared error, summed over several classes."""
        return mean_squared_error(y, prediction, weights)


def _indicators(y: Vector, n_outputs: int) -> np.ndarray:
    if n_outputs == 1:
        return _as_row(y)
    return (np.arange(n_outputs)[:, None] == y[None, :]).astype(float)


def _as_row(y: Vector) -> np.ndarray:
    # Compiled for arrays that may be written to, so another kind would compile everything anew.
    return np.require(y, dtype=float, requirements=["C", "W"])[None, :]
