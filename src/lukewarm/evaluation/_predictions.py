"""Predictions on the evaluation rows: all that is needed for any measure, without a refit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lukewarm._typing import Prediction, Vector
from lukewarm._warnings import warn_user
from lukewarm.evaluation._rows import EvaluationPlan, skill_on_parts
from lukewarm.exceptions import NearZeroWarning
from lukewarm.measures import Measure
from lukewarm.results import ImportanceResult, MeasureValue

_NEGLIGIBLE = 0.1


@dataclass(frozen=True, eq=False)
class EvaluationPredictions:
    """What the full and the reduced models predict for the evaluation rows.

    Parameters
    ----------
    y : ndarray of shape (n,)
    full : Prediction
        Each row's comes from a model that did not see it.
    reduced : tuple of Prediction
        One per feature set.
    plan : EvaluationPlan
    weights : ndarray of shape (n,), optional
    swap_roles : bool, default False
        Whether the point estimates of a split plan also use each half in the other role.
    """

    y: Vector
    full: Prediction
    reduced: tuple[Prediction, ...]
    plan: EvaluationPlan
    weights: Vector | None = None
    swap_roles: bool = False

    def skills(self, measure: Measure) -> tuple[MeasureValue, tuple[MeasureValue, ...]]:
        """Return the skill of the full model and of each reduced one."""
        plan = self.plan
        full = self._skill(measure, self.full, plan.full_parts, plan.reduced_parts)
        reduced = tuple(
            self._skill(measure, prediction, plan.reduced_parts, plan.full_parts)
            for prediction in self.reduced
        )
        return full, reduced

    def _skill(
        self,
        measure: Measure,
        prediction: Prediction,
        parts: tuple[np.ndarray, ...],
        other_parts: tuple[np.ndarray, ...],
    ) -> MeasureValue:
        value = skill_on_parts(measure, self.y, prediction, parts, self.weights)
        if not self.swap_roles:
            return value
        other = skill_on_parts(measure, self.y, prediction, other_parts, self.weights)
        # The mean of two estimates varies no more than one of them, so the influence values of
        # the first stand: intervals around the mean are conservative, and stay valid at zero.
        return MeasureValue((value.value + other.value) / 2, value.influence)


def warn_near_zero(names: tuple[str, ...], is_near: np.ndarray, inference: str) -> None:
    """Warn of importances so near zero that the theory of a paired interval ends."""
    near = [name for name, each in zip(names, is_near, strict=True) if each]
    if near and inference == "paired":
        listed = ", ".join(near[:5]) + (f" and {len(near) - 5} more" if len(near) > 5 else "")
        warn_user(
            f"the paired intervals of {listed} reach zero, or lie so near it that they are not "
            'valid; use inference="split" to test whether an importance is zero.',
            NearZeroWarning,
        )


def near_zero(result: ImportanceResult) -> np.ndarray:
    """Return where an interval reaches zero, or has hardly any width because models are alike.

    The latter is taken to be so where an importance is below a tenth of the error with which the
    skill of the full model itself is known: two trainings may differ by as much.
    """
    negligible = result.importance < _NEGLIGIBLE * result.full.standard_error
    return (result.interval()[0] <= 0) | negligible
