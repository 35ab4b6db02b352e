"""Whether targets and predictions suit a measure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Prediction, Vector
from lukewarm._validation import check_readable, check_vector
from lukewarm.measures import Measure, needs_classes


def check_measure(measure: Measure, n_classes: int | None) -> None:
    """Raise unless the measure has a meaning for this many classes (None: a numeric target)."""
    if n_classes is None:
        if needs_classes(measure):
            raise ValueError(
                f"measure {measure.name!r} needs classes, but y is continuous; use neg_mse, r2 or "
                "neg_mae, or a classifier."
            )
        return
    largest = getattr(measure, "max_classes", None)
    if largest is not None and n_classes > largest:
        raise ValueError(
            f"measure {measure.name!r} is defined for {largest} classes; y has {n_classes}."
        )


def encode_classes(y: Any) -> tuple[Vector, np.ndarray]:
    """Return the class codes 0 .. k-1 of the labels `y`, and the sorted labels."""
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
                "y must hold classes for this measure or model; it holds fractions such as "
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
