"""The parameters that the estimators share: their checks, and what they say of training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lukewarm import evaluation
from lukewarm._validation import (
    check_choice,
    check_count,
    check_flag,
    check_fraction,
    check_n_jobs,
    check_number,
)
from lukewarm.estimators._stored import check_store
from lukewarm.estimators._user_splits import check_cv
from lukewarm.learners import BaseLearner
from lukewarm.reduction import (
    BaseReduction,
    CrossValidatedStopping,
    as_reduction,
    check_method,
    check_suits,
    method_for,
)
from lukewarm.stopping import Patience, StoppingRule

if TYPE_CHECKING:
    from lukewarm.estimators._base import ImportanceEstimator

INFERENCES = ("auto", "learning_curve", *evaluation.INFERENCES)
_STOPPINGS = ("hold_out", "cross_validation")


def check_parameters(estimator: ImportanceEstimator) -> None:
    """Raise for a parameter that no table and no model could go with."""
    check_choice("inference", estimator.inference, INFERENCES)
    check_flag("prefit", estimator.prefit)
    if estimator.prefit and estimator.inference == "learning_curve":
        raise ValueError(
            "inference='learning_curve' trains models on halves of the rows; with prefit=True "
            "use 'paired' or 'split'."
        )
    check_method(estimator.method)
    for name in ("symmetric", "verbose"):
        if getattr(estimator, name) is not None:
            check_flag(name, getattr(estimator, name))
    check_n_jobs(estimator.n_jobs)
    check_store(estimator.store)
    check_fraction("train_fraction", estimator.train_fraction)
    check_fraction("level", estimator.level)
    check_number("min_delta", estimator.min_delta, minimum=0, finite=True)
    for name in ("patience", "max_steps"):
        if getattr(estimator, name) is not None:
            check_count(name, getattr(estimator, name))
    _check_stopping(estimator)
    check_cv(estimator.cv)
    _check_fill(estimator.fill)


def _check_stopping(estimator: ImportanceEstimator) -> None:
    stopping = estimator.stopping
    if isinstance(stopping, type):
        raise TypeError(f"stopping must be an object, not a class; pass {stopping.__name__}(...).")
    if isinstance(stopping, StoppingRule):
        if estimator.patience is not None or estimator.min_delta:
            raise ValueError(
                "stopping is a rule of its own, so patience and min_delta would have no effect; "
                "leave them out, or put them into the rule: stopping=Patience(patience, min_delta)."
            )
        return
    check_choice("stopping", stopping, _STOPPINGS)
    if stops_by_folds(estimator) and estimator.method not in ("auto", "early_stopping"):
        raise ValueError(
            "stopping='cross_validation' goes with method='early_stopping'; "
            f"got {estimator.method!r}."
        )


def _check_fill(fill: Any) -> None:
    if isinstance(fill, str):
        check_choice("fill", fill, ("mean", "zero", "conditional"))
    elif not isinstance(fill, Mapping):
        check_number("fill", fill, finite=True)


def stops_by_folds(estimator: ImportanceEstimator) -> bool:
    """Whether the steps of early stopping are chosen by folds of the training rows."""
    return isinstance(estimator.stopping, str) and estimator.stopping == "cross_validation"


@dataclass(frozen=True)
class Training:
    """How long models are trained.

    Parameters
    ----------
    rule : StoppingRule
        Of models that are trained from the start.
    warm_rule : StoppingRule
        Of models that are trained further after a warm start.
    max_steps : int
        Of either.
    """

    rule: StoppingRule
    warm_rule: StoppingRule
    max_steps: int

    @classmethod
    def asked(cls, estimator: ImportanceEstimator, learner: BaseLearner) -> Training:
        """Return what the user said, and the learner's own where they said nothing."""
        traits = learner.traits
        max_steps = traits.max_steps if estimator.max_steps is None else estimator.max_steps
        # What the user says stays; a default is for the steps of the full model.
        if isinstance(estimator.stopping, StoppingRule):
            return cls(estimator.stopping, estimator.stopping, max_steps)
        if estimator.patience is not None:
            rule = Patience(estimator.patience, estimator.min_delta)
            return cls(rule, rule, max_steps)
        rule = Patience(traits.patience, estimator.min_delta)
        return cls(rule, rule.for_longer_steps(traits.learning_rate_factor), max_steps)


def asked_reduction(
    estimator: ImportanceEstimator, learner: BaseLearner, training: Training
) -> BaseReduction:
    """Return how models without features are obtained; raise where the learner has no such way."""
    is_auto = isinstance(estimator.method, str) and estimator.method == "auto"
    method = method_for(learner) if is_auto else estimator.method
    reduction = (
        CrossValidatedStopping(training.rule, training.max_steps)
        if stops_by_folds(estimator)
        else as_reduction(
            method,
            training.rule,
            training.max_steps,
            learner.traits.learning_rate_factor,
            training.warm_rule,
        )
    )
    check_suits(reduction, learner, estimator.fill)
    return reduction
