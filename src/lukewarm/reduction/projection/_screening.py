"""Which columns of a wide table trees may ask for.

A tree that looks for its splits among a thousand columns costs as much as one of the full model.
So columns are compared by what a single split of each would gain, one pass over their codes:

    gain = max over splits of  S_L^2 / W_L + S_R^2 / W_R - S^2 / W,

S and W the sums of the target and of the weights on either side. Of a target that has nothing to do
with a column, a gain is about a chi-square of one degree of freedom times the target's variance.

A product of two columns shows in neither of them. But where t ~ a b, the square of t goes with that
of a, and t times a with b: so columns are compared for t, for its square, and for t times each of
the columns that the square goes with most.
"""

from __future__ import annotations

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.learners.boosting import BinnedDataset
from lukewarm.learners.boosting._compiled import compiled

# Columns that trees may ask for once one of them clearly counts.
_MOST_KEPT = 32
# The best of the splits of a column gains as much as the best of so many independent ones, about.
_INDEPENDENT_SPLITS = 10
# Columns whose products with the target are looked at, in one pass over all columns.
_MOST_PARTNERS = 2


class Screening:
    """What single splits of the columns would gain for one target or another.

    Parameters
    ----------
    rows : BinnedDataset
        The training rows.
    weights : ndarray of shape (n,), optional
    """

    def __init__(self, rows: BinnedDataset, weights: Vector | None) -> None:
        self._codes = rows.codes
        self._is_category = rows.borders.is_category
        self._shares = np.ones(len(rows)) if weights is None else weights / weights.mean()
        self._masses = np.stack(
            [np.bincount(codes, weights=self._shares, minlength=256) for codes in rows.codes]
        )

    def columns(self, target: Vector, candidates: np.ndarray) -> np.ndarray:
        """Return the columns worth asking for among the candidates; none where none counts.

        A gain over the variance counts beyond 1 + 2 sqrt(L) + 2 L, L the logarithm of the number
        of splits, as in `RidgeFamily.fit_selected`: among useless columns alone hardly any does.

        Parameters
        ----------
        target : ndarray of shape (n,)
            What lines leave.
        candidates : ndarray of int
        """
        bound = _bound(len(candidates))
        centred = target - np.average(target, weights=self._shares)
        gains, of_square = self._gains(centred, np.square(centred), candidates)
        partners = np.argsort(-of_square, kind="stable")[:_MOST_PARTNERS]
        partners = partners[of_square[partners] > bound]
        if len(partners):
            products = [centred * self._ranks(candidates[each]) for each in partners]
            of_products = self._gains(products[0], products[-1], candidates)[: len(partners)]
            # Of a product that counts both columns do.
            gains[partners] = np.maximum(gains[partners], of_products.max(axis=1))
            gains = np.maximum(gains, of_products.max(axis=0))
        if gains.max(initial=0.0) <= bound:
            return candidates[:0]
        return np.sort(candidates[np.argsort(-gains, kind="stable")[:_MOST_KEPT]])

    def _gains(self, first: Vector, second: Vector, candidates: np.ndarray) -> Matrix:
        """Return what the best splits gain over the variances of two targets, (2, n_candidates)."""
        centred = np.stack([first, second])
        n_rows = centred.shape[1]
        centred -= (centred @ self._shares / n_rows)[:, None]
        weighted = self._shares * centred
        variances = np.einsum("kn,kn->k", weighted, centred) / n_rows
        gains = _split_gains(self._codes, candidates, self._is_category, weighted, self._masses)
        return np.asarray(gains / np.where(variances > 0, variances, 1.0)[:, None])

    def _ranks(self, column: int) -> Vector:
        """Return the centred codes of a column."""
        codes = self._codes[column]
        return codes - codes.mean()


def _bound(n_columns: int) -> float:
    log_splits = np.log(_INDEPENDENT_SPLITS * max(n_columns, 1))
    return float(1 + 2 * np.sqrt(log_splits) + 2 * log_splits)


@compiled
def _split_gains(
    codes: np.ndarray,
    features: np.ndarray,
    is_category: np.ndarray,
    targets: np.ndarray,
    masses: np.ndarray,
) -> np.ndarray:
    """Return what the best split of each feature gains for two targets (2, n) whose sums are zero.

    `masses` (p, 256) are the weights of the rows with each code. Two targets cost little more than
    one: a sum in memory is waited for before the next is added to it.
    """
    gains = np.zeros((2, len(features)))
    first, second = np.empty(256), np.empty(256)
    for number in range(len(features)):
        feature = features[number]
        code = codes[feature]
        first[:] = 0.0
        second[:] = 0.0
        for row in range(len(code)):
            first[code[row]] += targets[0, row]
            second[code[row]] += targets[1, row]
        total = masses[feature].sum()
        mass, left, other = 0.0, 0.0, 0.0
        for each in range(256):
            if is_category[feature]:
                mass, left, other = 0.0, 0.0, 0.0
            mass += masses[feature, each]
            left += first[each]
            other += second[each]
            # The sum on the other side is the same, but for its sign.
            if 0 < mass < total:
                share = 1 / mass + 1 / (total - mass)
                gains[0, number] = max(gains[0, number], left**2 * share)
                gains[1, number] = max(gains[1, number], other**2 * share)
    return gains
