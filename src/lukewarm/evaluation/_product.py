"""The product statistic: whether what features add tells anything of what is left without them.

The projected covariance measure of Lundborg, Kim, Shah and Samworth (2024),

    mean[(y - h) u],    h the prediction without the features, u = f - h what they add to it.

Where they are worth nothing it is centred at zero, as far as h is the best prediction without them.
If h = h0 + e, what f knows better than h is not the features' merit:

    E[(y - h) u] = E[(h0 - h)(h0 - h)] = E[e^2],    f = h0.

Models of halves of the rows tell the variance of e, and its squared bias is about as large
(`own_squares`). Both are taken off the statistic where they are clearly there, row by row: where
columns depend on each other by steps and angles, a column without any worth of its own had a
p-value of next to nothing.

The statistic also bounds the importance. Of u nothing can be told without the features, so in
E[(y - h) u] = E[u0 u] only the best effect u0 = f0 - h0 counts, and by Cauchy and Schwarz

    E[(y - h) u]^2 / E[u^2] <= E[u0^2],    the importance in squared error,

whatever the models have learnt. The score is the root of the left side, in units of the measure.
Unlike the importance it does not degenerate at zero, so what it shows a set to be worth has a lower
limit that is above zero wherever the test rejects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Prediction, Vector
from lukewarm.inference import by_cluster, cluster_totals, small_sample_scale
from lukewarm.measures import mean_of_rows, over_classes, residuals
from lukewarm.results import MeasureValue

# What the smaller difference shows is a part of the variance, and learners that are tuned to
# predict have about as much of a squared bias. Chosen on eight kinds of columns that follow from
# others by steps and angles, and eight others: 2 left a third of such columns with p below 0.05,
# and 4 cost more power than the plain products of both differences.
_SQUARES = 3.0
# Of the variance of predictions. Of a column that others determine the draws leave rounding, and a
# score is the same however small the effect is.
_NOTHING = 1e-12
# Standard errors from zero. Taken off wherever they are positive, errors that are not there cost
# the statistic a third of its own error with 500 rows.
_CLEARLY = 1.0


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Rows that one model is tested on.

    Parameters
    ----------
    y : ndarray of shape (n,)
    reduced, direction : ndarray of shape (n,) or (n, n_classes)
        h and u.
    weights : ndarray of shape (n,), optional
    own_errors : ndarray of shape (n,), optional
        Terms of the mean square of what h has learnt wrong by itself.
    units : ndarray of shape (n,), optional
        Terms whose mean is the squared error that is worth one; ones by default.
    """

    y: Vector
    reduced: Prediction
    direction: Prediction
    weights: Vector | None = None
    own_errors: Vector | None = None
    units: Vector | None = None

    @property
    def terms(self) -> ProductTerms:
        """The terms of the score, products at unit spread so that no model's scale decides."""
        weights = np.ones(len(self.y)) if self.weights is None else self.weights
        direction = without_rounding(self.direction, (self.reduced + self.direction).var())
        products = product_terms(self.y, self.reduced, direction) * weights
        spread = products.std()
        scale = spread if spread > 0 else 1.0
        products = products / scale
        if self.own_errors is not None and spread > 0:
            products = without_own_errors(products, self.own_errors * weights / scale)
        effects = over_classes(np.square(direction)) * weights / scale**2
        return ProductTerms(
            products, effects, weights if self.units is None else self.units * weights
        )


def without_rounding(direction: Prediction, variance: float) -> Prediction:
    """Return what features add to a prediction; zeros where that is rounding.

    Parameters
    ----------
    direction : ndarray of shape (n,) or (n, n_classes)
    variance : float
        Of the predictions with all features.
    """
    if np.square(direction).mean() <= _NOTHING * variance:
        return np.zeros_like(direction)
    return direction


@dataclass(frozen=True, eq=False)
class ProductTerms:
    """The terms of a score, one per row.

    Parameters
    ----------
    products : ndarray of shape (n,)
        (y - h) u, times the weight of the row.
    effects : ndarray of shape (n,)
        u^2, times the weight.
    units : ndarray of shape (n,)
        What is worth one in squared error, times the weight.
    """

    products: Vector
    effects: Vector
    units: Vector

    @classmethod
    def joined(cls, parts: Sequence[ProductTerms]) -> ProductTerms:
        """Return the terms of the rows of all parts."""
        return cls(
            np.concatenate([part.products for part in parts]),
            np.concatenate([part.effects for part in parts]),
            np.concatenate([part.units for part in parts]),
        )

    def at(self, chosen: np.ndarray) -> ProductTerms:
        """Return the terms of some rows."""
        return ProductTerms(self.products[chosen], self.effects[chosen], self.units[chosen])

    def score(self, variance_factor: float = 1.0) -> MeasureValue:
        """Return the score: the root of what the rows show the features to be worth.

        Parameters
        ----------
        variance_factor : float, default 1.0
            Times the variance of independent rows.

        Examples
        --------
        >>> x = np.array([-1.0, -1.0, 1.0, 1.0])
        >>> ProductTerms(products=2 * x * x, effects=x * x, units=np.ones(4)).score().value
        2.0
        """
        products, effects, unit = (
            mean_of_rows(each, None) for each in (self.products, self.effects, self.units)
        )
        return score_of_means(products, effects, unit, variance_factor)


def score_of_means(
    products: MeasureValue, effects: MeasureValue, unit: MeasureValue, variance_factor: float
) -> MeasureValue:
    """Return E[products] / root of E[effects] E[units], its influence values by the delta method.

    Weights of rows are in all three, so their scale cancels.
    """
    if effects.value <= 0 or unit.value <= 0:
        return MeasureValue(0.0, np.zeros_like(products.influence))
    root = np.sqrt(effects.value * unit.value)
    value = products.value / root
    below = effects.influence / effects.value + unit.influence / unit.value
    influence = products.influence / root - value / 2 * below
    return MeasureValue(float(value), influence * np.sqrt(variance_factor))


def worth_of(score: float, scale: float, lost_by: Callable[[float], float]) -> float:
    """Return what features are worth at least, over their squared score; nan if it shows nothing.

    One, but for a root of losses: it is concave and loses more than in proportion by a smaller
    effect, so one number bounds what any lower limit of the score shows.

    Parameters
    ----------
    score : float
    scale : float
        What the mean loss is divided by.
    lost_by : callable
        From an addition to the mean loss to what the measure falls by.
    """
    return lost_by(scale * score**2) / score**2 if score > 0 else np.nan


def score_of_outputs(by_output: Sequence[ProductTerms], variance_factor: float) -> MeasureValue:
    """Return the mean of the scores of several outputs, each in units of its own noise.

    Under the null all of them are centred.
    """
    scores = [terms.score(variance_factor) for terms in by_output]
    if len(scores) == 1:
        return scores[0]
    errors = [score.rows_error for score in scores]
    return MeasureValue.mean(
        [
            MeasureValue(score.value / (error or 1.0), score.influence / (error or 1.0))
            for score, error in zip(scores, errors, strict=True)
        ]
    )


def own_squares(full: Sequence[Prediction], reduced: Sequence[Prediction], share: float) -> Vector:
    """Return the terms of the mean square of what a reduced model has learnt wrong by itself.

    An error of h alone is in h1 - h2 and, with the opposite sign, in u1 - u2. Where they agree that
    far, the smaller of both is its size; the larger has other errors in it, of models that differ
    with all features as well, and few rows of them would outweigh all others (`own_errors`).

    Parameters
    ----------
    full, reduced : sequences of two ndarrays of shape (n,) or (n, n_classes)
        What the models of halves predict, with all features and without some.
    share : float
        The rows of a half over those of the model: it learns less wrong from more rows.

    Examples
    --------
    >>> full = np.array([1.0, 2.0]), np.array([1.0, 2.0])
    >>> reduced = np.array([0.5, 1.5]), np.array([0.0, 2.0])
    >>> own_squares(full, reduced, share=0.5)
    array([0.1875, 0.1875])
    """
    differ = reduced[0] - reduced[1]
    effects = full[0] - full[1] - differ
    smaller = np.minimum(np.square(differ), np.square(effects))
    return -_SQUARES * share * over_classes(np.sign(differ * effects) * smaller) / 2


def without_own_errors(products: Vector, own_errors: Vector) -> Vector:
    """Return the terms of the statistic less those of errors, if these are clearly there.

    Parameters
    ----------
    products, own_errors : ndarrays of shape (n,)
        Of rows, or sums over cells of rows.
    """
    error = own_errors.std() / np.sqrt(len(own_errors))
    return products - own_errors if own_errors.mean() > _CLEARLY * error else products


def clustered_score(score: MeasureValue, clusters: np.ndarray | None) -> MeasureValue:
    """Return a score with one influence value per cluster of its rows.

    Parameters
    ----------
    score : MeasureValue
        With one influence value per row.
    clusters : ndarray of int, optional
        The cluster of each row; any numbers.

    Notes
    -----
    The mean taken from the terms costs a degree of freedom, which counts where clusters are few.
    """
    if clusters is None:
        return score
    scale = small_sample_scale(cluster_totals(np.ones(len(clusters)), clusters))
    _, codes = np.unique(clusters, return_inverse=True)
    return MeasureValue(score.value, by_cluster(score.influence, codes) * scale, score.shift)


def product_terms(y: Vector, prediction: Prediction, direction: Prediction) -> Vector:
    """Return (y - prediction) * direction for each row, summed over classes."""
    return over_classes(residuals(y, prediction) * direction)
