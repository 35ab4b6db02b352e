"""Importances from predictions the caller already has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._random import as_generator
from lukewarm._typing import Prediction, RandomState, Vector
from lukewarm._validation import (
    as_relative,
    check_choice,
    check_fraction,
    check_readable,
    check_squarable,
    check_vector,
    check_weights,
)
from lukewarm.data import as_codes
from lukewarm.evaluation._checks import (
    check_measure,
    check_parts,
    check_probabilities,
    encode_classes,
)
from lukewarm.evaluation._evidence import PredictionEvidence
from lukewarm.evaluation._predictions import EvaluationPredictions
from lukewarm.evaluation._rows import INFERENCES, EvaluationPlan
from lukewarm.measures import REGRESSION, Measure, Task, as_measure, needs_classes
from lukewarm.results import ImportanceResult, TrainingTrace, warn_of


def importance_from_predictions(
    y: Any,
    full: Any,
    reduced: Any,
    measure: str | Measure = "neg_mse",
    level: float = 0.95,
    *,
    inference: str = "paired",
    folds: Any = None,
    weights: Any = None,
    groups: Any = None,
    random_state: RandomState = 0,
) -> ImportanceResult:
    """Return the importances that follow from predictions the caller already has.

    Parameters
    ----------
    y : array-like of shape (n,)
        Targets of rows that none of the models was trained on; labels for a measure of classes.
    full : array-like of shape (n,) or (n, n_classes)
        Predictions of the model with all features; probabilities for a measure of classes.
    reduced : like `full`, a mapping or DataFrame of such, or a sequence of such
        Predictions without a feature set; one per set. Mappings and frames name the sets.
    measure : str or Measure
    level : float
        Level of the intervals.
    inference : "paired" or "split"
        Whether both sides are evaluated on all rows, or each on a random half of its own: valid
        also when the true importance is zero.
    folds : array-like of shape (n,), optional
        The fold of each row when the predictions come from cross-fitting: the measure is taken
        per fold and averaged.
    weights : array-like of shape (n,), optional
    groups : array-like of shape (n,), optional
        Which rows belong together, such as those of one patient: standard errors are then those
        of independent groups rather than rows.
    random_state : None, int or Generator
        Draws the halves of ``inference="split"``.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> x, z = generator.normal(size=(2, 500))
    >>> result = importance_from_predictions(x + z, full=x + z, reduced={"x": z, "z": x})
    >>> result.to_frame()[["feature", "importance"]].round(1)
      feature  importance
    0       x         1.0
    1       z         0.9
    """
    skill = as_measure(measure)
    check_choice("inference", inference, INFERENCES)
    check_fraction("level", level)
    target, task = _target_for(skill, y)
    fold_of = _check_folds(folds, len(target))
    clusters = None if groups is None else as_codes("groups", groups, len(target))[0]
    strata = None if task.is_regression else target
    plan = (
        EvaluationPlan.paired(fold_of)
        if inference == "paired"
        else EvaluationPlan.split(fold_of, as_generator(random_state), strata, clusters)
    )
    row_weights = as_relative(check_weights(weights, len(target), "weights"))
    check_parts(plan, target, [skill], row_weights, task, "weights", clusters)
    named = _named_predictions(reduced, target, task)
    predictions = EvaluationPredictions(
        target,
        _check_prediction("full", full, len(target), task),
        tuple(named.values()),
        plan,
        row_weights,
        clusters=clusters,
    )
    full_skill, reduced_skills = predictions.skills(skill)
    result = ImportanceResult(
        names=tuple(named),
        removed=((),) * len(named),
        full=full_skill,
        reduced=reduced_skills,
        traces=((TrainingTrace.untrained(),),) * len(named),
        seconds=(0.0,) * len(named),
        full_traces=(TrainingTrace.untrained(),),
        full_seconds=0.0,
        measure=skill.name,
        method="given predictions",
        model="given predictions",
        inference=inference,
        level=level,
        clusters=clusters,
        rows=np.arange(len(target)),
        evidence=PredictionEvidence(predictions, skill, len(target)),
    )
    warn_of(result.health())
    return result


def _target_for(measure: Measure, y: Any) -> tuple[Vector, Task]:
    if not needs_classes(measure):
        numbers = check_squarable("y", check_vector("y", y))
        check_measure(measure, REGRESSION, numbers)
        return numbers, REGRESSION
    codes, classes = encode_classes(y)
    task = Task(len(classes))
    check_measure(measure, task, codes)
    return codes, task


def _check_folds(folds: Any, n_rows: int) -> np.ndarray:
    if folds is None:
        return np.zeros(n_rows, dtype=int)
    labels = check_readable("folds", folds)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"folds must name the fold of each of the {n_rows} rows; got shape {labels.shape}."
        )
    if pd.isna(labels).any():
        raise ValueError("folds must name the fold of every row; some are missing.")
    return pd.factorize(labels, sort=True)[0]


def _check_prediction(name: str, prediction: Any, n_rows: int, task: Task) -> Prediction:
    if task.is_regression:
        return check_squarable(name, check_vector(name, prediction, n_rows=n_rows))
    return check_probabilities(name, prediction, n_rows, task)


def _named_predictions(reduced: Any, y: Vector, task: Task) -> dict[str, Prediction]:
    listed = _as_pairs(reduced, task)
    named = {
        name: _check_prediction(f"reduced[{name!r}]", prediction, len(y), task)
        for name, prediction in listed
    }
    if not named:
        raise ValueError("reduced is empty; pass the predictions without one feature set at least.")
    if len(named) < len(listed):
        raise ValueError(
            f"reduced must name each feature set differently; got {[name for name, _ in listed]}."
        )
    return named


def _as_pairs(reduced: Any, task: Task) -> list[tuple[str, Any]]:
    if isinstance(reduced, pd.DataFrame):
        columns = [reduced.iloc[:, place].to_numpy() for place in range(reduced.shape[1])]
        return [(str(name), column) for name, column in zip(reduced, columns, strict=True)]
    if isinstance(reduced, Mapping):
        return [(str(name), prediction) for name, prediction in reduced.items()]
    one_prediction_ndim = 2 if task.is_multiclass else 1
    is_several = isinstance(reduced, Sequence) or np.ndim(reduced) > one_prediction_ndim
    if is_several and len(reduced) and np.ndim(reduced[0]) >= one_prediction_ndim:
        return [(f"set {number}", prediction) for number, prediction in enumerate(reduced)]
    return [("removed", reduced)]
