"""Measures of classes beyond shares of rows: of recalls, of the second class, of all pairs."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Prediction, Vector
from lukewarm.measures._base import counted_rows, ratio_of_means
from lukewarm.measures._classification import AUC, OfSeveralClasses, most_probable
from lukewarm.measures._losses import SquaredErrors
from lukewarm.measures._mean_loss import MeanLoss
from lukewarm.results import MeasureValue


class Brier(SquaredErrors, MeanLoss):
    """Negative Brier score: the mean squared error of the class probabilities.

    Of two classes that of the second class's probability, of several the sum over the classes.
    It is finite where a model calls impossible what comes, which log-loss is not.

    Examples
    --------
    >>> Brier().evaluate(np.array([0.0, 1.0]), np.array([0.5, 0.0])).value
    -0.625
    """

    name = "brier"
    needs_classes = True


class BalancedAccuracy(OfSeveralClasses):
    """Mean over the classes of the share of their rows that are recognised.

    Notes
    -----
    The influence of a row of class k is (hit - recall of k) / (share of k) / (number of classes).

    Examples
    --------
    >>> BalancedAccuracy().evaluate(np.array([0.0, 0.0, 1.0]), np.array([0.1, 0.9, 0.8])).value
    0.75
    """

    name = "balanced_accuracy"
    centres_classes = True

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the mean recall and its influence values."""
        self.check_target(counted_rows(y, weights))
        row_weights = np.ones(len(y)) if weights is None else weights
        hit = (most_probable(prediction) == y).astype(float)
        classes, codes = np.unique(y, return_inverse=True)
        total = np.bincount(codes, weights=row_weights)
        recall = np.bincount(codes, weights=row_weights * hit) / total
        influence = len(y) * row_weights * (hit - recall[codes]) / total[codes] / len(classes)
        return MeasureValue(float(recall.mean()), influence)


class F1(OfSeveralClasses):
    """F1 of the second class; of several classes the mean over them.

    Notes
    -----
    2 TP / (2 TP + FP + FN) is a ratio of two means over the rows, so its influence values follow
    by the delta method.

    Examples
    --------
    >>> round(F1().evaluate(np.array([0.0, 1.0, 1.0]), np.array([0.9, 0.8, 0.1])).value, 12)
    0.5
    """

    name = "f1"

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return F1 and its influence values."""
        self.check_target(counted_rows(y, weights))
        chosen = most_probable(prediction)
        codes = [1] if prediction.ndim == 1 else range(prediction.shape[1])
        return MeasureValue.mean([_f1_of(y == code, chosen == code, weights) for code in codes])


class AveragePrecision(OfSeveralClasses):
    """Mean over the cases of the precision at their score: the area under precision and recall.

    Notes
    -----
    With weights w, cases y in {0, 1}, N_i and D_i the weight of the cases and of all rows that
    score at least as high as row i, P_i = N_i / D_i and W the weight of all cases, the value is
    sum(w_i y_i P_i) / W. Its derivative by the weight of row r is

        [ y_r (P_r - value) + sum over i with score_i <= score_r of w_i y_i (y_r - P_i) / D_i ] / W.

    Examples
    --------
    >>> value = AveragePrecision().evaluate(np.array([0.0, 1.0, 1.0]), np.array([0.4, 0.3, 0.8]))
    >>> round(value.value, 4)
    0.8333
    """

    name = "average_precision"
    max_classes = 2

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the (weighted) average precision and its influence values."""
        self.check_target(counted_rows(y, weights))
        row_weights = np.ones(len(y)) if weights is None else weights
        case_weights = row_weights * y
        rank = np.unique(prediction, return_inverse=True)[1]
        # Per distinct score, from the highest down; every one of them has a row.
        at_least, cases_at_least = (
            np.cumsum(np.bincount(rank, weights=each)[::-1])[::-1]
            for each in (row_weights, case_weights)
        )
        at_least = np.maximum(at_least, np.finfo(float).tiny)  # rows of weight zero on top
        precision = cases_at_least / at_least
        cases_at = np.bincount(rank, weights=case_weights)
        total = case_weights.sum()
        value = float(np.sum(cases_at * precision) / total)
        below = np.cumsum(cases_at / at_least)
        precision_below = np.cumsum(cases_at * precision / at_least)
        slope = y * (precision[rank] - value) + y * below[rank] - precision_below[rank]
        return MeasureValue(value, len(y) * row_weights * slope / total)


class MacroAUC(OfSeveralClasses):
    """Mean over the classes of the AUC of each against all others.

    Examples
    --------
    >>> probabilities = np.array([[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]])
    >>> MacroAUC().evaluate(np.array([0.0, 1.0, 2.0]), probabilities).value
    1.0
    """

    name = "macro_auc"

    def evaluate(
        self, y: Vector, prediction: Prediction, weights: Vector | None = None
    ) -> MeasureValue:
        """Return the mean AUC and its influence values; that of two classes is their AUC."""
        self.check_target(counted_rows(y, weights))
        if prediction.ndim == 1:
            return AUC().evaluate(y, prediction, weights)
        return MeasureValue.mean(
            [
                AUC().evaluate((y == code).astype(float), prediction[:, code], weights)
                for code in range(prediction.shape[1])
            ]
        )


def _f1_of(is_case: np.ndarray, is_chosen: np.ndarray, weights: Vector | None) -> MeasureValue:
    return ratio_of_means(
        2.0 * (is_case & is_chosen), is_case.astype(float) + is_chosen.astype(float), weights
    )
