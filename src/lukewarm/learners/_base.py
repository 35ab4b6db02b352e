"""What a learner is: five methods, abilities with defaults, and a record of its traits.

Learners of this library inherit from `BaseLearner`. A user's need not: whatever has the methods of
`Learner` is adapted where it enters (see `lukewarm.learners.as_learner`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from lukewarm._typing import Draw, Features, FeatureSet, Prediction, Vector
from lukewarm.data import Rows, filled
from lukewarm.learners._traits import LearnerTraits
from lukewarm.measures import REGRESSION, MeanLoss, NegMSE, Task
from lukewarm.results import Candidate, TrainingTrace
from lukewarm.stopping import StoppingRule

# Rows up to which tables are predicted in one call. A pipeline on a frame spends some 7 ms on a
# call alone, which no longer counts beyond; a kernel machine needs memory for each row of a call
# times its training rows, so there are no more.
_MOST_STACKED = 10_000


@runtime_checkable
class Learner(Protocol):
    """The least that an object needs to be a model: five methods, no base class.

    A step is an epoch of a network or a tree of a booster. The methods keep the promises of
    `BaseLearner`. Attributes named as a field of `LearnerTraits`, and `loss`, `measure`,
    `for_classes` or an ability of `BaseLearner`, are used where the object has them.
    """

    @property
    def n_steps(self) -> int:
        """Steps taken so far."""
        ...

    def fresh(self, seed: int) -> Any:
        """Return an untrained learner with the same settings."""
        ...

    def copy(self, seed: int | None = None) -> Any:
        """Return an independent learner in the same state."""
        ...

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Take `n_steps` further steps on these rows."""
        ...

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row; class probabilities for a classifier."""
        ...


class Predicts(Protocol):
    """What predictions can be had from."""

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row."""
        ...


class BaseLearner(ABC):
    """A model that can be trained one step further.

    A step is an epoch of a network or a tree of a booster. Five methods are a duty; everything
    else has a default.

    Attributes
    ----------
    task : Task
        What is predicted; a regression by default.
    measure : MeanLoss or None
        What a regression is trained on, which also is its measure where the user names none. None
        where the model's own loss is not known here, so that another one stops its training.
    traits : LearnerTraits
    """

    task: Task = REGRESSION
    measure: MeanLoss | None = NegMSE()

    @property
    def traits(self) -> LearnerTraits:
        """Defaults of the training and abilities; the same throughout a training."""
        return LearnerTraits()

    @property
    def model_type(self) -> str:
        """The type of the user's model, for messages."""
        return type(self).__name__

    @property
    def output(self) -> str | None:
        """What class probabilities are made of: "scores" or "labels"; None for the model's own."""
        return None

    @property
    def n_classes(self) -> int | None:
        """Number of classes; None for a regression."""
        return self.task.n_classes

    @property
    @abstractmethod
    def n_steps(self) -> int:
        """Steps taken so far; 0 for an untrained model."""

    @abstractmethod
    def fresh(self, seed: int) -> BaseLearner:
        """Return an untrained learner with the same settings."""

    @abstractmethod
    def copy(self, seed: int | None = None) -> BaseLearner:
        """Return an independent learner in the same state.

        Training the copy never changes the original. With a seed, the copy's further randomness
        comes from it; without, both would go on alike.
        """

    @abstractmethod
    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Take `n_steps` further steps on these rows.

        ``advance(50)`` and ``advance(25)`` leave the same model as ``advance(75)``.

        Parameters
        ----------
        X : table or what `datasets` made of it, n rows
        y : ndarray of shape (n,)
            Class codes for a classifier.
        n_steps : int
        weights : ndarray of shape (n,), optional
        """

    @abstractmethod
    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row; class probabilities for a classifier."""

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return what decides when to stop: the loss of the measure, or that of the task.

        Parameters
        ----------
        y : ndarray of shape (n,)
        prediction : ndarray of shape (n,) or (n, n_classes)
        weights : ndarray of shape (n,), optional
        """
        if self.measure is None or not self.task.is_regression:
            return self.task.loss(y, prediction, weights)
        return self.measure.mean_loss(y, prediction, weights)

    def for_classes(self, n_classes: int) -> BaseLearner:
        """Return an untrained classifier with the same settings; by default there is none."""
        raise TypeError(
            f"model is a {self.model_type}, which has no for_classes(n_classes) and so cannot "
            f"classify, but the target has {n_classes} classes."
        )

    def datasets(self, X_train: Features, *others: Features) -> tuple[Features, ...]:
        """Return all the tables in the form in which the learner meets them many times.

        By default as they are. What is learnt of a table, such as borders of bins, is learnt on
        `X_train`. The datasets are accepted wherever X is by `advance` and `predict`; their
        ``without(removed, fill_values)`` removes columns without writing to the data.
        """
        return (X_train, *others)

    def predict_filled(self, X: Features, fills: Sequence[dict[int, Any]]) -> list[Prediction]:
        """Return what `predict` gives for `X` with the values of each fill, up to rounding.

        By default one table after another, several small ones in one call.

        Parameters
        ----------
        X : Features of shape (n, p)
        fills : sequence of dict
            Values (n,) by column number, the same columns in all of them.
        """
        can_stack = isinstance(X, np.ndarray | pd.DataFrame) and len(X)
        n_stacked = max(_MOST_STACKED // len(X), 1) if can_stack else 1
        predictions: list[Prediction] = []
        for begin in range(0, len(fills), n_stacked):
            tables = [filled(X, values) for values in fills[begin : begin + n_stacked]]
            predictions += np.split(self.predict(_stacked(tables)), len(tables))
        return predictions

    def predict_changed(self, X: Features, values: dict[int, Any]) -> Prediction:
        """Return what `predict` gives for `X` with other values (n,) in some columns.

        To the last bit where predictions do not depend on these columns.

        Parameters
        ----------
        X : Features of shape (n, p)
        values : dict
            Values (n,) by column number.
        """
        return self.predict(filled(X, values))

    def match_calibration(
        self, X: Features, before: Features, y: Vector, weights: Vector | None = None
    ) -> None:
        """Make a classifier's predictions for `X` as confident as they were `before`, given y.

        By default they stay as they are.

        Parameters
        ----------
        X, before : Features
            The same rows, held out of training, without some columns and with all of them.
        """
        return

    def calibrate_scores(self, X: Features, y: Vector, weights: Vector | None = None) -> None:
        """Learn from the class codes `y` what the scores of a trained classifier are worth.

        By default there are no scores: its probabilities are its own.

        Parameters
        ----------
        X : Features of shape (n, p)
        y : ndarray of shape (n,)
            Class codes.
        weights : ndarray of shape (n,), optional
        """
        return

    def refit_without(self, train: Rows, removed: FeatureSet) -> Predicts | None:
        """Return the model fitted to these rows without `removed`; None without a closed form.

        Parameters
        ----------
        train : Rows
            What the model is fitted to.
        removed : tuple of int
            Columns that it must not depend on.
        """
        return None

    def average_draws(self, X: Features, draws: Sequence[Draw]) -> Prediction | None:
        """Return the mean prediction over draws of some columns; None to be asked for each draw.

        Parameters
        ----------
        X : Features of shape (n, p)
        draws : sequence of pairs
            Weights (n,), which sum to one in each row, and what each removed column is, (n,).
        """
        return None

    def looks_at(self, columns: FeatureSet) -> bool | None:
        """Return whether predictions can depend on the columns; None where only they can tell."""
        return None

    def average_with_leaves(
        self, X: Features, draws: Sequence[Draw]
    ) -> tuple[Prediction, list[np.ndarray]] | None:
        """Return the mean prediction over draws, and leaves; None without trees to read.

        For every output the numbers of the leaves that rows reach with the last of the draws, which
        may weigh nothing: (n_trees, n).

        Parameters
        ----------
        X, draws
            As for `average_draws`.
        """
        return None

    @property
    def parts(self) -> tuple[tuple[float, BaseLearner], ...]:
        """The models whose weighted sum it is, with their weights; by default itself alone."""
        return ((1.0, self),)

    @property
    def thinned(self) -> BaseLearner:
        """A cheaper model much like this one, by which a projection sees what it has to correct.

        By default there is none but itself.
        """
        return self

    def impute_conditionally(
        self, X: Features, before: Features, weights: Vector | None = None
    ) -> None:
        """Replace removed columns by their best linear guess from the others (trait `imputes`).

        Parameters
        ----------
        X, before : Features
            The training rows, without some columns and with all of them.
        """
        raise _unable(self, "imputes")

    def scale_learning_rate(self, factor: float) -> None:
        """Multiply the learning rate of further steps; see the trait `has_learning_rate`."""
        raise TypeError(
            f"learning_rate_factor must be 1 for a {self.model_type}, whose learning rate "
            f"cannot be changed; got {factor:g}."
        )

    @property
    def block_size(self) -> int:
        """Steps worth taking in one call, of a learner whose earlier steps can be seen."""
        return 1

    def rewind(self, step: int) -> None:
        """Go back to the model after `step` steps, exactly; see the trait `is_staged`."""
        raise _unable(self, "is_staged")

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`.

        The first axis runs over the steps: shape (n_steps - first_step + 1, n, ...). See the trait
        `is_staged`.

        Parameters
        ----------
        X : Features of shape (n, p)
        first_step : int
        """
        raise _unable(self, "is_staged")

    @property
    def chosen_name(self) -> str:
        """What the model is called that a learner with the trait `chooses_model` became, if any."""
        return ""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The models that a learner with the trait `chooses_model` tried."""
        return ()

    def choose(
        self, train: Rows, stopping: Rows, rule: StoppingRule, max_steps: int
    ) -> tuple[BaseLearner, TrainingTrace]:
        """Return the trained model and the trace of its training; trait `chooses_model`.

        Parameters
        ----------
        train, stopping : Rows
            Rows to learn from, and rows to choose by.
        rule : StoppingRule
        max_steps : int
        """
        raise _unable(self, "chooses_model")

    def learn_stopping_rows(self) -> None:
        """Let `choose` train what it has chosen on the stopping rows, too.

        Nothing can be stopped by those rows afterwards. Learners may disregard it, as by default.
        """
        return None


class DifferentiableLearner(BaseLearner):
    """A learner around a torch module; tensors are given and taken in the module's own scale."""

    @property
    @abstractmethod
    def module(self) -> Any:
        """The torch module in its present state."""

    @property
    @abstractmethod
    def training_loss(self) -> str | None:
        """What it is trained on: "squared_error", "cross_entropy", or None for its own loss."""

    @abstractmethod
    def inputs(self, X: Features) -> Any:
        """Return the rows as the module takes them."""

    @abstractmethod
    def targets(self, y: Vector) -> Any:
        """Return the target on the scale of the module's outputs; class codes as they are."""

    @abstractmethod
    def as_prediction(self, outputs: Any) -> Prediction:
        """Return outputs of the module as predictions on the scale of y, or probabilities."""


def _unable(learner: BaseLearner, trait: str) -> TypeError:
    return TypeError(f"a {learner.model_type} has no such ability: its trait {trait} is False.")


def _stacked(tables: list[Any]) -> Any:
    """Return tables of the same columns and dtypes below each other; a single one as it is."""
    if len(tables) == 1:
        return tables[0]
    if isinstance(tables[0], pd.DataFrame):
        return pd.concat(tables, ignore_index=True)
    return np.concatenate(tables)
