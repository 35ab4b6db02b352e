"""One length scale per column, by marginal likelihood.

The likelihood has many maxima, so the search sets out from several places. Among many columns, a
few that matter in products only do not stand out from a common length scale: columns that go along
with y, by themselves or in a product of two, are told from the others by one matrix product. And a
wave along a column looks like noise to a long length scale: columns along which the means of y wave
set out with a short one. A column whose length scale has grown beyond the rows has no pull left to
come back, so where the rows say it may have a part, shorter scales of it are tried.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from lukewarm._typing import Matrix, Vector
from lukewarm.learners._scaling import Scaling
from lukewarm.learners.kernel._kernel import Kernel
from lukewarm.learners.kernel._likelihood import Likelihood
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
# Inverse length scales below which a column has next to no part in the function.
_GONE = 0.01
# At which columns of longer scales are tried: those of smooth functions of many columns and of few.
_RETURNS = (0.12, 0.6)
# Columns without a part, and faint ones, that are tried: bounds the time.
_MOST_RETURNS = 4
# In log-likelihood of all the rows. Half the logarithm of their number is what one more parameter
# costs by Schwarz's criterion.
_CLEAR_GAIN = 3.0
# Bounds of the logarithms, which keep the search away from singular matrices.
_NOISE = (np.log(1e-4), np.log(10.0))
_AMPLITUDE = (np.log(1e-3), np.log(1e3))


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
        best = _Search(likelihood, bounds, n_iterations).best_from(starts)
        starts = [best.x]
    parameters = _without_traces(best.x, likelihood, best.fun)
    inverse_scales, all_slopes, _, _ = likelihood.unpack(parameters)
    # What ends within a hundredth of the bound is held to be at it.
    least = np.exp(_LOWEST) * 1.01
    kernel = Kernel(
        "rbf",
        np.where(inverse_scales > least, inverse_scales, 0.0),
        np.where(all_slopes > least, all_slopes, 0.0),
    )
    return Relevance(kernel, parameters)


@dataclass(frozen=True, eq=False)
class _Search:
    """A search on some rows, of bounded length.

    Parameters
    ----------
    likelihood : Likelihood
    bounds : list of tuples (lowest, highest)
    n_iterations : int
    """

    likelihood: Likelihood
    bounds: list[tuple[float, float]]
    n_iterations: int

    def best_from(self, starts: list[Vector]) -> OptimizeResult:
        """Return the best place that is reached, beyond a valley where a way leads across."""
        best = min((self._from(each) for each in starts), key=lambda each: each.fun)
        across = self._across(best)
        if across is None:
            return best
        return min(best, self._from(across), key=lambda each: each.fun)

    def _from(self, parameters: Vector) -> OptimizeResult:
        return minimize(
            _with_prior,
            np.clip(parameters, *np.transpose(self.bounds)),
            args=(self.likelihood, len(self.bounds) - 2),
            jac=True,
            method="L-BFGS-B",
            bounds=self.bounds,
            options={
                "maxiter": self.n_iterations,
                # Twice scipy's default, for as many parameters as two a column: judgement.
                "maxcor": 20,
                "ftol": _LEAST_GAIN / len(self.likelihood.y),
            },
        )

    def _across(self, found: OptimizeResult) -> Vector | None:
        """Return a clearly better place with shorter scales of some columns; None without one."""
        n_blocks = (len(found.x) - 2) // 2
        inverse_scales = np.exp(found.x[:n_blocks])
        has_part = inverse_scales > _GONE
        growths = np.where(has_part, 0.0, self.likelihood.growths(found.x))
        gone = [each for each in np.argsort(-growths, kind="stable") if growths[each] > 0]
        faint = [each for each in np.argsort(inverse_scales, kind="stable") if has_part[each]]
        parameters, value = found.x, found.fun
        least = _CLEAR_GAIN / len(self.likelihood.y)
        for column in gone[:_MOST_RETURNS] + faint[:_MOST_RETURNS]:
            for scale in _RETURNS:
                if scale < 2 * inverse_scales[column]:
                    continue
                tried = parameters.copy()
                tried[column] = np.log(scale)
                tried_value = _value_with_prior(tried, self.likelihood)
                if tried_value < value - least:
                    parameters, value = tried, tried_value
        return None if parameters is found.x else parameters


def _without_traces(parameters: Vector, likelihood: Likelihood, value: float) -> Vector:
    """Return the parameters with those on their way to zero there, where the rows do not mind."""
    n_penalised = len(parameters) - 2
    for trace in _TRACES:
        is_trace = (parameters < trace) & (np.arange(len(parameters)) < n_penalised)
        cleared = np.where(is_trace, _LOWEST, parameters)
        if np.array_equal(cleared, parameters):
            return parameters
        if _value_with_prior(cleared, likelihood) - value <= _LEAST_GAIN / len(likelihood.y):
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
    penalty = _prior(parameters, likelihood, n_penalised)
    gradient[:n_penalised] += penalty
    return value + penalty.sum(), gradient


def _value_with_prior(parameters: Vector, likelihood: Likelihood) -> float:
    prior = _prior(parameters, likelihood, len(parameters) - 2)
    return likelihood.value(parameters) + float(prior.sum())


def _prior(parameters: Vector, likelihood: Likelihood, n_penalised: int) -> Vector:
    return _PRIOR_RATE / len(likelihood.y) * np.exp(parameters[:n_penalised])
