"""What a reduction is, and what it is given and gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from lukewarm._typing import Features, FeatureSet, Prediction
from lukewarm.data import Removal, Rows
from lukewarm.learners import BaseLearner
from lukewarm.results import TrainingTrace

if TYPE_CHECKING:
    from lukewarm.reduction.projection._regressions import Regressions


@dataclass(frozen=True, eq=False)
class ReductionData:
    """The rows a reduced model may learn from, and how features are taken away."""

    train: Rows
    stopping: Rows
    removal: Removal

    @cached_property
    def regressions(self) -> Regressions:
        """Regressions on the columns of these rows, prepared when first asked for."""
        from lukewarm.reduction.projection._regressions import Regressions  # loads numba

        return Regressions(self.train, self.stopping, self.removal)

    def without(self, removed: FeatureSet) -> tuple[Rows, Rows]:
        """Return the training and the stopping rows with `removed` held at its fill values."""
        return self.train.without(removed, self.removal), self.stopping.without(
            removed, self.removal
        )


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """A model without some features.

    Parameters
    ----------
    predict : callable from features to predictions
        Takes the features as they are and holds the removed ones at their fill values itself.
    trace : TrainingTrace
    seconds : float
        What obtaining it cost.
    direction : callable from features to predictions, optional
        Where the full model does not look at the removed columns, what the training rows suggest
        that it should have added for them: the best linear function of those columns beyond what
        the others know of them. Whether it is worth anything is tested on the evaluation rows.
    """

    predict: Callable[[Features], Prediction]
    trace: TrainingTrace
    seconds: float
    direction: Callable[[Features], Prediction] | None = None


@runtime_checkable
class Reduction(Protocol):
    """A way to the model without the features in `removed`; it never touches `full`.

    With ``removed = ()`` it gives the full model's own continuation by the same rule and solver:
    the fair opponent of the reduced models.

    A reduction that suits some learners only may have ``check(learner)``, which raises for the
    others; it is called before anything is trained.
    """

    @property
    def name(self) -> str:
        """The name under which results show the reduction."""
        ...

    def reduce(
        self, full: BaseLearner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the model without the features in `removed`."""
        ...


def predict_without(
    learner: BaseLearner, removal: Removal, removed: FeatureSet
) -> Callable[[Features], Prediction]:
    """Return the function that predicts with `removed` held at its fill values."""

    def predict(X: Features) -> Prediction:
        return learner.predict(removal.apply(X, removed))

    return predict
