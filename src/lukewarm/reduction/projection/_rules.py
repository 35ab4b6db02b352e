"""Columns that follow from others by a rule: bins of a number, a region, the nearest of points.

Ridge and kernel regressions smooth over steps, and boosted trees know borders between bins only. A
guess that is wrong beside every step makes the full model, which has the column itself, better than
any prediction without it, and a column that says nothing new looks useful. A single tree, grown to
the end, has its borders where rows tell them apart. It is tried where a column has few values and
a tree on some hundred rows shows that the others determine them.
"""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.reduction.projection._functions_fit import FunctionsFit

# Values up to which a column may be made of steps, and rows for each of them. Of more, such as
# lengths to a hundredth, boosted trees follow all there is.
_MOST_VALUES, _ROWS_PER_VALUE = 100, 10
# Rows that show whether there is a rule.
_ROWS_SEEN = 500
# Of the variance, what such a tree may leave beside steps that so many rows know roughly.
_LEFT_BY_FEW = 0.2
# Lines beyond which trees on some hundred rows would cost more than all other guesses.
_MOST_LINES = 200


def fit_rule(
    functions: Matrix, target: Vector, places: np.ndarray, weights: Vector | None
) -> FunctionsFit:
    """Return the tree of a target, grown to the end.

    Parameters
    ----------
    functions : ndarray of shape (n, m)
    target : ndarray of shape (n,)
    places : ndarray of int
        The functions it may use.
    weights : ndarray of shape (n,), optional
    """
    from sklearn.tree import DecisionTreeRegressor  # few tables need it

    # Among splits that are as good the seed chooses.
    tree = DecisionTreeRegressor(random_state=0)
    return FunctionsFit(tree.fit(functions[:, places], target, sample_weight=weights), places)


def may_follow_a_rule(
    functions: tuple[Matrix, Matrix],
    column: tuple[Vector, Vector],
    places: np.ndarray,
) -> bool:
    """Return whether a column of few values is one that others determine.

    Parameters
    ----------
    functions : tuple of ndarrays of shape (n, m), (k, m)
        Of the training rows, and of those that judge.
    column : tuple of ndarrays of shape (n,), (k,)
        Its values, or codes of its levels.
    places : ndarray of int
        The functions that may be used.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(600, 2))
    >>> bins, coin = np.floor(2 * x[:, 0]), np.sign(np.random.default_rng(1).normal(size=600))
    >>> for column in (bins, coin, x[:, 0] + x[:, 1]):
    ...     may_follow_a_rule((x[:400], x[400:]), (column[:400], column[400:]), np.arange(2))
    True
    False
    False
    """
    n_values = len(np.unique(column[0]))
    most_values = min(_MOST_VALUES, len(column[0]) / _ROWS_PER_VALUE)
    if not 0 < len(places) <= _MOST_LINES or not 1 < n_values <= most_values:
        return False
    (seen, some), (judging, others) = (_some(*pair) for pair in zip(functions, column, strict=True))
    spread = np.var(others)
    left = others - fit_rule(seen, some, places, None).predict(judging)
    return bool(spread > 0 and np.mean(np.square(left)) <= _LEFT_BY_FEW * spread)


def _some(functions: Matrix, values: Vector) -> tuple[Matrix, Vector]:
    """Return at most so many rows as are looked at, evenly spaced."""
    every = -(-len(values) // _ROWS_SEEN)
    return functions[::every], values[::every]
