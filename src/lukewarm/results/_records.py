"""The small records everything else is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.inference import p_value, standard_error, wald_interval


@dataclass(frozen=True, eq=False)
class MeasureValue:
    """A measure's value with the influence value of every evaluation row, or group of rows.

    Parameters
    ----------
    value : float
    influence : ndarray of shape (n,)
        Mean zero; one per row, or per group of rows that belong together. Values and influences
        subtract alike, so the standard error of a difference
        takes account of what the two sides share.
    shift : float, default 0
        What the value moved when the training rows doubled; counts as one more standard error.
        Shifts subtract like values, so two models that improve alike lose theirs together.
    disagreement : ndarray of shape (k,)
        What the values of two models differ by that were trained on halves of the rows, in every
        fold, scaled so that its length is the standard error of the mean over such models that is
        due to the rows they were trained on; then, where two ways lead to an importance, what they
        differ by. Its length counts as one more standard error, and it subtracts like the value.
        Empty where no halves were trained.

    Examples
    --------
    >>> full = MeasureValue(0.9, np.array([0.1, -0.1]))
    >>> reduced = MeasureValue(0.4, np.array([0.3, -0.3]))
    >>> difference = full - reduced
    >>> round(difference.value, 3), round(difference.standard_error, 4)
    (0.5, 0.1414)
    """

    value: float
    influence: Vector
    shift: float = 0.0
    disagreement: Vector = field(default_factory=lambda: np.zeros(0))

    def __sub__(self, other: MeasureValue) -> MeasureValue:
        return MeasureValue(
            self.value - other.value,
            self.influence - other.influence,
            self.shift - other.shift,
            _difference(self.disagreement, other.disagreement),
        )

    @classmethod
    def mean(cls, values: Sequence[MeasureValue]) -> MeasureValue:
        """Return the mean of values that were taken of the same rows.

        Examples
        --------
        >>> one, other = MeasureValue(1.0, np.ones(2)), MeasureValue(3.0, np.zeros(2))
        >>> MeasureValue.mean([one, other]).value
        2.0
        """
        return cls(
            float(np.mean([each.value for each in values])),
            np.mean([each.influence for each in values], axis=0),
            float(np.mean([each.shift for each in values])),
            np.mean([each.disagreement for each in values], axis=0),
        )

    def extrapolated_from(
        self, half: MeasureValue, rise: MeasureValue | None = None
    ) -> MeasureValue:
        """Return where the value is heading, given that of models trained on half the rows.

        Twice this value minus that of the half: right where errors fall in proportion to one over
        the rows. What the value moved from the half to the whole is kept as its `shift`, and how
        far the models of the halves disagree is passed on.

        Parameters
        ----------
        half : MeasureValue
        rise : MeasureValue, optional
            What the value is expected to rise by, instead of what it rose by from half the rows.

        Examples
        --------
        >>> whole, half = (MeasureValue(each, np.array([0.1, -0.1])) for each in (0.9, 0.8))
        >>> heading = whole.extrapolated_from(half)
        >>> round(heading.value, 3), round(heading.shift, 3)
        (1.0, 0.1)
        """
        rise = self - half if rise is None else rise
        return MeasureValue(
            self.value + rise.value,
            self.influence + rise.influence,
            self.value - half.value,
            half.disagreement,
        )

    @property
    def training_error(self) -> float:
        """What the training rows leave open: shift and disagreement together."""
        return float(np.hypot(self.shift, np.linalg.norm(self.disagreement)))

    @property
    def rows_error(self) -> float:
        """Standard error of the value that is due to the evaluation rows."""
        return float(standard_error(self.influence))

    @property
    def standard_error(self) -> float:
        """Standard error of the value, that of the training rows included."""
        return float(np.hypot(self.rows_error, self.training_error))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of the Wald interval."""
        low, high = wald_interval(np.array(self.value), np.array(self.standard_error), level)
        return float(low), float(high)

    def p_value(self, delta: float = 0.0) -> float:
        """Return the one-sided p-value of "the true value is at most `delta`"."""
        return float(p_value(np.array(self.value), np.array(self.standard_error), delta))


def _difference(one: Vector, other: Vector) -> Vector:
    """Return the difference of disagreements; none where only one of the values has halves."""
    return one - other if len(one) and len(other) else np.zeros(0)


@dataclass(frozen=True, eq=False)
class Missed:
    """What models may have missed, with all features and without a set.

    Parameters
    ----------
    quantiles : ndarray of shape (k,)
        Of the normal law, rising from 0: how many standard errors are allowed for.
    limits : ndarray of shape (n_sets, k)
        What a feature set may be worth that the full model has missed, at each quantile: no upper
        end is below. nan for feature sets without a limit.
    without : ndarray of shape (n_sets,)
        What the prediction without a set may have missed: the importance may be too high by it,
        and lower ends are lower by it.

    Examples
    --------
    >>> limits = np.array([[0.0, 4.0], [np.nan, np.nan]])
    >>> Missed(np.array([0.0, 2.0]), limits, without=np.zeros(2)).at(1.0)
    array([  1., -inf])
    """

    quantiles: Vector
    limits: Matrix
    without: Vector

    @property
    def is_limited(self) -> np.ndarray:
        """Whether a feature set has a limit, shape (n_sets,)."""
        return ~np.isnan(self.limits[:, 0])

    def at(self, quantile: float) -> Vector:
        """Return the limits at a quantile, shape (n_sets,); -inf where a set has none.

        Notes
        -----
        An effect is known to some standard errors and is worth its square, so the root of a limit
        is all but linear in the quantile: between those kept, and beyond the last, it is taken for
        a line.
        """
        known = self.quantiles
        place = np.clip(np.searchsorted(known, quantile), 1, len(known) - 1)
        share = (quantile - known[place - 1]) / (known[place] - known[place - 1])
        low, high = np.sqrt(self.limits[:, place - 1]), np.sqrt(self.limits[:, place])
        # At a quantile that was kept, the limit that was kept: roots and squares round.
        limit = np.where(share == 1, self.limits[:, place], np.square(low + share * (high - low)))
        return np.where(np.isnan(limit), -np.inf, limit)


@dataclass(frozen=True, eq=False)
class TrainingTrace:
    """The course of one training run.

    Parameters
    ----------
    losses : ndarray of shape (n_steps + 1,)
        Loss on the stopping rows before any step and after each step taken; nan where there
        were no such rows.
    stopped_step : int
        The step whose model was kept.
    """

    losses: Vector
    stopped_step: int

    @property
    def n_steps_taken(self) -> int:
        """Steps trained, those after the kept one included."""
        return len(self.losses) - 1

    @property
    def n_steps_kept(self) -> int:
        """Steps behind the model that was kept."""
        return self.stopped_step

    @classmethod
    def untrained(cls) -> TrainingTrace:
        """Return the trace of a model that took no step and measured no loss."""
        return cls.without_losses(0)

    @classmethod
    def without_losses(cls, n_steps: int) -> TrainingTrace:
        """Return the trace of a model that took `n_steps` steps and measured no loss."""
        return cls(np.full(n_steps + 1, np.nan), n_steps)


class ClosedFormTrace(TrainingTrace):
    """The losses of a method that computes a whole path of models at once, without a step.

    `stopped_step` is then the point of the path that was kept.
    """

    @property
    def n_steps_kept(self) -> int:
        """None were taken: 0."""
        return 0
