"""Simulators whose importances are known exactly, most of them published by others.

Each problem draws (X, y) and knows the importance of every feature set it names: the loss of skill
of the best predictor without the set, in units of the measure.

=====================  ==========================================================================
linear                 Sun and Raskutti: correlated pair, correlation 0.8
friedman               Friedman 1991, ten uniform features
nonlinear              a feature that is a parabola of another
interaction            products, a copy with noise, 45 useless features
williamson_2021        Williamson, Gilbert, Carone and Simon 2021, Biometrics; R2
williamson_null        the same with one useless feature
williamson_groups      the same authors' fifteen features, groups; R2
probit, probit_correlated   Williamson, Gilbert, Simon and Carone 2023; accuracy and AUC
correlated_5, _9       xplainfi's sim_dgp_correlated, correlation 0.5 and 0.9
ewald                  Ewald et al. 2024 (as in xplainfi)
interactions, mediated, confounded, confounded_observed, independent   xplainfi
aico                   Giesecke et al. 2025, nineteen mixed features
vimp                   the unit test of the R package vimp; R2
reyero_lobo            Reyero Lobo et al. 2025, correlation 0.6, signal to noise 4
weak                   linear, unit noise, correlation 0.8, importances of 0.0144 and 0.0036
=====================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Problem:
    """How rows are drawn, what is measured, and the exact answers.

    `truth` maps measure -> feature set name -> importance; `groups` names sets of several columns.
    """

    name: str
    draw: Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]
    truth: dict[str, dict[str, float]]
    task: str = "regression"
    groups: dict[str, list[int]] = field(default_factory=dict)


def _named(values: list[float]) -> dict[str, float]:
    return {f"x{column}": value for column, value in enumerate(values)}


def _linear(n, g):
    X = g.normal(size=(n, 6))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    return X, X[:, :3] @ [1.5, 1.2, 1.0] + 0.1 * g.normal(size=n)


def _weak(n, g):
    X = g.normal(size=(n, 6))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    # Var(x_j | others) is 0.36 for the pair: 0.2^2 * 0.36 = 0.0144, 0.1^2 * 0.36 = 0.0036.
    return X, 0.2 * X[:, 0] + 0.1 * X[:, 1] + X[:, 2] + g.normal(size=n)


def _friedman(n, g):
    X = g.random((n, 10))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, y + 10 * X[:, 3] + 5 * X[:, 4] + g.normal(size=n)


def _friedman_product_variance() -> float:
    middle = (np.arange(2000) + 0.5) / 2000
    return float(np.mean(np.var(10 * np.sin(np.pi * np.outer(middle, middle)), axis=1)))


def _nonlinear(n, g):
    X = g.normal(size=(n, 6))
    X[:, 1] = X[:, 0] ** 2 - 1 + 0.5 * X[:, 1]
    X[:, 2] = np.abs(X[:, 0]) + 0.3 * X[:, 2]
    return X, X[:, 0] + X[:, 1] + 0.5 * g.normal(size=n)


def _interaction(n, g):
    X = g.normal(size=(n, 50))
    X[:, 1] = X[:, 0] + X[:, 1]
    signal = X[:, 0] + np.sin(2 * X[:, 2]) + X[:, 3] * X[:, 4]
    return X, signal + 0.5 * g.normal(size=n)


def _williamson(n, g):
    X = g.uniform(-1, 1, size=(n, 2))
    return X, X[:, 0] ** 2 * (X[:, 0] + 1.4) + 25 / 9 * X[:, 1] ** 2 + g.normal(size=n)


def _williamson_null(n, g):
    X = g.uniform(-1, 1, size=(n, 2))
    return X, 25 / 9 * X[:, 0] ** 2 + g.normal(size=n)


def _williamson_groups(n, g):
    X = 2 * g.normal(size=(n, 15))
    steps = np.where((X[:, 0] >= -2) & (X[:, 0] < 2), np.floor(X[:, 0]), 0.0)
    y = steps + (X[:, 1] <= 0) + (X[:, 2] > 0) + np.abs(X[:, 5] / 4) ** 3
    y = y + np.abs(X[:, 6] / 4) ** 5 + 7 / 3 * np.cos(X[:, 10] / 2)
    return X, y + g.normal(size=n)


def _probit(correlated: bool):
    def draw(n, g):
        X = g.normal(size=(n, 4))
        if correlated:
            X[:, 2] = 0.7 * X[:, 0] + np.sqrt(1 - 0.49) * X[:, 2]
            X[:, 3] = 0.2 * X[:, 1] + np.sqrt(1 - 0.04) * X[:, 3]
        return X, (2.5 * X[:, 0] + 3.5 * X[:, 1] + g.normal(size=n) > 0).astype(int)

    return draw


def probit_skills(explained: float) -> dict[str, float]:
    """Accuracy and AUC of the best prediction of an index with variance `explained` of 18.5."""
    total = 1 + 18.5
    return {
        "accuracy": 1 - np.arccos(np.sqrt(explained / total)) / np.pi,
        "auc": 0.5 + 2 / np.pi * np.arcsin(np.sqrt(explained / (2 * total))),
    }


def _probit_truth(correlated: bool) -> dict[str, dict[str, float]]:
    left = {"x0": 12.25, "x1": 6.25, "x2": 18.5, "x3": 18.5}
    if correlated:
        left |= {"x0": 12.25 + 6.25 * 0.49, "x1": 6.25 + 12.25 * 0.04}
    full = probit_skills(18.5)
    return {
        measure: {name: full[measure] - probit_skills(v)[measure] for name, v in left.items()}
        for measure in ("accuracy", "auc")
    }


def _correlated(r: float):
    def draw(n, g):
        X = g.normal(size=(n, 4))
        X[:, 1] = r * X[:, 0] + np.sqrt(1 - r * r) * X[:, 1]
        return X, 2 * X[:, 0] + X[:, 2] + 0.2 * g.normal(size=n)

    return draw


def _ewald(n, g):
    x1, x3, x5 = g.random((3, n))
    x2, x4 = x1 + 0.001 * g.normal(size=n), x3 + 0.1 * g.normal(size=n)
    return np.column_stack([x1, x2, x3, x4, x5]), x4 + x5 + x4 * x5 + 0.1 * g.normal(size=n)


def _interactions(n, g):
    X = g.normal(size=(n, 5))
    return X, 2 * X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * g.normal(size=n)


def _mediated(n, g):
    exposure, direct, noise = g.normal(size=(3, n))
    mediator = 0.8 * exposure + 0.6 * direct + 0.3 * g.normal(size=n)
    y = 1.5 * mediator + 0.5 * direct + 0.2 * g.normal(size=n)
    return np.column_stack([exposure, mediator, direct, noise]), y


def _confounded(observed: bool):
    def draw(n, g):
        hidden, z = g.normal(size=(2, n))
        e1, e2, e3 = 0.5 * g.normal(size=(3, n))
        x1, proxy = hidden + e1, hidden + e2
        columns = [x1, hidden, proxy, z] if observed else [x1, proxy, z]
        return np.column_stack(columns), hidden + x1 + z + e3

    return draw


def _independent(n, g):
    X = g.normal(size=(n, 5))
    return X, X[:, :3] @ [2, 1, 0.5] + 0.2 * g.normal(size=n)


def _aico(n, g):
    X = g.normal(size=(n, 19))
    X[:, 5] = 0.85 * X[:, 0] + np.sqrt(1 - 0.85**2) * X[:, 5]
    X[:, 15] = 0.85 * X[:, 14] + np.sqrt(1 - 0.85**2) * X[:, 15]
    X[:, 7] = g.uniform(-1, 1, n)
    X[:, 8] = X[:, 1] + g.normal(size=n) < 0
    X[:, 9] = g.poisson(3, n)
    X[:, 10:12] = g.standard_t(5, size=(n, 2))
    y = 3 + 4 * X[:, 0] + X[:, 0] * X[:, 1] + 3 * X[:, 2] ** 2 + 2 * X[:, 3] * X[:, 4]
    y = y + 6 * X[:, 5] + 2 * np.sin(X[:, 6]) + np.exp(X[:, 7]) + 5 * X[:, 8] + 3 * X[:, 9]
    return X, y + 4 * X[:, 10] + 5 * X[:, 11] + g.normal(size=n)


_AICO = [4.7175, 0.6817, 18, 4, 4, 9.99, 1.7293, 0.4323, 4.1667, 27, 26.667, 41.667] + [0.0] * 7


def _vimp(n, g):
    X = g.normal(size=(n, 2))
    return X, 1 + X @ [0.5, 0.75] + g.normal(size=n)


def _reyero_lobo(n, g):
    X = g.normal(size=(n, 2))
    X[:, 1] = 0.6 * X[:, 0] + 0.8 * X[:, 1]
    # Signal variance 4 + 1 + 2 * 2 * 0.6 = 7.4, a quarter of it noise.
    return X, X @ [2, 1] + np.sqrt(7.4 / 4) * g.normal(size=n)


def _mse(values: list[float]) -> dict[str, dict[str, float]]:
    return {"neg_mse": _named(values)}


_PAIR = _friedman_product_variance()
_WG = {
    "1-5": [0, 1, 2, 3, 4],
    "6-10": [5, 6, 7, 8, 9],
    "11-15": [10, 11, 12, 13, 14],
    "1,2,3,6,7": [0, 1, 2, 5, 6],
    "11": [10],
}
PROBLEMS = {
    problem.name: problem
    for problem in (
        Problem("linear", _linear, _mse([0.81, 0.5184, 1, 0, 0, 0])),
        Problem(
            "friedman",
            _friedman,
            _mse([_PAIR, _PAIR, 400 * (1 / 80 - 1 / 144), 100 / 12, 25 / 12, 0, 0, 0, 0, 0]),
        ),
        Problem(
            "nonlinear",
            _nonlinear,
            {"neg_mse": {"x1": 0.25, "x2": 0.0, "x3": 0.0, "x4": 0.0, "x5": 0.0}},
        ),
        Problem(
            "interaction",
            _interaction,
            {
                "neg_mse": {
                    "x0": 0.5,
                    "x1": 0.0,
                    "x2": 0.5 * (1 - np.exp(-8)),
                    "x3": 1.0,
                    "x4": 1.0,
                    "x5": 0.0,
                    "x6": 0.0,
                    "x7": 0.0,
                    "x8": 0.0,
                    "x9": 0.0,
                }
            },
        ),
        Problem("williamson_2021", _williamson, {"r2": _named([0.15831, 0.34243])}),
        Problem("williamson_null", _williamson_null, {"r2": _named([0.40683, 0.0])}),
        Problem(
            "williamson_groups",
            _williamson_groups,
            {
                "r2": {
                    "11": 0.2423,
                    "1-5": 0.2950,
                    "6-10": 0.2400,
                    "11-15": 0.2423,
                    "1,2,3,6,7": 0.5350,
                }
            },
            groups=_WG,
        ),
        Problem("probit", _probit(False), _probit_truth(False), task="classification"),
        Problem("probit_correlated", _probit(True), _probit_truth(True), task="classification"),
        Problem("correlated_5", _correlated(0.5), _mse([3.0, 0, 1, 0])),
        Problem("correlated_9", _correlated(0.9), _mse([0.76, 0, 1, 0])),
        Problem("ewald", _ewald, _mse([0, 0, 0, 0.02333, 0.19528])),
        Problem("interactions", _interactions, _mse([4, 4, 1, 0, 0])),
        Problem("mediated", _mediated, _mse([0, 0.2025, 0.05, 0])),
        Problem("confounded", _confounded(False), _mse([0.9389, 0.0889, 1])),
        Problem("confounded_observed", _confounded(True), _mse([0.25, 0.1111, 0, 1])),
        Problem("independent", _independent, _mse([4, 1, 0.25, 0, 0])),
        Problem("aico", _aico, _mse(_AICO)),
        Problem("vimp", _vimp, {"r2": _named([0.1379, 0.3103])}),
        Problem("reyero_lobo", _reyero_lobo, _mse([2.56, 0.64])),
        Problem("weak", _weak, _mse([0.0144, 0.0036, 1, 0, 0, 0])),
    )
}
