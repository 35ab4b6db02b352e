"""Kernels of fully connected networks of infinite width."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm._validation import check_choice, check_count, check_number, check_rows
from lukewarm.infinite_width._activations import Activation, Erf, Series
from lukewarm.infinite_width._relu import (
    angles_between,
    next_angles,
    relu_moments,
    unit_rows,
)

# A tile and its temporaries stay in a core's cache.
_TILE = 128


@dataclass(frozen=True)
class _Settings:
    """The network, and how much of each layer's own inner products the kernel takes.

    The tangent kernel starts at ``first_weight <x, z> + first_bias`` and each layer adds
    ``layer_weight E[phi phi] + layer_bias``; the covariance kernel always uses the scales.
    """

    n_hidden_layers: int
    weight_scale: float
    bias_scale: float
    first_weight: float
    first_bias: float
    layer_weight: float
    layer_bias: float
    is_tangent: bool


def nngp(
    X: Matrix,
    Z: Matrix | None = None,
    *,
    n_hidden_layers: int,
    weight_scale: float,
    bias_scale: float,
    activation: str | Callable[[np.ndarray], np.ndarray] = "relu",
) -> Matrix:
    """Return the covariance of the outputs of a random network of infinite width.

    Parameters
    ----------
    X : array of shape (n, p)
    Z : array of shape (k, p), optional
        Taken to be `X` where missing.
    n_hidden_layers : int
    weight_scale, bias_scale : float
        The standard deviations of weights (before the division by sqrt(fan_in)) and biases. The
        convention of the paper's scripts is sqrt(1 - b**2) and b = 0.1.
    activation : {"relu", "erf"} or callable, default "relu"
        A callable takes and returns an array; its moments are taken by quadrature, to about 1e-10
        for smooth functions (a warning says where that is not reached).

    Returns
    -------
    array of shape (n, k)
        Not divided by the number of rows.

    Notes
    -----
    ``S_1 = w**2 <x, z> / p + b**2`` and ``S_{l+1} = w**2 E[phi(u) phi(v)] + b**2`` with (u, v)
    Gaussian of covariance S_l (Neal, 1996; Cho and Saul, 2009); the result is S_{L+1}. Every
    layer divides by sqrt(fan_in).

    Examples
    --------
    One hidden ReLU layer without biases at a right angle: ``|x| |z| / (2 pi p)``.

    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> kernel = nngp(X, n_hidden_layers=1, weight_scale=1.0, bias_scale=0.0)
    >>> bool(np.isclose(kernel[0, 1], 1 / (4 * np.pi)))
    True
    """
    X, Z = check_rows(X, Z)
    settings = _ntk_settings(n_hidden_layers, weight_scale, bias_scale, X.shape[1], False)
    return _kernel(X, Z, settings, activation)


def ntk(
    X: Matrix,
    Z: Matrix | None = None,
    *,
    n_hidden_layers: int,
    weight_scale: float,
    bias_scale: float,
    activation: str | Callable[[np.ndarray], np.ndarray] = "relu",
    parameterization: str = "ntk",
    width: float | None = None,
) -> Matrix:
    """Return the neural tangent kernel of a network of infinite width.

    Parameters
    ----------
    X, Z, n_hidden_layers, weight_scale, bias_scale, activation
        As for :func:`nngp`.
    parameterization : {"ntk", "standard"}, default "ntk"
        Where the scales stand: in the forward pass, or in the law of the initial parameters.
    width : float, for ``parameterization="standard"`` only
        Units of each hidden layer. The kernel is divided by it, as in the paper; at `math.inf`
        first-layer weights and all biases drop out.

    Returns
    -------
    array of shape (n, k)
        Not divided by the number of rows; divide by N for the paper's empirical kernel matrix.

    Notes
    -----
    ``T_1 = S_1`` and ``T_{l+1} = S_{l+1} + w**2 E[phi'(u) phi'(v)] T_l`` (Jacot et al., 2018) with
    S of :func:`nngp`. Under the standard parameterisation a layer adds
    ``E[phi(u) phi(v)] + 1 / width`` instead of S_{l+1}, and ``T_1 = (<x, z> + 1) / width``. A ReLU
    whose pre-activation is zero counts half: phi'(0) = 1/2.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> kernel = ntk(X, n_hidden_layers=1, weight_scale=1.0, bias_scale=0.0)
    >>> bool(np.isclose(kernel[0, 0], 0.25 + 0.25)), bool(np.isclose(kernel[0, 1], 1 / (4 * np.pi)))
    (True, True)
    """
    X, Z = check_rows(X, Z)
    check_choice("parameterization", parameterization, ["ntk", "standard"])
    settings = _ntk_settings(n_hidden_layers, weight_scale, bias_scale, X.shape[1], True)
    if parameterization == "standard":
        settings = _standard_settings(settings, width)
    elif width is not None:
        raise ValueError(
            f"width belongs to parameterization='standard'; got width={width} with 'ntk', "
            "whose kernel does not depend on it. Leave width out."
        )
    return _kernel(X, Z, settings, activation)


def _ntk_settings(
    n_hidden_layers: int, weight_scale: float, bias_scale: float, n_features: int, is_tangent: bool
) -> _Settings:
    check_count("n_hidden_layers", n_hidden_layers)
    check_number("weight_scale", weight_scale, above=0)
    check_number("bias_scale", bias_scale, minimum=0)
    weight, bias = weight_scale**2, bias_scale**2
    return _Settings(
        n_hidden_layers,
        weight_scale,
        bias_scale,
        weight / n_features,
        bias,
        weight,
        bias,
        is_tangent,
    )


def _standard_settings(settings: _Settings, width: float | None) -> _Settings:
    if width is None:
        raise ValueError(
            "parameterization='standard' needs the width of the hidden layers; got width=None. "
            "Use width=math.inf for the limit."
        )
    # With scales in the law of the parameters, weights above the first layer have gradients of
    # order sqrt(width) and all others of order one: over the width, only the former survive the
    # limit.
    share = 1 / check_number("width", width, minimum=1)
    return _Settings(
        settings.n_hidden_layers, settings.weight_scale, settings.bias_scale,
        share, share, 1.0, share, True,
    )  # fmt: skip


def _kernel(
    X: Matrix, Z: Matrix | None, settings: _Settings, activation: str | Callable[..., np.ndarray]
) -> Matrix:
    is_relu = isinstance(activation, str) and activation == "relu"
    others = X if Z is None else Z
    tile: Callable[[slice, slice], Matrix]
    if is_relu:
        tile = _relu_tiles(X, others, settings)
    else:
        tile = _smooth_tiles(X, others, settings, _smooth(activation))
    kernel = np.empty((len(X), len(others)))
    for rows, columns in _tiles(*kernel.shape, is_symmetric=Z is None):
        kernel[rows, columns] = tile(rows, columns)
        if Z is None:
            if rows == columns:
                # The two halves of a tile on the diagonal are rounded differently; eigensolvers ask
                # for symmetry.
                kernel[rows, columns] = (kernel[rows, columns] + kernel[rows, columns].T) / 2
            else:
                kernel[columns, rows] = kernel[rows, columns].T
    return kernel


def _smooth(activation: str | Callable[..., np.ndarray]) -> Activation:
    if callable(activation):
        return Series(activation)
    check_choice("activation", activation, ["relu", "erf"])
    return Erf()


def _tiles(n_rows: int, n_columns: int, *, is_symmetric: bool) -> Iterator[tuple[slice, slice]]:
    for row in range(0, n_rows, _TILE):
        for column in range(row if is_symmetric else 0, n_columns, _TILE):
            yield (
                slice(row, min(row + _TILE, n_rows)),
                slice(column, min(column + _TILE, n_columns)),
            )


def _first_rows(X: Matrix, settings: _Settings) -> Matrix:
    """Return rows whose inner products are the first pre-activations' covariances."""
    scaled = X * (settings.weight_scale / math.sqrt(X.shape[1]))
    # The bias is one more coordinate, so angles between these rows are those of pre-activations.
    return np.column_stack([scaled, np.full(len(X), settings.bias_scale)])


def _relu_tiles(X: Matrix, Z: Matrix, settings: _Settings) -> Callable[[slice, slice], Matrix]:
    rows_first, columns_first = _first_rows(X, settings), _first_rows(Z, settings)
    row_units, column_units = unit_rows(rows_first), unit_rows(columns_first)
    row_stds = _relu_deviations(rows_first, settings)
    column_stds = _relu_deviations(columns_first, settings)
    weight, scales = settings.weight_scale**2, (settings.weight_scale, settings.bias_scale)

    def tile(rows: slice, columns: slice) -> Matrix:
        angles = angles_between(row_units[rows], column_units[columns])
        tangent = settings.first_weight * (X[rows] @ Z[columns].T) + settings.first_bias
        for layer in range(settings.n_hidden_layers):
            stds = row_stds[layer][rows], column_stds[layer][columns]
            moments = relu_moments(angles, *stds)
            tangent = _advance_tangent(tangent, moments.product, moments.slope, settings)
            if layer + 1 < settings.n_hidden_layers:
                angles = next_angles(moments.versine, *stds, *scales)
        if settings.is_tangent:
            return tangent
        return weight * moments.product + settings.bias_scale**2

    return tile


def _relu_deviations(first: Matrix, settings: _Settings) -> list[Vector]:
    """Return the standard deviations of the pre-activations, layer by layer."""
    variances = [(first**2).sum(axis=1)]
    for _ in range(1, settings.n_hidden_layers):
        # ReLU keeps half of the second moment.
        variances.append(settings.weight_scale**2 * variances[-1] / 2 + settings.bias_scale**2)
    return [np.sqrt(variance) for variance in variances]


def _smooth_tiles(
    X: Matrix, Z: Matrix, settings: _Settings, activation: Activation
) -> Callable[[slice, slice], Matrix]:
    rows_first, columns_first = _first_rows(X, settings), _first_rows(Z, settings)
    row_layers = _prepared_layers(rows_first, settings, activation)
    column_layers = _prepared_layers(columns_first, settings, activation)
    weight, bias = settings.weight_scale**2, settings.bias_scale**2

    def tile(rows: slice, columns: slice) -> Matrix:
        covariance = rows_first[rows] @ columns_first[columns].T
        # The gradient by the first layer; each layer above multiplies it by its slopes and adds its
        # own.
        tangent = settings.first_weight * (X[rows] @ Z[columns].T) + settings.first_bias
        for row_layer, column_layer in zip(row_layers, column_layers, strict=True):
            parts = activation.part(row_layer, rows), activation.part(column_layer, columns)
            product, slope = activation.moments(covariance, *parts)
            tangent = _advance_tangent(tangent, product, slope, settings)
            covariance = weight * product + bias
        return tangent if settings.is_tangent else covariance

    return tile


def _prepared_layers(first: Matrix, settings: _Settings, activation: Activation) -> list[Any]:
    variances = (first**2).sum(axis=1)
    layers = []
    for _ in range(settings.n_hidden_layers):
        layers.append(activation.prepare(variances))
        moments = activation.second_moments(layers[-1])
        variances = settings.weight_scale**2 * moments + settings.bias_scale**2
    return layers


def _advance_tangent(
    tangent: Matrix, product: Matrix, slope: Matrix, settings: _Settings
) -> Matrix:
    """Return the tangent kernel one layer up; nothing to do where only covariances are wanted."""
    if not settings.is_tangent:
        return tangent
    # In place: a tile is read and written once per layer and stays in the cache.
    tangent *= slope
    tangent *= settings.weight_scale**2
    tangent += settings.layer_weight * product
    tangent += settings.layer_bias
    return tangent
