"""What the user's X and y ask: a checked table, a target, and whether it is one of classes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier

from lukewarm._typing import Features, Vector
from lukewarm._validation import as_relative, check_number, check_weights
from lukewarm.data import MINIMUM_ROWS, FeatureIndex, Rows, as_pandas, as_table, as_target
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
    weights = as_relative(check_weights(sample_weight, len(table)))
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
    targets = [_as_row_values(as_pandas(part)) for part in (y, y_eval)]
    for name, table, values in zip(("", "_eval"), (above, below), targets, strict=True):
        if values.ndim != 1 or len(table) != len(values):
            raise ValueError(
                f"X{name} and y{name} must have the same number of rows; X{name} has "
                f"{len(table)}, y{name} has shape {values.shape}."
            )
    if len(above) < MINIMUM_ROWS or len(below) < 2:
        raise ValueError(
            f"X must have at least {MINIMUM_ROWS} rows and X_eval at least 2, for a standard "
            f"error; they have {len(above)} and {len(below)}."
        )
    target = np.concatenate(targets)
    if not isinstance(above, pd.DataFrame):
        above, below = np.asarray(above), np.asarray(below)
        if above.shape[1:] != below.shape[1:]:
            raise ValueError(
                f"X_eval must have the columns of X; X has shape {above.shape}, X_eval "
                f"{below.shape}."
            )
        return np.concatenate([above, below]), target
    if not isinstance(below, pd.DataFrame) or set(below.columns) != set(above.columns):
        got = list(below.columns) if isinstance(below, pd.DataFrame) else type(below).__name__
        raise ValueError(f"X_eval must have the columns of X, {list(above.columns)}; got {got}.")
    columns = {name: _stack(above[name], below[name]) for name in above.columns}
    return pd.DataFrame(columns), target


def _as_row_values(y: Any) -> np.ndarray:
    values = np.asarray(y)
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values


def stack_weights(
    sample_weight: Any, sample_weight_eval: Any, n_fit: int, n_evaluation: int
) -> Vector | None:
    """Return the weights of the rows to learn from, then of those to evaluate on; 1 if not given.

    The two are compared with nothing but themselves, so each has mean 1 where positive.
    """
    if sample_weight is None and sample_weight_eval is None:
        return None
    parts = [
        check_weights(sample_weight, n_fit),
        check_weights(sample_weight_eval, n_evaluation, "sample_weight_eval"),
    ]
    return np.concatenate(
        [
            np.ones(n_rows) if part is None else as_relative(part)
            for part, n_rows in zip(parts, (n_fit, n_evaluation), strict=True)
        ]
    )


def without_weightless_rows(problem: Problem) -> Problem:
    """Return the problem without the rows of weight zero: they count as if they were not there."""
    if problem.weights is None or problem.weights.all():
        return problem
    kept = np.flatnonzero(problem.weights)
    rows = problem.rows(kept)
    n_fit = len(problem.y) - problem.n_evaluation
    n_evaluation = int(np.sum(kept >= n_fit)) if problem.n_evaluation else 0
    if len(kept) - n_evaluation < MINIMUM_ROWS:
        raise ValueError(
            f"sample_weight must be positive for at least {MINIMUM_ROWS} rows of X; it is for "
            f"{len(kept) - n_evaluation}."
        )
    return replace(problem, X=rows.X, y=rows.y, weights=rows.weights, n_evaluation=n_evaluation)


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
        if column in named:
            raise ValueError(f"fill names column {problem.index.names[column]!r} twice.")
        named[column] = check_number(f"fill[{name!r}]", value) if levels is None else value
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
        raise ValueError(f"measure must hold measures of different names; got {names}.")
    return measures


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
