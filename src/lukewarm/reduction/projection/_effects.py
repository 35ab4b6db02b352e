"""What the prediction of a model changes by when one column moves and the others stay.

Both functions return sums over rows, so that those of several models add up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm._typing import Features, Matrix, Prediction, Vector
from lukewarm.learners import BaseLearner
from lukewarm.reduction.projection._column_values import column_of, few_values
from lukewarm.reduction.projection._conditional import ConditionalDraws

if TYPE_CHECKING:
    from lukewarm.reduction.projection._regressions import Regressions


def has_few_values(X: Features, column: int) -> bool:
    """Return whether a column is drawn value by value: levels, or numbers of few values."""
    return few_values(column_of(X, column)) is not None


def changes_in_bins(
    full: BaseLearner, X: Features, weights: Vector, column: int, values: Vector, edges: Vector
) -> tuple[Matrix, Vector]:
    """Return the changes over each bin of the column, and the weight of its rows.

    Parameters
    ----------
    full : BaseLearner
    X : Features of shape (n, p)
    weights : ndarray of shape (n,)
    column : int
    values : ndarray of shape (n,)
        The column as floats; rows without a value move nowhere.
    edges : ndarray of shape (n_bins + 1,)

    Returns
    -------
    ndarray of shape (n_bins, n_outputs), ndarray of shape (n_bins,)
    """
    n_bins = len(edges) - 1
    known = np.flatnonzero(~np.isnan(values))
    bins = np.clip(np.searchsorted(edges, values[known]) - 1, 0, n_bins - 1)
    rows = X.iloc[known] if hasattr(X, "iloc") else X[known]
    low, high = full.predict_filled(rows, [{column: edges[bins]}, {column: edges[bins + 1]}])
    change = _columns(high) - _columns(low)
    weight = weights[known]
    sums = np.zeros((n_bins, change.shape[1]))
    np.add.at(sums, bins, weight[:, np.newaxis] * change)
    return sums, np.bincount(bins, weight, n_bins).astype(float)


def changes_of_pairs(
    full: BaseLearner, regressions: Regressions, X: Features, weights: Vector, column: int
) -> tuple[tuple[Any, ...], Matrix, Matrix, Vector]:
    """Return the differences of every pair of a column's values, and the weight of the pair.

    A row counts by the probability of both values, given its other columns.

    Parameters
    ----------
    full : BaseLearner
    regressions : Regressions
        Of the full model's columns.
    X : DataFrame or ndarray of shape (n, p)
    weights : ndarray of shape (n,)
    column : int

    Returns
    -------
    values : tuple
    differences : ndarray of shape (n_values, n_values, n_outputs)
    weights : ndarray of shape (n_values, n_values)
    totals : ndarray of shape (n_values,)
        The expected weight of the rows with each value.
    """
    rows = regressions.prepare(X)
    draws = list(ConditionalDraws(regressions, (column,)).weighted_values(rows))
    values = tuple(filled[column][0] for _, filled in draws)
    predictions = np.stack(
        [_columns(each) for each in full.predict_filled(X, [filled for _, filled in draws])]
    )
    probability = np.stack([each for each, _ in draws])
    by_row = probability * weights
    pair_weight = by_row @ probability.T
    # Of the pair (l, m): the sum over rows of w P_l P_m f_l, minus the same with l and m swapped.
    one = np.einsum("ln,mn,lnk->lmk", by_row, probability, predictions)
    return values, one - one.transpose(1, 0, 2), pair_weight, by_row.sum(axis=1)


def _columns(prediction: Prediction) -> Matrix:
    return prediction[:, np.newaxis] if prediction.ndim == 1 else prediction
