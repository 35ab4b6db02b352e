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
logistic               log-odds of a line and a product; log-loss
three_classes          softmax of lines and a parabola; log-loss
levels                 levels that shift y, levels that turn a slope, a useless copy of levels
counts                 Poisson with a log-linear mean
uneven                 a line and a parabola; a feature that matters for the spread of y only
heavy_noise            a line and a wave of correlated features, noise of Student's t with 3 degrees
near_copies            two features of correlation 0.995
heavy_features         a line and an absolute value of features of Student's t with 3 degrees
checkerboard           the product of two signs, and a line
proxies                useless features that are noisy waves and products of useful ones
rare_classes           one row of nine is of the second class; log-loss
ishigami               Ishigami and Homma 1990, no noise, two useless features
g_function             Sobol' 1993, eight features, no noise
disc                   a jump along a circle, and a line
incomes                log-normal features; a line and a product of their logarithms
bins                   y follows the bins of a number: each tells what the other does, both useless
ringnorm               Breiman 1996, ten of its features: a narrow normal class inside a wide one
twonorm                Breiman 1996, ten of its features: two normal classes
clusters               four normal clusters of two classes, as Guyon 2003 draws them
clustered              a line and a product of columns that lie in such clusters
=====================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, ndtr, softmax


@dataclass(frozen=True)
class Problem:
    """How rows are drawn, what is measured, and the exact answers.

    `truth` maps measure -> feature set name -> importance; `groups` names sets of several columns.
    `best` gives the best predictions at the rows of X, with all features ("full") and without each
    set that matters. `levels` are columns whose numbers are names of levels.
    """

    name: str
    draw: Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]
    truth: dict[str, dict[str, float]]
    best: Callable[[np.ndarray], dict[str, np.ndarray]]
    task: str = "regression"
    groups: dict[str, list[int]] = field(default_factory=dict)
    levels: tuple[int, ...] = ()


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


def _logistic_probability(X):
    return expit(1.5 * X[:, 0] + 1.2 * X[:, 1] * X[:, 2])


def _three_probabilities(X):
    scores = np.column_stack([X[:, 0], -X[:, 0] + X[:, 1], X[:, 2] ** 2 - 1])
    return softmax(1.5 * scores, axis=1)


def _classes(n_columns: int, probability):
    def draw(n, g):
        X = g.normal(size=(n, n_columns))
        shares = probability(X)
        shares = np.column_stack([1 - shares, shares]) if shares.ndim == 1 else shares
        return X, (g.random(n)[:, None] > np.cumsum(shares, axis=1)).sum(axis=1)

    return draw


_SHIFTS = np.array([-1.5, -0.5, 0.0, 0.0, 0.5, 1.5])
_SLOPES = np.array([-1.0, 0.0, 2.0])


def _levels(n, g):
    kind, place = g.integers(0, 6, n), g.integers(0, 3, n)
    copied = np.where(g.random(n) < 0.7, kind, g.integers(0, 6, n))
    X = np.column_stack([kind, place, g.normal(size=n), g.normal(size=n), copied])
    return X, _SHIFTS[kind] + _SLOPES[place] * X[:, 2] + 0.5 * g.normal(size=n)


def _counts(n, g):
    X = g.normal(size=(n, 4))
    return X, g.poisson(np.exp(0.5 + 0.5 * X[:, 0] + 0.3 * X[:, 1])).astype(float)


def _uneven(n, g):
    X = g.normal(size=(n, 4))
    return X, X[:, 0] + 0.5 * X[:, 1] ** 2 + np.exp(X[:, 2] / 2) * g.normal(size=n)


def _heavy_noise(n, g):
    X = np.sqrt(0.5) * (g.normal(size=(n, 5)) + g.normal(size=(n, 1)))
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + g.standard_t(3, size=n)


def _near_copies(n, g):
    X = g.normal(size=(n, 4))
    X[:, 1] = 0.995 * X[:, 0] + np.sqrt(1 - 0.995**2) * X[:, 1]
    return X, 3 * X[:, 0] + X[:, 2] + 0.3 * g.normal(size=n)


def _heavy_features(n, g):
    X = g.standard_t(3, size=(n, 6))
    return X, X[:, 0] + np.abs(X[:, 1]) + 0.5 * g.normal(size=n)


def _checkerboard(n, g):
    X = g.normal(size=(n, 6))
    return X, np.sign(X[:, 0]) * np.sign(X[:, 1]) + 0.5 * X[:, 2] + 0.5 * g.normal(size=n)


def _proxies(n, g):
    X = g.normal(size=(n, 6))
    X[:, 1] = np.sin(3 * X[:, 0]) + 0.3 * X[:, 1]
    X[:, 2] = X[:, 0] * X[:, 3] + 0.5 * X[:, 2]
    return X, _proxied(X) + X[:, 5] + 0.5 * g.normal(size=n)


def _proxied(X):
    return 3 * np.exp(-(X[:, 0] ** 2)) + X[:, 3] + X[:, 0] * X[:, 3]


def _incomes(n, g):
    Z = g.normal(size=(n, 5))
    Z[:, 3] = 0.6 * Z[:, 0] + 0.8 * Z[:, 3]
    X = np.exp(1.2 * Z)
    return X, _of_incomes(X) + 0.5 * g.normal(size=n)


def _of_incomes(X):
    Z = np.log(X) / 1.2
    return Z[:, 0] + Z[:, 1] * Z[:, 2]


def _incomes_best(X):
    Z = np.log(X) / 1.2
    line, product = Z[:, 0], Z[:, 1] * Z[:, 2]
    return {"full": line + product, "x0": 0.6 * Z[:, 3] + product, "x1": line, "x2": line}


def _bins(n, g):
    x, z, useless = g.uniform(0, 5, n), *g.normal(size=(2, n))
    return np.column_stack([x, np.floor(x), z, useless]), np.floor(x) + z + g.normal(size=n)


def _rare_probability(X):
    return expit(-3 + 1.5 * X[:, 0] + X[:, 1])


@dataclass(frozen=True)
class _NormalClusters:
    """Classes 0 and 1 that are normal clusters, one after the other, and useless columns.

    Means of shape (n_clusters, p), roots of the covariances (n_clusters, p, p).
    """

    means: np.ndarray
    roots: np.ndarray
    n_useless: int = 2

    def draw(self, n, g):
        cluster = g.integers(0, len(self.means), n)
        X = g.normal(size=(n, self.means.shape[1] + self.n_useless))
        for number, (mean, root) in enumerate(zip(self.means, self.roots, strict=True)):
            rows = cluster == number
            X[rows, : len(mean)] = X[rows, : len(mean)] @ root + mean
        return X, cluster % 2

    def shares(self, X, gone=None):
        """Probabilities of the clusters, (n, n_clusters), from all columns but one."""
        kept = self._without(gone)
        densities = []
        for mean, root in zip(self.means, self.roots, strict=True):
            factor = np.linalg.cholesky((root.T @ root)[np.ix_(kept, kept)])
            standard = np.linalg.solve(factor, (X[:, kept] - mean[kept]).T)
            densities.append(-np.square(standard).sum(axis=0) / 2 - np.log(factor.diagonal()).sum())
        return softmax(np.stack(densities, axis=1), axis=1)

    def probability(self, X, gone=None):
        # Rounding may take a sum of shares beyond one.
        return np.minimum(self.shares(X, gone)[:, 1::2].sum(axis=1), 1.0)

    def guess(self, X, gone):
        """The mean of a column given the others: of each cluster a line."""
        kept = self._without(gone)
        lines = []
        for mean, root in zip(self.means, self.roots, strict=True):
            covariance = root.T @ root
            slopes = np.linalg.solve(covariance[np.ix_(kept, kept)], covariance[kept, gone])
            lines.append(mean[gone] + (X[:, kept] - mean[kept]) @ slopes)
        return (self.shares(X, gone) * np.stack(lines, axis=1)).sum(axis=1)

    def _without(self, gone):
        return [column for column in range(self.means.shape[1]) if column != gone]

    def best(self, X):
        columns = range(self.means.shape[1])
        without = {f"x{column}": self.probability(X, column) for column in columns}
        return {"full": self.probability(X)} | without


def _ringnorm():
    wide, narrow = np.zeros(10), np.full(10, 1 / np.sqrt(10))
    return _NormalClusters(np.stack([wide, narrow]), np.stack([2 * np.eye(10), np.eye(10)]))


def _twonorm():
    mean = np.full(10, 2 / np.sqrt(10))
    return _NormalClusters(np.stack([mean, -mean]), np.stack([np.eye(10)] * 2))


def _guyon_clusters():
    g = np.random.default_rng(1)
    corners = g.permutation(2**6)[:4]
    means = 2.0 * ((corners[:, None] >> np.arange(6)) & 1) - 1
    # The identity keeps every covariance away from a singular one.
    mixed = 2 * g.uniform(size=(4, 6, 6)) - 1
    covariances = mixed.transpose(0, 2, 1) @ mixed + 0.3 * np.eye(6)
    return _NormalClusters(means, np.linalg.cholesky(covariances).transpose(0, 2, 1))


_RINGNORM, _TWONORM, _CLUSTERS = _ringnorm(), _twonorm(), _guyon_clusters()


def _clustered(n, g):
    X, _ = _CLUSTERS.draw(n, g)
    return X, X[:, 0] + 0.5 * X[:, 1] * X[:, 2] + g.normal(size=n)


def _clustered_best(X):
    guess = [_CLUSTERS.guess(X, column) for column in range(3)]
    return {
        "full": X[:, 0] + 0.5 * X[:, 1] * X[:, 2],
        "x0": guess[0] + 0.5 * X[:, 1] * X[:, 2],
        "x1": X[:, 0] + 0.5 * guess[1] * X[:, 2],
        "x2": X[:, 0] + 0.5 * X[:, 1] * guess[2],
    }


def _ishigami(n, g):
    X = g.uniform(-np.pi, np.pi, size=(n, 5))
    return X, _ishigami_best(X)["full"]


def _ishigami_best(X):
    wave, square = np.sin(X[:, 0]), 7 * np.sin(X[:, 1]) ** 2
    power = 1 + 0.1 * X[:, 2] ** 4
    return {
        "full": wave * power + square,
        "x0": square,
        "x1": wave * power + 3.5,
        "x2": wave * (1 + 0.1 * np.pi**4 / 5) + square,
    }


_G_WEIGHTS = np.array([0, 1, 4.5, 9, 99, 99, 99, 99])


def _g_factors(X):
    return (np.abs(4 * X - 2) + _G_WEIGHTS) / (1 + _G_WEIGHTS)


def _g_function(n, g):
    X = g.random((n, 8))
    return X, _g_factors(X).prod(axis=1)


def _g_function_best(X):
    # Each factor has mean one.
    factors = _g_factors(X)
    whole = factors.prod(axis=1)
    others = {f"x{j}": np.delete(factors, j, axis=1).prod(axis=1) for j in range(8)}
    return {"full": whole, **others}


def _g_function_truth():
    variances = 1 / (3 * (1 + _G_WEIGHTS) ** 2)
    return [
        float(variance * np.prod(1 + np.delete(variances, column)))
        for column, variance in enumerate(variances)
    ]


_RADIUS, _HALF_SIDE, _JUMP = 1.5, 2.0, 3.0


def _disc(n, g):
    X = g.uniform(-_HALF_SIDE, _HALF_SIDE, size=(n, 6))
    return X, _disc_best(X)["full"] + 0.5 * g.normal(size=n)


def _share_inside(x):
    """Return the chance to be within the disc, given one of its two coordinates."""
    return np.sqrt(np.clip(_RADIUS**2 - x**2, 0, None)) / _HALF_SIDE


def _disc_best(X):
    inside = _JUMP * (np.square(X[:, :2]).sum(axis=1) < _RADIUS**2)
    return {
        "full": inside + X[:, 2],
        "x0": _JUMP * _share_inside(X[:, 1]) + X[:, 2],
        "x1": _JUMP * _share_inside(X[:, 0]) + X[:, 2],
        "x2": inside,
    }


def _disc_truth():
    # The mean over one coordinate of the variance of an indicator: E p - E p^2.
    mean = np.pi * _RADIUS**2 / (2 * _HALF_SIDE) ** 2
    mean_square = 4 / 3 * _RADIUS**3 / (2 * _HALF_SIDE) / _HALF_SIDE**2
    variance = _JUMP**2 * (mean - mean_square)
    return [variance, variance, _HALF_SIDE**2 / 3, 0, 0, 0]


def _additive(*terms):
    """Best predictions of a sum of independent terms: column -> (function, its mean)."""

    def best(X):
        parts = {column: function(X[:, column]) for column, function, _ in terms}
        full = sum(parts.values())
        return {"full": full} | {
            f"x{column}": full - parts[column] + mean for column, _, mean in terms
        }

    return best


def _linear_best(coefficients, means, intercept=0.0):
    """Best predictions of a linear function; `means` gives E[x_j | others] of dependent columns."""

    def best(X):
        full = intercept + X[:, : len(coefficients)] @ coefficients
        return {"full": full} | {
            f"x{column}": full - slope * (X[:, column] - means.get(column, lambda X: 0.0)(X))
            for column, slope in enumerate(coefficients)
        }

    return best


def _times(column: int, slope: float):
    return lambda X: slope * X[:, column]


def _pair_best(coefficients):
    """The same where the first two columns have correlation 0.8."""
    return _linear_best(coefficients, {0: _times(1, 0.8), 1: _times(0, 0.8)})


def _parabola(x):
    return 25 / 9 * x**2


def _friedman_best(X):
    product = 10 * np.sin(np.pi * X[:, 0] * X[:, 1])
    rest = 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]

    def mean_product(x):
        return 10 * (1 - np.cos(np.pi * x)) / (np.pi * np.maximum(x, 1e-12))

    full = product + rest
    return {
        "full": full,
        "x0": rest + mean_product(X[:, 1]),
        "x1": rest + mean_product(X[:, 0]),
        "x2": full - 20 * (X[:, 2] - 0.5) ** 2 + 20 / 12,
        "x3": full - 10 * X[:, 3] + 5,
        "x4": full - 5 * X[:, 4] + 2.5,
    }


def _nonlinear_best(X):
    return {"full": X[:, 0] + X[:, 1], "x1": X[:, 0] + X[:, 0] ** 2 - 1}


def _interaction_best(X):
    product, wave = X[:, 3] * X[:, 4], np.sin(2 * X[:, 2])
    full = X[:, 0] + wave + product
    return {
        "full": full,
        "x0": full - X[:, 0] + X[:, 1] / 2,
        "x2": full - wave,
        "x3": full - product,
        "x4": full - product,
    }


def _williamson_groups_best(X):
    steps = np.where((X[:, 0] >= -2) & (X[:, 0] < 2), np.floor(X[:, 0]), 0.0)
    moment = np.sqrt(2 / np.pi)  # E|z|; E|z|^3 and E|z|^5 are 2 and 8 times as much
    parts = {
        0: steps + ndtr(1) - 0.5,
        1: (X[:, 1] <= 0) - 0.5,
        2: (X[:, 2] > 0) - 0.5,
        5: np.abs(X[:, 5] / 4) ** 3 - 2 * moment / 8,
        6: np.abs(X[:, 6] / 4) ** 5 - 8 * moment / 32,
        10: 7 / 3 * (np.cos(X[:, 10] / 2) - np.exp(-0.5)),
    }
    constant = 0.5 - ndtr(1) + 1 + moment / 2 + 7 / 3 * np.exp(-0.5)
    full = constant + sum(parts.values())
    return {"full": full} | {
        name: full - sum(parts.get(column, 0.0) for column in columns)
        for name, columns in _WG.items()
    }


def _probit_best(correlated: bool):
    slopes = (0.7, 0.2) if correlated else (0.0, 0.0)

    def best(X):
        def without(gone, kept):
            slope, own = slopes[gone], (2.5, 3.5)[gone]
            mean = own * slope * X[:, 2 + gone] + (2.5, 3.5)[kept] * X[:, kept]
            return ndtr(mean / np.sqrt(1 + own**2 * (1 - slope**2)))

        full = ndtr(2.5 * X[:, 0] + 3.5 * X[:, 1])
        return {"full": full, "x0": without(0, 1), "x1": without(1, 0)}

    return best


def _ewald_best(X):
    x3, x4, x5 = X[:, 2:].T
    return {"full": x4 + x5 + x4 * x5, "x3": x3 + x5 + x3 * x5, "x4": 0.5 + 1.5 * x4}


def _interactions_best(X):
    product = 2 * X[:, 0] * X[:, 1]
    return {"full": product + X[:, 2], "x0": X[:, 2], "x1": X[:, 2], "x2": product}


def _mediated_best(X):
    exposure, mediator, direct, _ = X.T
    return {
        "full": 1.5 * mediator + 0.5 * direct,
        "x1": 1.5 * (0.8 * exposure + 0.6 * direct) + 0.5 * direct,
        # The mediator minus 0.8 exposure is 0.6 direct plus noise of variance 0.09.
        "x2": 1.5 * mediator + 0.5 * 0.6 / 0.45 * (mediator - 0.8 * exposure),
    }


def _confounded_best(observed: bool):
    def best(X):
        x1, proxy, z = X[:, 0], X[:, -2], X[:, -1]
        # Posterior mean of a standard normal from one or two readings with noise variance 0.25.
        both = 4 * (x1 + proxy) / 9
        if observed:
            hidden = X[:, 1]
            full = hidden + x1 + z
            return {"full": full, "x0": 2 * hidden + z, "x1": both + x1 + z, "x3": full - z}
        full = both + x1 + z
        return {"full": full, "x0": 1.6 * proxy + z, "x1": 1.8 * x1 + z, "x2": full - z}

    return best


def _aico_best(X):
    terms = {
        "x0": (4 + X[:, 1]) * (X[:, 0] - 0.85 * X[:, 5]),
        # E[x1 | x1 + e < 0] is -1 / sqrt(pi).
        "x1": X[:, 0] * (X[:, 1] + np.where(X[:, 8] == 1, 1, -1) / np.sqrt(np.pi)),
        "x2": 3 * X[:, 2] ** 2 - 3,
        "x3": 2 * X[:, 3] * X[:, 4],
        "x4": 2 * X[:, 3] * X[:, 4],
        "x5": 6 * (X[:, 5] - 0.85 * X[:, 0]),
        "x6": 2 * np.sin(X[:, 6]),
        "x7": np.exp(X[:, 7]) - np.sinh(1),
        "x8": 5 * (X[:, 8] - ndtr(-X[:, 1])),
        "x9": 3 * X[:, 9] - 9,
        "x10": 4 * X[:, 10],
        "x11": 5 * X[:, 11],
    }
    full = 3 + 4 * X[:, 0] + X[:, 0] * X[:, 1] + 3 * X[:, 2] ** 2 + 2 * X[:, 3] * X[:, 4]
    full = full + 6 * X[:, 5] + 2 * np.sin(X[:, 6]) + np.exp(X[:, 7]) + 5 * X[:, 8] + 3 * X[:, 9]
    full = full + 4 * X[:, 10] + 5 * X[:, 11]
    return {"full": full} | {name: full - term for name, term in terms.items()}


def _averaged(probability, columns):
    """Best probabilities, without a column averaged over its standard normal values."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()

    def best(X):
        found = {"full": probability(X)}
        for column in columns:
            filled, total = X.copy(), 0.0
            for node, weight in zip(nodes, weights, strict=True):
                filled[:, column] = node
                total = total + weight * probability(filled)
            found[f"x{column}"] = total
        return found

    return best


def _levels_best(X):
    kind, place, copied = (X[:, column].astype(int) for column in (0, 1, 4))
    shift, turned = _SHIFTS[kind], _SLOPES[place] * X[:, 2]
    # A copy is the level itself with probability 0.7 + 0.3 / 6; the shifts have mean zero.
    return {
        "full": shift + turned,
        "x0": 0.7 * _SHIFTS[copied] + turned,
        "x1": shift + _SLOPES.mean() * X[:, 2],
        "x2": shift,
    }


def _counts_best(X):
    a, b = 0.5 * X[:, 0], 0.3 * X[:, 1]
    return {
        "full": np.exp(0.5 + a + b),
        "x0": np.exp(0.5 + 0.125 + b),
        "x1": np.exp(0.5 + a + 0.045),
    }


def _heavy_noise_best(X):
    line, wave = X[:, 0], np.sin(2 * X[:, 1])
    # Given the four others, of correlation 0.5: mean their sum / 5, variance 0.6.
    means = {column: (X.sum(axis=1) - X[:, column]) / 5 for column in (0, 1)}
    return {
        "full": line + wave,
        "x0": means[0] + wave,
        "x1": line + np.sin(2 * means[1]) * np.exp(-2 * 0.6),
    }


def _mse(values: list[float]) -> dict[str, dict[str, float]]:
    return {"neg_mse": _named(values)}


_PAIR = _friedman_product_variance()
# Variances of the total effects, with a = 7 and b = 0.1.
_ISHIGAMI_PAIR = 8 * 0.1**2 * np.pi**8 / 225
_ISHIGAMI = [(1 + 0.1 * np.pi**4 / 5) ** 2 / 2 + _ISHIGAMI_PAIR, 49 / 8, _ISHIGAMI_PAIR, 0, 0]
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
        Problem("linear", _linear, _mse([0.81, 0.5184, 1, 0, 0, 0]), _pair_best([1.5, 1.2, 1.0])),
        Problem(
            "friedman",
            _friedman,
            _mse([_PAIR, _PAIR, 400 * (1 / 80 - 1 / 144), 100 / 12, 25 / 12, 0, 0, 0, 0, 0]),
            _friedman_best,
        ),
        Problem(
            "nonlinear",
            _nonlinear,
            {"neg_mse": {"x1": 0.25, "x2": 0.0, "x3": 0.0, "x4": 0.0, "x5": 0.0}},
            _nonlinear_best,
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
            _interaction_best,
        ),
        Problem(
            "williamson_2021",
            _williamson,
            {"r2": _named([0.15831, 0.34243])},
            _additive((0, lambda x: x**2 * (x + 1.4), 1.4 / 3), (1, _parabola, 25 / 27)),
        ),
        Problem(
            "williamson_null",
            _williamson_null,
            {"r2": _named([0.40683, 0.0])},
            _additive((0, _parabola, 25 / 27)),
        ),
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
            _williamson_groups_best,
            groups=_WG,
        ),
        *(
            Problem(
                name,
                _probit(is_correlated),
                _probit_truth(is_correlated),
                _probit_best(is_correlated),
                task="classification",
            )
            for name, is_correlated in (("probit", False), ("probit_correlated", True))
        ),
        *(
            Problem(
                name,
                _correlated(r),
                _mse([4 * (1 - r * r), 0, 1, 0]),
                _linear_best([2, 0, 1], {0: _times(1, r)}),
            )
            for name, r in (("correlated_5", 0.5), ("correlated_9", 0.9))
        ),
        Problem("ewald", _ewald, _mse([0, 0, 0, 0.02333, 0.19528]), _ewald_best),
        Problem("interactions", _interactions, _mse([4, 4, 1, 0, 0]), _interactions_best),
        Problem("mediated", _mediated, _mse([0, 0.2025, 0.05, 0]), _mediated_best),
        Problem(
            "confounded",
            _confounded(False),
            _mse([0.9389, 0.0889, 1]),
            _confounded_best(False),
        ),
        Problem(
            "confounded_observed",
            _confounded(True),
            _mse([0.25, 0.1111, 0, 1]),
            _confounded_best(True),
        ),
        Problem(
            "independent",
            _independent,
            _mse([4, 1, 0.25, 0, 0]),
            _linear_best([2, 1, 0.5], {}),
        ),
        Problem("aico", _aico, _mse(_AICO), _aico_best),
        Problem(
            "vimp", _vimp, {"r2": _named([0.1379, 0.3103])}, _linear_best([0.5, 0.75], {}, 1.0)
        ),
        Problem(
            "reyero_lobo",
            _reyero_lobo,
            _mse([2.56, 0.64]),
            _linear_best([2, 1], {0: _times(1, 0.6), 1: _times(0, 0.6)}),
        ),
        Problem("weak", _weak, _mse([0.0144, 0.0036, 1, 0, 0, 0]), _pair_best([0.2, 0.1, 1])),
        # Log-losses: means over four million rows, whose own error is below a thousandth of each.
        Problem(
            "logistic",
            _classes(5, _logistic_probability),
            {"neg_log_loss": _named([0.1505, 0.0782, 0.0782, 0, 0])},
            _averaged(_logistic_probability, (0, 1, 2)),
            task="classification",
        ),
        Problem(
            "three_classes",
            _classes(4, _three_probabilities),
            {"neg_log_loss": _named([0.2678, 0.1046, 0.1866, 0])},
            _averaged(_three_probabilities, (0, 1, 2)),
            task="classification",
        ),
        Problem(
            "levels", _levels, _mse([0.425, 14 / 9, 5 / 3, 0, 0]), _levels_best, levels=(0, 1, 4)
        ),
        Problem(
            "counts",
            _counts,
            _mse(
                [
                    np.exp(1.18) * (np.exp(0.5) - np.exp(0.25)),
                    np.exp(1.5) * (np.exp(0.18) - np.exp(0.09)),
                    0,
                    0,
                ]
            ),
            _counts_best,
        ),
        Problem(
            "uneven",
            _uneven,
            _mse([1, 0.5, 0, 0]),
            _additive((0, lambda x: x, 0.0), (1, lambda x: 0.5 * x**2, 0.5)),
        ),
        Problem(
            "heavy_noise",
            _heavy_noise,
            _mse([0.6, (1 - np.exp(-8) - np.exp(-2.4) * (1 - np.exp(-3.2))) / 2, 0, 0, 0]),
            _heavy_noise_best,
        ),
        Problem(
            "near_copies",
            _near_copies,
            _mse([9 * (1 - 0.995**2), 0, 1, 0]),
            _linear_best([3, 0, 1], {0: _times(1, 0.995)}),
        ),
        # The variance of t with 3 degrees is 3, the mean of its absolute value 2 sqrt(3) / pi.
        Problem(
            "heavy_features",
            _heavy_features,
            _mse([3, 3 - 12 / np.pi**2, 0, 0, 0, 0]),
            _additive((0, lambda x: x, 0.0), (1, np.abs, 2 * np.sqrt(3) / np.pi)),
        ),
        Problem(
            "checkerboard",
            _checkerboard,
            _mse([1, 1, 0.25, 0, 0, 0]),
            lambda X: {
                "full": np.sign(X[:, 0]) * np.sign(X[:, 1]) + 0.5 * X[:, 2],
                "x0": 0.5 * X[:, 2],
                "x1": 0.5 * X[:, 2],
                "x2": np.sign(X[:, 0]) * np.sign(X[:, 1]),
            },
        ),
        # What the features behind the proxies are worth has no simple formula: not asked for.
        Problem(
            "proxies",
            _proxies,
            {"neg_mse": {"x1": 0.0, "x2": 0.0, "x4": 0.0, "x5": 1.0}},
            lambda X: {"full": _proxied(X) + X[:, 5], "x5": _proxied(X)},
        ),
        Problem(
            "rare_classes",
            _classes(4, _rare_probability),
            {"neg_log_loss": _named([0.0752, 0.0356, 0, 0])},
            _averaged(_rare_probability, (0, 1)),
            task="classification",
        ),
        # Means over four million rows; the features of the first two are worth the same.
        Problem(
            "ringnorm",
            _RINGNORM.draw,
            {"neg_log_loss": _named([0.02445] * 10 + [0, 0])},
            _RINGNORM.best,
            task="classification",
        ),
        Problem(
            "twonorm",
            _TWONORM.draw,
            {"neg_log_loss": _named([0.01548] * 10 + [0, 0])},
            _TWONORM.best,
            task="classification",
        ),
        Problem(
            "clusters",
            _CLUSTERS.draw,
            {"neg_log_loss": _named([0.01905, 0.03219, 0.13648, 0.05368, 0.07392, 0.13373, 0, 0])},
            _CLUSTERS.best,
            task="classification",
        ),
        # Means over twenty million rows.
        Problem(
            "clustered", _clustered, _mse([1.3405, 0.9411, 1.2338, 0, 0, 0, 0, 0]), _clustered_best
        ),
        Problem("ishigami", _ishigami, _mse(_ISHIGAMI), _ishigami_best),
        Problem("g_function", _g_function, _mse(_g_function_truth()), _g_function_best),
        Problem("disc", _disc, _mse(_disc_truth()), _disc_best),
        Problem("incomes", _incomes, _mse([0.64, 1, 1, 0, 0]), _incomes_best),
        Problem(
            "bins",
            _bins,
            _mse([0, 0, 1, 0]),
            lambda X: {"full": X[:, 1] + X[:, 2], "x2": X[:, 1]},
        ),
    )
}
