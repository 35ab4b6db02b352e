"""What the user's X and y ask: a checked table, a target, and whether it is one of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier

from lukewarm._typing import Features, Vector
from lukewarm._validation import check_weights
from lukewarm.data import FeatureIndex, Rows, as_table, as_target
from lukewarm.evaluation import check_measure, encode_classes
from lukewarm.learners import Learner
from lukewarm.measures import Measure, as_measure, needs_classes

_MINIMUM_ROWS_PER_CLASS = 5


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, its target and what is to be measured.

    Parameters
    ----------
    X : Features
    y : ndarray of shape (n,)
        The target, or class codes.
    weights : ndarray of shape (n,), optional
    index : FeatureIndex
    measures : tuple of Measure
    classes : ndarray, optional
        The labels behind the codes; None for a numeric target.
    """

    X: Features
    y: Vector
    weights: Vector | None
    index: FeatureIndex
    measures: tuple[Measure, ...]
    classes: np.ndarray | None

    @property
    def n_classes(self) -> int | None:
        """Number of classes; None for a numeric target."""
        return None if self.classes is None else len(self.classes)

    @property
    def strata(self) -> Vector | None:
        """Class codes by which splits are stratified; None for a numeric target."""
        return None if self.classes is None else self.y

    def rows(self, chosen: np.ndarray) -> Rows:
        """Return the rows with these numbers."""
        X = self.X.iloc[chosen] if isinstance(self.X, pd.DataFrame) else self.X[chosen]
        weights = None if self.weights is None else self.weights[chosen]
        return Rows(X, self.y[chosen], weights)


def as_problem(X: Any, y: Any, sample_weight: Any, model: Any, measure: Any) -> Problem:
    """Return the checked problem; a target of text, or a classifier, makes it one of classes."""
    table, names = as_table(X)
    if np.ndim(y) == 0:
        raise TypeError(f"y must have one value per row; got {y!r}.")
    if len(y) != len(table):
        raise ValueError(
            f"X and y must have the same number of rows; X has {len(table)}, y has {len(y)}."
        )
    asked = None if measure is None else _as_measures(measure)
    if _is_classification(y, model, asked):
        target, classes = encode_classes(y)
        _check_class_sizes(target, len(classes))
        measures = asked or _as_measures("deviance")
    else:
        target, classes = as_target(y, len(table)), None
        measures = asked or _as_measures("neg_mse")
    for each in measures:
        check_measure(each, None if classes is None else len(classes))
    weights = check_weights(sample_weight, len(table))
    return Problem(table, target, weights, FeatureIndex(names), measures, classes)


def check_columns(problem: Problem, learner: Learner, model: str) -> None:
    """Raise when X holds text or missing values that the learner does not take."""
    X, names = problem.X, problem.index.names
    if isinstance(X, pd.DataFrame):
        missing = np.asarray(X.isna()).any(axis=0)
        text = [str(name) for name in X.columns if isinstance(X[name].dtype, pd.CategoricalDtype)]
        if text and not getattr(learner, "accepts_categories", False):
            raise ValueError(
                f"model {model!r} needs numeric columns, but {text} hold text or categories; "
                "encode them as numbers, or use a model that takes categories."
            )
    else:
        missing = np.isnan(X).any(axis=0)
    if missing.any() and not getattr(learner, "accepts_missing", False):
        columns = [names[column] for column in np.flatnonzero(missing)]
        raise ValueError(
            f"model {model!r} does not take missing values, but columns {columns} hold nan; "
            "impute or drop them, or use a model that takes missing values."
        )


def _check_class_sizes(codes: Vector, n_classes: int) -> None:
    if len(codes) < _MINIMUM_ROWS_PER_CLASS * n_classes:
        raise ValueError(
            f"y holds {n_classes} different labels in {len(codes)} rows, too many to be classes; "
            "is it the right column? A numeric target must hold numbers only."
        )


def _as_measures(measure: Any) -> tuple[Measure, ...]:
    several = measure if isinstance(measure, list | tuple) else [measure]
    if not several:
        raise ValueError("measure is empty; name at least one measure.")
    return tuple(as_measure(each) for each in several)


def _is_classification(y: Any, model: Any, measures: tuple[Measure, ...] | None) -> bool:
    dtype = getattr(y, "dtype", None)
    if dtype is None:
        dtype = np.asarray(y).dtype
    is_text = not pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype)
    if is_text:
        return not _holds_numbers(y)
    wants_classes = measures is not None and any(needs_classes(each) for each in measures)
    return wants_classes or (hasattr(model, "fit") and is_classifier(model))


def _holds_numbers(y: Any) -> bool:
    """Return whether an object array holds numbers after all (bools are classes)."""
    values = np.asarray(y)
    if values.dtype.kind != "O" or any(isinstance(value, bool) for value in values.flat):
        return False
    return all(isinstance(value, int | float | np.number) for value in values.flat)
