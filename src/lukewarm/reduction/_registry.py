"""The names under which reductions are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lukewarm._validation import check_choice
from lukewarm.learners import BaseLearner
from lukewarm.measures import Huber, NegMAE, OutputsLoss, Pinball
from lukewarm.reduction._base import AdaptedReduction, BaseReduction, Reduction
from lukewarm.reduction._early_stopping import EarlyStopping
from lukewarm.reduction._retrain import Retrain
from lukewarm.reduction._untrained import Dropout
from lukewarm.reduction.linearized._kernel_flow import KernelFlow
from lukewarm.reduction.linearized._lazy import KernelRidge, Lazy, OneStep
from lukewarm.reduction.projection._projection import Projection
from lukewarm.stopping import StoppingRule

_KNOWN: dict[str, Callable[[StoppingRule, int], BaseReduction]] = {
    "early_stopping": EarlyStopping,
    "projection": lambda rule, max_steps: Projection(),
    "dropout": lambda rule, max_steps: Dropout(),
    "retrain": Retrain,
    "kernel_flow": lambda rule, max_steps: KernelFlow(),
    "lazy": lambda rule, max_steps: Lazy(),
    "kernel_ridge": lambda rule, max_steps: KernelRidge(),
    "one_step": lambda rule, max_steps: OneStep(),
}
METHODS = ("auto", *_KNOWN)


def as_reduction(
    method: str | Reduction,
    rule: StoppingRule,
    max_steps: int,
    learning_rate_factor: float = 1.0,
    warm_rule: StoppingRule | None = None,
) -> BaseReduction:
    """Return the reduction of that name, stopped by `rule`, or the reduction itself.

    Parameters
    ----------
    method : str or Reduction
    rule : StoppingRule
    max_steps : int
    learning_rate_factor : float, default 1
        How many times as large the learning rate of early stopping is as that of the full model.
    warm_rule : StoppingRule, optional
        What stops early stopping instead of `rule`, which is for training from the start.

    Examples
    --------
    >>> from lukewarm.stopping import Patience
    >>> as_reduction("retrain", Patience(10), 100).name
    'retrain'
    """
    if not isinstance(method, str):
        check_method(method)
        return method if isinstance(method, BaseReduction) else AdaptedReduction(method)
    make = _KNOWN[check_choice("method", method, _KNOWN)]
    # Only a warm start has a patience and a learning rate of its own.
    if make is EarlyStopping:
        return EarlyStopping(
            rule if warm_rule is None else warm_rule,
            max_steps,
            learning_rate_factor=learning_rate_factor,
        )
    return make(rule, max_steps)


def method_for(learner: BaseLearner) -> str:
    """Return the name of the best way for this learner: what "auto" stands for.

    Projection, wherever predictions are means. A quantile of the other features is no average of
    quantiles, so models of quantiles and absolute errors are trained further, or anew; where
    nothing can be trained, a projection is what is left.
    """
    measure = learner.measure
    losses = measure.measures if isinstance(measure, OutputsLoss) else (measure,)
    is_mean = not any(isinstance(each, NegMAE | Pinball | Huber) for each in losses)
    if is_mean or not learner.traits.can_train:
        return "projection"
    # A mean over draws is the best prediction under squared error and log-loss; medians and
    # quantiles do not average.
    return "early_stopping" if learner.traits.can_warm_start else "retrain"


def check_method(method: str | Reduction) -> None:
    """Raise unless `method` is the name of a reduction, or one."""
    if isinstance(method, type):
        raise TypeError(f"method must be an object, not a class; pass {method.__name__}(...).")
    if isinstance(method, str) or not isinstance(method, Reduction):
        check_choice("method", method, METHODS)


def check_suits(reduction: BaseReduction, learner: BaseLearner, fill: Any = "mean") -> None:
    """Raise when the learner or the fill is not one for the reduction.

    Parameters
    ----------
    reduction : BaseReduction
    learner : BaseLearner
    fill : "mean", "zero", "conditional" or number
        What stands in removed columns.
    """
    reduction.check(learner)
    if not reduction.traits.takes_draws and isinstance(fill, str) and fill == "conditional":
        raise ValueError(
            f"fill='conditional' does not go with method={reduction.name!r}, which sees one value "
            "of each removed column; use 'mean', 'zero' or a number."
        )
