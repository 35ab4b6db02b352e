"""Logistic regression without columns: many models by the products of matrices.

The solution without a column sets out from the downdated one of all columns and goes on by
Newton's steps with the inverse Hessian at hand, O - O[:, j] O[j, j]^-1 O[j, :]. Models without one
column each go on side by side: their coefficients are the columns of B (p + 1, m), so the gradients
of all of them are X' (expit(X B) - y), two products of matrices. Three things keep them few and
cheap:

- a step is combined with the last one so that the residual step is least (Anderson 1965, depth 1):
  the Hessian that is a little off errs mostly in one direction;
- the first steps are taken in single precision, from coefficients rounded to it, so that only the
  sums over rows are rounded; then in double precision, to eight digits of the fitted values;
- models that are done leave the products.

What is left over (steps that do not shrink) is solved by itself, with Hessians of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from lukewarm._typing import Features, FeatureSet, Matrix, Prediction, Vector
from lukewarm.data import RowCache
from lukewarm.learners.sklearn._downdates import (
    as_matrix,
    downdated,
    downdated_inverse,
    inverse_of,
)

# Of the coefficients' size, in a Newton step: the next one would be rounding.
_CONVERGED = 1e-11
# What may be left to go, of the coefficients' size: fitted values have eight digits then.
_SETTLED = 1e-9
# What the last step takes to the former, where it shrinks what is left to a twentieth at least.
_NEAR = 2e-8
# Smaller steps may be rounding in single precision.
_SINGLE = 1e-7
# A step is not trusted to shrink what is left by more.
_LEAST_RATE = 0.02
# Steps that shrink less than this ask for a new Hessian, which costs p gradients.
_SLOW = 0.2
# Log-odds per standard deviation of a column, by which no Hessian changes noticeably.
_NEARBY = 1e-3
# Newton's steps double the digits once they are near; whoever needs more does not converge. Side by
# side, stragglers are left to solve by themselves earlier.
_MOST_STEPS = 50
_MOST_JOINT_STEPS = 12
# Models solved side by side: the products have reached their full speed.
_SIDE_BY_SIDE = 128
# Rows at once, so that they and the log-odds of all models stay in the cache.
_ROWS_AT_ONCE = 512
# Predictions of all models of a block are kept up to this size.
_MOST_KEPT = 2**25


@dataclass(frozen=True, eq=False)
class LogisticModel:
    """The probability with log-odds intercept + X @ slopes; zero for columns left out."""

    slopes: Vector
    intercept: float

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row."""
        return _probability(as_matrix(X) @ self.slopes + self.intercept)


@dataclass(frozen=True, eq=False)
class _Block:
    """Models without one column each: slopes (p, m) and intercepts (m,), on the scale of X."""

    slopes: Matrix
    intercepts: Vector
    _seen: RowCache[Matrix] = field(default_factory=RowCache, repr=False)

    def predict(self, X: Features, place: int) -> Prediction:
        """Return the predictions of one model; those of all for the same rows are kept."""
        n_models = len(self.intercepts)
        if len(X) * n_models > _MOST_KEPT:
            return _probability(as_matrix(X) @ self.slopes[:, place] + self.intercepts[place])
        log_odds = self._seen.recall(X)
        if log_odds is None:
            # Transposed: those of one model lie side by side.
            log_odds = self.slopes.T @ as_matrix(X).T + self.intercepts[:, np.newaxis]
            self._seen.keep(log_odds, X)
        return _probability(log_odds[place])


@dataclass(frozen=True, eq=False)
class _ModelOfBlock:
    block: _Block
    place: int

    def predict(self, X: Features) -> Prediction:
        """Return one prediction per row."""
        return self.block.predict(X, self.place)


class Logistic:
    """Logistic regression with a ridge on the slopes; the intercept is the last coefficient.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    y : ndarray of shape (n,)
        0 and 1.
    weights : ndarray of shape (n,), optional
    penalty : float
    """

    def __init__(self, X: Matrix, y: Vector, weights: Vector | None, penalty: float) -> None:
        # Centred and scaled columns: a well conditioned Hessian.
        self._X = np.empty((len(X), X.shape[1] + 1))
        self._X[:, -1] = 1.0
        self._single = np.empty(self._X.shape, dtype=np.float32)
        columns = self._X[:, :-1]
        self._centre = X.mean(axis=0)
        squares = np.zeros(X.shape[1])
        for part in _parts(len(X)):
            centred = np.subtract(X[part], self._centre, out=columns[part])
            squares += np.einsum("ij,ij->j", centred, centred)
        self._spread = np.sqrt(squares / len(X))
        self._spread[self._spread == 0] = 1.0
        for part in _parts(len(X)):
            columns[part] /= self._spread
            self._single[part] = self._X[part]
        self._y, self._weights = y, weights
        self._penalty = np.append(penalty / np.square(self._spread), 0.0)
        self._coefficients = np.zeros(X.shape[1] + 1)
        self._inverse = np.zeros((0, 0))
        self._blocks: dict[int, tuple[_Block, np.ndarray]] = {}

    @classmethod
    def learn(
        cls,
        X: Matrix,
        y: Vector,
        weights: Vector | None,
        penalty: float,
        start: tuple[Vector, float] | None = None,
    ) -> Logistic | None:
        """Return the solution for all columns; None where Newton's method does not find it.

        Parameters
        ----------
        start : pair of slopes (p,) and an intercept, optional
            Where to set out from.
        """
        solution = cls(X, y, weights, penalty)
        coefficients = solution._coefficients
        if start is not None:
            slopes, intercept = start
            coefficients = np.append(
                slopes * solution._spread, intercept + solution._centre @ slopes
            )
        inverse = inverse_of(solution._hessian(coefficients))
        # A start for the models without columns, which all go on to their own solutions.
        optimum = None
        if inverse is not None:
            optimum = solution._newton(coefficients, inverse, [], enough=_NEARBY)
        if optimum is None:
            return None
        solution._coefficients = optimum
        if np.abs(optimum - coefficients).max() > _NEARBY:
            inverse = inverse_of(solution._hessian(optimum))
        if inverse is None:
            return None
        solution._inverse = inverse
        return solution

    def without(self, removed: FeatureSet) -> LogisticModel | _ModelOfBlock | None:
        """Return the model without some columns; None where no solution is found.

        That without one column is found together with those of its neighbours. Which these are is
        a matter of its number alone, so what else is asked for never changes it.
        """
        if len(removed) == 1:
            number, place = divmod(removed[0], _SIDE_BY_SIDE)
            if number not in self._blocks:
                self._blocks[number] = self._solve_block(number)
            block, is_solved = self._blocks[number]
            if is_solved[place]:
                return _ModelOfBlock(block, place)
        columns = list(removed)
        start = downdated(self._coefficients, self._inverse, columns)
        optimum = self._newton(start, downdated_inverse(self._inverse, columns), columns)
        if optimum is None:
            return None
        slopes = optimum[:-1] / self._spread
        return LogisticModel(slopes, float(optimum[-1] - self._centre @ slopes))

    def _solve_block(self, number: int) -> tuple[_Block, np.ndarray]:
        """Return the models without each column of a block, and which of them are solved."""
        first = number * _SIDE_BY_SIDE
        columns = np.arange(first, min(first + _SIDE_BY_SIDE, len(self._spread)))
        optima, is_solved = self._solve_together(columns)
        slopes = optima[:-1] / self._spread[:, np.newaxis]
        return _Block(slopes, optima[-1] - self._centre @ slopes), is_solved

    def _solve_together(self, columns: np.ndarray) -> tuple[Matrix, np.ndarray]:
        """Return the coefficients (p + 1, m) without each column, and which are solutions."""
        every = np.arange(len(columns))
        # O[:, j] / O[j, j], by which whatever is not zero at j is taken back to zero.
        back = self._inverse[:, columns] / np.diag(self._inverse)[columns]
        optima = self._coefficients[:, np.newaxis] - back * self._coefficients[columns]
        optima[columns, every] = 0.0
        rates = np.full(len(columns), _LEAST_RATE)
        is_near = self._go_on(optima, columns, back, every, rates, in_single=True)
        is_solved = self._go_on(optima, columns, back, every[is_near], rates, in_single=False)
        return optima, is_solved

    def _go_on(
        self,
        optima: Matrix,
        columns: np.ndarray,
        back: Matrix,
        active: np.ndarray,
        rates: Vector,
        *,
        in_single: bool,
    ) -> np.ndarray:
        """Take steps of `optima[:, active]`, in place, and return which models came close enough.

        Parameters
        ----------
        optima, back : ndarray of shape (p + 1, m)
        columns : ndarray of shape (m,)
            What each model is without.
        active : ndarray of int
            The models to go on with.
        rates : ndarray of shape (m,)
            By how much a step of each model shrinks what is left; renewed in place.
        """
        arrived = np.zeros(len(columns), dtype=bool)
        last: tuple[Matrix, Matrix] | None = None
        before = np.full(len(active), np.inf)
        for _ in range(_MOST_JOINT_STEPS):
            at = optima[:, active]
            if in_single:
                at = at.astype(np.float32).astype(float)
            zero = columns[active], np.arange(len(active))
            gradients = self._gradients(at, in_single=in_single)
            gradients[zero] = 0.0
            step = self._inverse @ gradients
            step -= back[:, active] * step[zero]
            step[zero] = 0.0
            size = np.abs(step).max(axis=0) / (1 + np.abs(at).max(axis=0))
            optima[:, active] = at - _combined(at, step, last)
            if last is not None:
                # Steps near the end are rounding in single precision, and so is their ratio.
                is_clear = size > (10 * _SINGLE if in_single else 0.0)
                seen = np.clip(size / before, _LEAST_RATE, 1.0)
                rates[active] = np.where(is_clear, seen, rates[active])
            is_near = size * rates[active] <= (_NEAR if in_single else _SETTLED)
            if in_single:
                is_near |= size <= _SINGLE
            arrived[active[is_near]] = True
            # What grows is not on its way; a Hessian of its own will find it.
            stays = ~is_near & (size < before)
            active, before, last = active[stays], size[stays], (at[:, stays], step[:, stays])
            if not len(active):
                break
        return arrived

    def _gradients(self, coefficients: Matrix, *, in_single: bool) -> Matrix:
        """Return the gradients (p + 1, m) at the columns of `coefficients`."""
        X = self._single if in_single else self._X
        # expit(t) = (1 + tanh(t / 2)) / 2, and tanh is a third of its price or less.
        halved = (coefficients / 2).astype(X.dtype)
        sign = (2 * self._y - 1).astype(X.dtype)[:, np.newaxis]
        total = np.zeros(coefficients.shape)
        for part in _parts(len(X)):
            error = X[part] @ halved
            np.tanh(error, out=error)
            error -= sign[part]
            if self._weights is not None:
                error *= self._weights[part, np.newaxis]
            total += X[part].T @ error
        return total / 2 + self._penalty[:, np.newaxis] * coefficients

    def _newton(
        self, start: Vector, inverse: Matrix, removed: list[int], enough: float = _CONVERGED
    ) -> Vector | None:
        """Return where steps are no longer than `enough`, of the coefficients' size; or None."""
        coefficients, last, is_current = start, np.inf, False
        for _ in range(_MOST_STEPS):
            gradient = self._gradient(coefficients)
            gradient[removed] = 0.0
            step = inverse @ gradient
            size = float(np.abs(step).max())
            if size > _SLOW * last and not is_current:
                renewed = inverse_of(self._hessian(coefficients), removed)
                if renewed is None:
                    return None
                inverse, is_current = renewed, True
                step = inverse @ gradient
                size = float(np.abs(step).max())
            else:
                is_current = False
            coefficients = coefficients - step
            if size <= enough * (1 + float(np.abs(coefficients).max())):
                return coefficients
            last = size
        return None

    def _gradient(self, coefficients: Vector) -> Vector:
        error = expit(self._X @ coefficients) - self._y
        if self._weights is not None:
            error *= self._weights
        return self._X.T @ error + self._penalty * coefficients

    def _hessian(self, coefficients: Vector) -> Matrix:
        """Return the Hessian in single precision: whatever goes by it corrects itself."""
        probability = expit(self._X @ coefficients)
        curvature = probability * (1 - probability)
        if self._weights is not None:
            curvature *= self._weights
        root = np.sqrt(curvature).astype(np.float32)[:, np.newaxis]
        total = np.diag(self._penalty)
        for part in _parts(len(self._X)):
            scaled = root[part] * self._single[part]
            total += scaled.T @ scaled
        return total


def _parts(n_rows: int) -> list[slice]:
    """Return the slices of rows that are worked on at once."""
    return [slice(start, start + _ROWS_AT_ONCE) for start in range(0, n_rows, _ROWS_AT_ONCE)]


def _probability(log_odds: Vector) -> Vector:
    """Return 1 / (1 + exp(-log_odds)), at less than half the price of scipy's expit."""
    # Below -709 the exponential is infinite, and the probability 0.
    with np.errstate(over="ignore"):
        odds_against = np.exp(-log_odds)
    odds_against += 1.0
    return np.reciprocal(odds_against, out=odds_against)


def _combined(at: Matrix, step: Matrix, last: tuple[Matrix, Matrix] | None) -> Matrix:
    """Return the step from `at`, combined with the one before so that what is left is least."""
    if last is None:
        return step
    moved, changed = at - last[0], step - last[1]
    squares = np.einsum("ij,ij->j", changed, changed)
    share = np.einsum("ij,ij->j", changed, step) / np.where(squares > 0, squares, 1.0)
    return step + share * (moved - changed)
