"""Importances from measured skills: estimates, standard errors, intervals and p-values."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from lukewarm._typing import Matrix, RandomState, Vector
from lukewarm._validation import check_flag, check_fraction, check_number
from lukewarm.inference import (
    Moments,
    interval_ends,
    p_value,
    simultaneous_quantile,
    spread_freedom,
)
from lukewarm.inference import reach_zero as extend_to_zero
from lukewarm.results._records import MeasureValue, Missed

# Shifts that count as one error above an estimate that is expected to rise with the rows. With two,
# an interval at 95 % reaches what is left where errors fall like the rows to the power of -0.3.
_SLOW = 2.0


class ImportanceEstimates:
    """What an :class:`ImportanceResult` derives from the fields below, all by influence values."""

    if TYPE_CHECKING:  # the fields of the record, whose order in files is that of the record
        names: tuple[str, ...]
        full: MeasureValue
        reduced: tuple[MeasureValue, ...]
        method: str
        inference: str
        level: float
        scores: tuple[MeasureValue, ...] | None
        worth: Vector | None
        missed: Missed | None
        clusters: np.ndarray | None
        n_evaluated: float | None

    def __len__(self) -> int:
        return len(self.names)

    @property
    def n_rows(self) -> int:
        """Evaluation rows."""
        if self.n_evaluated is not None:
            return int(self.n_evaluated)
        return len(self.full.influence if self.clusters is None else self.clusters)

    @property
    def influence(self) -> Matrix:
        """Influence values of the importances, shape (n_sets, n), or one per group of rows."""
        return np.stack([(self.full - reduced).influence for reduced in self.reduced])

    @property
    def importance(self) -> Vector:
        """Skill lost when each feature set is taken away, shape (n_sets,)."""
        return np.array([self.full.value - reduced.value for reduced in self.reduced])

    @property
    def standard_error(self) -> Vector:
        """Standard errors of the importances, shape (n_sets,).

        What an importance moved when the training rows doubled counts as one more error, and so
        does what it differs by between two models of half the rows.
        """
        return np.hypot(self._moments.standard_error, self.training_error)

    @property
    def training_error(self) -> Vector:
        """Errors of the importances due to the training rows, shape (n_sets,); 0 if not known."""
        return np.hypot(self.shift, np.linalg.norm(self._disagreement, axis=1))

    @property
    def _training_error_above(self) -> Vector:
        """Those of the upper ends of intervals."""
        above = np.abs(self.shift) + self._slow_rise
        return np.hypot(above, np.linalg.norm(self._disagreement, axis=1))

    @property
    def _slow_rise(self) -> Vector:
        """What counts above an importance beside its shift, since learning may be slow.

        An importance by projection is too low by what the model has not learnt. A shift of its own
        size is left where that falls like one over the rows, and is added to the estimate; where
        it falls more slowly, as at the edges of regions (like the root, or less), two or three are.
        """
        if self.method != "projection":
            return np.zeros(len(self))
        return (_SLOW - 1) * np.maximum(self.shift, 0)

    @property
    def _disagreement(self) -> Matrix:
        """How far models of half the rows disagree about each importance, (n_sets, n_folds)."""
        reduced = np.stack([each.disagreement for each in self.reduced])
        return self.full.disagreement - reduced

    @property
    def shift(self) -> Vector:
        """What each importance moved when the training rows doubled; 0 where that is not known."""
        return np.array([self.full.shift - reduced.shift for reduced in self.reduced])

    def interval(
        self, level: float | None = None, *, reach_zero: bool = False
    ) -> tuple[Vector, Vector]:
        """Return the low and high ends of the intervals, each of shape (n_sets,).

        Wald intervals; with ``inference="learning_curve"`` the skewness of the influence values
        is taken account of, and the end on the skewed side is the farther one; the low end is not
        below what the product test shows a feature set to be worth, nor above the estimate then.

        Parameters
        ----------
        level : float, optional
            The result's own by default.
        reach_zero : bool, default False
            Whether intervals wholly below zero are extended to it. A true importance is not
            negative, so these cover it at least as often; the plain ones show by how much the
            models are better without a feature.
        """
        return self._ends(_quantile(self._level(level)), reach_zero)

    def _ends(self, quantile: float, reach_zero: bool) -> tuple[Vector, Vector]:
        """Return intervals that allow for so many standard errors."""
        low, high = self._plain_ends(quantile)
        low, high = low - self._missed_without, high + self._beyond(quantile)
        low = np.maximum(low, np.minimum(self._shown(quantile), self.importance))
        return extend_to_zero(low, high) if check_flag("reach_zero", reach_zero) else (low, high)

    def _plain_ends(self, quantile: float) -> tuple[Vector, Vector]:
        return interval_ends(
            self.importance,
            self._moments,
            self.training_error,
            quantile,
            skewed=self._is_skewed,
            training_error_above=self._training_error_above,
        )

    def _shown(self, quantile: float) -> Vector:
        """Return what each set is worth at the least by the product test, (n_sets,); -inf if none.

        Above zero where the test rejects at the same quantile. About the population, as only
        intervals are that know the error of the training rows.
        """
        if self.scores is None or self.worth is None or not self._is_skewed:
            return np.full(len(self), -np.inf)
        values, errors = self._score_errors
        # Of the law that the test takes, at the probability of so many normal errors.
        roots = values - stdtrit(self._score_freedom, ndtr(quantile)) * errors
        is_shown = (roots > 0) & ~np.isnan(self.worth)
        return np.where(is_shown, self.worth * np.square(roots), -np.inf)

    def _beyond(self, quantile: float) -> Vector:
        """Return how far the upper limits lie above the intervals."""
        if self.missed is None:
            return np.zeros(len(self))
        return np.maximum(self.missed.at(quantile) - self._plain_ends(quantile)[1], 0.0)

    @property
    def _missed_without(self) -> Vector:
        """How far lower ends lie below the intervals."""
        return np.zeros(len(self)) if self.missed is None else self.missed.without

    def simultaneous_interval(
        self,
        level: float | None = None,
        random_state: RandomState = 0,
        *,
        reach_zero: bool = False,
    ) -> tuple[Vector, Vector]:
        """Return the ends of intervals that cover all the importances together.

        They are those of `interval` with more standard errors: as many as a multiplier bootstrap
        of the influence values says, so correlated importances cost less than Bonferroni's bound.

        Parameters
        ----------
        level : float, optional
            The result's own by default.
        random_state : int, Generator or None, default 0
            Of the bootstrap.
        reach_zero : bool, default False
            Whether intervals wholly below zero are extended to it; see `interval`.
        """
        # Sets that no model looks at have no part in a bootstrap, but a limit each.
        is_limited = False if self.missed is None else self.missed.is_limited
        n_ignored = int(np.sum((self._moments.standard_error == 0) & is_limited))
        level = self._level(level)
        quantile = simultaneous_quantile(self.influence, level, random_state, n_more=n_ignored)
        if np.isfinite(self._shown(quantile)).any():
            # Low ends follow the scores as well, which may be less alike than the importances.
            scores = np.stack([score.influence for score in self.scores or ()])
            quantile = max(quantile, simultaneous_quantile(scores, level, 0))
        return self._ends(quantile, reach_zero)

    def p_value(self, delta: float = 0.0) -> Vector:
        """Return one-sided p-values of "the importance is at most `delta`", shape (n_sets,).

        At zero, where two models differ by less than the theory of intervals needs, they come from
        the product statistic where there is one (`scores`), by Student's law with as many degrees
        of freedom as the error of a score is known by: one less than there are rows, or groups of
        rows that belong together, at most. Other p-values have that law where rows are grouped.
        """
        if self.scores is not None and check_number("delta", delta) == 0:
            return self._score_p_values.copy()
        freedom = self._freedom(self.full)
        return p_value(self.importance, self.standard_error, delta, freedom)

    @cached_property
    def _moments(self) -> Moments:
        return Moments.of_many([each.influence for each in self.reduced], self.full.influence)

    @cached_property
    def _score_p_values(self) -> Vector:
        return p_value(*self._score_errors, freedom=self._score_freedom)

    @cached_property
    def _score_moments(self) -> Moments:
        return Moments.of_many([score.influence for score in self.scores or ()])

    @property
    def _score_errors(self) -> tuple[Vector, Vector]:
        """The scores of the product test and their standard errors."""
        scores = self.scores or ()
        others = np.array([score.training_error for score in scores])
        values = np.array([score.value for score in scores])
        return values, np.hypot(self._score_moments.standard_error, others)

    @property
    def _score_freedom(self) -> Vector:
        """Degrees of freedom of the errors of scores: few of few rows, few groups, heavy tails."""
        moments = self._score_moments
        return np.minimum(spread_freedom(moments), moments.n_rows - 1)

    def _freedom(self, value: MeasureValue) -> float:
        """Return the degrees of freedom of a test: those of groups of rows, where there are any."""
        is_by_row = self.clusters is None and self.n_evaluated is None
        return np.inf if is_by_row else len(value.influence) - 1

    @property
    def _is_skewed(self) -> bool:
        return self.inference == "learning_curve"

    def _level(self, level: float | None) -> float:
        return self.level if level is None else check_fraction("level", level)


def _quantile(level: float) -> float:
    return float(ndtri(0.5 + level / 2))
