"""Which columns go along with a target: as lines, in products of two, as waves."""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Matrix, Vector

# Groups of rows whose means show a wave, each of at least so many rows.
_MOST_GROUPS, _LEAST_ROWS = 16, 12
# Keeps quotients finite where a column or the target is constant.
_NOTHING = 1e-300


def scores_that_stand_out(rows: Matrix, y: Matrix, weights: Vector) -> np.ndarray:
    """Return which pairs of columns, and in the last column which single ones, go along with y.

    The mean of y x_j x_k over its standard error, for all pairs and for single columns, beyond
    sqrt(2 log m): the largest of m such scores of columns without use hardly gets there.

    Parameters
    ----------
    rows : ndarray of shape (n, q)
    y : ndarray of shape (n, n_outputs)
    weights : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (q, q + 1), bool

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(500, 3))
    >>> found = scores_that_stand_out(rows, rows[:, :1] * rows[:, 1:2] + rows[:, 2:], np.ones(500))
    >>> bool(found[0, 1]), bool(found[0, 2]), bool(found[2, 3])
    (True, False, True)
    """
    shares = weights / weights.sum()
    centred = rows - shares @ rows
    with_one = np.column_stack([centred, np.ones(len(rows))])
    n_columns = rows.shape[1]
    least = 2 * np.log(n_columns * (n_columns + 3) / 2)
    stands_out = np.zeros((n_columns, n_columns + 1), dtype=bool)
    for output in (y - shares @ y).T:
        pull = shares * output
        mean = centred.T @ (pull[:, None] * with_one)
        square = np.square(centred).T @ (np.square(pull)[:, None] * np.square(with_one))
        stands_out |= np.square(mean) > least * np.maximum(square, _NOTHING)
    return stands_out


def columns_with_waves(rows: Matrix, y: Matrix, weights: Vector) -> np.ndarray:
    """Return along which columns y waves, in a way that no parabola follows, shape (q,).

    Rows are grouped by the ranks of a column. Of what a parabola leaves of y, the squared means of
    the groups over their variance are a chi-square statistic, if there is no wave. In all but one
    of q tables none of q columns exceeds the bound (Laurent and Massart 2000, lemma 1).

    Parameters
    ----------
    rows : ndarray of shape (n, q)
    y : ndarray of shape (n, n_outputs)
    weights : ndarray of shape (n,)

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(400, 2))
    >>> columns_with_waves(rows, np.sin(4 * rows[:, :1]) + rows[:, 1:] ** 2, np.ones(400)).tolist()
    [True, False]
    """
    n_rows, n_columns = rows.shape
    n_groups = min(_MOST_GROUPS, n_rows // _LEAST_ROWS)
    # Three degrees of freedom go to the parabola.
    n_free = n_groups - 3
    has_wave = np.zeros(n_columns, dtype=bool)
    if n_free < 1:
        return has_wave
    level = 2 * np.log(max(n_columns, 4))
    bound = n_free + 2 * np.sqrt(n_free * level) + 2 * level
    group_of_rank = np.arange(n_rows) * n_groups // n_rows
    roots = np.sqrt(weights)
    for column, values in enumerate(rows.T):
        order = np.argsort(values, kind="stable")
        # Few values have no ranks.
        if values[order[0]] == values[order[-1]] or len(np.unique(values)) < 2 * n_groups:
            continue
        parabola = np.vander(values, 3) * roots[:, None]
        slopes = np.linalg.lstsq(parabola, y * roots[:, None], rcond=None)[0]
        left = (y - np.vander(values, 3) @ slopes)[order]
        squares = np.bincount(group_of_rank, np.square(weights[order]), n_groups)
        for output in left.T:
            sums = np.bincount(group_of_rank, weights[order] * output, n_groups)
            spread = np.average(np.square(output), weights=weights[order])
            statistic = np.sum(np.square(sums) / np.maximum(squares * spread, _NOTHING))
            has_wave[column] |= statistic > bound
    return has_wave
