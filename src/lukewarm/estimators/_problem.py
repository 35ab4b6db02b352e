"""What the user's X and y ask: a checked table, a target, and whether it is one of classes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier

from lukewarm._typing import Features, Vector
from lukewarm._validation import check_number, check_readable, check_weights, shown
from lukewarm.data import FeatureIndex, Rows, as_pandas, as_table, as_target
from lukewarm.evaluation import check_measure, encode_classes
from lukewarm.learners import Learner
from lukewarm.measures import Measure, as_measure, needs_classes
from lukewarm.results import ImportanceWarning

_MINIMUM_ROWS_PER_CLASS = 5


class SeenRowsWarning(ImportanceWarning):
    """A trained model is evaluated on rows it may have been trained on."""


class UntrainedWarning(ImportanceWarning):
    """The full model is no better than before its first step."""


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
    n_evaluation : int, default 0
        How many of the last rows the user named for the evaluation; 0 where they are drawn.
    """

    X: Features
    y: Vector
    weights: Vector | None
    index: FeatureIndex
    measures: tuple[Measure, ...]
    classes: np.ndarray | None
    n_evaluation: int = 0

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
    y = as_pandas(y)
    if check_readable("y", y).ndim == 0:
        raise TypeError(f"y must have one value per row; got {shown(y)}.")
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


def warn_seen_rows() -> None:
    """Warn that evaluation rows drawn from X may have trained the model."""
    warnings.warn(
        "the evaluation rows are drawn from X; if the model was trained on them, its skill and the "
        "importances are overstated. Pass rows it has not seen as X_eval and y_eval.",
        SeenRowsWarning,
        stacklevel=4,
    )


def warn_untrained(n_steps: int) -> None:
    """Warn that `n_steps` steps of training did not improve a full model."""
    warnings.warn(
        f"the full model is no better on the stopping rows after {n_steps} steps than before the "
        "first, so it was left untrained and the importances mean nothing. Raise patience, or "
        "lower the model's learning rate.",
        UntrainedWarning,
        stacklevel=4,
    )


def stack_rows(X: Any, y: Any, X_eval: Any, y_eval: Any) -> tuple[Any, Any]:
    """Return one table and target: the rows to learn from, then those to evaluate on."""
    if (X_eval is None) != (y_eval is None):
        raise ValueError("X_eval and y_eval belong together; pass both or neither.")
    above, below = as_pandas(X), as_pandas(X_eval)
    target = np.concatenate([_as_column("y", y), _as_column("y_eval", y_eval)])
    if not isinstance(above, pd.DataFrame):
        upper, lower = check_readable("X", above), check_readable("X_eval", below)
        if upper.ndim == 2 and upper.shape[1:] != lower.shape[1:]:
            raise ValueError(
                f"X_eval must have the {upper.shape[1]} columns of X; got shape {lower.shape}."
            )
        return np.concatenate([upper, lower]), target
    if not isinstance(below, pd.DataFrame) or set(below.columns) != set(above.columns):
        got = list(below.columns) if isinstance(below, pd.DataFrame) else type(below).__name__
        raise ValueError(f"X_eval must have the columns of X, {list(above.columns)}; got {got}.")
    columns = {name: _stack(above[name], below[name]) for name in above.columns}
    return pd.DataFrame(columns), target


def _as_column(name: str, values: Any) -> np.ndarray:
    """Return a target as an array (n,) that can be stacked; as_problem checks what it holds."""
    column = check_readable(name, as_pandas(values))
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.ndim != 1:
        raise ValueError(f"{name} must have one value per row; got shape {column.shape}.")
    if column.dtype.kind in "mM":
        raise TypeError(f"{name} must hold numbers or labels; got {column.dtype}.")
    return column


def _stack(above: pd.Series, below: pd.Series) -> pd.Series:
    if isinstance(above.dtype, pd.CategoricalDtype):
        # The order of the levels is kept: a trained model may know them by their codes.
        known = list(above.cat.categories)
        new = [level for level in pd.unique(below.dropna()) if level not in set(known)]
        dtype = pd.CategoricalDtype([*known, *new], ordered=above.cat.ordered)
        above, below = above.astype(dtype), below.astype(dtype)
    return pd.concat([above, below], ignore_index=True)


def fill_by_column(fill: Any, problem: Problem) -> Any:
    """Return `fill` with the columns a mapping names as numbers, their values checked."""
    if not isinstance(fill, Mapping):
        return fill
    named = {}
    for name, value in fill.items():
        column = problem.index.position(name, "fill")
        levels = _levels(problem.X, column)
        if levels is not None and value not in levels:
            raise ValueError(f"fill[{name!r}] must be one of the levels {levels}; got {value!r}.")
        named[column] = (
            check_number(f"fill[{name!r}]", value, finite=True) if levels is None else value
        )
    return named


def _levels(X: Features, column: int) -> list[Any] | None:
    if not isinstance(X, pd.DataFrame):
        return None
    values = X.iloc[:, column]
    is_category = isinstance(values.dtype, pd.CategoricalDtype)
    return list(values.cat.categories) if is_category else None


def _as_measures(measure: Any) -> tuple[Measure, ...]:
    several = measure if isinstance(measure, list | tuple) else [measure]
    if not several:
        raise ValueError("measure is empty; name at least one measure.")
    measures = tuple(as_measure(each) for each in several)
    names = [each.name for each in measures]
    if len(set(names)) < len(names):
        raise ValueError(f"measure must not name a measure twice; got {names}.")
    return measures


def _is_classification(y: Any, model: Any, measures: tuple[Measure, ...] | None) -> bool:
    dtype = getattr(y, "dtype", None)
    if dtype is None:
        dtype = np.asarray(y).dtype
    is_text = not pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype)
    if is_text:
        return not _holds_numbers(y)
    wants_classes = measures is not None and any(needs_classes(each) for each in measures)
    # A class in the place of an object is refused when it is to become a learner.
    is_object = hasattr(model, "fit") and not isinstance(model, type)
    return wants_classes or (is_object and is_classifier(model))


def _holds_numbers(y: Any) -> bool:
    """Return whether an object array holds numbers after all (bools are classes)."""
    values = np.asarray(y)
    if values.dtype.kind != "O" or any(isinstance(value, bool) for value in values.flat):
        return False
    return all(isinstance(value, int | float | np.number) for value in values.flat)
