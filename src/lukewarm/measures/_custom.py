"""A measure from any loss per row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lukewarm._typing import Prediction, Vector
from lukewarm.measures._mean_loss import MeanLoss


@dataclass(frozen=True)
class NegMeanLoss(MeanLoss):
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
    >>> cubic = NegMeanLoss(lambda y, f: np.abs(y - f) ** 3, "cubic")
    >>> cubic.evaluate(np.array([1.0, 2.0]), np.array([0.0, 4.0])).value
    -4.5
    """

    loss: Callable[[Vector, Prediction], Vector]
    name: str
    needs_classes: bool = False

    def losses(self, y: Vector, prediction: Prediction) -> Vector:
        """Return the losses per row."""
        return self.loss(y, prediction)
