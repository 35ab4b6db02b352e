"""One length scale per column, by marginal likelihood.

Each output is taken as y ~ N(0, a (K + B) + noise), with the RBF kernel K at inverse length scales
s and the linear part B at slopes b. With C the covariance and M = sum C^-1 y y' C^-1 - C^-1 over
outputs, the log-likelihood changes by trace(M dC) / 2. A pair's squared distance is a sum over
columns, so all the derivatives come from one product of (M * K) with the rows: no loop over
columns, and one Cholesky factorisation per step.

The likelihood has many maxima, so the search sets out from several places. Among many columns, a
few that matter in products only do not stand out from a common length scale: columns that go along
with y, by themselves or in a product of two, are told from the others by one matrix product. And a
wave along a column looks like noise to a long length scale: columns along which the means of y wave
set out with a short one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg
from scipy.linalg import lapack
from scipy.optimize import minimize

from lukewarm._typing import Matrix, Vector
from lukewarm.learners._scaling import Scaling
from lukewarm.learners.kernel._kernel import Kernel, rbf_matrix
from lukewarm.learners.kernel._stand_out import columns_with_waves, scores_that_stand_out

# Rows and steps: first few rows from the common scale, then more of them from there. A step costs
# the cube of the rows, so most are taken where they are cheap.
_STAGES = ((250, 25), (500, 15), (1000, 6))
TUNING_ROWS = _STAGES[-1][0]
# In log-likelihood of all the rows. A parameter one standard error off costs a half.
_LEAST_GAIN = 0.1
# Rate of an exponential prior on inverse scales and slopes: columns without use go to zero.
_PRIOR_RATE = 5.0
# In units of one over the typical length of a row.
_START_SCALE, _START_SLOPE = 0.6, 0.3
# Inverse length scale of columns along which y waves: two or three turns within their spread.
_START_WAVE = 3.0
# Of the common start: where the second start has columns that do not stand out.
_HELD_BACK = 0.1
# Logarithms of inverse length scales and slopes: from "no part" to "wiggles within a tenth of a
# standard deviation".
_LOWEST, _HIGHEST = np.log(1e-3), np.log(10.0)
# A search that ends early leaves columns without use on their way to the lowest value.
_TRACES = np.log([1e-2, 3e-3])
# Bounds of the logarithms, which keep the search away from singular matrices.
_NOISE = (np.log(1e-4), np.log(10.0))
_AMPLITUDE = (np.log(1e-3), np.log(1e3))


@dataclass(frozen=True, eq=False)
class _Room:
    """Matrices (n, n) that every value of a likelihood is computed in.

    A search asks for a hundred values. With matrices of its own each would spend up to two fifths
    of its time on having their memory cleared by the system.
    """

    shape: Matrix
    covariance: Matrix
    factor: Matrix
    pull: Matrix

    @classmethod
    def for_rows(cls, n_rows: int) -> _Room:
        """Return the matrices for so many rows; the factor is laid out as LAPACK wants it."""
        size = n_rows, n_rows
        return cls(np.empty(size), np.empty(size), np.empty(size, order="F"), np.empty(size))


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Negative log-likelihood per row as a function of the logarithms of all parameters.

    Parameters
    ----------
    rows : ndarray of shape (n, q)
    y : ndarray of shape (n, n_outputs)
        At mean zero and unit spread.
    spread : ndarray of shape (n,)
        Noise variance of each row, in units of the common one: 1 / weight.
    block : ndarray of int of shape (q,)
        Columns of one block share their parameters.
    """

    rows: Matrix
    y: Matrix
    spread: Vector
    block: np.ndarray

    def __call__(self, parameters: Vector) -> tuple[float, Vector]:
        """Return the value and the gradient.

        Parameters
        ----------
        parameters : ndarray of shape (2 n_blocks + 2,)
            Logarithms of inverse scales, slopes, amplitude and noise variance.
        """
        scales, slopes, amplitude, noise = self.unpack(parameters)
        shaped, linear = self.rows * scales, self.rows * slopes
        room = self._room
        shape = rbf_matrix(shaped, shaped, out=room.shape)
        shape *= amplitude
        covariance = np.matmul(amplitude * linear, linear.T, out=room.covariance)
        covariance += shape
        covariance.flat[:: len(covariance) + 1] += noise * self.spread
        np.copyto(room.factor, covariance)
        factor, failed = lapack.dpotrf(room.factor, lower=1, overwrite_a=1)
        if failed:
            return np.inf, np.zeros_like(parameters)
        solved = linalg.cho_solve((factor, True), self.y, check_finite=False)
        n_outputs = self.y.shape[1]
        value = np.sum(self.y * solved) / 2 + n_outputs * np.log(factor.diagonal()).sum()
        inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
        # Above the diagonal there are zeros.
        pull = np.add(inverse, inverse.T, out=room.pull)
        pull.flat[:: len(pull) + 1] = inverse.diagonal()
        pull *= n_outputs
        np.subtract(np.matmul(solved, solved.T, out=covariance), pull, out=pull)
        gradient = self._gradient(pull, shape, shaped, linear, amplitude, noise)
        return value / len(self.y), -gradient / len(self.y)

    @cached_property
    def _room(self) -> _Room:
        return _Room.for_rows(len(self.rows))

    def _gradient(
        self,
        pull: Matrix,
        shape: Matrix,
        shaped: Matrix,
        linear: Matrix,
        amplitude: float,
        noise: float,
    ) -> Vector:
        """Return the derivatives of the log-likelihood by all parameters.

        Parameters
        ----------
        pull : ndarray of shape (n, n)
            M.
        shape : ndarray of shape (n, n)
            The RBF part of the covariance; overwritten.
        shaped, linear : ndarrays of shape (n, q)
            Rows times inverse scales, and rows times slopes.
        amplitude, noise : float
        """
        pulled_linear = amplitude * np.einsum("ij,ij->j", linear, pull @ linear)
        by_noise = noise * (pull.diagonal() @ self.spread) / 2
        shape *= pull
        totals = shape.sum(axis=1)
        distances = totals @ np.square(shaped) - np.einsum("ij,ij->j", shaped, shape @ shaped)
        by_amplitude = (totals.sum() + pulled_linear.sum()) / 2
        n_blocks = int(self.block.max()) + 1
        return np.concatenate(
            [
                np.bincount(self.block, -distances, n_blocks),
                np.bincount(self.block, pulled_linear, n_blocks),
                [by_amplitude, by_noise],
            ]
        )

    def unpack(self, parameters: Vector) -> tuple[Vector, Vector, float, float]:
        """Return inverse scales (q,), slopes (q,), amplitude and noise variance."""
        values = np.exp(parameters)
        n_blocks = (len(parameters) - 2) // 2
        return (
            values[:n_blocks][self.block],
            values[n_blocks : 2 * n_blocks][self.block],
            float(values[-2]),
            float(values[-1]),
        )


@dataclass(frozen=True, eq=False)
class Relevance:
    """Parameters that fit some rows best, and where a search on more rows may set out.

    Parameters
    ----------
    kernel : Kernel
        RBF with a linear part.
    parameters : ndarray of shape (2 n_blocks + 2,)
        As a `Likelihood` takes them.
    """

    kernel: Kernel
    parameters: Vector


def find_relevance(
    rows: Matrix,
    y: Matrix,
    weights: Vector,
    block: np.ndarray,
    *,
    has_line: bool,
    start: Relevance | None = None,
) -> Relevance:
    """Return the scales and slopes that fit the rows best.

    Parameters
    ----------
    rows : ndarray of shape (n, q)
        Coded, in random order: the first ones are used.
    y, weights : ndarrays of shape (n, n_outputs) and (n,)
    block : ndarray of int of shape (q,)
        Columns of one block share their scale.
    has_line : bool
        Whether there is a linear part.
    start : Relevance, optional
        Found on some of these rows; the search goes on from there on all of them at once.
    """
    n_blocks = int(block.max()) + 1
    of_slopes = (_LOWEST, _HIGHEST if has_line else _LOWEST)
    bounds = [(_LOWEST, _HIGHEST)] * n_blocks + [of_slopes] * n_blocks + [_AMPLITUDE, _NOISE]
    stages = [stage for number, stage in enumerate(_STAGES) if not number or _adds(number, rows)]
    if start is None:
        some = slice(TUNING_ROWS)
        starts = _starts(rows[some], y[some], weights[some], block)
    else:
        starts, stages = [start.parameters], stages[-1:]
    for n_rows, n_iterations in stages:
        likelihood = _likelihood(rows[:n_rows], y[:n_rows], weights[:n_rows], block)
        tried = [
            minimize(
                _with_prior,
                np.clip(parameters, *np.transpose(bounds)),
                args=(likelihood, 2 * n_blocks),
                jac=True,
                method="L-BFGS-B",
                bounds=bounds,
                options={
                    "maxiter": n_iterations,
                    # Twice scipy's default, for as many parameters as two a column: judgement.
                    "maxcor": 20,
                    "ftol": _LEAST_GAIN / len(likelihood.y),
                },
            )
            for parameters in starts
        ]
        best = min(tried, key=lambda each: each.fun)
        parameters = best.x
        starts = [parameters]
    parameters = _without_traces(parameters, likelihood, best.fun)
    inverse_scales, all_slopes, _, _ = likelihood.unpack(parameters)
    # What ends within a hundredth of the bound is held to be at it.
    least = np.exp(_LOWEST) * 1.01
    kernel = Kernel(
        "rbf",
        np.where(inverse_scales > least, inverse_scales, 0.0),
        np.where(all_slopes > least, all_slopes, 0.0),
    )
    return Relevance(kernel, parameters)


def _without_traces(parameters: Vector, likelihood: Likelihood, value: float) -> Vector:
    """Return the parameters with those on their way to zero there, where the rows do not mind."""
    n_penalised = len(parameters) - 2
    for trace in _TRACES:
        is_trace = (parameters < trace) & (np.arange(len(parameters)) < n_penalised)
        cleared = np.where(is_trace, _LOWEST, parameters)
        loss = _with_prior(cleared, likelihood, n_penalised)[0] - value
        if loss <= _LEAST_GAIN / len(likelihood.y):
            return cleared
    return parameters


def _adds(number: int, rows: Matrix) -> bool:
    """Return whether a stage sees rows that the one before does not."""
    return len(rows) > _STAGES[number - 1][0]


def _starts(rows: Matrix, y: Matrix, weights: Vector, block: np.ndarray) -> list[Vector]:
    """Return where the search sets out.

    All columns alike; those that stand out ahead of the others; and, where y waves along single
    columns, these at short length scales, which no search from long ones gets to.
    """
    n_blocks = int(block.max()) + 1

    def of_blocks(is_chosen: np.ndarray) -> np.ndarray:
        return np.bincount(block, is_chosen, n_blocks) > 0

    alike, nowhere = np.ones(n_blocks, dtype=bool), np.zeros(n_blocks, dtype=bool)
    starts = [_start(rows, block, alike, nowhere)]
    stands_out = scores_that_stand_out(rows, y, weights)
    pairs = stands_out[:, :-1]
    ahead = of_blocks(stands_out[:, -1] | pairs.any(axis=0) | pairs.any(axis=1))
    if ahead.any() and not ahead.all():
        starts.append(_start(rows, block, ahead, nowhere))
    waves = of_blocks(columns_with_waves(rows, y, weights))
    if waves.any():
        starts.append(_start(rows, block, ahead | waves, waves))
    return starts


def _start(rows: Matrix, block: np.ndarray, ahead: np.ndarray, waves: np.ndarray) -> Vector:
    # Not from the best common scale: where few columns count, that is so wide that no column stands
    # out, and the search does not leave it.
    length = np.square(rows[:, ahead[block]]).sum(axis=1).mean()
    unit = np.where(ahead, 1.0, _HELD_BACK) / np.sqrt(max(float(length), 1.0))
    scales = np.where(waves, _START_WAVE, _START_SCALE * unit)
    # The last two are amplitude and noise: judgement.
    return np.log(np.concatenate([scales, _START_SLOPE * unit, [1.0, 0.3]]))


def _likelihood(rows: Matrix, y: Matrix, weights: Vector, block: np.ndarray) -> Likelihood:
    scaling = Scaling.learn(y, weights)
    return Likelihood(rows, scaling.scale(y), weights.mean() / weights, block)


def _with_prior(
    parameters: Vector, likelihood: Likelihood, n_penalised: int
) -> tuple[float, Vector]:
    value, gradient = likelihood(parameters)
    penalty = _PRIOR_RATE / len(likelihood.y) * np.exp(parameters[:n_penalised])
    gradient[:n_penalised] += penalty
    return value + penalty.sum(), gradient
