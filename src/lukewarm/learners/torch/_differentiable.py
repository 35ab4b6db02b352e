"""What a method that linearises a network asks of a learner."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from lukewarm._typing import Features, Prediction, Vector
from lukewarm.learners._base import Learner


@runtime_checkable
class DifferentiableLearner(Learner, Protocol):
    """A learner around a torch module; tensors are given and taken in the module's own scale."""

    @property
    def module(self) -> Any:
        """The torch module as it stands."""
        ...

    @property
    def training_loss(self) -> str | None:
        """What it is trained on: "squared_error", "cross_entropy", or None for its own loss."""
        ...

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return the loss that decides when to stop."""
        ...

    def inputs(self, X: Features) -> Any:
        """Return the rows as the module takes them."""
        ...

    def targets(self, y: Vector) -> Any:
        """Return the target on the scale of the module's outputs; class codes as they are."""
        ...

    def as_prediction(self, outputs: Any) -> Prediction:
        """Return outputs of the module as predictions on the scale of y, or probabilities."""
        ...
