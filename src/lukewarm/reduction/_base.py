"""What a reduction is, and what it is given and gives back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from lukewarm._typing import Features, FeatureSet, Prediction
from lukewarm.data import Fill, Removal, Rows
from lukewarm.learners import BaseLearner
from lukewarm.results import TrainingTrace
from lukewarm.stopping import StoppingRule

if TYPE_CHECKING:
    from lukewarm.reduction.projection._regressions import Regressions


@dataclass(frozen=True, eq=False)
class ReductionData:
    """The rows a reduced model may learn from, and how features are taken away.

    Parameters
    ----------
    train, stopping : Rows
    removal : Removal
        One value for each column.
    is_conditional : bool, default False
        Whether removed columns are filled with draws given the others, rather than by `removal`.
    is_quick : bool, default False
        Whether the full model is trained as fast as it predicts, so that regressions must be cheap.
    is_local : bool, default False
        Whether it follows the nearest training rows, so that less is left to smooth regressions.
    """

    train: Rows
    stopping: Rows
    removal: Removal
    is_conditional: bool = False
    is_quick: bool = False
    is_local: bool = False

    @cached_property
    def fill(self) -> Fill:
        """What stands in removed columns."""
        # One for all removed sets: what a fill learns, it learns of the training rows once.
        if not self.is_conditional:
            return self.removal
        from lukewarm.reduction.projection._fill import ConditionalFill  # loads numba

        return ConditionalFill(self.regressions)

    @cached_property
    def regressions(self) -> Regressions:
        """Regressions on the columns of these rows, prepared when first asked for."""
        from lukewarm.reduction.projection._regressions import Regressions  # loads numba

        return Regressions(
            self.train,
            self.stopping,
            self.removal,
            is_quick=self.is_quick,
            is_local=self.is_local,
        )

    def without(self, removed: FeatureSet) -> tuple[Rows, Rows]:
        """Return the training and the stopping rows with the columns in `removed` filled."""
        return self.train.without(removed, self.fill), self.stopping.without(removed, self.fill)


@dataclass(frozen=True, eq=False)
class ReducedModel:
    """A model without some features.

    Parameters
    ----------
    predict : callable from features to predictions
        Takes the features as they are and fills the removed ones itself.
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

    What else the estimators ask has an answer in :class:`BaseReduction`; a class that does not
    inherit from it may have ``traits`` and ``check(learner)`` of its own.
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


@dataclass(frozen=True)
class ReductionTraits:
    """What the estimators must know of a reduction.

    Parameters
    ----------
    keeps_table : bool, default False
        Whether it reads rows as a table rather than in the form of the learner's own.
    spares_stopping_rows : bool, default True
        Whether the full model must not learn from the stopping rows, because their y stops the
        training of reduced models.
    takes_draws : bool, default True
        Whether removed columns may take draws rather than one value each.
    rule : StoppingRule, optional
        What ends the training of a reduced model; None where nothing is trained step by step.
    max_steps : int, optional
        Most steps of that training.
    imputes : bool, default False
        Whether removed columns are imputed from the others before the first step, where the learner
        can.
    """

    keeps_table: bool = False
    spares_stopping_rows: bool = True
    takes_draws: bool = True
    rule: StoppingRule | None = None
    max_steps: int | None = None
    imputes: bool = False


class BaseReduction(ABC):
    """A reduction with a default for everything that is optional."""

    name: str

    @property
    def traits(self) -> ReductionTraits:
        """What the estimators must know of it."""
        return ReductionTraits()

    def check(self, full: BaseLearner) -> object:
        """Raise where it does not suit the learner; called before anything is trained."""
        return None

    @abstractmethod
    def reduce(
        self, full: BaseLearner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the model without the features in `removed`.

        Parameters
        ----------
        full : BaseLearner
            Never changed.
        data : ReductionData
            The rows it may learn from, and how columns are taken away.
        removed : tuple of int
            Column numbers; () for the full model's own continuation.
        seed : int
            Of what is drawn on the way; a function of model and set.
        """


class AdaptedReduction(BaseReduction):
    """A reduction of the user's own, which may lack what is optional."""

    def __init__(self, reduction: Reduction) -> None:
        self.name = reduction.name
        self._reduction = reduction

    @property
    def traits(self) -> ReductionTraits:
        """Its own traits; else the defaults."""
        return getattr(self._reduction, "traits", ReductionTraits())

    def check(self, full: BaseLearner) -> None:
        """Raise where its own check does."""
        if hasattr(self._reduction, "check"):
            self._reduction.check(full)

    def reduce(
        self, full: BaseLearner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the model without the features in `removed`."""
        return self._reduction.reduce(full, data, removed, seed)


def predict_without(
    learner: BaseLearner, fill: Fill, removed: FeatureSet
) -> Callable[[Features], Prediction]:
    """Return the function that predicts with the columns in `removed` filled."""
    return lambda X: fill.predict(learner, X, removed)
