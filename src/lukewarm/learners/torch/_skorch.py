"""skorch: a net's partial_fit as one epoch."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.base import clone

from lukewarm._optional import require
from lukewarm._typing import Features, Prediction, Vector
from lukewarm.learners._fitted import check_fitted
from lukewarm.learners._model_wrapper import ModelWrapper
from lukewarm.learners._objectives import Objective
from lukewarm.learners._traits import LearnerTraits
from lukewarm.learners.sklearn._epochs import prediction_of
from lukewarm.learners.torch._layers import take_codes_as_floats
from lukewarm.learners.torch._loop import draws_in_training, reinitialize, seeded
from lukewarm.measures import REGRESSION, Task


class SkorchLearner(ModelWrapper):
    """A skorch net that can be trained one epoch further.

    Parameters
    ----------
    estimator : skorch NeuralNetRegressor, NeuralNetClassifier or NeuralNetBinaryClassifier
        Cloned, never changed. ``max_epochs`` becomes `max_steps`; callbacks and the net's own
        validation split give way to the stopping rule. Inputs are passed on as float32 (to
        embedding layers as codes) and not standardised: put a scaler in front, in a Pipeline.
    task : Task
    seed : int, default 0
        Source of the initial weights, the order of the rows and of dropout layers.

    Examples
    --------
    >>> import torch
    >>> from skorch import NeuralNetRegressor
    >>> net = NeuralNetRegressor(torch.nn.Linear, module__in_features=2, module__out_features=1)
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> learner = SkorchLearner(net.set_params(lr=0.1))
    >>> learner.advance(X, X[:, 0], 20)
    >>> float(np.var(learner.predict(X) - X[:, 0])) < 0.01
    True
    """

    n_steps = 0
    traits = LearnerTraits()

    def __init__(self, estimator: Any, *, task: Task = REGRESSION, seed: int = 0) -> None:
        super().__init__(estimator, task=task, seed=seed)
        # The patience of our own networks, where its reason stands.
        self.traits = LearnerTraits(patience=5, max_steps=int(estimator.max_epochs))
        self._seeds = np.random.default_rng(seed)
        self._net = clone(estimator)
        _hand_over(self._net, seed)
        with seeded(seed):
            self._net.initialize()
        if not isinstance(estimator.module, type):
            reinitialize(self._net.module_, seed)
        take_codes_as_floats(self._net.module_)
        self._objective = _objective(self._net) if task.is_regression else None
        self.measure = None if self._objective is None else self._objective.measure

    @classmethod
    def from_fitted(cls, estimator: Any, *, task: Task, seed: int) -> SkorchLearner:
        """Return a learner in the state of the fitted net."""
        check_fitted(estimator, task)
        learner = cls(estimator, task=task, seed=seed)
        learner._net = deepcopy(estimator)
        _hand_over(learner._net, seed)
        take_codes_as_floats(learner._net.module_)
        learner.n_steps = max(len(estimator.history), 1)
        return learner

    def copy(self, seed: int | None = None) -> SkorchLearner:
        """Return an independent learner in the same state, with the optimiser's memory."""
        copied = deepcopy(self)
        if seed is not None:
            copied._seeds = np.random.default_rng(seed)
        return copied

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Train `n_steps` epochs."""
        if weights is not None:
            raise TypeError("skorch nets take no sample_weight; leave the weights out.")
        rows, target = self._rows(X), self._target(X, y)
        for _ in range(n_steps):
            self._epoch(rows, target)
        self.n_steps += n_steps

    def predict(self, X: Features) -> Prediction:
        """Return predicted values, or class probabilities."""
        output = prediction_of(self._net, self._rows(X), self.task)
        return output if self._objective is None else self._objective.prediction(output)

    def _epoch(self, rows: np.ndarray, target: np.ndarray) -> None:
        seed = int(self._seeds.integers(2**31 - 1))
        self._net.iterator_train__generator.manual_seed(seed)
        if draws_in_training(self._net.module_):
            with seeded(seed):
                self._net.partial_fit(rows, target)
        else:
            self._net.partial_fit(rows, target)

    def _rows(self, X: Features) -> np.ndarray:
        return np.asarray(X, dtype=np.float32)

    def _target(self, X: Features, y: Vector) -> np.ndarray:
        if not self.task.is_regression:
            is_binary = any("Binary" in kind.__name__ for kind in type(self._net).__mro__)
            return y.astype(np.float32 if is_binary else np.int64)
        # The loss compares shapes: a module that gives (n, 1) needs a column.
        is_column = np.ndim(self._net.predict(self._rows(X[:2]))) == 2
        target = y.astype(np.float32)
        return target[:, np.newaxis] if is_column else target


def _objective(net: Any) -> Objective | None:
    """Return what a net for a numeric target is trained on; None for a loss of the user's."""
    # Imported here: the module loads torch.
    from lukewarm.learners.torch._losses import known_objective

    return known_objective(net.criterion_, is_scaled=False)


def _hand_over(net: Any, seed: int) -> None:
    """Leave order, length and end of the training to the learner."""
    generator = require("torch", "skorch").Generator
    settings = {
        "verbose": 0,
        "train_split": None,
        "max_epochs": 1,
        "callbacks": "disable",
        "iterator_train__generator": generator().manual_seed(seed),
        # A loader without one draws from the global generator even to predict, beside another
        # thread whose dropout layers are drawing from it.
        "iterator_valid__generator": generator().manual_seed(seed),
    }
    # Not by set_params: it refuses settings of an iterator once a net is trained, and leaves the
    # callbacks of a trained net at work.
    vars(net).update(settings)
    net.callbacks_ = []
