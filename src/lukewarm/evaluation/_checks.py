"""Whether targets and predictions suit a measure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Prediction, Vector
from lukewarm._validation import check_readable, check_vector, unmasked
from lukewarm.evaluation._rows import EvaluationPlan
from lukewarm.measures import MeanLoss, Measure, centres_classes, needs_classes

# Weights may add up to one row and next to nothing.
_FEWEST_ROWS = 1.001


def check_measure(measure: Measure, n_classes: int | None, y: Vector) -> None:
    """Raise unless the measure has a meaning for this target (n_classes None: a numeric one)."""
    if n_classes is None:
        if needs_classes(measure):
            raise ValueError(
                f"measure {measure.name!r} needs classes, but y is continuous; use neg_mse, r2 or "
                "neg_mae, or a classifier."
            )
        if isinstance(measure, MeanLoss):
            measure.check_target(y)
        return
    largest = getattr(measure, "max_classes", None)
    if largest is not None and n_classes > largest:
        raise ValueError(
            f"measure {measure.name!r} is defined for {largest} classes; y has {n_classes}."
        )


def check_parts(
    plan: EvaluationPlan,
    y: Vector,
    measures: Iterable[Measure],
    weights: Vector | None,
    n_classes: int | None,
    weights_name: str = "sample_weight",
) -> None:
    """Raise unless every part of the evaluation rows allows each measure and its standard error.

    Before any training, for it concerns the target alone.
    """
    parts = plan.full_parts
    if plan.reduced_parts is not plan.full_parts:
        parts += plan.reduced_parts
    for part in parts:
        _check_row_count(None if weights is None else weights[part], len(part), weights_name)
        target = y[part] if weights is None else y[part[weights[part] > 0]]
        if n_classes is not None:
            _check_every_class(y[part], target, n_classes, weights_name)
        for measure in measures:
            if hasattr(measure, "check_target"):
                measure.check_target(target)
            if centres_classes(measure) and (np.bincount(target.astype(int)) < 2).any():
                raise ValueError(
                    f"the standard error of measure {measure.name!r} needs at least 2 rows of "
                    f"each class in every part of the evaluation rows; one of {len(part)} rows "
                    "has fewer. Use fewer folds, more rows or another measure."
                )


def _check_row_count(weights: Vector | None, n_rows: int, weights_name: str) -> None:
    if weights is None:
        n_effective = float(n_rows)
    elif not weights.any():
        n_effective = 0.0
    else:
        n_effective = float(weights.sum() ** 2 / np.square(weights).sum())
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
            f"{present}. Use fewer folds, or evaluation rows of every class."
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
        raise ValueError(f"y must have at least two classes; every value is {classes[0]!r}.")
    return codes.astype(float), classes


def check_probabilities(name: str, prediction: Any, n_rows: int, n_classes: int) -> Prediction:
    """Return class probabilities, (n,) for two classes and (n, n_classes) for more."""
    try:
        probabilities = np.asarray(check_readable(name, prediction), dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{name} must hold probabilities; {error}.") from error
    if n_classes == 2 and probabilities.ndim == 2 and probabilities.shape[1] == 2:
        probabilities = probabilities[:, 1]
    wanted = (n_rows,) if n_classes == 2 else (n_rows, n_classes)
    if probabilities.shape != wanted:
        raise ValueError(
            f"{name} must hold probabilities of shape {wanted} for {n_classes} classes; "
            f"got shape {probabilities.shape}."
        )
    if not ((probabilities >= 0) & (probabilities <= 1)).all():
        worst = probabilities[~((probabilities >= 0) & (probabilities <= 1))].flat[0]
        raise ValueError(f"{name} must hold probabilities in [0, 1]; got {worst:g}.")
    return probabilities
