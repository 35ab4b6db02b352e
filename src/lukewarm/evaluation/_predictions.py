"""Predictions on the evaluation rows: all that is needed for any measure, without a refit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from lukewarm._typing import Matrix, Prediction, Vector
from lukewarm.evaluation._course import Course, Sides, course_of, skill_without, without_twins
from lukewarm.evaluation._hidden import hidden_effect, moved
from lukewarm.evaluation._product import product_terms, worth_of
from lukewarm.evaluation._remainder import Remainder
from lukewarm.evaluation._rows import EvaluationPlan, skill_on_parts
from lukewarm.evaluation._twins import TwinTerms, calibration
from lukewarm.inference import cluster_totals
from lukewarm.measures import (
    BregmanLoss,
    MeanOfRows,
    MeanOverOutputs,
    Measure,
    OfLosses,
    OneOutput,
)
from lukewarm.results import MeasureValue, Missed

# Those of levels in use (0.5, 0.8, 0.9, 0.95, 0.99, 0.999), none, and one for thousands of sets.
_LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)
_QUANTILES = (0.0, *(float(ndtri(0.5 + level / 2)) for level in _LEVELS), 5.0)
# Pairs of opposite signs over which the loss by noise is averaged; exact by one for squared errors.
_N_SIGNS = 4


def _as_it_is(array: np.ndarray) -> np.ndarray:
    return array


@dataclass(frozen=True, eq=False)
class EvaluationPredictions:
    """What the full and the reduced models predict for the evaluation rows.

    Parameters
    ----------
    y : ndarray of shape (n,), or (n, n_outputs) where a model has several
    full : Prediction
        Each row's comes from a model that did not see it.
    reduced : tuple of Prediction
        One per feature set.
    plan : EvaluationPlan
    weights : ndarray of shape (n,), optional
    half : tuple of two EvaluationPredictions, optional
        Those of models trained on two disjoint halves of the training rows, for the same rows.
    n_halves : int, default 2
        Independent models of half the rows behind the mean over `half`: two, or all where rows
        rotate and every model stands in several folds.
    directions : tuple of Prediction or None, one per feature set
        What the features may add to each prediction, where some full model does not look at them.
    clusters : ndarray of int, shape (n,), optional
        The group of each row, from 0 on, where rows belong together: influence values are then
        one per group.
    rises : bool, default False
        Whether importances are expected to rise with the training rows, as those of projections
        are: off by the error of the effect alone, they are too low.
    twins : bool, default False
        Whether the models of halves share no row, and their reduced models are projections.
    remainder : Remainder, optional
        What the full models leave to be learnt, where another model finds something.
    keep : callable from array to array
        Puts arrays that are kept for long where they are not in the way.
    """

    y: Vector
    full: Prediction
    reduced: tuple[Prediction, ...]
    plan: EvaluationPlan
    weights: Vector | None = None
    half: tuple[EvaluationPredictions, EvaluationPredictions] | None = None
    n_halves: int = 2
    directions: tuple[Prediction | None, ...] = ()
    clusters: np.ndarray | None = None
    rises: bool = False
    twins: bool = False
    remainder: Remainder | None = None
    keep: Callable[[np.ndarray], np.ndarray] = _as_it_is

    def skills(
        self, measure: Measure, courses: Sequence[Any] | None = None
    ) -> tuple[MeasureValue, tuple[MeasureValue, ...]]:
        """Return the skill of the full model and of each reduced one.

        Parameters
        ----------
        measure : Measure
        courses : sequence of Course, optional
            How each importance is extrapolated, as `courses` says of other rows; by default as
            these rows say.
        """
        if isinstance(measure, MeanOverOutputs):
            return self._mean_skills(measure, courses)
        if isinstance(measure, OneOutput):
            return self._of_output(measure.number).skills(measure.measure, courses)
        sides = self._on_sides(measure, None)
        has_twins = self.has_twins_of(measure)
        reduced = []
        # One after the other, so that no more than one set's arrays are held beside those kept.
        for number in range(len(self.reduced)):
            without = self._on_sides(measure, number)
            course = (
                self._course(measure, number, sides, without)
                if courses is None
                else courses[number]
            )
            twins = self._twin_importance(measure, number, course.factor)
            skill = skill_without(sides, without, course, twins=twins)
            if has_twins and twins is None:
                skill = without_twins(skill)
            reduced.append(replace(skill, influence=self.keep(skill.influence)))
        full = sides.extrapolated()
        full = without_twins(full) if has_twins else full
        return replace(full, influence=self.keep(full.influence)), tuple(reduced)

    def _mean_skills(
        self, measure: MeanOverOutputs, courses: Sequence[Any] | None
    ) -> tuple[MeasureValue, tuple[MeasureValue, ...]]:
        by_output = [
            self.skills(part, None if courses is None else courses[place])
            for place, part in enumerate(measure.parts)
        ]
        full, reduced = zip(*by_output, strict=True)
        by_set = zip(*reduced, strict=True)
        return MeasureValue.mean(full), tuple(MeasureValue.mean(each) for each in by_set)

    def courses(self, measure: Measure) -> list[Any]:
        """Return how the importance of each feature set is extrapolated.

        Of a mean over outputs, one such list for each output.
        """
        if isinstance(measure, MeanOverOutputs):
            return [self.courses(part) for part in measure.parts]
        if isinstance(measure, OneOutput):
            return self._of_output(measure.number).courses(measure.measure)
        sides = self._on_sides(measure, None)
        return [
            self._course(measure, number, sides, self._on_sides(measure, number))
            for number in range(len(self.reduced))
        ]

    def has_twins_of(self, measure: Measure) -> bool:
        """Return whether models of halves are there, and a loss that twins are for."""
        return self.twins and self.half is not None and isinstance(measure, BregmanLoss)

    def _course(self, measure: Measure, number: int, full: Sides, reduced: Sides) -> Course:
        factor = self._twin_factor(measure, number) if self.has_twins_of(measure) else None
        twins = self._twin_importance(measure, number, factor)
        return course_of(full, reduced, rises=self.rises, factor=factor, twins=twins)

    def _twin_factor(self, measure: Measure, number: int) -> float | None:
        terms, parts = self._twin_terms(measure, number), self.plan.reduced_parts
        crossed, shared, first, second = (
            self._on_parts(MeanOfRows(), each, parts)
            for each in (terms.crossed, terms.shared, terms.first_size, terms.second_size)
        )
        return calibration(crossed, shared, (first.value, second.value))

    def _twin_terms(self, measure: Measure, number: int) -> TwinTerms:
        assert self.half is not None
        assert isinstance(measure, BregmanLoss)
        one, other = self.half
        return TwinTerms.of(
            measure,
            self.y,
            (self.full, one.full, other.full),
            (self.reduced[number], one.reduced[number], other.reduced[number]),
        )

    def _twin_importance(
        self, measure: Measure, number: int, factor: float | None
    ) -> MeasureValue | None:
        """Return the importance of a feature set by the twins, where they agree."""
        if factor is None:
            return None
        assert isinstance(measure, BregmanLoss)
        losses = measure.losses(self.y, self.full)
        more = losses + self._twin_terms(measure, number).gains(factor)
        with_all, without = (
            self._on_parts(OfLosses(measure), each, self.plan.reduced_parts)
            for each in (losses, more)
        )
        return with_all - without

    def _on_sides(self, measure: Measure, number: int | None) -> Sides:
        """Return the skill without a feature set, the full one's if None."""
        prediction = self.full if number is None else self.reduced[number]
        parts = self.plan.full_parts if number is None else self.plan.reduced_parts
        skill = self._on_parts(measure, prediction, parts)
        return Sides(skill, None if self.half is None else self._of_halves(measure, parts, number))

    def _of_halves(
        self, measure: Measure, parts: tuple[np.ndarray, ...], number: int | None
    ) -> MeasureValue:
        """Return the mean skill of the two half models, the full ones where `number` is None.

        Their disagreement is taken in every part by itself: where rows rotate, a model that stands
        first in one part is second in another.
        """
        assert self.half is not None
        predictions = [each.full if number is None else each.reduced[number] for each in self.half]
        first, second = (self._on_parts(measure, each, parts) for each in predictions)
        ours, theirs = (
            np.array([self._on_parts(measure, each, (part,)).value for part in parts])
            for each in predictions
        )
        return replace(
            MeasureValue.mean([first, second]),
            # The variance of one model is half that of a difference, that of their mean smaller
            # by their number.
            disagreement=(ours - theirs) / np.sqrt(2 * self.n_halves * len(parts)),
        )

    def missed(self, measure: Measure, level: float, n_learnt: Sequence[int] = ()) -> Missed:
        """Return what models may have missed, with all features and without each set.

        With all features, what no upper end may be below. For every feature set, an effect too
        small for so many training rows to show (`hidden_effect`). For one that no full model looks
        at, also the largest importance of a linear effect, beyond what the other columns know of
        the features, that these rows cannot exclude: at either end b of the interval of its slope,
        what the measure says of f + b * direction, plus its own error. And where the residuals
        show more, what the set is worth to models that know of it, plus its error. Kept are the
        limits at this level and at some others, from which those at any level follow.

        Without a set, what models of half the rows have learnt wrong by themselves
        (`TwinTerms.own`). For a mean over outputs, the mean over them.

        Parameters
        ----------
        measure : Measure
        level : float
        n_learnt : sequence of int
            Rows that the model of each fold learnt from; none where that is not known.
        """
        if isinstance(measure, MeanOverOutputs):
            each = [self.missed(part, level, n_learnt) for part in measure.parts]
            limits, without = (
                np.mean([getattr(one, name) for one in each], axis=0)
                for name in ("limits", "without")
            )
            return Missed(each[0].quantiles, limits, without)
        if isinstance(measure, OneOutput):
            return self._of_output(measure.number).missed(measure.measure, level, n_learnt)
        at_level = float(ndtri(0.5 + level / 2))
        quantiles = np.unique([*_QUANTILES, at_level])
        limits = np.full((len(self.reduced), len(quantiles)), np.nan)
        plain = self._on_parts(measure, self.full, self.plan.full_parts)
        if n_learnt and min(n_learnt) > 0:
            hidden = self._largest_hidden(measure, at_level, float(np.mean(n_learnt)), plain)
            limits[:] = hidden * np.square(quantiles / at_level)
        directions = self.directions or (None,) * len(self.reduced)
        for number, (reduced, line) in enumerate(zip(self.reduced, directions, strict=True)):
            if line is not None and np.array_equal(self.full, reduced):
                effects = self._largest_effects(measure, line, quantiles, plain)
                limits[number] = np.fmax(limits[number], effects)
        if self.remainder is not None:
            limits = np.fmax(limits, self._with_remainder(measure, self.remainder, quantiles))
        return Missed(quantiles, limits, self._missed_without(measure))

    def _missed_without(self, measure: Measure) -> Vector:
        """Return by how much each importance may be too high, (n_sets,): see `TwinTerms.own`.

        The squared bias of what models have learnt wrong by themselves without the set, for which
        the variance of those of half the rows stands in.
        """
        if not self.has_twins_of(measure):
            return np.zeros(len(self.reduced))
        assert isinstance(measure, BregmanLoss)
        losses = measure.losses(self.y, self.full)
        plain = self._on_parts(OfLosses(measure), losses, self.plan.reduced_parts)
        found = []
        for number in range(len(self.reduced)):
            more = losses + self._twin_terms(measure, number).own
            worse = self._on_parts(OfLosses(measure), more, self.plan.reduced_parts)
            found.append(max(plain.value - worse.value, 0.0))
        return np.array(found)

    def worth(self, measure: Measure, scores: Sequence[float]) -> Vector:
        """Return what each feature set is worth at least, over its squared score, (n_sets,).

        nan for measures that are no mean of losses with the mean of y as best prediction
        (`BregmanLoss`), for means over outputs, and where the score shows nothing.

        Parameters
        ----------
        measure : Measure
        scores : sequence of float
        """
        if isinstance(measure, OneOutput):
            return self._of_output(measure.number).worth(measure.measure, scores)
        if not isinstance(measure, BregmanLoss):
            return np.full(len(self.reduced), np.nan)
        losses, weights = measure.losses(self.y, self.full), self.weights
        scale = float(np.average(measure.scale_terms(self.y, weights), weights=weights))

        # Of all rows together, as scores are: the mean over parts of one over their variances is
        # more than one over the variance of all.
        def lost_by(more: float) -> float:
            plain, worse = (
                measure.of_losses(self.y, each, weights).value for each in (losses, losses + more)
            )
            return plain - worse

        return np.array([worth_of(each, scale, lost_by) for each in scores])

    def _with_remainder(self, measure: Measure, rest: Remainder, quantiles: Vector) -> Matrix:
        """Return what each feature set is worth once models know what they left, (n_sets, k)."""
        plan = self.plan
        full = self._on_parts(measure, moved(self.full, rest.full, measure), plan.full_parts)
        limits = []
        for reduced, left in zip(self.reduced, rest.reduced, strict=True):
            without = moved(reduced, left, measure)
            worth = full - self._on_parts(measure, without, plan.reduced_parts)
            limits.append(np.maximum(worth.value + quantiles * worth.standard_error, 0.0))
        return np.array(limits)

    def _largest_hidden(
        self, measure: Measure, quantile: float, n_learnt: float, plain: MeasureValue
    ) -> float:
        """Return what the full model may lose by one effect that its rows did not show.

        A model that is off by the effect loses as much as one that is off by noise of its size.
        """
        size = hidden_effect(self.y, self.full, measure, n_learnt, quantile)
        generator = np.random.default_rng(0)
        values = []
        for _ in range(_N_SIGNS):
            by = size * generator.choice([-1.0, 1.0], size=size.shape)
            # Both signs: what a move gains by chance, its opposite loses.
            for each in (by, -by):
                off = moved(self.full, each, measure)
                values.append(self._on_parts(measure, off, self.plan.full_parts).value)
        return max(plain.value - float(np.mean(values)), 0.0)

    def _largest_effects(
        self, measure: Measure, line: Prediction, quantiles: Vector, plain: MeasureValue
    ) -> Vector:
        """Return the limit at each quantile; `plain` is the skill of the full model."""
        weights = np.ones(len(self.y)) if self.weights is None else self.weights
        products = weights * product_terms(self.y, self.full, line)
        squares = weights * np.square(line).reshape(len(line), -1).sum(axis=1)
        if squares.sum() <= 0:
            return np.zeros(len(quantiles))
        slope = products.sum() / squares.sum()
        residuals = cluster_totals(products - slope * squares, self.clusters)
        error = np.sqrt(np.square(residuals).sum()) / squares.sum()
        largest = np.zeros(len(quantiles))
        for place, quantile in enumerate(quantiles):
            for end in (slope - quantile * error, slope + quantile * error):
                shifted = moved(self.full, end * line, measure)
                gain = self._on_parts(measure, shifted, self.plan.full_parts) - plain
                limit = gain.value + quantile * gain.standard_error
                largest[place] = max(largest[place], limit)
        return largest

    def _of_output(self, number: int) -> EvaluationPredictions:
        """Return the predictions of one of several outputs."""
        return replace(
            self,
            y=self.y[:, number],
            full=self.full[:, number],
            reduced=tuple(each[:, number] for each in self.reduced),
            directions=tuple(None if each is None else each[:, number] for each in self.directions),
            remainder=None if self.remainder is None else self.remainder.of_output(number),
            half=None
            if self.half is None
            else (self.half[0]._of_output(number), self.half[1]._of_output(number)),
        )

    def _on_parts(
        self, measure: Measure, prediction: Prediction, parts: tuple[np.ndarray, ...]
    ) -> MeasureValue:
        return skill_on_parts(measure, self.y, prediction, parts, self.weights, self.clusters)
