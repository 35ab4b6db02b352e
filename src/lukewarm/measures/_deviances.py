"""Deviances of counts and amounts: measures of a target that cannot be negative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Prediction, Vector
from lukewarm._validation import check_number
from lukewarm.measures._losses import tweedie_deviances
from lukewarm.measures._mean_loss import MeanLoss, check_values
from lukewarm.results import MeasureValue


class _Deviance(MeanLoss):
    power: float
    max_classes = 2

    def losses(self, y: Vector, prediction: Prediction) -> Vector:
        """Return the unit deviances; a prediction of zero or less counts as next to nothing."""
        return tweedie_deviances(y, prediction, self.power)

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return minus the mean deviance; raise where a prediction is not positive."""
        self.check_target(y)
        wanted = "predictions above zero (a model with a log link gives them)"
        check_values(f"measure {self.name!r}", prediction, prediction > 0, wanted)
        return super().evaluate(y, prediction, weights)

    def check_target(self, y: Vector) -> None:
        """Raise for negative values, with a power of 2 or more also for zero."""
        is_amount = self.power >= 2
        wanted = "a target above zero" if is_amount else "a target of zero or more"
        check_values(f"measure {self.name!r}", y, y > 0 if is_amount else y >= 0, wanted)

    def best_constant(self, y: Vector, weights: Vector | None = None) -> float:
        """Return the mean."""
        return float(np.average(y, weights=weights))

    @property
    def name(self) -> str:
        """The name under which results show the measure."""
        raise NotImplementedError


class PoissonDeviance(_Deviance):
    """Negative mean Poisson deviance, 2 (y log(y / f) - y + f): for counts.

    Examples
    --------
    >>> PoissonDeviance().evaluate(np.array([0.0, 2.0]), np.array([1.0, 2.0])).value
    -1.0
    """

    name = "poisson_deviance"
    power = 1.0


class GammaDeviance(_Deviance):
    """Negative mean gamma deviance, 2 (log(f / y) + y / f - 1): for amounts above zero.

    Examples
    --------
    >>> round(GammaDeviance().evaluate(np.array([1.0, 2.0]), np.array([2.0, 2.0])).value, 4)
    -0.1931
    """

    name = "gamma_deviance"
    power = 2.0


@dataclass(frozen=True)
class TweedieDeviance(_Deviance):
    """Negative mean Tweedie deviance: for amounts that may be zero, such as claims.

    Parameters
    ----------
    power : float, at least 1
        The variance grows with the mean to this power: 1 is Poisson, 2 gamma.

    Examples
    --------
    >>> TweedieDeviance(1.5).name
    'tweedie_deviance(1.5)'
    """

    power: float

    def __post_init__(self) -> None:
        check_number("power", self.power, minimum=1)

    @property
    def name(self) -> str:
        """The name with its power."""
        return f"tweedie_deviance({self.power:.12g})"
