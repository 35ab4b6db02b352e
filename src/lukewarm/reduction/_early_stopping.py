"""Warm start and early stopping: Algorithm 1 of Sun and Raskutti."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from lukewarm._typing import FeatureSet
from lukewarm.learners import BaseLearner, train_until
from lukewarm.reduction._base import (
    BaseReduction,
    ReducedModel,
    ReductionData,
    ReductionTraits,
    predict_without,
)
from lukewarm.reduction._warm_start import check_warm_start, warm_start
from lukewarm.stopping import StoppingRule


@dataclass(frozen=True)
class EarlyStopping(BaseReduction):
    """Go on training from the full model without the removed features, and stop early.

    Parameters
    ----------
    rule : StoppingRule
    max_steps : int
        Most steps beyond the full model's.
    learning_rate_factor : float, default 1
        How many times as large the learning rate is as that of the full model. Boosters with a
        factor of 2 take about half the trees, and the estimate becomes a little coarser; a patience
        of 10 steps then waits as long as one of 20. For networks a factor below 1 keeps the noise
        that a removed feature leaves behind out of the weights.
    conditional_imputation : bool, default True
        Whether removed features are first imputed by their best linear guess from the others, where
        the learner can. The paper's models set out from the removed features' means alone.

    Examples
    --------
    >>> import lukewarm as lw
    >>> from lukewarm.stopping import Patience
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
    >>> fast = EarlyStopping(Patience(5), max_steps=50, learning_rate_factor=2)
    >>> vi = lw.VariableImportance(GradientBoostingRegressor(), fast, features=["X1"])
    >>> vi.fit(data.X, data.y).result_.method
    'early_stopping'
    """

    rule: StoppingRule
    max_steps: int
    name: str = "early_stopping"
    learning_rate_factor: float = 1.0
    conditional_imputation: bool = True

    @property
    def traits(self) -> ReductionTraits:
        """Its rule and its most steps; removed columns are imputed first, if so asked."""
        return ReductionTraits(
            rule=self.rule, max_steps=self.max_steps, imputes=self.conditional_imputation
        )

    def check(self, full: BaseLearner) -> None:
        """Raise when the full model cannot be trained further."""
        check_warm_start(full)

    def reduce(
        self, full: BaseLearner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the full model's continuation without the features in `removed`."""
        started = perf_counter()
        # One copy of the rows for the start, the loss before any step and all steps.
        train, stopping = data.without(removed)
        start = warm_start(
            full,
            data,
            removed,
            train,
            stopping,
            conditional_imputation=self.conditional_imputation,
            seed=seed,
        )
        # After imputation and calibration, which are no steps; and not at 1, for learners that have
        # no learning rate.
        if self.learning_rate_factor != 1:
            start.scale_learning_rate(self.learning_rate_factor)
        learner, trace = train_until(start, train, stopping, self.rule, self.max_steps)
        predict = predict_without(learner, data.fill, removed)
        return ReducedModel(predict, trace, perf_counter() - started)
