"""Whether targets and predictions suit a measure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Prediction, Vector
from lukewarm._validation import check_readable, check_vector, unmasked
from lukewarm.evaluation._rows import EvaluationPlan
from lukewarm.inference import cluster_totals
from lukewarm.measures import MeanLoss, Measure, Task, centres_classes, needs_classes

# Weights may add up to one row and next to nothing.
_FEWEST_ROWS = 1.001


def check_measure(measure: Measure, task: Task, y: Vector) -> None:
    """Raise unless the measure has a meaning for this task and target.

    Parameters
    ----------
    measure : Measure
    task : Task
    y : ndarray of shape (n,)
        Numbers, or class codes.
    """
    if task.n_classes is None:
        if needs_classes(measure):
            raise ValueError(
                f"measure {measure.name!r} needs classes, but y is continuous; use neg_mse, r2 or "
                "neg_mae, or a classifier."
            )
        if isinstance(measure, MeanLoss):
            measure.check_target(y)
        return
    largest = getattr(measure, "max_classes", None)
    if largest is not None and task.n_classes > largest:
        raise ValueError(
            f"measure {measure.name!r} is defined for {largest} classes; y has {task.n_classes}."
        )


def check_parts(
    plan: EvaluationPlan,
    y: Vector,
    measures: Iterable[Measure],
    weights: Vector | None,
    task: Task,
    weights_name: str = "sample_weight",
    clusters: np.ndarray | None = None,
) -> None:
    """Raise unless every part of the evaluation rows allows each measure and its standard error.

    Before any training, for it concerns the target alone.

    Parameters
    ----------
    plan : EvaluationPlan
        The parts that evaluate each side.
    y : ndarray of shape (n,)
    measures : iterable of Measure
    weights : ndarray of shape (n,), optional
    task : Task
    weights_name : str
        The parameter that a message names.
    clusters : ndarray of int of shape (n,), optional
        The group of each row, where rows belong together; groups then count as rows do.
    """
    parts = plan.full_parts
    if plan.reduced_parts is not plan.full_parts:
        parts += plan.reduced_parts
    for part in parts:
        part_weights = None if weights is None else weights[part]
        part_clusters = None if clusters is None else clusters[part]
        _check_row_count(part_weights, len(part), weights_name, part_clusters)
        counted = part if weights is None else part[weights[part] > 0]
        target = y[counted]
        if task.n_classes is not None:
            _check_every_class(y[part], target, task.n_classes, weights_name)
        for measure in measures:
            if hasattr(measure, "check_target"):
                measure.check_target(target)
            of_counted = None if clusters is None else clusters[counted]
            if centres_classes(measure) and _fewest_of_a_class(target, of_counted) < 2:
                units = "rows" if clusters is None else "groups"
                raise ValueError(
                    f"the standard error of measure {measure.name!r} needs at least 2 {units} of "
                    f"each class in every part of the evaluation rows; one of {len(part)} rows "
                    f"has fewer. Use fewer folds, more {units} or another measure."
                )


def _fewest_of_a_class(y: Vector, clusters: np.ndarray | None) -> int:
    """Return the least number of rows that a class has, or of groups with rows of it."""
    if clusters is not None:
        y = np.unique(np.column_stack([y, clusters]), axis=0)[:, 0]
    return int(np.unique(y, return_counts=True)[1].min())


def _check_row_count(
    weights: Vector | None, n_rows: int, weights_name: str, clusters: np.ndarray | None
) -> None:
    totals = cluster_totals(np.ones(n_rows) if weights is None else weights, clusters)
    n_effective = float(totals.sum() ** 2 / np.square(totals).sum()) if totals.any() else 0.0
    if n_effective < _FEWEST_ROWS and clusters is not None:
        raise ValueError(
            "groups must leave at least 2 groups in every part of the evaluation rows, for a "
            f"standard error; one has {n_effective:.3g}. Use more groups, or fewer folds."
        )
    if n_effective < _FEWEST_ROWS:
        subject, which = "y must have", ""
        if weights is not None:
            subject, which = f"{weights_name} must leave", " of positive weight"
        raise ValueError(
            f"{subject} at least 2 evaluation rows{which} in every part, for a standard error; one "
            f"has {n_effective:.3g}. Use more rows, fewer folds or a smaller train_fraction."
        )


def _check_every_class(y: Vector, counted: Vector, n_classes: int, weights_name: str) -> None:
    present = len(np.unique(y))
    if present == n_classes > len(np.unique(counted)):
        raise ValueError(
            f"{weights_name} must leave rows of all {n_classes} classes of y in every fold; one of "
            f"{len(y)} rows has none of positive weight for some. Give them weight, or use fewer "
            "folds."
        )
    if present < n_classes:
        raise ValueError(
            f"every fold must hold all {n_classes} classes of y; one of {len(y)} rows holds "
            f"{present}. Drop rare classes or join them with others, use fewer folds, or "
            "evaluation rows of every class."
        )


def encode_classes(y: Any) -> tuple[Vector, np.ndarray]:
    """Return the class codes 0 .. k-1 of the labels `y`, and the sorted labels."""
    y = unmasked(y)
    if not check_readable("y", y).size:
        raise ValueError("y is empty; it must hold a class in every row.")
    missing = np.asarray(pd.isna(y))
    if missing.any():
        raise ValueError(
            f"y must hold a class in every row; {int(missing.sum())} of {missing.size} are missing."
        )
    labels = np.asarray(y)
    if labels.dtype.kind == "O":
        labels = labels.astype(str)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y must have one label per row; got shape {labels.shape}.")
    if labels.dtype.kind == "f":
        check_vector("y", labels)
        if not np.array_equal(labels, np.round(labels)):
            raise ValueError(
                "y must hold classes for this task, measure or model; it holds fractions such as "
                f"{labels[labels != np.round(labels)][0]:g}."
            )
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y must have at least two classes; every value is {classes.tolist()[0]!r}."
        )
    return codes.astype(float), classes


def check_probabilities(name: str, prediction: Any, n_rows: int, task: Task) -> Prediction:
    """Return class probabilities, (n,) for two classes and (n, n_classes) for more.

    Parameters
    ----------
    name : str
        The argument that a message names.
    prediction : array-like of shape (n,), (n, 2) or (n, n_classes)
    n_rows : int
    task : Task
    """
    try:
        probabilities = np.asarray(check_readable(name, prediction), dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{name} must hold probabilities; {error}.") from error
    if probabilities.ndim == 2 and probabilities.shape[1] == task.n_classes:
        probabilities = task.as_prediction(probabilities)
    wanted = task.prediction_shape(n_rows)
    if probabilities.shape != wanted:
        raise ValueError(
            f"{name} must hold probabilities of shape {wanted} for {task.n_classes} classes; "
            f"got shape {probabilities.shape}."
        )
    if not ((probabilities >= 0) & (probabilities <= 1)).all():
        worst = probabilities[~((probabilities >= 0) & (probabilities <= 1))].flat[0]
        raise ValueError(f"{name} must hold probabilities in [0, 1]; got {worst:g}.")
    return probabilities
