"""Draws of removed columns as a fill, for methods that know nothing of projections."""

from __future__ import annotations

from lukewarm._typing import Features, FeatureSet, Prediction
from lukewarm.data import filled
from lukewarm.learners import BaseLearner
from lukewarm.reduction.projection._conditional import ConditionalDraws
from lukewarm.reduction.projection._regressions import Regressions


class ConditionalFill:
    """Values of removed columns that rows like these have, given the columns that stay.

    Parameters
    ----------
    regressions : Regressions
        On the columns of the rows a reduced model may learn from.

    Notes
    -----
    Of a model that is trained on rows with one draw each, a removed column tells nothing of y that
    the others do not, so the best it can learn is to look away from it.
    """

    def __init__(self, regressions: Regressions) -> None:
        self._regressions = regressions
        self._draws: dict[FeatureSet, ConditionalDraws] = {}

    def apply(self, X: Features, removed: FeatureSet) -> Features:
        """Return a copy of `X` with one draw in each row, every draw as often as it weighs."""
        if not removed:
            return X
        ((_, values),) = self._drawn(removed).few_values(self._regressions.prepare(X), 1)
        return filled(X, values)

    def predict(self, learner: BaseLearner, X: Features, removed: FeatureSet) -> Prediction:
        """Return the mean of the learner's predictions over the draws."""
        if not removed:
            return learner.predict(X)
        return self._drawn(removed).average(learner, self._regressions.prepare(X))

    def _drawn(self, removed: FeatureSet) -> ConditionalDraws:
        if removed not in self._draws:
            self._draws[removed] = ConditionalDraws(self._regressions, removed)
        return self._draws[removed]
