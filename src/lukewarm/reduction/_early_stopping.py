"""Warm start and early stopping: Algorithm 1 of Sun and Raskutti."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from lukewarm._typing import FeatureSet
from lukewarm.learners import Learner, LengthensSteps, train_until
from lukewarm.reduction._base import ReducedModel, ReductionData, predict_without
from lukewarm.reduction._warm_start import warm_start
from lukewarm.stopping import StoppingRule


@dataclass(frozen=True)
class EarlyStopping:
    """Go on training from the full model without the removed features, and stop early.

    Parameters
    ----------
    rule : StoppingRule
    max_steps : int
        Most steps beyond the full model's.
    stride : float, default 1
        How many times larger the steps are than those of the full model. With boosters a stride
        of 2 takes about half the trees, and the estimate becomes a little coarser; a patience of
        10 steps then waits as long as one of 20. With networks a stride below 1 keeps the noise
        that a removed feature leaves behind out of the weights.
    take_over : bool, default True
        Whether a network's other features first take over what they know of the removed ones. The
        paper's networks set out from the removed features' means alone.

    Examples
    --------
    >>> import lukewarm as lw
    >>> from lukewarm.stopping import Patience
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
    >>> fast = EarlyStopping(Patience(5), max_steps=50, stride=2)
    >>> vi = lw.VariableImportance(GradientBoostingRegressor(), fast, features=["X1"])
    >>> vi.fit(data.X, data.y).result_.method
    'early_stopping'
    """

    rule: StoppingRule
    max_steps: int
    name: str = "early_stopping"
    stride: float = 1.0
    take_over: bool = True

    def reduce(
        self, full: Learner, data: ReductionData, removed: FeatureSet, seed: int
    ) -> ReducedModel:
        """Return the full model's continuation without the features in `removed`."""
        started = perf_counter()
        train, stopping = data.without(removed)
        start = warm_start(
            full, data, removed, train, stopping, take_over=self.take_over, seed=seed
        )
        self._lengthen_steps(start)
        learner, trace = train_until(start, train, stopping, self.rule, self.max_steps)
        predict = predict_without(learner, data.removal, removed)
        return ReducedModel(predict, trace, perf_counter() - started)

    def _lengthen_steps(self, learner: Learner) -> None:
        if self.stride == 1:
            return
        if not isinstance(learner, LengthensSteps):
            raise TypeError(
                f"stride must be 1 for a {type(learner).__name__}, whose steps cannot be "
                f"lengthened; got {self.stride:g}."
            )
        learner.lengthen_steps(self.stride)
