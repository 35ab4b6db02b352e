"""Draws of removed columns as a fill, for methods that know nothing of projections."""

from __future__ import annotations

import numpy as np

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
        weighted = list(self._drawn(removed).weighted_values(self._regressions.prepare(X)))
        # The shares of a row's distribution are spread evenly over the rows, in an order that has
        # nothing to do with theirs.
        shares = (np.random.default_rng(0).permutation(len(X)) + 0.5) / len(X)
        below = np.cumsum([weight for weight, _ in weighted], axis=0) < shares
        chosen = np.minimum(below.sum(axis=0), len(weighted) - 1)
        rows = np.arange(len(X))
        values = {
            column: np.stack([np.asarray(values[column]) for _, values in weighted])[chosen, rows]
            for column in removed
        }
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
