"""Skills from sums over cells of rows: what is left of rows that are too many to keep.

A cell is a run of neighbouring rows. It counts as one cluster: its influence value is the sum over
its rows (see `by_cluster`), so every interval and test follows as it does from rows, and rows of a
cell may even depend on each other. Where each cell is one row, the numbers are those of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from lukewarm._typing import Vector
from lukewarm.evaluation._course import Sides, course_of, skill_without, without_twins
from lukewarm.evaluation._product import score_of_means, without_own_errors, worth_of
from lukewarm.evaluation._twins import TwinTerms, calibration
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
    effects : ndarray of shape (n_sets, c)
        The squares of what the features add to predictions.
    own_errors : ndarray of shape (n_sets, c)
        What is taken off the products, if it is clearly there; zeros without twins.
    twins : ndarray of shape (n_sets, 6, c)
        The terms of `TwinTerms`, in its order; (n_sets, 0, c) without twins.
    """

    counts: np.ndarray
    errors: np.ndarray
    statistics: np.ndarray
    products: np.ndarray
    effects: np.ndarray
    own_errors: np.ndarray
    twins: np.ndarray

    @classmethod
    def zeros(
        cls, n_cells: int, *, n_sets: int, n_models: int, n_statistics: int, has_twins: bool
    ) -> CellSums:
        """Return sums to which nothing was added yet.

        Parameters
        ----------
        n_cells, n_sets, n_models, n_statistics : int
            The sizes of the arrays, see the class.
        has_twins : bool
        """
        return cls(
            np.zeros(n_cells),
            np.zeros((1 + n_sets, n_models, n_cells)),
            np.zeros((n_statistics, n_cells)),
            np.zeros((n_sets, n_cells)),
            np.zeros((n_sets, n_cells)),
            np.zeros((n_sets, n_cells)),
            np.zeros((n_sets, len(fields(TwinTerms)) if has_twins else 0, n_cells)),
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

        full, *by_set = (_on_sides([value(sums) for sums in by_model]) for by_model in self.errors)
        has_twins = self.twins.shape[1] > 0
        reduced = []
        for sides, sums in zip(by_set, self.twins, strict=True):
            factor = self._twin_factor(sums) if has_twins else None
            twins = None
            if factor is not None:
                twins = full.whole - value(self.errors[0, 0] + TwinTerms(*sums).gains(factor))
            course = course_of(full, sides, rises=rises, factor=factor, twins=twins)
            skill = skill_without(full, sides, course, twins=twins)
            reduced.append(without_twins(skill) if has_twins and twins is None else skill)
        heading = full.extrapolated()
        return without_twins(heading) if has_twins else heading, tuple(reduced)

    def _twin_factor(self, sums: np.ndarray) -> float | None:
        crossed, shared, first, second = (self._mean(each) for each in sums[:4])
        return calibration(crossed, shared, (first.value, second.value))

    def scores(
        self, terms: RowTerms, n_columns: int, variance_factor: float
    ) -> tuple[MeasureValue, ...]:
        """Return the score of the product test of each feature set.

        Parameters
        ----------
        terms : RowTerms
        n_columns : int
            Of predictions.
        variance_factor : float
            Times the variance of independent rows.
        """
        unit = terms.scale([self._mean(each) for each in self.statistics])
        if unit is None:
            unit = self._mean(self.counts)
        curvature = 1.0 if terms.loss is None else terms.loss.least_curvature(n_columns)
        unit = MeasureValue(unit.value / curvature, unit.influence / curvature)
        found = []
        for products, effects, own in zip(
            self.products, self.effects, self.own_errors, strict=True
        ):
            mean = self._mean(without_own_errors(products, own))
            found.append(score_of_means(mean, self._mean(effects), unit, variance_factor))
        return tuple(found)

    def worth(self, terms: RowTerms, scores: Sequence[float]) -> Vector:
        """Return what each feature set is worth at least, over its squared score, (n_sets,).

        As `EvaluationPredictions.worth` does from rows.
        """
        if terms.loss is None:
            return np.full(len(scores), np.nan)
        statistics = [self._mean(each) for each in self.statistics]
        scale = terms.scale(statistics)

        def lost_by(more: float) -> float:
            plain, worse = (
                terms.value(self._mean(self.errors[0, 0] + each * self.counts), statistics).value
                for each in (0.0, more)
            )
            return plain - worse

        return np.array(
            [worth_of(each, 1.0 if scale is None else scale.value, lost_by) for each in scores]
        )

    def _mean(self, sums: Vector) -> MeasureValue:
        n_cells, n_rows = len(self.counts), self.counts.sum()
        mean = float(sums.sum() / n_rows)
        enlarged = small_sample_scale(self.counts) * n_cells / n_rows
        return MeasureValue(mean, (sums - self.counts * mean) * enlarged)


def _on_sides(skills: Sequence[MeasureValue]) -> Sides:
    """Return the first skill, and the mean of those of two halves, if any."""
    whole, *halves = skills
    if not halves:
        return Sides(whole, None)
    first, second = halves
    disagreement = np.array([(first.value - second.value) / 2])
    return Sides(whole, replace(MeasureValue.mean(halves), disagreement=disagreement))
