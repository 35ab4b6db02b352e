"""Remarks on a fit: the table, the training of the models, the skill they reached."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import FeatureSet
from lukewarm.data import column_doubts, row_doubts
from lukewarm.estimators._baselines import constant_skill
from lukewarm.estimators._prepared import Prepared
from lukewarm.estimators._problem import Problem
from lukewarm.evaluation import Remainder
from lukewarm.results import ImportanceResult, MeasureValue, Remark, ShapleyResult, TrainingTrace
from lukewarm.stopping import StoppingRule

_WARM_STARTS = ("early_stopping", "cross_validated_stopping", "kernel_flow")
# Training that ends while the last tenth of its steps lowered the loss by more is cut short.
_STILL_FALLING = 0.01
# A model that explains this share more with twice the rows has not seen enough of them.
_MUCH_LEARNT = 0.1
# What follows from effects that the full model has not learnt.
_ALLOWED_FOR = "upper ends of intervals allow for it"
_NOT_ALLOWED_FOR = "no interval allows for it"
# Of the spread of influence values: what rounding to single precision may change a skill by.
_ROUNDING = 1e-6
# Levels that are told apart only as "rarer than the others" matter from this share of rows on.
_MUCH_LUMPED = 0.05


def fit_remarks(
    prepared: Prepared, sets: Iterable[FeatureSet], *, has_own_length: bool
) -> tuple[Remark, ...]:
    """Return remarks on the table and on the full models.

    Parameters
    ----------
    prepared : Prepared
    sets : iterable of FeatureSet
        Those that are explained.
    has_own_length : bool
        Whether the most steps are a setting of the user's model, which then ends as it was to.
    """
    problem = prepared.problem
    explained = tuple(sets)
    remarks = dict.fromkeys(
        remark
        for y in np.atleast_2d(problem.y.T)
        for remark in column_doubts(
            problem.X, problem.index.names, y, problem.task.n_classes, explained
        )
    )
    about_columns = (*problem.doubts, *remarks)
    # No split parts rows of one group.
    copies = row_doubts(problem.X, problem.y) if problem.clusters is None else ()
    # A column that should not be one of levels needs no word on how many it has.
    named = {remark.feature for remark in problem.doubts}
    lumped = (each for each in _lumped_levels(prepared) if each.feature not in named)
    return (*_full_training(prepared, has_own_length), *copies, *about_columns, *lumped)


def with_importance_remarks(
    result: ImportanceResult,
    prepared: Prepared,
    shared: tuple[Remark, ...],
    rest: Remainder | None,
) -> ImportanceResult:
    """Return the result with the remarks of the fit and those on its own models.

    Parameters
    ----------
    result : ImportanceResult
    prepared : Prepared
    shared : tuple of Remark
        Those of the fit.
    rest : Remainder, optional
        What the full models leave to be learnt, where something was found.
    """
    measure = next(each for each in prepared.problem.measures if each.name == result.measure)
    # The skill of the model at hand, not where it is heading.
    gain = result.full.value - result.full.shift - constant_skill(prepared, measure)
    return replace(
        result,
        remarks=(
            *shared,
            *_no_skill(gain, result.full, shared),
            *_underfit(gain, result.full.shift),
            *left_over(rest, _ALLOWED_FOR if prepared.n_learnt else _NOT_ALLOWED_FOR),
            *_zero_steps(result, prepared),
            *_capped_reductions(result, prepared),
        ),
    )


def with_shapley_remarks(
    result: ShapleyResult, prepared: Prepared, shared: tuple[Remark, ...]
) -> ShapleyResult:
    """Return the result with the remarks of the fit and those on its coalitions."""
    full = result.value_of(range(len(result)))
    gain = full.value - result.value_of([]).value
    remarks = [*shared, *_no_skill(gain, full, shared)]
    most = _most_steps(prepared)
    n_capped = 0 if most is None else int(np.sum(result.steps >= most * len(prepared.full_models)))
    if n_capped:
        message = (
            f"{n_capped} of {result.n_fits} reduced models took all of the {most} steps allowed; "
            "raise max_steps if their loss may still have been falling."
        )
        remarks.append(Remark("step_cap", "note", "", message))
    return replace(result, remarks=tuple(remarks))


def _underfit(gain: float, shift: float) -> list[Remark]:
    """Return a remark where twice the training rows still raised the skill by much."""
    if not gain > 0 or shift <= _MUCH_LEARNT * gain:
        return []
    half = f"explained {shift / gain:.0%} less" if shift < gain else "did no better than a constant"
    message = (
        f"the full model is still learning: models of half its training rows {half}. It may "
        "underfit, and importances are then known with the uncertainty shown as their shift. More "
        "rows or another model would help."
    )
    return [Remark("underfit", "warning", "", message)]


def left_over(rest: Remainder | None, consequence: str = _NOT_ALLOWED_FOR) -> tuple[Remark, ...]:
    """Return a remark where a kernel machine finds much in the residuals of the full models.

    Parameters
    ----------
    rest : Remainder, optional
    consequence : str
        What follows for the estimates.
    """
    if rest is None or rest.share <= _MUCH_LEARNT:
        return ()
    more = "as much again, or more," if rest.share >= 1 else f"{rest.share:.0%} more"
    message = (
        f"the full model misses what a kernel machine finds in its residuals: with that, {more} "
        f"would be explained. It underfits, and {consequence}. Another model would help; "
        "model='auto' compares several."
    )
    return (Remark("underfit", "warning", "", message),)


# By whether all models are untrained.
_UNTRAINED_MEANS = {
    True: "the importances mean nothing",
    False: "to such a model no column matters",
}


def _full_training(prepared: Prepared, has_own_length: bool) -> list[Remark]:
    traces = [model.trace for model in prepared.full_models]
    untrained = [run for run in traces if run.n_steps_taken > 0 and run.stopped_step == 0]
    if untrained:
        n_models, n_untrained = len(traces), len(untrained)
        is_all = n_untrained == n_models
        model = "the full model is"
        if not is_all:
            verb = "is" if n_untrained == 1 else "are"
            model = f"of {n_models} models of all columns, {n_untrained} {verb}"
        message = (
            f"{model} no better on the stopping rows after {untrained[0].n_steps_taken} steps than "
            f"before the first, and left untrained: {_UNTRAINED_MEANS[is_all]}. Raise patience, or "
            "lower the model's learning rate."
        )
        return [Remark("untrained" if is_all else "some_untrained", "warning", "", message)]
    capped = [run for run in traces if _is_capped(run, prepared.rule, prepared.max_steps)]
    if not capped:
        return []
    falls = any(map(_still_falls, capped))
    message = (
        f"training of the full model ended at {prepared.max_steps} steps, the most allowed"
        + (", while its loss was still falling" if falls else "")
        + ". Raise max_steps, or the model's own number of steps, to train it to its end."
    )
    severity = "warning" if falls and not has_own_length else "note"
    return [Remark("step_cap", severity, "", message)]


def _capped_reductions(result: ImportanceResult, prepared: Prepared) -> list[Remark]:
    most = _most_steps(prepared)
    if most is None:
        return []
    rule = prepared.reduction.traits.rule or prepared.rule
    remarks = []
    for name, runs in zip(result.names, result.traces, strict=True):
        capped = [run for run in runs if _is_capped(run, rule, most)]
        if capped:
            falls = any(map(_still_falls, capped))
            message = (
                f"training of the model without it ended at {most} steps, the most allowed"
                + (", while its loss was still falling: the importance may be too high" * falls)
                + ". Raise max_steps."
            )
            remarks.append(Remark("step_cap", "warning" if falls else "note", name, message))
    return remarks


def _most_steps(prepared: Prepared) -> int | None:
    """Return the most steps of a reduction; None where it counts no steps or has but one."""
    most = prepared.reduction.traits.max_steps
    return most if most is not None and most > 1 else None


def _is_capped(run: TrainingTrace, rule: StoppingRule, most: int) -> bool:
    return run.n_steps_taken >= most > 1 and not rule.should_stop(list(run.losses))


def _still_falls(run: TrainingTrace) -> bool:
    losses = run.losses
    before = losses[-1 - max(len(losses) // 10, 1)]
    return bool(before - losses[run.stopped_step] > _STILL_FALLING * abs(losses[run.stopped_step]))


def _zero_steps(result: ImportanceResult, prepared: Prepared) -> list[Remark]:
    """Return remarks on clear importances for which no step of a warm start was kept.

    Without a step the model is that of dropout, which overstates a feature that others could
    replace. Where removed columns are imputed before the first step there is less to fear.
    """
    if result.method not in _WARM_STARTS:
        return []
    is_imputed = prepared.reduction.traits.imputes and all(
        model.learner.traits.imputes for model in prepared.full_models
    )
    is_large = (result.importance > result.full.standard_error) & (result.interval()[0] > 0)
    remarks = []
    for name, large, runs in zip(result.names, is_large, result.traces, strict=True):
        trained = [run for run in runs if run.n_steps_taken > 0]
        n_zero = sum(run.stopped_step == 0 for run in trained)
        if large and trained and 2 * n_zero >= len(trained):
            remarks.append(
                Remark("zero_steps", "note", name, _IMPUTED)
                if is_imputed
                else Remark("zero_steps", "warning", name, _DROPPED_OUT)
            )
    return remarks


_IMPUTED = (
    "no further step lowered the loss of the model without it, once it was imputed by the other "
    "columns. check() compares with retraining."
)
_DROPPED_OUT = (
    "no further step lowered the loss of the model without it, so its importance is that of "
    "dropout, which is too high if other columns can replace it. Compare with check(), or raise "
    "patience."
)


def _no_skill(gain: float, full: MeasureValue, shared: tuple[Remark, ...]) -> list[Remark]:
    is_untrained = any(remark.name == "untrained" for remark in shared)
    # Constants of engines in single precision are not the mean to the last digit.
    is_better = gain > _ROUNDING * np.std(full.influence)
    if is_better or is_untrained or np.isnan(gain):
        return []
    amount = f" (its skill is {-gain:.3g} below that of one)" if gain < 0 else ""
    message = (
        f"the full model predicts no better than a constant{amount}, so there is no skill to lose "
        "and the importances mean nothing. Use another model, or more rows."
    )
    return [Remark("no_skill", "warning", "", message)]


def _lumped_levels(prepared: Prepared) -> list[Remark]:
    most = prepared.full_models[0].learner.traits.most_levels
    problem = prepared.problem
    if most is None or not isinstance(problem.X, pd.DataFrame):
        return []
    remarks = []
    for name, share, n_levels in _lumped_shares(problem, most):
        message = (
            f"it has {n_levels} levels, of which the model tells the {most} most frequent apart; "
            f"the others, {share:.1%} of the rows, are one level. Join levels that belong "
            "together, or encode the column by numbers."
        )
        severity = "warning" if share > _MUCH_LUMPED else "note"
        remarks.append(Remark("lumped_levels", severity, name, message))
    return remarks


def _lumped_shares(problem: Problem, most: int) -> list[tuple[str, float, int]]:
    shares = []
    for number, name in enumerate(problem.index.names):
        column: Any = problem.X.iloc[:, number]
        if not isinstance(column.dtype, pd.CategoricalDtype):
            continue
        codes = column.cat.codes.to_numpy()
        counts = np.sort(np.bincount(codes[codes >= 0]))[::-1]
        n_levels = int(np.count_nonzero(counts))
        if n_levels > most:
            shares.append((name, float(counts[most:].sum() / len(codes)), n_levels))
    return shares
