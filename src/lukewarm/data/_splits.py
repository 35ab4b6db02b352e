"""Which rows train, which decide when to stop, which evaluate."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, eq=False)
class RowSplit:
    """Row numbers of the three parts; no row is in two of them."""

    train: np.ndarray
    stopping: np.ndarray
    evaluation: np.ndarray

    def without_stopping(self) -> RowSplit:
        """Return the split in which the stopping rows train as well."""
        train = np.sort(np.concatenate([self.train, self.stopping]))
        return RowSplit(train, self.stopping[:0], self.evaluation)


def split_rows(
    n_rows: int,
    train_fraction: float,
    generator: np.random.Generator,
    strata: np.ndarray | None = None,
    *,
    n_evaluation: int | None = None,
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
        Class codes; each part then holds every class in its share of all rows, and a class of
        few rows at least one of them where there are enough: training first, then evaluation.
    n_evaluation : int, optional
        Rows for the evaluation, instead of the share that `train_fraction` leaves.

    Examples
    --------
    >>> split = split_rows(100, 0.75, np.random.default_rng(0))
    >>> len(split.train), len(split.stopping), len(split.evaluation)
    (56, 19, 25)
    """
    order = _random_order(np.arange(n_rows), generator, strata)
    n_fit = min(max(round(train_fraction * n_rows), 2), n_rows - 1)
    if n_evaluation is not None:
        n_fit = n_rows - n_evaluation
    n_train = min(max(round(train_fraction * n_fit), 1), n_fit - 1)
    train, stopping, evaluation = np.split(order, [n_train, n_fit])
    # In the order of need: what training lacks cannot be learnt, nor judged what evaluation lacks.
    train, evaluation, stopping = _with_every_class([train, evaluation, stopping], strata)
    return RowSplit(np.sort(train), np.sort(stopping), np.sort(evaluation))


def split_folds(
    n_rows: int,
    n_folds: int,
    train_fraction: float,
    generator: np.random.Generator,
    strata: np.ndarray | None = None,
) -> list[RowSplit]:
    """Return one split per fold, whose evaluation rows are the fold.

    Parameters
    ----------
    n_rows, n_folds : int
    train_fraction : float
        Share of the rows outside the fold that serve the gradient steps; the others decide when
        to stop.
    generator : numpy.random.Generator
    strata : ndarray of shape (n_rows,), optional
        Class codes; each part then holds every class in its share of all rows, and each fold at
        least one row of a class that has as many rows as there are folds.

    Examples
    --------
    >>> splits = split_folds(100, 4, 0.75, np.random.default_rng(0))
    >>> [len(split.evaluation) for split in splits], len(splits[0].train)
    ([25, 25, 25, 25], 56)
    """
    order = _random_order(np.arange(n_rows), generator, strata)
    folds = _with_every_class(np.array_split(order, n_folds), strata)
    splits = []
    for number, fold in enumerate(folds):
        others = np.concatenate(folds[:number] + folds[number + 1 :])
        order = _random_order(others, generator, strata)
        n_train = min(max(round(train_fraction * len(others)), 1), len(others) - 1)
        train, stopping = _with_every_class([order[:n_train], order[n_train:]], strata)
        splits.append(RowSplit(np.sort(train), np.sort(stopping), np.sort(fold)))
    return splits


def halve_rows(
    split: RowSplit, generator: np.random.Generator, strata: np.ndarray | None = None
) -> tuple[RowSplit, RowSplit]:
    """Return two splits that train on disjoint halves of the training rows, all else the same.

    Examples
    --------
    >>> split = split_rows(100, 0.75, np.random.default_rng(0))
    >>> first, second = halve_rows(split, np.random.default_rng(0))
    >>> len(first.train), len(second.train), set(first.train) & set(second.train)
    (28, 28, set())
    """
    order = _random_order(split.train, generator, strata)
    # Contiguous: any stretch holds the strata in their shares, every second row need not.
    halves = np.split(order, [len(order) // 2])
    first, second = _with_every_class(halves, strata)
    return replace(split, train=np.sort(first)), replace(split, train=np.sort(second))


def _random_order(
    rows: np.ndarray, generator: np.random.Generator, strata: np.ndarray | None
) -> np.ndarray:
    """Return the rows in random order; with strata, any stretch holds them in equal shares."""
    order = generator.permutation(rows)
    if strata is None:
        return order
    return _interleave(order, strata[order])


def _interleave(order: np.ndarray, strata: np.ndarray) -> np.ndarray:
    place = np.empty(len(order))
    for code in np.unique(strata):
        members = np.flatnonzero(strata == code)
        place[members] = (np.arange(len(members)) + 0.5) / len(members)
    return order[np.argsort(place, kind="stable")]


def _with_every_class(parts: list[np.ndarray], strata: np.ndarray | None) -> list[np.ndarray]:
    """Return the parts, rows exchanged where one lacks a class that another can spare.

    Equal shares leave a class of few rows to rounding. A part gives away a row of a class if it
    keeps another, or to a part that stands before it in the list, and takes back one of the class
    that the other has most of: sizes stay, and nothing changes where no class is missing.
    """
    if strata is None:
        return parts
    codes = strata.astype(int)
    parts = [part.copy() for part in parts]
    counts = np.array([np.bincount(codes[part], minlength=codes.max() + 1) for part in parts])
    places = np.arange(len(parts))
    for code in np.unique(codes):
        for taker in np.flatnonzero(counts[:, code] == 0):
            to_spare = counts[:, code] - (places < taker)
            giver, common = int(to_spare.argmax()), int(counts[taker].argmax())
            if to_spare[giver] < 1 or counts[taker, common] < 2:
                continue
            given = np.flatnonzero(codes[parts[giver]] == code)[0]
            returned = np.flatnonzero(codes[parts[taker]] == common)[0]
            row = parts[giver][given]
            parts[giver][given] = parts[taker][returned]
            parts[taker][returned] = row
            counts[taker, code], counts[giver, code] = 1, counts[giver, code] - 1
            counts[taker, common] -= 1
            counts[giver, common] += 1
    return parts
