"""A mean over draws, brought nearer to the model's predictions by functions that suit the model.

Draws of a column are a guess plus residuals that all rows share. Where columns depend on each other
otherwise, in clusters for instance, the mean over draws is off by a function that neither
regressions on single columns nor a few trees find. A kernel machine's own kernel without the column
does. Quantities are followed so only where the kernel regressions of `_interplay.py` have too many
rows; for class probabilities see `_log_odds.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lukewarm._typing import FeatureSet, Prediction
from lukewarm.learners import BaseLearner
from lukewarm.reduction.projection._interplay import MOST_TRAINING_ROWS
from lukewarm.reduction.projection._log_odds import LogOddsCorrection

if TYPE_CHECKING:
    from lukewarm.learners.kernel import OwnFunctions
    from lukewarm.reduction.projection._prepared_rows import PreparedRows
    from lukewarm.reduction.projection._regressions import Regressions

    Rewording = Callable[[Prediction, PreparedRows], Prediction]


def in_own_words(
    full: BaseLearner,
    regressions: Regressions,
    removed: FeatureSet,
    predictions: tuple[Prediction, Prediction],
    means: tuple[Prediction, Prediction],
) -> Rewording:
    """Return what corrects a mean over draws by the model's own functions, where they help.

    Parameters
    ----------
    full : BaseLearner
    regressions : Regressions
    removed : FeatureSet
    predictions, means : pairs of ndarrays of shape (n,) or (n, n_classes)
        Of the training and the stopping rows: what is predicted, and the means over the draws.

    Returns
    -------
    callable
        (mean over draws, rows) -> mean.
    """
    functions = _own_functions(full)
    if not full.task.is_regression:
        if full.traits.is_local:
            return _as_it_is
        correction = LogOddsCorrection.fit(regressions, functions, removed, predictions, means)
        return _as_it_is if correction is None else correction.corrected
    is_single = full.task.n_targets == 1
    if functions is None or not is_single or len(regressions.train) <= MOST_TRAINING_ROWS:
        return _as_it_is
    train, stopping = regressions.train, regressions.stopping
    left, before = (whole - mean for whole, mean in zip(predictions, means, strict=True))
    machine = functions.learn(train.X, left, train.weights, removed)
    if not regressions.helps(before, before - machine.outputs(stopping.X)[:, 0]):
        return _as_it_is
    return lambda mean, rows: mean + machine.outputs(rows.X)[:, 0]


def _as_it_is(mean: Prediction, rows: PreparedRows) -> Prediction:
    return mean


def _own_functions(full: BaseLearner) -> OwnFunctions | None:
    """Return what the heaviest kernel machine among a model's parts is made of."""
    # Loads the kernel machines, which most fits with a model of the user's never need.
    from lukewarm.learners.kernel import HasOwnFunctions

    machines = [(weight, part) for weight, part in full.parts if isinstance(part, HasOwnFunctions)]
    return max(machines, key=lambda each: each[0])[1].own_functions if machines else None
