"""Infinite-width kernels against quadrature, finite networks and values worked out by hand."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import erf

from lukewarm.kernels import KernelWarning, nngp, ntk

PAPER = {"weight_scale": math.sqrt(1 - 0.1**2), "bias_scale": 0.1}


def rows(n: int = 8, p: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, p))


def polar_moments(c: float, k: float, q: float) -> tuple[float, float]:
    """E[phi phi], E[phi' phi'] of ReLU: the radial part by hand, the angular by Gauss-Legendre.

    With u = sqrt(k) r cos t and v = sqrt(q) r cos(t - a), both are positive on one arc, on which
    the integrands are smooth; r**2 and 1 integrate to 2 and 1 against r exp(-r**2 / 2).
    """
    angle = math.acos(np.clip(c / math.sqrt(k * q), -1, 1))
    nodes, weights = np.polynomial.legendre.leggauss(60)
    low, high = angle - math.pi / 2, math.pi / 2
    t = low + (nodes + 1) * (high - low) / 2
    weights = weights * (high - low) / 2 / (2 * math.pi)
    product = 2 * math.sqrt(k * q) * (weights @ (np.cos(t) * np.cos(t - angle)))
    return product, weights.sum()


def grid_moments(c: float, k: float, q: float, phi, slope) -> tuple[float, float]:
    """The same for a smooth activation, by the trapezoidal rule in two dimensions."""
    z = np.arange(-9, 9.01, 0.06)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * 0.06
    u = math.sqrt(k) * z[:, None]
    rho = c / math.sqrt(k * q)
    v = math.sqrt(q) * (rho * z[:, None] + math.sqrt(max(1 - rho**2, 0)) * z)
    weight = density[:, None] * density
    return (weight * phi(u) * phi(v)).sum(), (weight * slope(u) * slope(v)).sum()


def by_quadrature(x, z, n_hidden_layers, *, weight_scale, bias_scale, moments):
    """Return (nngp, ntk) of one pair by the textbook recursion."""
    w, b = weight_scale**2, bias_scale**2
    c, k, q = (w * left @ right / len(x) + b for left, right in ((x, z), (x, x), (z, z)))
    tangent = c
    for _ in range(n_hidden_layers):
        product, slope = moments(c, k, q)
        k, q = w * moments(k, k, k)[0] + b, w * moments(q, q, q)[0] + b
        c = w * product + b
        tangent = c + w * slope * tangent
    return c, tangent


@pytest.mark.parametrize("n_hidden_layers", [1, 2, 4])
def test_relu_kernels_agree_with_quadrature(n_hidden_layers):
    X, Z = rows(6), rows(5, seed=1)
    scales = {"weight_scale": 1.3, "bias_scale": 0.4}
    expected = np.array(
        [
            [by_quadrature(x, z, n_hidden_layers, **scales, moments=polar_moments) for z in Z]
            for x in X
        ]
    )
    arguments = {"n_hidden_layers": n_hidden_layers, **scales}
    assert_allclose(nngp(X, Z, **arguments), expected[..., 0], rtol=1e-10)
    assert_allclose(ntk(X, Z, **arguments), expected[..., 1], rtol=1e-10)


SMOOTH = {
    "erf": ("erf", erf, lambda u: 2 / math.sqrt(math.pi) * np.exp(-(u**2))),
    "tanh": (np.tanh, np.tanh, lambda u: 1 / np.cosh(u) ** 2),
    "gelu": (
        lambda u: u * (1 + erf(u / math.sqrt(2))) / 2,
        lambda u: u * (1 + erf(u / math.sqrt(2))) / 2,
        lambda u: (
            (1 + erf(u / math.sqrt(2))) / 2 + u * np.exp(-(u**2) / 2) / math.sqrt(2 * math.pi)
        ),
    ),
}


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("n_hidden_layers", [1, 3])
def test_smooth_kernels_agree_with_quadrature(name, n_hidden_layers):
    activation, phi, slope = SMOOTH[name]
    X, Z = rows(3), rows(2, seed=1)
    scales = {"weight_scale": 1.3, "bias_scale": 0.4}

    def moments(c, k, q):
        return grid_moments(c, k, q, phi, slope)

    expected = np.array(
        [[by_quadrature(x, z, n_hidden_layers, **scales, moments=moments) for z in Z] for x in X]
    )
    arguments = {"n_hidden_layers": n_hidden_layers, "activation": activation, **scales}
    assert_allclose(nngp(X, Z, **arguments), expected[..., 0], rtol=1e-10, atol=1e-12)
    assert_allclose(ntk(X, Z, **arguments), expected[..., 1], rtol=1e-10, atol=1e-12)


def test_one_hidden_layer_by_hand():
    # |x| = |z| = sqrt(2), p = 2, angle 60 degrees, no biases: S_1 = (1, 1/2).
    X = math.sqrt(2) * np.array([[1.0, 0.0], [0.5, math.sqrt(3) / 2]])
    arguments = {"n_hidden_layers": 1, "weight_scale": 1.0, "bias_scale": 0.0}
    product = (math.sqrt(3) / 2 + (2 * math.pi / 3) / 2) / (2 * math.pi)
    assert_allclose(nngp(X, **arguments), [[0.5, product], [product, 0.5]], rtol=1e-14)
    tangent = product + (1 / 3) * 0.5
    assert_allclose(ntk(X, **arguments), [[1.0, tangent], [tangent, 1.0]], rtol=1e-14)


def test_diagonal_of_the_relu_kernels_has_a_closed_form():
    X, weight, bias = rows(), 1.2, 0.3
    variance = weight**2 * (X**2).mean(axis=1) + bias**2
    tangent = variance
    for _ in range(3):
        variance = weight**2 * variance / 2 + bias**2
        tangent = variance + weight**2 * tangent / 2
    arguments = {"n_hidden_layers": 3, "weight_scale": weight, "bias_scale": bias}
    assert_allclose(np.diag(nngp(X, **arguments)), variance, rtol=1e-14)
    assert_allclose(np.diag(ntk(X, **arguments)), tangent, rtol=1e-14)


@pytest.mark.parametrize("activation", ["relu", "erf", np.tanh])
def test_tiles_are_symmetric_and_match_the_rectangular_call(activation):
    X = rows(333)  # more than two tiles
    kernel = ntk(X, n_hidden_layers=2, **PAPER, activation=activation)
    assert_array_equal(kernel, kernel.T)
    assert_allclose(
        kernel[:7], ntk(X[:7], X, n_hidden_layers=2, **PAPER, activation=activation), rtol=1e-12
    )


def test_parallel_rows_are_exact():
    # Without biases ReLU networks are homogeneous: k(x, c x) = c k(x, x).
    x = rows(20, 5)
    factors = np.array([1.0, 3.0, 1 / 3, 1e-6, 7e5])
    for row in x:
        X = factors[:, None] * row
        kernel = ntk(X, n_hidden_layers=3, weight_scale=1.4, bias_scale=0.0)
        assert_allclose(kernel, np.outer(factors, factors) * kernel[0, 0], rtol=1e-14)


def test_opposite_rows_share_no_active_unit():
    x = rows(20, 5)
    kernel = ntk(x, -x, n_hidden_layers=1, weight_scale=1.0, bias_scale=0.0)
    # Round-off of the angle pi, relative to the size of the kernel.
    assert np.abs(np.diag(kernel)).max() < 1e-15 * np.diag(ntk(x, n_hidden_layers=1, **PAPER)).max()


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9])
def test_nearly_parallel_rows_keep_their_angle(gap):
    # E[phi' phi'] = (pi - angle) / (2 pi): the angle must come back from the kernel. With p = 2 and
    # weight scale sqrt(2) the first layer's inner products are those of the rows.
    X = np.array([[1.0, 0.0], [math.cos(gap), math.sin(gap)]])
    arguments = {"n_hidden_layers": 1, "weight_scale": math.sqrt(2), "bias_scale": 0.0}
    slope = (ntk(X, **arguments) - nngp(X, **arguments))[0, 1] / (2 * math.cos(gap))
    assert slope == pytest.approx((math.pi - gap) / (2 * math.pi), abs=2e-16 * 4)
    assert abs(slope - 0.5) > gap / 10  # else the test could not tell angle from no angle


@pytest.mark.parametrize("activation", ["relu", "erf", np.tanh])
@pytest.mark.parametrize("bias_scale", [0.0, 0.2])
def test_rows_of_zeros_are_finite(activation, bias_scale):
    X = np.vstack([np.zeros(3), rows(3)])
    kernel = ntk(
        X, n_hidden_layers=2, weight_scale=1.0, bias_scale=bias_scale, activation=activation
    )
    assert np.isfinite(kernel).all()
    if bias_scale == 0:
        assert np.abs(kernel[0]).max() < 1e-30
    else:
        assert (kernel[0] > 0).all()


def finite_tangent_kernel(X, width, *, weight_scale, bias_scale, parameterization, generator):
    """Tangent kernel of one random network of two hidden ReLU layers, derivatives by hand."""
    p = X.shape[1]
    sizes = [p, width, width, 1]
    activations, signals = [X], []
    weights = [generator.normal(size=pair) for pair in itertools.pairwise(sizes)]
    biases = [generator.normal(size=size) for size in sizes[1:]]
    scales = [weight_scale / math.sqrt(size) for size in sizes[:-1]]
    for weight, bias, scale in zip(weights, biases, scales, strict=True):
        signals.append(scale * activations[-1] @ weight + bias_scale * bias)
        activations.append(np.maximum(signals[-1], 0))
    kernel, back = np.zeros((len(X), len(X))), np.ones((len(X), 1))
    for layer in (2, 1, 0):
        inputs = activations[layer] @ activations[layer].T
        if parameterization == "ntk":
            own = scales[layer] ** 2 * inputs + bias_scale**2
        else:
            own = (inputs + 1) / width
        kernel += own * (back @ back.T)
        if layer:
            back = scales[layer] * (back @ weights[layer].T) * (signals[layer - 1] > 0)
    return kernel


@pytest.mark.parametrize("parameterization", ["ntk", "standard"])
def test_finite_networks_approach_the_kernel_as_they_widen(parameterization):
    X, n_seeds = rows(4), 60
    scales = {"weight_scale": 1.2, "bias_scale": 0.3}
    spreads = []
    for width in (32, 512):
        extra = {"width": width} if parameterization == "standard" else {}
        limit = ntk(X, n_hidden_layers=2, **scales, parameterization=parameterization, **extra)
        finite = np.array(
            [
                finite_tangent_kernel(
                    X, width, **scales, parameterization=parameterization,
                    generator=np.random.default_rng(seed),
                )
                for seed in range(n_seeds)
            ]
        )  # fmt: skip
        error = finite.std(axis=0, ddof=1) / math.sqrt(n_seeds)
        spreads.append(finite.std(axis=0).mean())
        # The mean has no bias beyond 1/width; 10 distinct entries, 4.5 standard errors.
        assert (np.abs(finite.mean(axis=0) - limit) < 4.5 * error + limit.max() / width).all()
    # One kernel's spread falls as width**-1/2: a factor 4 here, give or take its own noise.
    assert 2.8 < spreads[0] / spreads[1] < 5.7


def test_standard_kernel_at_infinite_width_keeps_neither_first_weights_nor_biases():
    X = rows()
    scales = {"weight_scale": 1.2, "bias_scale": 0.0}
    limit = ntk(X, n_hidden_layers=1, **scales, parameterization="standard", width=math.inf)
    # Only the read-out weights are left: E[phi phi] = nngp / w**2.
    assert_allclose(limit, nngp(X, n_hidden_layers=1, **scales) / 1.2**2, rtol=1e-14)
    wide = ntk(X, n_hidden_layers=1, **scales, parameterization="standard", width=1e9)
    assert_allclose(wide, limit, rtol=1e-6)
    assert np.abs(ntk(X, n_hidden_layers=1, **scales) / limit - 1).max() > 0.5


def test_a_kink_given_as_a_function_is_warned_about():
    with pytest.warns(KernelWarning, match="use activation='relu'"):
        nngp(rows(), n_hidden_layers=1, **PAPER, activation=lambda u: np.maximum(u, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nngp(rows(), n_hidden_layers=1, **PAPER, activation=np.tanh)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_hidden_layers": 0}, "n_hidden_layers must be at least 1"),
        ({"weight_scale": 0.0}, "weight_scale must be greater than 0"),
        ({"bias_scale": -1.0}, "bias_scale must be at least 0"),
        ({"activation": "swish"}, "activation must be one of"),
        ({"parameterization": "standard"}, "needs the width"),
        ({"width": 10}, "Leave width out"),
        ({"Z": np.ones((2, 2))}, "same columns"),
        ({"X": np.ones(3)}, "rows by columns"),
        ({"X": np.full((2, 3), np.nan)}, "6 values are nan"),
    ],
)
def test_bad_arguments_are_named(change, message):
    arguments = {"X": rows(), "n_hidden_layers": 1, **PAPER, **change}
    with pytest.raises(ValueError, match=message):
        ntk(**arguments)
