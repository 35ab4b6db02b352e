"""What a learner is, and the abilities beyond that some learners have.

Structural typing: a class of yours need not inherit from anything here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from lukewarm._typing import Features, FeatureSet, Matrix, Prediction, Vector
from lukewarm.data import Rows
from lukewarm.results import TrainingTrace
from lukewarm.stopping import StoppingRule


@runtime_checkable
class Learner(Protocol):
    """A model that can go one step further from where it stands.

    A step is an epoch of a network or a tree of a booster.

    Optional attributes, each with a default where it is missing:

    - ``loss(y, prediction, weights) -> float``: what decides when to stop (mean squared error);
    - ``measure``: that of a regression where the user names none (``neg_mse``); None where the
      model's own loss is not known, so that it is stopped by another;
    - ``patience`` and ``max_steps``: defaults of the stopping rule that suit the model (10, 1000);
    - ``can_warm_start``: False for a model that is fitted in one go (True). Such a model has one
      step, its whole fit. It has no choice of step, and so no need of stopping rows;
    - ``accepts_missing`` and ``accepts_categories``: whether X may hold nan, and frames with
      category columns (False);
    - ``most_levels``: how many levels of a column are told apart (all of them).
    - ``reads``: the form of X where the user's table is a frame: "matrix" (floats; a frame only
      where there are category columns), "named" (a frame of floats and categories under the
      user's names) or "given" (the user's names and dtypes). "matrix" by default.
    """

    @property
    def n_steps(self) -> int:
        """Steps taken so far; 0 for a model that is as good as its starting point."""
        ...

    def fresh(self, seed: int) -> Learner:
        """Return an untrained learner with the same settings."""
        ...

    def copy(self, seed: int | None = None) -> Learner:
        """Return an independent learner that stands where this one stands.

        Training the copy never changes the original. With a seed, the copy's further randomness
        comes from it; without, both would go on alike.
        """
        ...

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Take `n_steps` further steps on these rows, from where the model stands.

        ``advance(50)`` and ``advance(25)`` leave the same model as ``advance(75)``.
        """
        ...

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row; class probabilities for a classifier."""
        ...


@runtime_checkable
class StagedLearner(Learner, Protocol):
    """A learner whose earlier steps can still be seen: boosters.

    `block_size` is the number of steps worth taking in one call.
    """

    block_size: int

    def rewind(self, step: int) -> None:
        """Go back to the model after `step` steps, exactly."""
        ...

    def staged_predict(self, X: Features, first_step: int) -> Prediction:
        """Return the predictions after each of the steps `first_step` .. `n_steps`.

        The first axis runs over the steps: shape (n_steps - first_step + 1, n, ...).
        """
        ...


@runtime_checkable
class ChoosesModel(Protocol):
    """A learner that trains itself: it tries several models and becomes one of them."""

    @property
    def chosen_name(self) -> str:
        """What the model it became is called."""
        ...

    def choose(
        self, train: Rows, stopping: Rows, rule: StoppingRule, max_steps: int
    ) -> tuple[Learner, TrainingTrace]:
        """Return the trained model and the trace of its training; see `train_until`."""
        ...


@runtime_checkable
class BindsRows(Learner, Protocol):
    """A learner with a representation of its own for rows it will meet many times.

    The representation stands wherever X does in `advance` and `predict`, and its
    ``without(removed, fill_values)`` takes columns away without writing to the data.
    """

    def bind(self, X_train: Features, *others: Features) -> tuple[Features, ...]:
        """Return all the matrices in the representation learnt on the training rows."""
        ...


@runtime_checkable
class Recalibrates(Learner, Protocol):
    """A classifier that can take back confidence which removed columns no longer justify."""

    def recalibrate(
        self, X: Features, before: Features, y: Vector, weights: Vector | None = None
    ) -> None:
        """Make predictions for `X` as confident as they were `before`, given the classes y.

        Parameters
        ----------
        X, before : Features
            The same rows, held out of training, without some columns and with all of them.
        """
        ...


@runtime_checkable
class TakesOver(Learner, Protocol):
    """A network whose other columns can take over what they know of removed ones."""

    def take_over(self, X: Features, before: Features, weights: Vector | None = None) -> None:
        """Let the columns of `X` stand for those removed as well as they can.

        Parameters
        ----------
        X, before : Features
            The training rows, without some columns and with all of them.
        """
        ...


@runtime_checkable
class LengthensSteps(Learner, Protocol):
    """A learner whose further steps can be made larger or smaller, by its learning rate.

    One that has an attribute `stride` takes steps so many times as large after a warm start.
    """

    def lengthen_steps(self, factor: float) -> None:
        """Make every further step `factor` times as large; the steps taken stay as they are."""
        ...


@runtime_checkable
class RefitsWithout(Learner, Protocol):
    """A learner whose retraining without columns has a closed form."""

    def refit_without(self, train: Rows, removed: FeatureSet) -> Predicts | None:
        """Return the model fitted to these rows without `removed`; None without a closed form."""
        ...


class Predicts(Protocol):
    """What predictions can be had from."""

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row."""
        ...


@runtime_checkable
class AveragesDraws(Protocol):
    """A model whose mean over draws of some columns costs less than a prediction for each.

    One that has an attribute `thinned`, not None, offers a cheaper model much like it, by which a
    projection sees what it has to correct.
    """

    def average_draws(
        self, X: Features, weights: Matrix, values: Mapping[int, Matrix]
    ) -> Prediction | None:
        """Return the mean prediction over draws, or None where it is not to be had.

        Parameters
        ----------
        X : Features of shape (n, p)
        weights : ndarray of shape (n, m)
        values : mapping from column to ndarray of shape (n, m)
        """
        ...
