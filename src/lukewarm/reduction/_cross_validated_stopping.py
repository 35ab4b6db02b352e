"""Early stopping whose number of steps is chosen by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np
import pandas as pd

from lukewarm._typing import Features, FeatureSet, Prediction, Vector
from lukewarm._validation import check_count
from lukewarm.data import joined
from lukewarm.learners import BaseLearner, train_until
from lukewarm.reduction._base import (
    BaseReduction,
    ReducedModel,
    ReductionData,
    ReductionTraits,
    predict_without,
)
from lukewarm.reduction._warm_start import check_warm_start
from lukewarm.stopping import StoppingRule


@dataclass(frozen=True)
class CrossValidatedStopping(BaseReduction):
    """Choose the number of further steps by folds, then take them on all training rows.

    Parameters
    ----------
    rule : StoppingRule
        Applied to the loss on the rows left out, over all folds.
    max_steps : int
    n_folds : int, default 5

    Notes
    -----
    The folds are made of the training and stopping rows together: no rows are held back from the
    steps themselves. The full model has seen the rows each fold leaves out, so where it overfits
    them the loss left out is too low at first; the hold-out rule has no such flaw. Costs about
    `n_folds` + 1 times as much.
    """

    rule: StoppingRule
    max_steps: int
    n_folds: int = 5
    name: str = "cross_validated_stopping"

    def __post_init__(self) -> None:
        check_count("n_folds", self.n_folds, minimum=2)

    @property
    def traits(self) -> ReductionTraits:
        """Its rule and its most steps."""
        # The rows are cut up again, so they must not be in a form of the learner's own.
        return ReductionTraits(keeps_table=True, rule=self.rule, max_steps=self.max_steps)

    def check(self, full: BaseLearner) -> None:
        """Raise when the full model cannot be trained further."""
        check_warm_start(full)

    def reduce(
        self, full: BaseLearner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the full model's continuation without the features in `removed`."""
        started = perf_counter()
        rows = joined(*data.without(removed))
        fold_of_row = np.random.default_rng(seed).permutation(len(rows)) % self.n_folds
        folds = _Folds([full.copy(seed) for _ in range(self.n_folds)], fold_of_row)
        _, trace = train_until(folds, rows, rows, self.rule, self.max_steps)
        learner = full.copy(seed)
        if trace.stopped_step:
            learner.advance(rows.X, rows.y, trace.stopped_step, rows.weights)
        predict = predict_without(learner, data.fill, removed)
        return ReducedModel(predict, trace, perf_counter() - started)


class _Folds(BaseLearner):
    """One learner per fold, trained on the other folds and asked only about its own."""

    n_steps = 0

    def __init__(self, learners: list[BaseLearner], fold_of_row: np.ndarray) -> None:
        self._learners = learners
        self._fold_of_row = fold_of_row

    def fresh(self, seed: int) -> _Folds:
        return _Folds([learner.fresh(seed) for learner in self._learners], self._fold_of_row)

    def copy(self, seed: int | None = None) -> _Folds:
        # The training loop keeps a copy of the best step; of this learner only the number of
        # steps is wanted, so its state is not copied.
        return self

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        for fold, learner in enumerate(self._learners):
            others = self._fold_of_row != fold
            learner.advance(
                _take(X, others), y[others], n_steps, None if weights is None else weights[others]
            )
        self.n_steps += n_steps

    def predict(self, X: Features) -> Prediction:
        parts = [
            learner.predict(_take(X, self._fold_of_row == fold))
            for fold, learner in enumerate(self._learners)
        ]
        prediction = np.empty((len(self._fold_of_row), *parts[0].shape[1:]))
        for fold, part in enumerate(parts):
            prediction[self._fold_of_row == fold] = part
        return prediction

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        return float(self._learners[0].loss(y, prediction, weights))


def _take(X: Features, chosen: np.ndarray) -> Features:
    return X.loc[chosen] if isinstance(X, pd.DataFrame) else X[chosen]
