"""Linear combinations of importances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr, ndtri

from lukewarm._text import printable
from lukewarm._typing import Vector
from lukewarm._validation import check_choice, check_fraction, check_number, shown
from lukewarm.inference import Moments, interval_ends
from lukewarm.results._tables import p_value_text

if TYPE_CHECKING:
    from lukewarm.results._importance import ImportanceResult


@dataclass(frozen=True, eq=False, repr=False)
class Contrast:
    """A sum of importances, each times a weight.

    All importances were measured on the same rows, and the influence values account for that. What
    they moved when the training rows doubled adds up like the importances themselves.

    Parameters
    ----------
    result : ImportanceResult
    weights : mapping from names of feature sets to numbers

    Examples
    --------
    >>> import lukewarm as lw
    >>> x, z = np.random.default_rng(0).normal(size=(2, 500))
    >>> result = lw.importance_from_predictions(
    ...     x * z, x * z, {"x": 0 * x, "z": 0 * x, "both": 0 * x}
    ... )
    >>> result.contrast({"x": 1, "z": 1, "both": -1})
    1 x + 1 z - 1 both = 0.9385, std_error 0.09992, 95 % interval 0.7426 to 1.134, p <1e-16
    """

    result: ImportanceResult
    weights: Mapping[str, float]

    @property
    def estimate(self) -> float:
        """The sum of the weighted importances."""
        return float(self._weight @ self.result.importance[self._numbers])

    @property
    def shift(self) -> float:
        """What the sum moved when the training rows doubled."""
        return float(self._weight @ self.result.shift[self._numbers])

    @property
    def training_error(self) -> float:
        """The error of the sum that is due to the training rows."""
        return self._training_error(0.0)

    def _training_error(self, slow_rise: float) -> float:
        """Return that error where so much counts beside the shift."""
        disagreement = self._weight @ self.result._disagreement[self._numbers]
        return float(np.hypot(abs(self.shift) + slow_rise, np.linalg.norm(disagreement)))

    @cached_property
    def influence(self) -> Vector:
        """Influence values of the sum, shape (n,)."""
        reduced = [self.result.reduced[number].influence for number in self._numbers]
        return self._weight.sum() * self.result.full.influence - self._weight @ np.stack(reduced)

    @property
    def standard_error(self) -> float:
        """Standard error of the sum, that of the training rows included."""
        return float(np.hypot(Moments.of(self.influence).standard_error, self.training_error))

    def interval(self, level: float | None = None) -> tuple[float, float]:
        """Return the ends of the interval, of the kind that the result's own intervals are of.

        Where the interval of a feature set is lengthened by what models may have missed, so is
        that of the sum.
        """
        level = self.result.level if level is None else check_fraction("level", level)
        if len(self.weights) == 1:
            ends = np.stack(self.result.interval(level))[:, self._numbers[0]] * self._weight[0]
            return float(ends.min()), float(ends.max())
        quantile = float(ndtri(0.5 + level / 2))
        # A set that is learnt slowly may be worth more: the sum is larger, or smaller if the
        # weight is negative.
        slow_rise = self._weight * self.result._slow_rise[self._numbers]
        low, high = interval_ends(
            np.array(self.estimate),
            Moments.of(self.influence),
            np.array(self._training_error(-np.minimum(slow_rise, 0).sum())),
            quantile,
            skewed=self.result._is_skewed,
            training_error_above=np.array(self._training_error(np.maximum(slow_rise, 0).sum())),
        )
        above = self._weight * self.result._beyond(quantile)[self._numbers]
        below = -self._weight * self.result._missed_without[self._numbers]
        moves = np.concatenate([above, below])
        return (
            float(low + np.minimum(moves, 0).sum()),
            float(high + np.maximum(moves, 0).sum()),
        )

    def p_value(self, value: float = 0.0) -> float:
        """Return the two-sided p-value of "the sum is `value`"; of one set, by its own test."""
        if len(self.weights) == 1 and self._weight[0] and value == 0:
            above = self.result.p_value()[self._numbers[0]]
            return float(min(2 * min(above, 1 - above), 1.0))
        distance = abs(self.estimate - check_number("value", value, finite=True))
        error = self.standard_error
        if error == 0:
            return 1.0 if distance == 0 else 0.0
        return float(2 * ndtr(-distance / error))

    @property
    def _numbers(self) -> list[int]:
        return [self.result.names.index(name) for name in self.weights]

    @property
    def _weight(self) -> Vector:
        return np.array(list(self.weights.values()))

    def __repr__(self) -> str:
        terms = " ".join(
            f"{'-' if weight < 0 else '+'} {abs(weight):g} {printable(name)}"
            for name, weight in self.weights.items()
        )
        low, high = self.interval()
        p_value = p_value_text(self.p_value())
        return (
            f"{terms.removeprefix('+ ')} = {self.estimate:.4g}, std_error "
            f"{self.standard_error:.4g}, {100 * self.result.level:.4g} % interval {low:.4g} to "
            f"{high:.4g}, p {p_value if p_value.startswith('<') else f'= {p_value}'}"
        )


def as_contrast(result: ImportanceResult, weights: Any) -> Contrast:
    """Return the contrast with these weights, which a user gave."""
    if not isinstance(weights, Mapping):
        raise TypeError(
            "weights must be a mapping from feature sets to numbers, such as "
            f"{{'a': 1, 'b': -1}}; got {shown(weights)}."
        )
    if not weights:
        raise ValueError("weights is empty; name at least one feature set.")
    # Sets of several columns are called "a + b"; that is typed in several ways.
    spaced = {_compact(name): name for name in result.names}
    checked = {
        check_choice(
            "weights",
            name if name in result.names else spaced.get(_compact(name), name),
            result.names,
        ): check_number(f"weights[{name!r}]", weight, finite=True)
        for name, weight in weights.items()
    }
    return Contrast(result, checked)


def _compact(name: Any) -> str:
    return "+".join(part.strip() for part in str(name).split("+"))
