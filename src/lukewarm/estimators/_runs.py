"""Which rows train each full model, and which models evaluate each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lukewarm._typing import Prediction
from lukewarm.data import RowSplit, RowUnits, halve_rows, part_rows, split_folds, split_rows

# Tables of up to as many rows, or groups of rows, are evaluated on every row, in thirds: a quarter
# of them would leave intervals twice as wide. Thirds take about twice the time, which larger tables
# save: their intervals are short.
_MOST_ROWS_ROTATED = 10_000
# Products of errors add to the variance of the test statistic this number times the rows evaluated
# over the square of those learnt from. Without it the test at 5 % flagged 6.6 % of 1,411 useless
# columns of random problems with 200 and 500 rows: what a variance larger by this much would do.
# With known conditional means the products themselves account for 13 to 50; least squares on p
# columns has p.
_PRODUCTS_OF_ERRORS = 50.0


@dataclass(frozen=True, eq=False)
class RunPlan:
    """The full models to train, and who predicts which evaluation row.

    Parameters
    ----------
    splits : tuple of RowSplit
        One per full model; the evaluation rows of a split are those its model predicts.
    folds : tuple of ndarray
        The evaluation rows of each fold, by their numbers in the table.
    whole : tuple of int
        The full model of each fold, trained on all rows it may learn from.
    halves : tuple of two tuples of int, optional
        The two models of each fold that are trained on disjoint halves of those rows; one and the
        same where rows follow each other in time.
    tested : tuple of pairs of int
        The folds that test whether a feature matters, each with the model it tests.

    Notes
    -----
    A test at zero needs care with folds. Where a feature is worth nothing, what a model makes of
    it is a sum over the noise of its training rows, so the test statistic is a sum over pairs of
    rows, one trained on and one evaluated. If models of all folds are tested, every pair counts
    twice, and the true variance is twice that of independent rows. Thirds avoid this: the second
    is tested with a model of the first, the last with a model of both, so no row is trained on
    after it was evaluated, and the terms are a martingale. Other folds count the variance twice.
    """

    splits: tuple[RowSplit, ...]
    folds: tuple[np.ndarray, ...]
    whole: tuple[int, ...]
    halves: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    tested: tuple[tuple[int, int], ...] = ((0, 0),)

    @cached_property
    def counts_twice(self) -> bool:
        """Whether pairs of a trained and an evaluated row count twice in the test."""
        trained_on = set[int]()
        for fold, model in self.tested:
            if trained_on & set(self.folds[fold].tolist()):
                return True
            split = self.splits[model]
            trained_on |= {*split.train.tolist(), *split.stopping.tolist()}
        return False

    def variance_factor(
        self, clusters: np.ndarray | None = None, n_evaluated: int | None = None
    ) -> float:
        """Return the variance of the test statistic over that of independent rows.

        How often pairs of rows count, times a little for few rows: what the model gets wrong and
        what the guess of the features gets wrong have a product whose expectation may have either
        sign; its square falls with the rows learnt from.

        Parameters
        ----------
        clusters : ndarray of int, shape (n_rows,), optional
            The group of each row of the table, where rows belong together: errors are then known
            from as many groups, not rows.
        n_evaluated : int, optional
            Rows that are evaluated instead of those of the folds.
        """

        def count(rows: np.ndarray) -> int:
            return len(rows) if clusters is None else len(np.unique(clusters[rows]))

        added = []
        for fold, model in self.tested:
            split = self.splits[model]
            n_learnt = count(np.concatenate([split.train, split.stopping]))
            if n_learnt:
                n_rows = count(self.folds[fold]) if n_evaluated is None else n_evaluated
                added.append(_PRODUCTS_OF_ERRORS * n_rows / n_learnt**2)
        counted = 2.0 if self.counts_twice else 1.0
        return counted * (1 + float(np.mean(added or [0.0])))

    @property
    def n_independent_halves(self) -> int:
        """How many models of half the rows share no training row: all that rotate, else two."""
        if self.halves is None or set(self.halves[0]) != set(self.halves[1]):
            return 2
        return max(len(set(self.halves[0])), 2)

    @property
    def numbers(self) -> np.ndarray:
        """The row of the table behind each evaluation row, fold after fold."""
        return np.concatenate(self.folds)

    @property
    def fold_of_row(self) -> np.ndarray:
        """The fold of each evaluation row."""
        return np.repeat(np.arange(len(self.folds)), [len(fold) for fold in self.folds])

    @property
    def n_learnt(self) -> tuple[int, ...]:
        """How many rows the model of each fold learns from, those that stop it among them."""
        return tuple(self._n_learnt_by(model) for model in self.whole)

    def share_of_half(self, fold: int, model: int) -> float:
        """Return the rows that models of halves learn from, over those of a model of the fold."""
        assert self.halves is not None
        n_half = np.mean([self._n_learnt_by(each[fold]) for each in self.halves])
        return float(n_half / self._n_learnt_by(model))

    def _n_learnt_by(self, model: int) -> int:
        split = self.splits[model]
        return len(split.train) + len(split.stopping)

    def stack(
        self, models: Sequence[int], predictions: Sequence[Prediction] | Mapping[int, Prediction]
    ) -> Prediction:
        """Return the evaluation rows' predictions, fold after fold.

        Parameters
        ----------
        models : sequence of int
            The model of each fold: `whole`, or one of `halves`.
        predictions : sequence of Prediction, or mapping from number
            What each model of the plan predicts for its evaluation rows.
        """
        return np.concatenate(
            [self.part(fold, model, predictions[model]) for fold, model in enumerate(models)]
        )

    def part(self, fold: int, model: int, prediction: Prediction) -> Prediction:
        """Return a model's predictions for the rows of one fold."""
        evaluated = self.splits[model].evaluation
        order = np.argsort(evaluated)
        return prediction[order[np.searchsorted(evaluated, self.folds[fold], sorter=order)]]


def plan_runs(
    n_rows: int,
    n_evaluation: int,
    train_fraction: float,
    n_folds: int | None,
    generator: np.random.Generator,
    strata: np.ndarray | None,
    *,
    with_halves: bool,
    rotates: bool = True,
    units: RowUnits | None = None,
) -> RunPlan:
    """Return the plan of the one full model, or of those of each fold, and of their halves.

    Parameters
    ----------
    n_rows : int
    n_evaluation : int
        How many of the last rows the user named for the evaluation; 0 where they are drawn.
    train_fraction : float
    n_folds : int, optional
        By default one split, or, with halves and few rows, three folds.
    generator : numpy.random.Generator
    strata : ndarray of shape (n_rows,), optional
        Class codes.
    with_halves : bool
        Whether models of half the rows are trained as well.
    rotates : bool, default True
        Whether few rows are evaluated in thirds.
    units : RowUnits, optional
        Rows that train, stop or evaluate together.
    """
    n_units = n_rows if units is None else units.n_units
    # Thirds are trained on in turn, and what follows in time is not for those before it.
    rotates = rotates and not (units is not None and units.in_order)
    if n_evaluation:
        splits = [_split_named(n_rows, n_evaluation, train_fraction, generator, strata, units)]
    elif rotates and n_folds is None and with_halves and n_units <= _MOST_ROWS_ROTATED:
        return _rotated_thirds(n_rows, train_fraction, generator, strata, units)
    elif n_folds is None:
        splits = [split_rows(n_rows, train_fraction, generator, strata, units)]
    else:
        splits = split_folds(n_rows, n_folds, train_fraction, generator, strata, units)
    return plan_of_splits(splits, generator, strata, with_halves=with_halves, units=units)


def plan_of_splits(
    splits: Sequence[RowSplit],
    generator: np.random.Generator,
    strata: np.ndarray | None,
    *,
    with_halves: bool,
    units: RowUnits | None = None,
) -> RunPlan:
    """Return the plan of one full model per split, and of their halves.

    Where rows follow each other in time, the half of the training rows is the later one, and
    stands for both: an earlier one would be worse for being old, not for being few.

    Parameters
    ----------
    splits : sequence of RowSplit
    generator : Generator
        Draws the halves.
    strata : ndarray of shape (n_rows,), or None
        Class codes.
    with_halves : bool
        Whether models of half the rows are trained beside each.
    units : RowUnits, optional
        Which rows belong together or follow each other.
    """
    folds = tuple(split.evaluation for split in splits)
    whole = tuple(range(len(splits)))
    tested = tuple((fold, fold) for fold in whole)
    if not with_halves:
        return RunPlan(tuple(splits), folds, whole, tested=tested)
    pairs = [halve_rows(split, generator, strata, units) for split in splits]
    first = tuple(len(splits) + number for number in whole)
    if units is not None and units.in_order:
        later = [half for _, half in pairs]
        return RunPlan((*splits, *later), folds, whole, (first, first), tested)
    second = tuple(2 * len(splits) + number for number in whole)
    return RunPlan(
        (*splits, *(one for one, _ in pairs), *(other for _, other in pairs)),
        folds,
        whole,
        (first, second),
        tested,
    )


def _rotated_thirds(
    n_rows: int,
    train_fraction: float,
    generator: np.random.Generator,
    strata: np.ndarray | None,
    units: RowUnits | None,
) -> RunPlan:
    """Return the plan in which each third is evaluated by models of both others and of each other.

    Six full models in all: the model of one third is a half for both of the other thirds. For the
    arguments see `part_rows`.
    """
    wholes = split_folds(n_rows, 3, train_fraction, generator, strata, units)
    folds = tuple(split.evaluation for split in wholes)
    thirds = []
    for number, fold in enumerate(folds):
        train, stopping = part_rows(fold, train_fraction, generator, strata, units)
        evaluated = np.concatenate([folds[(number + 1) % 3], folds[(number + 2) % 3]])
        thirds.append(RowSplit(train, stopping, np.sort(evaluated)))
    return RunPlan((*wholes, *thirds), folds, (0, 1, 2), ((4, 5, 3), (5, 3, 4)), ((1, 3), (2, 2)))


def _split_named(
    n_rows: int,
    n_evaluation: int,
    train_fraction: float,
    generator: np.random.Generator,
    strata: np.ndarray | None,
    units: RowUnits | None,
) -> RowSplit:
    """Return the split whose evaluation rows are those the user named, the last of the table.

    Parameters
    ----------
    n_rows, n_evaluation : int
        Of the table, and how many at its end are for evaluation.
    train_fraction, generator, strata, units
        As for `part_rows`.
    """
    n_fit = n_rows - n_evaluation
    # None of the other rows is needed for evaluation.
    train, stopping = part_rows(np.arange(n_fit), train_fraction, generator, strata, units)
    return RowSplit(train, stopping, np.arange(n_fit, n_rows))
