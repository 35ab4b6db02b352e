"""Which rows train, which decide when to stop, which evaluate."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lukewarm.data._units import RowUnits


@dataclass(frozen=True, eq=False)
class RowSplit:
    """Row numbers of the three parts; no row is in two of them.

    Parameters
    ----------
    train : ndarray of int
        Rows that models learn from.
    stopping : ndarray of int
        Rows that decide when training stops.
    evaluation : ndarray of int
        Rows that models are evaluated on.
    """

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
    units: RowUnits | None = None,
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
    units : RowUnits, optional
        Rows that stay together. Shares of the rows are then met as nearly as whole units allow,
        and classes as far as each unit's most frequent one tells.

    Examples
    --------
    >>> split = split_rows(100, 0.75, np.random.default_rng(0))
    >>> len(split.train), len(split.stopping), len(split.evaluation)
    (56, 19, 25)
    """
    order = _random_order(np.arange(n_rows), generator, strata, units)
    n_fit = min(max(round(train_fraction * n_rows), 2), n_rows - 1)
    n_train = min(max(round(train_fraction * n_fit), 1), n_fit - 1)
    train, stopping, evaluation = _cut(order, [n_train, n_fit], units)
    if units is None:
        # In the order of need: what training lacks cannot be learnt, and what evaluation lacks
        # cannot be measured.
        train, evaluation, stopping = _with_every_class([train, evaluation, stopping], strata)
    return RowSplit(np.sort(train), np.sort(stopping), np.sort(evaluation))


def split_folds(
    n_rows: int,
    n_folds: int,
    train_fraction: float,
    generator: np.random.Generator,
    strata: np.ndarray | None = None,
    units: RowUnits | None = None,
) -> list[RowSplit]:
    """Return one split per fold, whose evaluation rows are the fold.

    Units in order give one fold less than blocks of time: the first only trains, and every other
    one is evaluated by a model of all blocks before it.

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
    units : RowUnits, optional
        Rows that stay together. Shares of the rows are then met as nearly as whole units allow,
        and classes as far as each unit's most frequent one tells.

    Examples
    --------
    >>> splits = split_folds(100, 4, 0.75, np.random.default_rng(0))
    >>> [len(split.evaluation) for split in splits], len(splits[0].train)
    ([25, 25, 25, 25], 56)
    """
    in_order = units is not None and units.in_order
    order = _random_order(np.arange(n_rows), generator, strata, units)
    blocks = _in_parts(order, n_folds + in_order, units)
    folds = blocks if units is not None else _with_every_class(blocks, strata)
    splits = []
    for number in range(int(in_order), len(folds)):
        others = np.concatenate(folds[:number] + ([] if in_order else folds[number + 1 :]))
        train, stopping = part_rows(others, train_fraction, generator, strata, units)
        splits.append(RowSplit(train, stopping, np.sort(folds[number])))
    return splits


def part_rows(
    rows: np.ndarray,
    train_fraction: float,
    generator: np.random.Generator,
    strata: np.ndarray | None = None,
    units: RowUnits | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return those of the rows that train, and those that decide when to stop.

    Parameters
    ----------
    rows : ndarray of int
        Those to part.
    train_fraction : float
    generator : Generator
    strata : ndarray of shape (n_rows,), optional
        Class codes of all rows; both parts then hold every class in its share.
    units : RowUnits, optional
        Which rows belong together or follow each other; no part cuts through them.

    Examples
    --------
    >>> units = RowUnits(np.arange(100), in_order=True)
    >>> train, stopping = part_rows(np.arange(60), 0.75, np.random.default_rng(0), units=units)
    >>> bool(train.max() < stopping.min())
    True
    """
    order = _random_order(rows, generator, strata, units)
    n_train = min(max(round(train_fraction * len(rows)), 1), len(rows) - 1)
    train, stopping = _cut(order, [n_train], units)
    if units is None:
        train, stopping = _with_every_class([train, stopping], strata)
    return np.sort(train), np.sort(stopping)


def halve_rows(
    split: RowSplit,
    generator: np.random.Generator,
    strata: np.ndarray | None = None,
    units: RowUnits | None = None,
) -> tuple[RowSplit, RowSplit]:
    """Return two splits that train on disjoint halves of the training rows, all else the same.

    Of units in order the first half is the earlier one.

    Parameters
    ----------
    split : RowSplit
    generator : Generator
    strata : ndarray of shape (n_rows,), optional
        Class codes of all rows; both parts then hold every class in its share.
    units : RowUnits, optional
        Which rows belong together or follow each other; no part cuts through them.

    Examples
    --------
    >>> split = split_rows(100, 0.75, np.random.default_rng(0))
    >>> first, second = halve_rows(split, np.random.default_rng(0))
    >>> len(first.train), len(second.train), set(first.train) & set(second.train)
    (28, 28, set())
    """
    order = _random_order(split.train, generator, strata, units)
    # Contiguous: any stretch holds the strata in their shares, every second row need not.
    halves = _cut(order, [len(order) // 2], units)
    first, second = halves if units is not None else _with_every_class(halves, strata)
    return replace(split, train=np.sort(first)), replace(split, train=np.sort(second))


def _random_order(
    rows: np.ndarray,
    generator: np.random.Generator,
    strata: np.ndarray | None,
    units: RowUnits | None = None,
) -> np.ndarray:
    """Return the rows in random order; with strata, any stretch holds them in equal shares.

    Rows of one unit stand together, and units in order are not moved.
    """
    if units is not None:
        return rows[np.argsort(_places_of_units(rows, generator, strata, units), kind="stable")]
    order = generator.permutation(rows)
    if strata is None:
        return order
    return _interleave(order, strata[order])


def _places_of_units(
    rows: np.ndarray,
    generator: np.random.Generator,
    strata: np.ndarray | None,
    units: RowUnits,
) -> np.ndarray:
    """Return for each row the place that its unit takes."""
    if units.in_order:
        return units.codes[rows]
    present, unit_of = np.unique(units.codes[rows], return_inverse=True)
    order = generator.permutation(len(present))
    if strata is not None:
        codes = strata[rows].astype(int)
        counts = np.zeros((len(present), codes.max() + 1))
        np.add.at(counts, (unit_of, codes), 1)
        order = _interleave(order, counts.argmax(axis=1)[order])
    place = np.empty(len(present), dtype=int)
    place[order] = np.arange(len(present))
    return place[unit_of]


def _in_parts(order: np.ndarray, n_parts: int, units: RowUnits | None) -> list[np.ndarray]:
    sizes = [len(part) for part in np.array_split(order, n_parts)]
    return _cut(order, np.cumsum(sizes)[:-1].tolist(), units)


def _cut(order: np.ndarray, cuts: list[int], units: RowUnits | None) -> list[np.ndarray]:
    """Return the parts of the rows between the cuts, which units move to their nearest border."""
    if units is None:
        return np.split(order, cuts)
    borders = np.flatnonzero(np.diff(units.codes[order])) + 1
    if len(borders) < len(cuts):
        n_units = len(borders) + 1
        values = "one value only" if n_units == 1 else f"{n_units} different values"
        raise ValueError(
            f"{units.name} has {values} in {len(order)} rows, to "
            f"be cut into {len(cuts) + 1} parts (for training, stopping, evaluation, folds) with "
            "one value each at least. Use more of them, fewer folds, or inference='paired'."
        )
    moved, first = [], 0
    for number, cut in enumerate(cuts):
        # As many borders are left as there are cuts to come.
        last = len(borders) - (len(cuts) - 1 - number)
        place = first + int(np.abs(borders[first:last] - cut).argmin())
        moved.append(int(borders[place]))
        first = place + 1
    return np.split(order, moved)


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
