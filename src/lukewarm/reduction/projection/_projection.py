"""The full model's own average over what removed features may be: E[f(X) | X_-I]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from lukewarm._typing import Features, FeatureSet, Prediction, Vector
from lukewarm.learners import BaseLearner
from lukewarm.reduction._base import BaseReduction, ReducedModel, ReductionData, ReductionTraits
from lukewarm.reduction.projection._column_values import column_of
from lukewarm.reduction.projection._conditional import ConditionalDraws
from lukewarm.reduction.projection._correction import corrected, divergence, outputs_of
from lukewarm.reduction.projection._own_words import in_own_words
from lukewarm.results import TrainingTrace

if TYPE_CHECKING:
    from lukewarm.reduction.projection._line_guesses import LineResiduals
    from lukewarm.reduction.projection._prepared_rows import PreparedRows
    from lukewarm.reduction.projection._regressions import Regressions

# Levels' indicators sum to one, so their residuals are dependent.
_NEARLY_SINGULAR = 1e-6
# Of the largest target: what arithmetic leaves of a row that is given back.
_ROUNDING = 1e-6
# Of rows that are alike but for y, none is given back.
_MANY = 0.5


@dataclass(frozen=True)
class Projection(BaseReduction):
    """Average the full model over draws of the removed features, then distil what is left.

    The best predictor without some features is the full one's conditional mean given the others.
    It is estimated in two steps, the second of which repairs what the first gets wrong:
    the full model's predictions averaged over conditional draws of the removed features, then a
    regression of its own predictions on that average's errors. Nothing is learnt from the target y,
    so nothing removed means nothing changed, and luck of a second training cannot enter.

    It asks of the model nothing but predictions.

    Notes
    -----
    With f the full model, h its projection, u = f - h, and u0 the same of the best predictor, the
    squared-error importance of h has expectation VI - E(u - u0)^2: off by the error of the effect
    itself, never by the luck of two trainings.

    Examples
    --------
    >>> import lukewarm as lw
    >>> data = lw.datasets.make_correlated_linear(n_samples=500, random_state=0)
    >>> vi = lw.VariableImportance("boosting", "projection", features=["X1"], random_state=0)
    >>> vi.fit(data.X, data.y).result_.method
    'projection'
    """

    name: str = "projection"

    @property
    def traits(self) -> ReductionTraits:
        """Draws are made in the columns of the table itself, and nothing more is learnt from y."""
        return ReductionTraits(keeps_table=True, spares_stopping_rows=False)

    def reduce(
        self, full: BaseLearner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the full model's conditional mean given the columns that stay."""
        started = perf_counter()
        if not removed:
            return ReducedModel(full.predict, TrainingTrace.untrained(), 0.0)
        regressions = data.regressions
        is_moved = _moved_targets(full, data, removed)
        if not is_moved.any():
            direction = _linear_direction(full, _novelty(regressions, removed), regressions)
            seconds = perf_counter() - started
            return ReducedModel(
                lambda X: regressions.predict(full, X),
                TrainingTrace.untrained(),
                seconds,
                direction,
            )
        draws = ConditionalDraws(regressions, removed)
        quick = None
        if regressions.is_quick:
            from lukewarm.reduction.projection._refitted import quickly_distilled  # loads numba

            quick = quickly_distilled(full, regressions, draws)
        predict, trace = quick or distilled(full, regressions, removed, draws.average)
        if is_moved.all():
            return ReducedModel(predict, trace, perf_counter() - started)
        direction = _linear_direction(full, draws, regressions)
        return ReducedModel(
            lambda X: np.where(is_moved, predict(X), full.predict(X)),
            trace,
            perf_counter() - started,
            lambda X: np.where(is_moved, np.nan, direction(X)),
        )


def distilled(
    full: BaseLearner,
    regressions: Regressions,
    removed: FeatureSet,
    mean: Callable[[BaseLearner, PreparedRows], Prediction],
) -> tuple[Callable[[Features], Prediction], TrainingTrace]:
    """Return the full model's mean over draws, corrected by what regressions see it gets wrong.

    Parameters
    ----------
    full : BaseLearner
        Errors of the mean are seen on `full.thinned`, which costs less.
    regressions : Regressions
    removed : FeatureSet
    mean : callable
        (model, rows) -> the model's mean over the draws.
    """
    # What forests get wrong over draws is so much that y does less harm (benchmarks/forests.py).
    if not full.traits.is_local and _recalls(full, regressions):
        return lambda X: mean(full, regressions.prepare(X)), TrainingTrace.untrained()
    sketch = full.thinned
    predictions = regressions.predictions(sketch)[:2]
    both = (regressions.train_rows, regressions.stopping_rows)
    means = mean(sketch, both[0]), mean(sketch, both[1])
    reworded = in_own_words(full, regressions, removed, predictions, means)
    means = reworded(means[0], both[0]), reworded(means[1], both[1])
    targets = [whole - mean for whole, mean in zip(predictions, means, strict=True)]
    corrections = [
        regressions.fit(target, held_out, removed, with_neighbours=full.traits.is_local)
        for target, held_out in zip(*(outputs_of(each) for each in targets), strict=True)
    ]
    is_bounded = not full.task.is_regression

    def repaired(average: Prediction, rows: PreparedRows) -> Prediction:
        shift = np.stack([each.predict(rows) for each in corrections], axis=-1)
        return corrected(average, shift, is_bounded)

    if is_bounded and not full.traits.is_local:
        # A gain in squared error may be a loss in log-loss.
        held_out, after = predictions[1], repaired(means[1], both[1])
        if not regressions.helps(divergence(held_out, means[1]), divergence(held_out, after)):
            return (
                lambda X: reworded(mean(full, regressions.prepare(X)), regressions.prepare(X)),
                TrainingTrace.untrained(),
            )

    def predict(X: Features) -> Prediction:
        rows = regressions.prepare(X)
        return repaired(reworded(mean(full, rows), rows), rows)

    return predict, max((each.trace for each in corrections), key=lambda trace: trace.stopped_step)


def _recalls(full: BaseLearner, regressions: Regressions) -> bool:
    """Return whether the model gives the numbers of its training rows back.

    Neighbours weighted by their distance do, for they find the row itself. Errors of the mean over
    draws would be errors of y there, from which a regression learns more than the model knows. Of
    classes it cannot be seen: whoever is sure and right gives the label back.
    """
    if not full.task.is_regression:
        return False
    target, prediction = _targets(full, regressions)
    left = np.abs(target - prediction).reshape(len(target), -1).max(axis=1)
    return bool(np.mean(left <= _ROUNDING * np.abs(target).max()) >= _MANY)


def looks_at(full: BaseLearner, data: ReductionData, removed: FeatureSet) -> bool:
    """Return whether predictions change at all when the columns are shuffled among rows."""
    return bool(_moved_targets(full, data, removed).any())


def _moved_targets(full: BaseLearner, data: ReductionData, removed: FeatureSet) -> np.ndarray:
    """Return which targets are predicted otherwise when the columns are shuffled among rows.

    Shape (n_targets,); the classes of a classification are one target. A model that knows its own
    structure is asked instead.
    """
    known = full.looks_at(removed)
    if known is not None:
        return np.full(full.task.n_targets, known)
    rows = data.regressions.probed
    order = np.roll(np.arange(len(rows)), 1)
    values = {column: np.asarray(column_of(rows, column))[order] for column in removed}
    # A part of the model that looks at them settles it, at a lower price.
    n_targets = full.task.n_targets
    is_moved = np.zeros(n_targets, dtype=bool)
    for model in dict.fromkeys((full.thinned, full)):
        changed = data.regressions.predictions(model)[2] != model.predict_changed(rows, values)
        is_moved |= changed.any(axis=0) if n_targets > 1 else changed.any()
        if is_moved.all():
            break
    return is_moved


def _novelty(regressions: Regressions, removed: FeatureSet) -> ConditionalDraws | LineResiduals:
    """Return what tells what is new about columns that the model does not look at.

    Where they are many, or the model is trained quickly, a line must be enough.
    """
    guess = regressions.line_guess(removed[0]) if len(removed) == 1 else None
    if guess is not None:
        from lukewarm.reduction.projection._line_guesses import LineResiduals  # loads numba

        return LineResiduals(removed[0], guess)
    with_trees = not regressions.is_quick and not regressions.is_wide
    return ConditionalDraws(regressions, removed, with_trees=with_trees)


def _linear_direction(
    full: BaseLearner, draws: ConditionalDraws | LineResiduals, regressions: Regressions
) -> Callable[[Features], Prediction]:
    """Return the line in what is new about the columns that the training residuals suggest."""
    rows = regressions.train_rows
    target, prediction = _targets(full, regressions)
    new = draws.residuals(rows)
    # Numbers near the smallest there are would have slopes beyond the largest.
    scale = np.abs(new).max(axis=0)
    scale[scale == 0] = 1.0
    slopes = np.linalg.lstsq(new / scale, target - prediction, rcond=_NEARLY_SINGULAR)[0]

    def direction(X: Features) -> Prediction:
        return (draws.residuals(regressions.prepare(X)) / scale) @ slopes

    return direction


def _targets(full: BaseLearner, regressions: Regressions) -> tuple[Prediction, Prediction]:
    """Return the targets of the training rows and what is predicted for them."""
    y, prediction = regressions.train.y, regressions.predictions(full)[0]
    return y if full.task.is_regression else _indicators(y, prediction), prediction


def _indicators(codes: Vector, prediction: Prediction) -> np.ndarray:
    """Return the classes in the shape of their probabilities."""
    return codes if prediction.ndim == 1 else codes[:, None] == np.arange(prediction.shape[1])
