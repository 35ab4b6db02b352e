"""The product statistic: whether what features add tells anything of what is left without them.

The projected covariance measure of Lundborg, Kim, Shah and Samworth (2024),

    mean[(y - h) u],    h the prediction without the features, u = f - h what they add to it.

Where they are worth nothing it is centred at zero, as far as h is the best prediction without them.
If h = h0 + e, what f knows better than h is not the features' merit:

    E[(y - h) u] = E[(h0 - h)(h0 - h)] = E[e^2],    f = h0.

Models of halves of the rows tell the variance of e (`own_errors`), and its squared bias is about as
large. Both are taken off the statistic where they are clearly there, row by row: where columns
depend on each other by steps and angles, a column without any worth of its own had a p-value of
next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Prediction, Vector
from lukewarm.evaluation._twins import own_errors
from lukewarm.inference import by_cluster, cluster_totals, small_sample_scale
from lukewarm.measures import mean_of_rows, over_classes, residuals
from lukewarm.results import MeasureValue

# Learners that are tuned to predict have about as much of either.
_VARIANCE_AND_BIAS = 2.0


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
    """

    y: Vector
    reduced: Prediction
    direction: Prediction
    weights: Vector | None = None
    own_errors: Vector | None = None

    @property
    def terms(self) -> Vector:
        """The terms of the statistic, brought to unit spread so that no model's scale decides."""
        products = product_terms(self.y, self.reduced, self.direction)
        shares = 1.0 if self.weights is None else self.weights / self.weights.mean()
        products = products * shares
        spread = products.std()
        terms = products / (spread if spread > 0 else 1.0)
        if self.own_errors is None or spread == 0:
            return terms
        return without_own_errors(terms, self.own_errors * shares / spread)


def own_squares(full: Sequence[Prediction], reduced: Sequence[Prediction], share: float) -> Vector:
    """Return the terms of the mean square of what a reduced model has learnt wrong by itself.

    Its variance is that of the models of halves, less as it learns from more rows, and its squared
    bias is taken to be as large.

    Parameters
    ----------
    full, reduced : sequences of two ndarrays of shape (n,) or (n, n_classes)
        What the models of halves predict, with all features and without some.
    share : float
        The rows of a half over those of the model.
    """
    return _VARIANCE_AND_BIAS * share * own_errors(full, reduced)


def without_own_errors(products: Vector, own_errors: Vector) -> Vector:
    """Return the terms of the statistic less those of errors, if these are positive on average.

    Parameters
    ----------
    products, own_errors : ndarrays of shape (n,)
        Of rows, or sums over cells of rows.
    """
    return products - own_errors if own_errors.mean() > 0 else products


def product_score(parts: Sequence[ScoredRows], variance_factor: float) -> MeasureValue:
    """Return the product statistic of a feature set, with its influence values.

    Unlike the importance it does not degenerate where the features are worth nothing. For classes
    the products are summed over the indicators.

    Parameters
    ----------
    parts : sequence of ScoredRows
        One for every model.
    variance_factor : float
        Times the variance of independent rows.
    """
    score = mean_of_rows(np.concatenate([part.terms for part in parts]), None)
    return MeasureValue(score.value, score.influence * np.sqrt(variance_factor))


def clustered_score(score: MeasureValue, clusters: np.ndarray | None) -> MeasureValue:
    """Return the product statistic with one influence value per cluster of its rows.

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
