"""Many features at once: adjusted p-values and simultaneous intervals."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.special import ndtri
from scipy.stats import false_discovery_control

from lukewarm._random import as_generator
from lukewarm._typing import Matrix, RandomState, Vector
from lukewarm._validation import check_choice, check_list
from lukewarm.inference._wald import standard_error

ADJUSTMENTS = ("holm", "bh", "by")
# A quantile at 0.95 is then known to about 0.01, less than the influence values tell of it.
_N_DRAWS = 20_000
_MOST_NUMBERS = 2**23  # drawn at once, 64 MB


def adjust_p_values(p_values: Vector, method: str) -> Vector:
    """Return p-values adjusted for their number.

    Parameters
    ----------
    p_values : ndarray of shape (k,)
    method : "holm", "bh" or "by"
        Holm bounds the chance of any false discovery; Benjamini-Hochberg the expected share of
        false ones under independence or positive dependence; Benjamini-Yekutieli under any.

    Examples
    --------
    >>> adjust_p_values(np.array([0.01, 0.04, 0.03]), "holm")
    array([0.03, 0.06, 0.06])
    """
    check_choice("adjust", method, ADJUSTMENTS)
    if method != "holm":
        return false_discovery_control(p_values, method=method)
    order = np.argsort(p_values, kind="stable")
    steps = np.maximum.accumulate(np.arange(len(p_values), 0, -1) * p_values[order])
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def check_adjustments(adjust: str | Iterable[str]) -> list[str]:
    """Return the adjustments asked for, one or several, each of which is known."""
    several = [adjust] if isinstance(adjust, str) else check_list("adjust", adjust)
    return [check_choice("adjust", each, ADJUSTMENTS) for each in several]


def simultaneous_quantile(
    influence: Matrix,
    level: float,
    random_state: RandomState = 0,
    n_draws: int = _N_DRAWS,
    *,
    n_more: int = 0,
) -> float:
    """Return c such that all intervals estimate +- c * SE cover together with probability `level`.

    Parameters
    ----------
    influence : ndarray of shape (k, n)
    level : float
    random_state : None, int or Generator
    n_draws : int
    n_more : int, default 0
        Intervals of estimates beside these, whose errors are taken to be independent.

    Notes
    -----
    Multiplier bootstrap with Gaussian multipliers: given the influence values, the studentised
    estimates are exactly Gaussian with the correlation matrix of the influence values, so k
    numbers are drawn instead of n multipliers where k is the smaller.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> influence = generator.normal(size=(10, 400))
    >>> 2.6 < simultaneous_quantile(influence, 0.95) < 2.9
    True
    """
    generator = as_generator(random_state)
    scale = standard_error(influence)
    spread = scale > 0
    largest = _largest_of_independent(n_more, n_draws, generator)
    if spread.any():
        largest = np.maximum(
            largest, _largest_of(influence[spread], scale[spread], n_draws, generator)
        )
    return float(np.quantile(largest, level))


def _largest_of_independent(n: int, n_draws: int, generator: np.random.Generator) -> Vector:
    """Return draws of the largest of n absolute normal numbers; 0 where there is none."""
    if n == 0:
        return np.zeros(n_draws)
    return ndtri(0.5 + generator.random(n_draws) ** (1 / n) / 2)


def _largest_of(
    influence: Matrix, scale: Vector, n_draws: int, generator: np.random.Generator
) -> Vector:
    """Return draws of the largest studentised estimate, all of which have spread."""
    unit = influence / (scale[:, None] * influence.shape[1])
    root = unit
    if len(unit) <= unit.shape[1]:
        eigenvalues, vectors = np.linalg.eigh(unit @ unit.T)
        root = vectors * np.sqrt(np.maximum(eigenvalues, 0))
    largest = np.empty(n_draws)
    at_once = max(_MOST_NUMBERS // max(root.shape), 1)
    for first in range(0, n_draws, at_once):
        some = largest[first : first + at_once]
        draws = generator.standard_normal((len(some), root.shape[1])) @ root.T
        some[:] = np.abs(draws).max(axis=1)
    return largest
