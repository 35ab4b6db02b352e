"""Measures of classes: y holds class codes, predictions are probabilities."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Prediction, Vector
from lukewarm.measures._base import counted_rows, mean_of_rows, ratio_explained
from lukewarm.measures._losses import LogLosses
from lukewarm.results import MeasureValue


class OfSeveralClasses:
    """A measure of classes that has no value where there is one only."""

    name: str
    needs_classes = True

    def check_target(self, y: Vector) -> None:
        """Raise where all rows are of one class."""
        if np.ptp(y) == 0:
            raise ValueError(
                f"measure {self.name!r} needs rows of at least two classes; a part of {len(y)} "
                "rows has one only. Use more rows, fewer folds or larger segments, or a measure "
                "of single rows: accuracy or neg_log_loss."
            )


def most_probable(prediction: Prediction) -> np.ndarray:
    """Return the code of the most probable class; one half exactly votes for class 0."""
    return prediction > 0.5 if prediction.ndim == 1 else prediction.argmax(axis=1)


class Accuracy:
    """Share of rows whose most probable class is the one that came.

    Examples
    --------
    >>> Accuracy().evaluate(np.array([0.0, 1.0]), np.array([0.2, 0.3])).value
    0.5
    """

    name = "accuracy"
    needs_classes = True

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the share of hits; a probability of exactly one half votes for class 0."""
        return mean_of_rows((most_probable(prediction) == y).astype(float), weights)


class NegLogLoss(LogLosses):
    """Negative mean cross-entropy.

    Examples
    --------
    >>> round(NegLogLoss().evaluate(np.array([0.0, 1.0]), np.array([0.5, 0.5])).value, 4)
    -0.6931
    """

    name = "neg_log_loss"
    needs_classes = True

    def of_losses(self, y: Vector, losses: Vector, weights: Vector | None = None) -> MeasureValue:
        """Return the value of predictions with these losses."""
        return mean_of_rows(-losses, weights)


class Deviance(LogLosses, OfSeveralClasses):
    """Share of the log-loss of the constant prevalence that is explained.

    Notes
    -----
    1 - CE / H with CE the mean cross-entropy and H that of the class shares. H is minimal at the
    shares, so their own estimation does not enter its influence values.

    Examples
    --------
    >>> Deviance().evaluate(np.array([0.0, 1.0]), np.array([0.5, 0.5])).value
    0.0
    """

    name = "deviance"

    def of_losses(self, y: Vector, losses: Vector, weights: Vector | None = None) -> MeasureValue:
        """Return the value of predictions with these losses."""
        self.check_target(counted_rows(y, weights))
        entropy = mean_of_rows(self.scale_terms(y, weights), weights)
        return ratio_explained(mean_of_rows(losses, weights), entropy)

    def scale_terms(self, y: Vector, weights: Vector | None = None) -> Vector:
        """Return the log-losses of the prevalence."""
        shares = np.bincount(y.astype(int), weights=weights)
        return -np.log(shares[y.astype(int)] / shares.sum())


class AUC(OfSeveralClasses):
    """Area under the ROC curve: the chance that a case scores above a control, ties count half.

    Notes
    -----
    The influence of a case is (share of controls scored below it - AUC) / (share of cases), that
    of a control (share of cases scored above it - AUC) / (share of controls).

    Examples
    --------
    >>> AUC().evaluate(np.array([0.0, 0.0, 1.0]), np.array([0.1, 0.5, 0.5])).value
    0.75
    """

    name = "auc"
    max_classes = 2
    centres_classes = True

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the (weighted) AUC and its influence values."""
        self.check_target(counted_rows(y, weights))
        row_weights = np.ones(len(y)) if weights is None else weights
        case_weights = np.where(y == 1, row_weights, 0.0)
        control_weights = np.where(y == 1, 0.0, row_weights)
        below = _share_below(prediction, control_weights)
        above = 1 - _share_below(prediction, case_weights)
        value = float(np.average(below, weights=case_weights))
        influence = len(y) * (
            case_weights / case_weights.sum() * (below - value)
            + control_weights / control_weights.sum() * (above - value)
        )
        return MeasureValue(value, influence)


def _share_below(scores: Vector, weights: Vector) -> Vector:
    """Return for every row the weighted share of rows that score below it, ties counted half."""
    rank = np.unique(scores, return_inverse=True)[1]
    weight_at = np.bincount(rank, weights=weights)
    below = np.cumsum(weight_at) - weight_at / 2
    return below[rank] / weights.sum()
