"""What learners around estimators of other libraries share."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from lukewarm._typing import Prediction, Vector
from lukewarm.learners._base import BaseLearner
from lukewarm.learners._class_weights import ClassWeights
from lukewarm.learners._task import check_task
from lukewarm.measures import REGRESSION, Task

if TYPE_CHECKING:
    from typing_extensions import Self


class ModelWrapper(BaseLearner):
    """A learner around an estimator of another library, which is never changed or trained.

    Parameters
    ----------
    estimator : estimator
    task : Task
    seed : int, default 0
    """

    estimator: Any
    # What the settings of a classifier give to classes; set by those whose training weighs them.
    _class_weights = ClassWeights({})

    def __init__(self, estimator: Any, *, task: Task = REGRESSION, seed: int = 0) -> None:
        check_task(estimator, task)
        self.estimator = estimator
        self.task = task

    @classmethod
    @abstractmethod
    def from_fitted(cls, estimator: Any, *, task: Task, seed: int) -> ModelWrapper:
        """Return a learner in the state of the fitted estimator.

        Parameters
        ----------
        estimator : estimator
            Trained by the user.
        task : Task
        seed : int
            Of further steps.
        """

    @classmethod
    def from_model(cls, model: Any, *, task: Task, seed: int, prefit: bool) -> BaseLearner:
        """Return an untrained learner with the settings of `model`, or one in its state.

        Parameters
        ----------
        model : estimator
        task : Task
        seed : int
        prefit : bool
            Whether the model is trained, and explained as it is.
        """
        make = cls.from_fitted if prefit else cls
        return make(model, task=task, seed=seed)

    @property
    def model_type(self) -> str:
        """The type of the estimator."""
        return type(self.estimator).__name__

    def fresh(self, seed: int) -> BaseLearner:
        """Return an untrained learner with the same settings."""
        return type(self)(self.estimator, task=self.task, seed=seed)

    def for_classes(self, n_classes: int) -> Self:
        """Return an untrained classifier with the same settings."""
        return type(self)(self.estimator, task=Task(n_classes))

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return what decides when to stop; of classes with the weights of the estimator."""
        if not self.task.is_regression:
            weights = self._class_weights.of_rows(y, weights)
        return super().loss(y, prediction, weights)
