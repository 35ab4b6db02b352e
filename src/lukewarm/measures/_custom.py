"""A measure from any loss per row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lukewarm._typing import Prediction, Vector
from lukewarm.measures._base import mean_of_rows
from lukewarm.results import MeasureValue


@dataclass(frozen=True)
class NegMeanLoss:
    """Minus the mean of a loss per row.

    Parameters
    ----------
    loss : callable (y, prediction) -> ndarray of shape (n,)
    name : str
    needs_classes : bool, default False
        Whether y holds class codes and predictions are probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> pinball = NegMeanLoss(lambda y, f: np.maximum(0.9 * (y - f), 0.1 * (f - y)), "pinball")
    >>> pinball.evaluate(np.array([1.0, 2.0]), np.array([0.0, 3.0])).value
    -0.5
    """

    loss: Callable[[Vector, Prediction], Vector]
    name: str
    needs_classes: bool = False

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the negative mean loss; the influence of a row is its own term, centred."""
        return mean_of_rows(-self.loss(y, prediction), weights)
