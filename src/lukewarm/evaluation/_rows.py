"""Which evaluation rows judge the full model and which the reduced ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Prediction, Vector
from lukewarm.measures import Measure
from lukewarm.results import MeasureValue

INFERENCES = ("learning_curve", "paired", "split")


@dataclass(frozen=True, eq=False)
class EvaluationPlan:
    """The rows of each fold that judge the full model, and those that judge the reduced ones.

    Parameters
    ----------
    full_parts, reduced_parts : tuple of ndarray
        Row numbers, one array per fold. The same arrays on both sides are the paired scheme of
        Algorithm 1; disjoint ones are sample splitting, valid when the true importance is zero
        (Williamson, Gilbert, Simon and Carone 2023, section 3.4).
    """

    full_parts: tuple[np.ndarray, ...]
    reduced_parts: tuple[np.ndarray, ...]

    @classmethod
    def paired(cls, folds: np.ndarray) -> EvaluationPlan:
        """Return the plan in which both sides see every row; `folds` numbers the fold of each."""
        parts = tuple(np.flatnonzero(folds == fold) for fold in np.unique(folds))
        return cls(parts, parts)

    @classmethod
    def split(
        cls, folds: np.ndarray, generator: np.random.Generator, strata: np.ndarray | None = None
    ) -> EvaluationPlan:
        """Return the plan in which one random half of each fold judges each side.

        With K folds these are the 2K folds of Williamson et al.: every row is evaluated once.
        """
        whole = cls.paired(folds).full_parts
        halves = [_two_halves(part, generator, strata) for part in whole]
        return cls(tuple(first for first, _ in halves), tuple(second for _, second in halves))


def skill_on_parts(
    measure: Measure,
    y: Vector,
    prediction: Prediction,
    parts: tuple[np.ndarray, ...],
    weights: Vector | None = None,
) -> MeasureValue:
    """Return the mean over parts of the measure on each part.

    Notes
    -----
    The influence vector has one entry per row of `y`, zero on rows outside the parts and scaled so
    that mean(influence**2) / n is the variance: a difference of two such values has the variance
    of paired rows where they share rows and the sum of variances where they do not.
    """
    influence = np.zeros(len(y))
    value = 0.0
    for part in parts:
        on_part = measure.evaluate(
            y[part], prediction[part], None if weights is None else weights[part]
        )
        value += on_part.value / len(parts)
        influence[part] = on_part.influence * (len(y) / (len(parts) * len(part)))
    return MeasureValue(value, influence)


def _two_halves(
    part: np.ndarray, generator: np.random.Generator, strata: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    order = generator.permutation(part)
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    return np.sort(order[::2]), np.sort(order[1::2])
