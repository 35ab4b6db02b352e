"""Importances by two models of half the rows, whose errors have nothing in common.

Let f1, f2 be models of two disjoint halves of the training rows, h1, h2 their projections without
some features, u = f - h what the features add. A model that has learnt an effect only in part, or
overdone it, has the effect u on another scale than the best one, u0. For any factor c,

    mean[(y - h1)(y - h2) - (y - h1 - c u1)(y - h2 - c u2)] = 2 c a - c^2 b,

    a = mean[u1 (y - h2) + u2 (y - h1)] / 2,    b = mean[u1 u2],

is what effects c u are worth, in squared error. Noise that one half has learnt is not in the other,
so b is the size of what they share, not of what they have learnt; for c = 1 these are the twins'
importance. The best factor, c = a / b, leaves a^2 / b: the importance, but for the part of the
effect that no factor brings out of the models. Since the factor is the best one, its own error does
not count to first order, and with the factor given the terms of rows add up.

Other losses whose best prediction is the mean of y are parabolas near it. What f, the model of all
rows, and h, its projection, fall short of the best predictions is then

    k(f) (f - f0)^2 - k(h) (h - h0)^2,    about k(h) (u - u0)^2,

with k the curvature of the loss. So the importance is that of f, and what the twins find beyond it
in squared errors of rows weighted by k(h), which depends on the features that stay alone.

What a reduced model has learnt wrong by itself shows as well. Were h the conditional mean of f, no
function of the features that stay could tell anything of u. So h1 - h2 and u1 - u2 were unrelated;
an error e of h alone, h = E[f | .] + e, is in u with the opposite sign, and

    -mean[(h1 - h2)(u1 - u2)] / 2 = the variance of e,

of which the twins are free, since their errors have nothing in common. The squared bias of e, which
both share, is what they overrate the importance by. It does not show, but learners that are tuned
to predict hold it at about the size of the variance.

It needs models that agree: where b is not clearly positive, nothing is known of the factor. Nor is
it where one has learnt the same effect many times weaker: of effects s1 x and s2 x, a^2 / b is the
importance times (s1 + s2)^2 / (4 s1 s2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Prediction, Vector
from lukewarm.measures import BregmanLoss, over_classes, residuals
from lukewarm.results import MeasureValue

# Standard errors that b must be from zero, so that the evaluation rows know the factor to a third.
_CLEARLY = 3.0
# b over the mean size of both effects. At 0.3, models of one effect of different strength overrate
# it by a factor of 2.2 at the most; 0.5 and more left out effects of forests that twins put right.
_ALIKE = 0.3


@dataclass(frozen=True, eq=False)
class TwinTerms:
    """The terms of a and b, one per row, and the size that b would have if both models agreed.

    Parameters
    ----------
    crossed, shared : ndarray of shape (n,)
    first_size, second_size : ndarray of shape (n,)
        The squared effects of each model.
    own : ndarray of shape (n,)
        Half of what the reduced models differ by without the full ones, squared: the variance of
        an error of their own.
    beyond : ndarray of shape (n,)
        What a row loses without the features beyond squared errors; nothing in squared error.
    """

    crossed: Vector
    shared: Vector
    first_size: Vector
    second_size: Vector
    own: Vector
    beyond: Vector

    @classmethod
    def of(
        cls,
        loss: BregmanLoss,
        y: Vector,
        full: Sequence[Prediction],
        reduced: Sequence[Prediction],
    ) -> TwinTerms:
        """Return the terms of rows, by what the models predict with and without the features.

        Parameters
        ----------
        loss : BregmanLoss
        y : ndarray of shape (n,)
        full, reduced : sequences of three ndarrays of shape (n,) or (n, n_classes)
            What the model of all rows and those of the two halves predict with all features, and
            without some.
        """
        weight = loss.curvature(reduced[0])
        _, effect, other_effect = (one - other for one, other in zip(full, reduced, strict=True))
        left, other_left = (residuals(y, each) for each in reduced[1:])
        squares = np.square(residuals(y, reduced[0])) - np.square(residuals(y, full[0]))
        lost = loss.losses(y, reduced[0]) - loss.losses(y, full[0])
        return cls(
            over_classes(weight * (effect * other_left + other_effect * left)) / 2,
            over_classes(weight * effect * other_effect),
            over_classes(weight * np.square(effect)),
            over_classes(weight * np.square(other_effect)),
            own_errors(full[1:], reduced[1:], weight),
            lost - over_classes(weight * squares),
        )

    def gains(self, factor: float) -> Vector:
        """Return what effects times the factor save of the loss of each row."""
        return self.beyond + 2 * factor * self.crossed - factor**2 * self.shared


def own_errors(
    full: Sequence[Prediction], reduced: Sequence[Prediction], weight: Prediction | float = 1.0
) -> Vector:
    """Return the terms of the variance of what reduced models have learnt wrong by themselves.

    Parameters
    ----------
    full, reduced : sequences of two ndarrays of shape (n,) or (n, n_classes)
        What models of two halves predict, with all features and without some.
    weight : ndarray of the same shape, or float
        Of the squared errors.

    Examples
    --------
    >>> full = np.array([1.0, 2.0]), np.array([1.0, 2.0])
    >>> reduced = np.array([0.5, 1.5]), np.array([0.0, 2.0])
    >>> own_errors(full, reduced)
    array([0.125, 0.125])
    """
    differ = reduced[0] - reduced[1]
    return -over_classes(weight * differ * (full[0] - full[1] - differ)) / 2


def calibration(
    crossed: MeasureValue, shared: MeasureValue, sizes: tuple[float, float]
) -> float | None:
    """Return the best factor; None where the models do not agree clearly enough.

    Parameters
    ----------
    crossed, shared : MeasureValue
        a and b.
    sizes : tuple of two floats
        Means of the squared effects.

    Examples
    --------
    >>> shared = MeasureValue(1.0, np.array([0.1, -0.1]))
    >>> calibration(MeasureValue(1.5, np.zeros(2)), shared, (1.0, 1.2))
    1.5
    >>> calibration(MeasureValue(1.5, np.zeros(2)), shared, (5.0, 5.0)) is None
    True
    """
    is_clear = shared.value > _CLEARLY * shared.standard_error
    is_alike = shared.value > _ALIKE * (sizes[0] + sizes[1]) / 2
    if not (is_clear and is_alike and crossed.value > 0):
        return None
    return float(crossed.value / shared.value)
