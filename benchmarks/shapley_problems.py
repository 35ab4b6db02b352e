"""Simulators whose Shapley values are known exactly.

A coalition S of features is worth what the best predictor of y from X_S explains, Var E[y | X_S],
so that the skill is minus the mean squared error up to a constant, or R2 after division by Var y.
Each problem knows the worth of every coalition; its Shapley values follow by enumeration, block by
block where blocks of features are independent and additive.

=====================  ==========================================================================
linear                 Sun and Raskutti: correlated pair, correlation 0.8
autoregressive         linear, eight features, AR(1) correlation 0.8, four of them worthless alone
interactions           xplainfi's sim_dgp_interactions: a product, 2 x1 x2 + x3
product_8, _10         products, a sine, a copy with noise, three or five useless features
friedman               Friedman 1991, ten uniform features
mediated, confounded   xplainfi
williamson_feng        Williamson and Feng 2020, fifteen features, steps of correlated ones; R2
=====================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from problems import PROBLEMS as IMPORTANCE_PROBLEMS
from scipy.special import ndtr, ndtri

import lukewarm as lw


@dataclass(frozen=True)
class ShapleyProblem:
    """How rows are drawn, the measure, and the exact Shapley value of every feature."""

    name: str
    draw: Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]
    truth: np.ndarray
    measure: str = "neg_mse"


def gaussian_shapley(covariance, slopes):
    """Return the Shapley values of y = X @ slopes + noise with Gaussian X."""
    covariance, slopes = np.asarray(covariance, dtype=float), np.asarray(slopes, dtype=float)
    with_y = covariance @ slopes

    def worth(kept):
        kept = list(kept)
        if not kept:
            return 0.0
        part = with_y[kept]
        return float(part @ np.linalg.solve(covariance[np.ix_(kept, kept)], part))

    return lw.shapley.exact(worth, len(slopes))


def of_blocks(n_features, blocks):
    """Return the Shapley values of a sum of independent blocks: (columns, worth of kept places)."""
    values = np.zeros(n_features)
    for columns, worth in blocks:
        values[list(columns)] = lw.shapley.exact(worth, len(columns))
    return values


def _single(variance):
    return lambda kept: variance if kept else 0.0


def _pair(first, second, both):
    known = {(): 0.0, (0,): first, (1,): second, (0, 1): both}
    return known.__getitem__


def _ar1(n, g):
    X = g.normal(size=(n, 8))
    for column in range(1, 8):
        X[:, column] = 0.8 * X[:, column - 1] + 0.6 * X[:, column]
    return X, X[:, [0, 2, 4, 6]] @ [1.0, 1.0, 0.5, 0.25] + g.normal(size=n)


def _product(n_features):
    def draw(n, g):
        X = g.normal(size=(n, n_features))
        X[:, 1] = X[:, 0] + X[:, 1]
        signal = X[:, 0] + np.sin(2 * X[:, 2]) + X[:, 3] * X[:, 4]
        return X, signal + 0.5 * g.normal(size=n)

    return draw


def _product_truth(n_features):
    return of_blocks(
        n_features,
        [
            # E[X0 | X0 + e] explains half of X0.
            ((0, 1), _pair(1.0, 0.5, 1.0)),
            ((2,), _single((1 - np.exp(-8)) / 2)),
            ((3, 4), _pair(0.0, 0.0, 1.0)),
        ],
    )


def _friedman_truth():
    middle = (np.arange(2000) + 0.5) / 2000
    table = 10 * np.sin(np.pi * np.outer(middle, middle))
    alone = table.mean(axis=1).var()
    return of_blocks(
        10,
        [
            ((0, 1), _pair(alone, alone, table.var())),
            ((2,), _single(400 * (1 / 80 - 1 / 144))),
            ((3,), _single(100 / 12)),
            ((4,), _single(25 / 12)),
        ],
    )


_CUTS = np.array([-4.0, -2.0, 0.0, 2.0, 4.0])
_STEP = np.array([-6.0, -4.0, -2.0, 0.0, 2.0, 4.0])
_WIGGLE = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])
_SIGN = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])


def _williamson_feng(n, g):
    X = g.normal(size=(n, 15))
    # The correlated ones are made from the features they go with.
    X[:, 10] = 0.7 * X[:, 0] + np.sqrt(1 - 0.49) * X[:, 10]
    X[:, 2] = 0.3 * X[:, 11] + 0.3 * X[:, 12] + np.sqrt(1 - 0.18) * X[:, 2]
    X[:, 13] = 0.05 * X[:, 4] + np.sqrt(1 - 0.0025) * X[:, 13]
    signal = sum(
        heights[np.searchsorted(_CUTS, X[:, column])]
        for heights, column in ((_SIGN, 0), (_STEP, 2), (_WIGGLE, 4))
    )
    return X, signal + g.normal(size=n)


def _explained(heights, share):
    """Return Var E[steps(x) | z] for normal x, of whose variance z explains this share."""
    if share == 0:
        return 0.0
    # At equally likely values of z.
    z = ndtri((np.arange(20_000) + 0.5) / 20_000)
    edges = np.concatenate([[-np.inf], _CUTS, [np.inf]])
    if share == 1:
        means = heights[np.searchsorted(_CUTS, z)]
    else:
        below = ndtr((edges[:, None] - np.sqrt(share) * z) / np.sqrt(1 - share))
        means = heights @ np.diff(below, axis=0)
    return float(means.var())


def _williamson_feng_truth():
    def worth(heights, shares):
        return lambda kept: _explained(heights, shares[kept])

    blocks = [
        ((0, 10), worth(_SIGN, {(): 0, (0,): 1, (1,): 0.49, (0, 1): 1})),
        (
            (2, 11, 12),
            worth(
                _STEP,
                {(): 0, (1,): 0.09, (2,): 0.09, (1, 2): 0.18}
                | dict.fromkeys([(0,), (0, 1), (0, 2), (0, 1, 2)], 1),
            ),
        ),
        ((4, 13), worth(_WIGGLE, {(): 0, (0,): 1, (1,): 0.0025, (0, 1): 1})),
    ]
    values = of_blocks(15, blocks)
    return values / (values.sum() + 1)


def _covariance(n_features, entries):
    matrix = np.eye(n_features)
    for (row, column), value in entries.items():
        matrix[row, column] = matrix[column, row] = value
    return matrix


def _from(name, truth):
    return ShapleyProblem(name, IMPORTANCE_PROBLEMS[name].draw, truth)


_AR1 = 0.8 ** np.abs(np.subtract.outer(np.arange(8), np.arange(8)))
# Exposure, mediator, direct cause and noise; the mediator has variance 0.64 + 0.36 + 0.09.
_MEDIATED = _covariance(4, {(1, 1): 1.09, (0, 1): 0.8, (1, 2): 0.6})
# E[y | features] = E[hidden | x1, proxy] + x1 + z, the hidden cause being 4/9 of each of the two.
_CONFOUNDED = _covariance(3, {(0, 0): 1.25, (1, 1): 1.25, (0, 1): 1.0})

PROBLEMS = {
    problem.name: problem
    for problem in (
        _from("linear", gaussian_shapley(_covariance(6, {(0, 1): 0.8}), [1.5, 1.2, 1, 0, 0, 0])),
        ShapleyProblem(
            "autoregressive", _ar1, gaussian_shapley(_AR1, [1.0, 0, 1.0, 0, 0.5, 0, 0.25, 0])
        ),
        _from("interactions", np.array([2.0, 2.0, 1.0, 0.0, 0.0])),
        ShapleyProblem("product_8", _product(8), _product_truth(8)),
        ShapleyProblem("product_10", _product(10), _product_truth(10)),
        _from("friedman", _friedman_truth()),
        _from("mediated", gaussian_shapley(_MEDIATED, [0, 1.5, 0.5, 0])),
        _from("confounded", gaussian_shapley(_CONFOUNDED, [1 + 4 / 9, 4 / 9, 1])),
        ShapleyProblem("williamson_feng", _williamson_feng, _williamson_feng_truth(), "r2"),
    )
}
