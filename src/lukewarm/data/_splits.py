"""Which rows train, which decide when to stop, which evaluate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class RowSplit:
    """Row numbers of the three parts; every row is in exactly one of them."""

    train: np.ndarray
    stopping: np.ndarray
    evaluation: np.ndarray


def split_rows(
    n_rows: int,
    train_fraction: float,
    generator: np.random.Generator,
    strata: np.ndarray | None = None,
) -> RowSplit:
    """Return a random split: `train_fraction` taken twice, as in Algorithm 1.

    Parameters
    ----------
    n_rows : int
    train_fraction : float
        q of the paper: q of all rows serve training, and q of those the gradient steps; the rest
        of them decide when to stop. The default of the estimators, 0.75, gives 56 / 19 / 25 %.
    generator : numpy.random.Generator
    strata : ndarray of shape (n_rows,), optional
        Class codes; each part then holds every class in its share of all rows.

    Examples
    --------
    >>> split = split_rows(100, 0.75, np.random.default_rng(0))
    >>> len(split.train), len(split.stopping), len(split.evaluation)
    (56, 19, 25)
    """
    order = generator.permutation(n_rows)
    if strata is not None:
        order = _interleave(order, strata[order])
    n_fit = min(max(round(train_fraction * n_rows), 2), n_rows - 1)
    n_train = min(max(round(train_fraction * n_fit), 1), n_fit - 1)
    train, stopping, evaluation = np.split(order, [n_train, n_fit])
    return RowSplit(np.sort(train), np.sort(stopping), np.sort(evaluation))


def _interleave(order: np.ndarray, strata: np.ndarray) -> np.ndarray:
    """Reorder so that every stretch of rows holds the classes in their overall shares."""
    place = np.empty(len(order))
    for code in np.unique(strata):
        members = np.flatnonzero(strata == code)
        place[members] = (np.arange(len(members)) + 0.5) / len(members)
    return order[np.argsort(place, kind="stable")]
