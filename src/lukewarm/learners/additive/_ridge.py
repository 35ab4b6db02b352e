"""Ridge regressions on any subset of columns, all from one inverse.

With P = (B'B + penalty I)^-1 over all m functions, the regression on the functions S, without
those in R, needs no new inverse: its matrix is P_SS - P_SR P_RR^-1 P_RS (inverse of a block), so
the coefficients of a target t are c_S - P_SR P_RR^-1 c_R with c = P[:, S] B_S't. One inverse, m^3,
then m^2 for every target and every set R.

With more functions than `_MOST_FUNCTIONS` no inverse is taken: the functions with the largest
products with the target are regressed on by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from lukewarm._typing import Matrix, Vector

# The inverse costs the cube of their number, and as many are in memory for every penalty.
_MOST_FUNCTIONS = 1000
# A difference of sums of squares below this share of them is nothing but rounding.
_ROUNDING = 1e-12
# Where no inverse is kept: the functions that go along with the target most, solved for alone.
_MOST_SCREENED = 100


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """offset + B @ coefficients."""

    offset: float
    coefficients: Vector

    def predict(self, functions: Matrix) -> Vector:
        """Return the fitted values at rows given by their functions (n, m)."""
        used = np.flatnonzero(self.coefficients)
        # Taking columns out of many costs more than multiplying them by zero.
        if 2 * len(used) > functions.shape[1]:
            return self.offset + functions @ self.coefficients
        return self.offset + functions[:, used] @ self.coefficients[used]


class RidgeFamily:
    """Ridge regressions on subsets of the same functions.

    Parameters
    ----------
    functions : ndarray of shape (n, m)
        Centred and scaled.
    penalties : tuple of float
        Each in rows: a penalty of 10 weighs as much as ten rows.
    weights : ndarray of shape (n,), optional

    Attributes
    ----------
    mean : ndarray of shape (m,)
        Of the functions.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> B = generator.normal(size=(200, 3))
    >>> family = RidgeFamily(B, (1e-9,))
    >>> keep = np.array([True, True, False])
    >>> fit = family.fit(B[:, 0] - 2 * B[:, 1], keep, 0)
    >>> fit.coefficients.round(6) + 0
    array([ 1., -2.,  0.])
    """

    def __init__(
        self, functions: Matrix, penalties: tuple[float, ...], weights: Vector | None = None
    ) -> None:
        self.penalties = penalties
        self._functions = functions
        self._weights = None if weights is None else weights / weights.mean()
        self.mean = np.average(functions, axis=0, weights=weights)
        self._inverses: list[Matrix] = []
        if functions.shape[1] > _MOST_FUNCTIONS:
            return
        gram = self._weighted(functions).T @ functions
        gram -= len(functions) * np.outer(self.mean, self.mean)
        self._gram = gram
        for penalty in penalties:
            factor = cho_factor(gram + penalty * np.eye(len(gram)))
            self._inverses.append(cho_solve(factor, np.eye(len(gram))))

    def fit(self, target: Vector, kept: np.ndarray, number: int) -> RidgeFit:
        """Return the regression of `target` (n,) on the functions of the mask `kept`.

        Parameters
        ----------
        target : ndarray of shape (n,)
        kept : ndarray of shape (m,), bool
        number : int
            Of the penalty.
        """
        return self._fit(*self._products(target), kept, number)

    def _products(self, target: Vector) -> tuple[float, Vector]:
        """Return the mean of a target, and its products (m,) with the centred functions."""
        mean = float(np.average(target, weights=self._weights))
        weighted = self._weighted((target - mean)[:, None])[:, 0]
        return mean, weighted @ self._functions - weighted.sum() * self.mean

    def _fit(self, mean: float, products: Vector, kept: np.ndarray, number: int) -> RidgeFit:
        if self._inverses and 2 * kept.sum() >= len(kept):
            coefficients = self._downdated(products, kept, self._inverses[number])
        else:
            coefficients = self._by_itself(products, kept, self.penalties[number])
        return RidgeFit(mean - float(self.mean @ coefficients), coefficients)

    def fit_selected(
        self, target: Vector, kept: np.ndarray, number: int, owner: np.ndarray
    ) -> tuple[RidgeFit, RidgeFit]:
        """Return the regression on the columns that clearly take part, and that on all `kept` ones.

        A column of d functions takes part where the chi-square statistic of its coefficients
        exceeds d + 2 sqrt(d L) + 2 L, L the logarithm of the number of columns: hardly any of as
        many useless ones does (Laurent and Massart 2000, lemma 1). Each function regressed on costs
        a variance of one over the rows, so with many columns a selection is the better guess.

        Parameters
        ----------
        target, kept, number
            As for `fit`.
        owner : ndarray of shape (m,)
            The column each function is one of, rising.
        """
        mean, products = self._products(target)
        penalty = self.penalties[number]
        whole = self._fit(mean, products, kept, number)
        if not self._inverses or not kept.any():
            return whole, whole
        places = np.flatnonzero(kept)
        blocks = self._blocks_of(kept, self._inverses[number], owner)
        trace = sum(np.trace(block, axis1=1, axis2=2).sum() for _, block in blocks)
        n_rows, n_effective = len(target), len(places) - penalty * trace
        # The sum of squared errors without a look at the rows: (B'B + penalty I) c = B't.
        slopes = whole.coefficients[:, None]
        total = np.average(np.square(target - mean), weights=self._weights) * n_rows
        squares = total - whole.coefficients @ (products + penalty * whole.coefficients)
        variance = max(squares, _ROUNDING * total) / max(n_rows - n_effective, 1.0)
        selected = self._takes_part(slopes, np.array([variance]), blocks)[:, 0]
        return self._fit(mean, products, selected, number), whole

    def fit_functions(
        self, places: np.ndarray, number: int, owner: np.ndarray
    ) -> Iterator[tuple[RidgeFit, RidgeFit]]:
        """Yield `fit_selected` of some functions themselves on those of all other columns.

        With P the inverse over all functions the regression of function j has the coefficients
        -P_kj / P_jj and leaves (B P)_j / P_jj, whose squares are summed as in `fit_column`: all
        without a look at the rows. That of a column with the functions g takes part by the
        statistic

            q / (P_jj (P_jj - q)),    q = P_jg P_gg^-1 P_gj.

        Parameters
        ----------
        places : ndarray of int
            Functions that are the only ones of their column.
        number, owner
            As for `fit_selected`.
        """
        inverse, penalty = self._inverses[number], self.penalties[number]
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        sizes = np.diff(starts, append=len(owner))
        log_columns = np.log(max(len(starts) - 1, 1))
        bounds = sizes + 2 * np.sqrt(sizes * log_columns) + 2 * log_columns
        own = np.diag(inverse)[places]
        across = inverse[:, places]
        shared = np.empty((len(starts), len(places)))
        is_single = sizes == 1
        singles = starts[is_single]
        shared[is_single] = np.square(across[singles]) / np.diag(inverse)[singles][:, None]
        for column in np.flatnonzero(~is_single):
            part = slice(starts[column], starts[column] + sizes[column])
            solved = np.linalg.solve(inverse[part, part], across[part])
            shared[column] = np.sum(across[part] * solved, axis=0)
        n_rows = len(self._functions)
        traces = np.trace(inverse) - np.sum(np.square(across), axis=0) / own
        n_effective = len(inverse) - 1 - penalty * traces
        squares = (own - penalty * np.sum(np.square(across), axis=0)) / np.square(own)
        variances = squares / np.maximum(n_rows - n_effective, 1.0)
        # A column takes part in its own regression beyond all bounds; it is taken out below.
        with np.errstate(divide="ignore"):
            statistics = shared / (own * (own - shared))
        takes_part = statistics > bounds[:, None] * variances
        takes_part[np.searchsorted(starts, places), np.arange(len(places))] = False
        for each, place in enumerate(places):
            slopes = -across[:, each] / own[each]
            slopes[place] = 0.0
            mean = float(self.mean[place])
            selected = np.repeat(takes_part[:, each], sizes)
            yield (
                self._fit(mean, self._gram[place], selected, number),
                RidgeFit(mean - float(self.mean @ slopes), slopes),
            )

    def fit_column(
        self, places: np.ndarray, number: int, owner: np.ndarray
    ) -> Iterator[tuple[RidgeFit, RidgeFit]]:
        """Yield `fit_selected` of some functions of a column on those of all other columns.

        With G the functions of the column the coefficients are -P_SG P_GG^-1, and B P_G P_GG^-1 is
        left of the functions. As B'B P = I - penalty P, the squares of that are summed by

            P_GG^-1 (P_GG - penalty P_G'P_G) P_GG^-1.

        Parameters
        ----------
        places : ndarray of int
            Functions of the same column, which may have others.
        number, owner
            As for `fit_selected`.
        """
        inverse, penalty = self._inverses[number], self.penalties[number]
        kept = owner != owner[places[0]]
        own = np.flatnonzero(~kept)
        across = inverse[:, own]
        slopes: Matrix = np.asarray(-np.linalg.solve(across[own], across.T).T, dtype=float)
        within = np.linalg.inv(across[own])
        squares = np.diag(within - penalty * within @ (across.T @ across) @ within)
        n_rows = len(self._functions)
        blocks = self._blocks_of(kept, inverse, owner)
        trace = sum(np.trace(block, axis1=1, axis2=2).sum() for _, block in blocks)
        n_effective = kept.sum() - penalty * trace
        variances = squares / max(n_rows - n_effective, 1.0)
        slopes[own] = 0.0
        selected = self._takes_part(slopes, variances, blocks)
        for place, each in zip(places, np.searchsorted(own, places), strict=True):
            mean = float(self.mean[place])
            yield (
                self._fit(mean, self._gram[place], selected[:, each], number),
                RidgeFit(mean - float(self.mean @ slopes[:, each]), slopes[:, each].copy()),
            )

    def _takes_part(
        self, slopes: Matrix, variances: Vector, blocks: list[tuple[np.ndarray, np.ndarray]]
    ) -> np.ndarray:
        """Return which functions belong to columns that clearly take part, (m, n_targets).

        Parameters
        ----------
        slopes : ndarray of shape (m, n_targets)
        variances : ndarray of shape (n_targets,)
            Of what the regressions leave.
        blocks : list of pairs
            As of `_blocks_of`.
        """
        log_columns = np.log(sum(len(places) for places, _ in blocks))
        selected = np.zeros(slopes.shape, dtype=bool)
        for places, block in blocks:
            own = slopes[places]
            statistics = np.sum(own * np.linalg.solve(block, own), axis=1)
            size = places.shape[1]
            bound = size + 2 * np.sqrt(size * log_columns) + 2 * log_columns
            selected[places] = (statistics > bound * variances)[:, None, :]
        return selected

    def _blocks_of(
        self, kept: np.ndarray, inverse: Matrix, owner: np.ndarray
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return what the inverse over the `kept` functions holds of every single column.

        For each number d of functions the k columns that have as many: the places of their
        functions (k, d), and their blocks of the inverse (k, d, d).
        """
        places, gone = np.flatnonzero(kept), np.flatnonzero(~kept)
        starts = np.flatnonzero(np.diff(owner[places], prepend=-1))
        sizes = np.diff(starts, append=len(places))
        across = inverse[:, gone]
        solved = np.linalg.solve(across[gone], across.T) if len(gone) else across.T
        blocks = []
        for size in np.unique(sizes):
            own = places[starts[sizes == size][:, None] + np.arange(size)]
            block = inverse[own[:, :, None], own[:, None, :]]
            blocks.append((own, block - across[own] @ solved[:, own].transpose(1, 0, 2)))
        return blocks

    @property
    def has_inverse(self) -> bool:
        """Whether there are few enough functions for an inverse."""
        return bool(self._inverses)

    def inverse(self, number: int) -> Matrix | None:
        """Return P of one penalty, shape (m, m); None with too many functions for an inverse."""
        return self._inverses[number] if self._inverses else None

    def _downdated(self, products: Vector, kept: np.ndarray, inverse: Matrix) -> Vector:
        solution = inverse @ np.where(kept, products, 0.0)
        gone = np.flatnonzero(~kept)
        return without_functions(solution, inverse, gone) if len(gone) else solution

    def _by_itself(self, products: Vector, kept: np.ndarray, penalty: float) -> Vector:
        most = len(kept) if self._inverses else _MOST_SCREENED
        strength = np.where(kept, np.abs(products), -1.0)
        chosen = np.sort(np.argsort(-strength, kind="stable")[: min(most, kept.sum())])
        functions = self._functions[:, chosen] - self.mean[chosen]
        gram = self._weighted(functions).T @ functions + penalty * np.eye(len(chosen))
        coefficients = np.zeros(len(products))
        coefficients[chosen] = np.linalg.solve(gram, products[chosen])
        return coefficients

    def _weighted(self, functions: Matrix) -> Matrix:
        return functions if self._weights is None else functions * self._weights[:, None]


def without_functions(coefficients: np.ndarray, inverse: Matrix, gone: np.ndarray) -> np.ndarray:
    """Return the coefficients c_S - P_SR P_RR^-1 c_R of a regression without some functions.

    Parameters
    ----------
    coefficients : ndarray of shape (m,) or (m, n_outputs)
        Of the regression on all functions.
    inverse : ndarray of shape (m, m)
        P.
    gone : ndarray of int
        R; their coefficients are zero.
    """
    block = inverse[np.ix_(gone, gone)]
    left = coefficients - inverse[:, gone] @ np.linalg.solve(block, coefficients[gone])
    left[gone] = 0.0
    return left
