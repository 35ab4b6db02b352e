"""A user's object with the methods of a learner, as a `BaseLearner`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from lukewarm._typing import Draw, Features, FeatureSet, Prediction, Vector
from lukewarm.data import Rows
from lukewarm.learners._base import BaseLearner, Learner, Predicts
from lukewarm.learners._traits import LearnerTraits
from lukewarm.measures import REGRESSION, Task, mean_squared_error
from lukewarm.results import TrainingTrace
from lukewarm.stopping import StoppingRule

# The methods by which an object shows an ability.
_ABILITIES = {
    "is_staged": ("rewind", "staged_predict"),
    "has_learning_rate": ("scale_learning_rate",),
    "imputes": ("impute_conditionally",),
    "chooses_model": ("choose",),
}


def as_learner(learner: Any, task: Task = REGRESSION) -> BaseLearner:
    """Return the learner, or a `BaseLearner` around an object that has the methods of one.

    Parameters
    ----------
    learner : Learner
    task : Task
        What it predicts; a `BaseLearner` knows that by itself.

    Examples
    --------
    >>> from lukewarm.learners import ObliviousBoosting
    >>> learner = ObliviousBoosting()
    >>> as_learner(learner) is learner
    True
    """
    if isinstance(learner, BaseLearner):
        return learner
    if not isinstance(learner, Learner):
        raise TypeError(
            "learner must have fresh, copy, advance, predict and n_steps, as "
            f"lukewarm.learners.Learner says; got {type(learner).__name__}."
        )
    return AdaptedLearner(learner, task)


class AdaptedLearner(BaseLearner):
    """An object with the methods of a learner; what it has beyond them is used, too.

    Parameters
    ----------
    adapted : Learner
    task : Task
    """

    def __init__(self, adapted: Any, task: Task) -> None:
        self.adapted = adapted
        self.task = task
        self.measure = getattr(adapted, "measure", BaseLearner.measure)

    @property
    def traits(self) -> LearnerTraits:
        """Read from attributes of the same names, and from the methods there are."""
        shown = {
            ability: all(hasattr(self.adapted, method) for method in methods)
            for ability, methods in _ABILITIES.items()
        }
        named = {
            field.name: getattr(self.adapted, field.name)
            for field in fields(LearnerTraits)
            if hasattr(self.adapted, field.name)
        }
        return LearnerTraits(**{**shown, **named})

    @property
    def model_type(self) -> str:
        """The type of the object."""
        return type(self.adapted).__name__

    @property
    def output(self) -> str | None:
        """What class probabilities are made of, where they are not its own."""
        return getattr(self.adapted, "output", None)

    @property
    def n_steps(self) -> int:
        """Steps taken so far."""
        return self.adapted.n_steps

    @property
    def block_size(self) -> int:
        """Steps worth taking in one call."""
        return getattr(self.adapted, "block_size", 1)

    @property
    def chosen_name(self) -> str:
        """What the model that was chosen is called."""
        return getattr(self.adapted, "chosen_name", "")

    def fresh(self, seed: int) -> BaseLearner:
        """Return an untrained learner with the same settings."""
        return as_learner(self.adapted.fresh(seed), self.task)

    def copy(self, seed: int | None = None) -> BaseLearner:
        """Return an independent learner in the same state."""
        return as_learner(self.adapted.copy(seed), self.task)

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Take `n_steps` further steps on these rows."""
        self.adapted.advance(X, y, n_steps, weights)

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row; class probabilities for a classifier."""
        return self.adapted.predict(X)

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return its own loss; mean squared error where it has none."""
        own = getattr(self.adapted, "loss", mean_squared_error)
        return own(y, prediction, weights)

    def for_classes(self, n_classes: int) -> BaseLearner:
        """Return an untrained classifier with the same settings."""
        if not hasattr(self.adapted, "for_classes"):
            return super().for_classes(n_classes)
        return as_learner(self.adapted.for_classes(n_classes), Task(n_classes))

    def datasets(self, X_train: Features, *others: Features) -> tuple[Features, ...]:
        """Return all the tables in a form of its own, where it has one."""
        if hasattr(self.adapted, "datasets"):
            return self.adapted.datasets(X_train, *others)
        return super().datasets(X_train, *others)

    def match_calibration(
        self, X: Features, before: Features, y: Vector, weights: Vector | None = None
    ) -> None:
        """Make a classifier's predictions for `X` as confident as they were `before`."""
        if hasattr(self.adapted, "match_calibration"):
            self.adapted.match_calibration(X, before, y, weights)

    def calibrate_scores(self, X: Features, y: Vector, weights: Vector | None = None) -> None:
        """Learn what the scores of a trained classifier are worth."""
        if hasattr(self.adapted, "calibrate_scores"):
            self.adapted.calibrate_scores(X, y, weights)

    def refit_without(self, train: Rows, removed: FeatureSet) -> Predicts | None:
        """Return the model fitted to these rows without `removed`, where it has a closed form."""
        if hasattr(self.adapted, "refit_without"):
            return self.adapted.refit_without(train, removed)
        return None

    def average_draws(self, X: Features, draws: Sequence[Draw]) -> Prediction | None:
        """Return the mean prediction over draws, where it has a way of its own."""
        if hasattr(self.adapted, "average_draws"):
            return self.adapted.average_draws(X, draws)
        return None

    def impute_conditionally(
        self, X: Features, before: Features, weights: Vector | None = None
    ) -> None:
        """Replace removed columns by their best linear guess from the others."""
        self.adapted.impute_conditionally(X, before, weights)

    def scale_learning_rate(self, factor: float) -> None:
        """Multiply the learning rate of further steps."""
        if not self.traits.has_learning_rate:
            super().scale_learning_rate(factor)
        self.adapted.scale_learning_rate(factor)

    def rewind(self, step: int) -> None:
        """Go back to the model after `step` steps."""
        self.adapted.rewind(step)

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`."""
        return self.adapted.staged_predict(X, first_step)

    def choose(
        self, train: Rows, stopping: Rows, rule: StoppingRule, max_steps: int
    ) -> tuple[BaseLearner, TrainingTrace]:
        """Return the trained model and the trace of its training."""
        chosen, trace = self.adapted.choose(train, stopping, rule, max_steps)
        return as_learner(chosen, self.task), trace
