"""Skills from sums over cells of rows: what is left of rows that are too many to keep.

A cell is a run of neighbouring rows. It counts as one cluster: its influence value is the sum over
its rows (see `by_cluster`), so every interval and test follows as it does from rows, and rows of a
cell may even depend on each other. Where each cell is one row, the numbers are those of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from lukewarm._typing import Vector
from lukewarm.evaluation._twins import TwinTerms, calibration, with_twins
from lukewarm.inference import small_sample_scale
from lukewarm.measures import RowTerms
from lukewarm.results import MeasureValue


@dataclass(frozen=True, eq=False)
class CellSums:
    """Sums over the rows of each of c cells.

    Parameters
    ----------
    counts : ndarray of shape (c,)
        Rows; at least one in what `skills` and `scores` are asked of.
    errors : ndarray of shape (1 + n_sets, n_models, c)
        Of the full model first, then without each feature set; by the model of all training rows,
        then by those of halves, if any.
    statistics : ndarray of shape (k, c)
        Of the target.
    products : ndarray of shape (n_sets, c)
        The terms of the product statistic.
    squares : ndarray of shape (n_sets, c)
        Their squares.
    twins : ndarray of shape (n_sets, 4, c)
        The terms of `TwinTerms`: crossed, shared, and both sizes; (n_sets, 0, c) without twins.
    """

    counts: np.ndarray
    errors: np.ndarray
    statistics: np.ndarray
    products: np.ndarray
    squares: np.ndarray
    twins: np.ndarray

    @classmethod
    def zeros(
        cls, n_cells: int, *, n_sets: int, n_models: int, n_statistics: int, has_twins: bool
    ) -> CellSums:
        """Return sums to which nothing was added yet."""
        return cls(
            np.zeros(n_cells),
            np.zeros((1 + n_sets, n_models, n_cells)),
            np.zeros((n_statistics, n_cells)),
            np.zeros((n_sets, n_cells)),
            np.zeros((n_sets, n_cells)),
            np.zeros((n_sets, 4 if has_twins else 0, n_cells)),
        )

    @property
    def filled(self) -> CellSums:
        """Those of the cells that have rows."""
        has_rows = self.counts > 0
        return CellSums(*(getattr(self, each.name)[..., has_rows] for each in fields(self)))

    @classmethod
    def joined(cls, parts: Sequence[CellSums]) -> CellSums:
        """Return the cells of all parts."""
        return cls(
            *(
                np.concatenate([getattr(part, each.name) for part in parts], axis=-1)
                for each in fields(cls)
            )
        )

    def skills(
        self, terms: RowTerms, *, rises: bool
    ) -> tuple[MeasureValue, tuple[MeasureValue, ...]]:
        """Return the skill of the full model, and without each feature set.

        As `EvaluationPredictions.skills` does from rows.

        Parameters
        ----------
        terms : RowTerms
        rises : bool
            Whether importances are expected to rise with the training rows.
        """
        statistics = [self._mean(each) for each in self.statistics]

        def value(sums: Vector) -> MeasureValue:
            return terms.value(self._mean(sums), statistics)

        (whole, half), *pairs = (
            _on_sides([value(sums) for sums in by_model]) for by_model in self.errors
        )
        if half is None:
            return whole, tuple(each for each, _ in pairs)
        full, rise = whole.extrapolated_from(half), whole - half
        reduced = []
        for (each, its_half), twins in zip(pairs, self.twins, strict=True):
            assert its_half is not None
            held = rises and each.value - its_half.value > rise.value
            skill = each.extrapolated_from(its_half, rise if held else None)
            if len(twins):
                skill = with_twins(skill, full, self._twin_importance(value, whole, twins))
            reduced.append(skill)
        if self.twins.shape[1]:
            full = replace(full, disagreement=np.append(full.disagreement, 0.0))
        return full, tuple(reduced)

    def _twin_importance(
        self, value: Callable[[Vector], MeasureValue], whole: MeasureValue, twins: np.ndarray
    ) -> MeasureValue | None:
        crossed, shared, *sizes = (self._mean(each) for each in twins)
        factor = calibration(crossed, shared, (sizes[0].value, sizes[1].value))
        if factor is None:
            return None
        gains = TwinTerms(twins[0], twins[1], (twins[2], twins[3])).gains(factor)
        return whole - value(self.errors[0, 0] + gains)

    def scores(self, variance_factor: float) -> tuple[MeasureValue, ...]:
        """Return the product statistic of each feature set.

        Parameters
        ----------
        variance_factor : float
            Times the variance of independent rows.
        """
        found = []
        for sums, squares in zip(self.products, self.squares, strict=True):
            mean = self._mean(sums)
            spread = np.sqrt(max(squares.sum() / self.counts.sum() - mean.value**2, 0.0))
            scale = spread if spread > 0 else 1.0
            influence = mean.influence / scale * np.sqrt(variance_factor)
            found.append(MeasureValue(mean.value / scale, influence))
        return tuple(found)

    def _mean(self, sums: Vector) -> MeasureValue:
        n_cells, n_rows = len(self.counts), self.counts.sum()
        mean = float(sums.sum() / n_rows)
        enlarged = small_sample_scale(self.counts) * n_cells / n_rows
        return MeasureValue(mean, (sums - self.counts * mean) * enlarged)


def _on_sides(skills: Sequence[MeasureValue]) -> tuple[MeasureValue, MeasureValue | None]:
    """Return the first skill, and the mean of those of two halves, if any."""
    whole, *halves = skills
    if not halves:
        return whole, None
    first, second = halves
    return whole, MeasureValue(
        (first.value + second.value) / 2,
        (first.influence + second.influence) / 2,
        disagreement=np.array([(first.value - second.value) / 2]),
    )
