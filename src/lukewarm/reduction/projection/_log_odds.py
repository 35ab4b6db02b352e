"""A mean of class probabilities over draws, corrected on the scale of log-odds.

What the mean gets wrong is regressed on the columns that stay, by the log-loss against the full
model's own probabilities: a squared error of probabilities leaves those near 0 and 1 alone, which
count most in a log-loss. The functions are those of single columns and, of a kernel machine, those
it is made of: its kernel without the removed columns (`learners/kernel/_own_functions.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lukewarm._typing import FeatureSet, Matrix, Prediction
from lukewarm.learners.additive import RidgeFit
from lukewarm.reduction.projection._correction import log_odds, with_odds_shifted

if TYPE_CHECKING:
    from lukewarm.learners.kernel import Machine, OwnFunctions
    from lukewarm.reduction.projection._prepared_rows import PreparedRows
    from lukewarm.reduction.projection._regressions import Regressions

Pair = tuple[Prediction, Prediction]

# In rows.
_PENALTY = 30.0
# Their second moments cost the square of their number for every set of columns.
_MOST_FUNCTIONS = 100
# Rounding of a probability of one. What is nearly sure must stay so: h forgiven what f pays for in
# log-loss would make importances negative.
_LEAST = 1e-15
# A correction learnt from few rows is too long: on normal clusters, 1,000 rows, half of it was
# better than all and than nothing.
_LENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class LogOddsCorrection:
    """What is added to the log-odds, or to the logarithms of several probabilities.

    Parameters
    ----------
    additive : tuple of RidgeFit
        One per output, on the functions of single columns.
    machine : Machine, optional
    """

    additive: tuple[RidgeFit, ...]
    machine: Machine | None

    @classmethod
    def fit(
        cls,
        regressions: Regressions,
        functions: OwnFunctions | None,
        removed: FeatureSet,
        predictions: Pair,
        means: Pair,
    ) -> LogOddsCorrection | None:
        """Return the correction, as long as the stopping rows ask for; None if for none.

        Parameters
        ----------
        regressions : Regressions
        functions : OwnFunctions, optional
            Of a model that is, or contains, a kernel machine.
        removed : FeatureSet
        predictions, means : pairs of ndarrays of shape (n,) or (n, n_classes)
            Of the training and the stopping rows: what is predicted, and the means over the draws.
        """
        from lukewarm.learners.kernel import as_columns, log_losses

        correction = cls._on_training_rows(
            regressions, functions, removed, predictions[0], means[0]
        )
        rows, weights = regressions.stopping_rows, regressions.stopping.weights
        start, shift = log_odds(means[1], _LEAST).T, correction._shift(rows)
        targets = as_columns(predictions[1])
        losses = [
            np.average(log_losses(start + length * shift, targets), weights=weights)
            for length in _LENGTHS
        ]
        best = _LENGTHS[int(np.argmin(losses))]
        return correction._of_length(best) if best else None

    @classmethod
    def _on_training_rows(
        cls,
        regressions: Regressions,
        functions: OwnFunctions | None,
        removed: FeatureSet,
        target: Prediction,
        mean: Prediction,
    ) -> LogOddsCorrection:
        from lukewarm.learners.kernel import as_columns, fit_shares

        train, rows = regressions.train, regressions.train_rows
        targets, n_rows = as_columns(target), len(target)
        shares = (
            np.full(n_rows, 1 / n_rows)
            if train.weights is None
            else train.weights / train.weights.sum()
        )
        places = regressions.places_for(as_columns(target - mean), removed, _MOST_FUNCTIONS)
        # Every function divided by the root of its penalty.
        scale = np.sqrt(n_rows / _PENALTY)
        features = rows.functions[:, places] * scale
        basis = None
        if functions is not None:
            basis, own = functions.features(train.X, removed)
            features = np.column_stack([features, own])
        constant, weights = fit_shares(features, targets, shares, log_odds(mean, _LEAST).T)
        coefficients = np.zeros((rows.functions.shape[1], targets.shape[1]))
        coefficients[places] = weights[: len(places)] * scale
        additive = tuple(
            RidgeFit(float(one), each) for one, each in zip(constant, coefficients.T, strict=True)
        )
        if functions is None or basis is None:
            return cls(additive, None)
        return cls(additive, functions.machine(basis, weights[len(places) :]))

    def _of_length(self, length: float) -> LogOddsCorrection:
        """Return so much of the correction."""
        additive = tuple(
            RidgeFit(length * each.offset, length * each.coefficients) for each in self.additive
        )
        machine = self.machine
        if machine is not None:
            machine = replace(machine, weights=length * machine.weights)
        return LogOddsCorrection(additive, machine)

    def corrected(self, mean: Prediction, rows: PreparedRows) -> Prediction:
        """Return the mean over draws of some rows, corrected."""
        return with_odds_shifted(mean, self._shift(rows))

    def _shift(self, rows: PreparedRows) -> Matrix:
        shift = np.stack([rows.fitted(each) for each in self.additive], axis=1)
        return shift if self.machine is None else shift + self.machine.outputs(rows.X)
