"""Whether numbers or classes are predicted: who says so, and what to do in doubt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier, is_regressor

from lukewarm._typing import Vector
from lukewarm._validation import check_choice
from lukewarm._warnings import warn_user
from lukewarm.exceptions import TaskWarning
from lukewarm.measures import Measure, Task, needs_classes

TASKS = ("auto", "regression", "classification")
# Parts of a split must each have a chance of a row of every class.
MINIMUM_ROWS_PER_CLASS = 5
# Numbers of more values are counts or measurements rather than codes of classes.
_MOST_CODES = 20


def is_classification(task: Any, y: Any, model: Any, measures: tuple[Measure, ...] | None) -> bool:
    """Return whether `y` holds classes: by `task`, else by the labels, the model, the measures.

    Parameters
    ----------
    task : {"auto", "regression", "classification"}
    y : array-like
    model
        As the user gave it.
    measures : tuple of Measure, or None where the user named none
    """
    task = check_choice("task", task, TASKS)
    if task == "auto":
        is_of_classes = _task_of_model(model) == "classification" or _need_classes(measures)
        return is_of_classes or _holds_labels(y)
    if _task_of_model(model) not in (None, task):
        kind, other = (
            ("regressor", "classifier") if task == "classification" else ("classifier", "regressor")
        )
        raise ValueError(
            f"model is a {type(model).__name__}, a {kind}, but task={task!r}; pass a {other}, or "
            "leave task out."
        )
    if task == "regression" and _need_classes(measures):
        named = next(each.name for each in measures or () if needs_classes(each))
        raise ValueError(
            f"measure {named!r} needs classes, but task='regression'; use neg_mse, r2 or neg_mae, "
            "or task='classification'."
        )
    return task == "classification"


def warn_of_codes(
    task: str, target: Vector, model: Any, measures: tuple[Measure, ...] | None
) -> None:
    """Warn when nobody chose a regression and the target looks like class codes.

    Few whole numbers, each in several rows: the largest values of a count have a row or two, and
    a class with so few rows could not be learnt anyway.

    Parameters
    ----------
    task : str
        What the user asked for.
    target : array-like of shape (n,)
    model, measures
        As the user gave them: a model or a measure of one kind is a choice.
    """
    if task != "auto" or measures is not None or _task_of_model(model) is not None:
        return
    if not np.array_equal(target, np.round(target)):
        return
    codes, counts = np.unique(target, return_counts=True)
    if len(codes) > _MOST_CODES or counts.min() < MINIMUM_ROWS_PER_CLASS:
        return
    listed = ", ".join(f"{code:g}" for code in codes[:4]) + (", ..." if len(codes) > 4 else "")
    warn_user(
        f"y holds only {len(codes)} whole numbers ({listed}) and is taken for a quantity, as for "
        "task='regression'. If they are codes of classes, pass task='classification'; to keep the "
        "numbers, pass task='regression'. On the command line: --task classification, --task "
        "regression.",
        TaskWarning,
    )


def _task_of_model(model: Any) -> str | None:
    """Return what an estimator is made for; None for a name, a module, a learner."""
    # A class in the place of an object is refused when it is to become a learner.
    if isinstance(model, str | type) or not hasattr(model, "fit"):
        return None
    try:
        is_of_classes, is_of_numbers = is_classifier(model), is_regressor(model)
    except (AttributeError, TypeError):  # an estimator without scikit-learn's tags
        is_of_classes, is_of_numbers = classifies(model), False
    if is_of_classes:
        return "classification"
    return "regression" if is_of_numbers else None


def _need_classes(measures: tuple[Measure, ...] | None) -> bool:
    return any(needs_classes(each) for each in measures or ())


def _holds_labels(y: Any) -> bool:
    """Return whether `y` holds text, flags or categories."""
    return not _is_numeric(y) and not _holds_numbers(y)


def _is_numeric(y: Any) -> bool:
    dtype = getattr(y, "dtype", None)
    if dtype is None:
        dtype = np.asarray(y).dtype
    types = pd.api.types
    return types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype)


def _holds_numbers(y: Any) -> bool:
    """Return whether an object array holds numbers after all (bools are classes)."""
    values = np.asarray(y)
    if values.dtype.kind != "O" or any(isinstance(value, bool) for value in values.flat):
        return False
    return all(isinstance(value, int | float | np.number) for value in values.flat)


def classifies(estimator: Any) -> bool:
    """Return whether an estimator (or the last step of a pipeline) is a classifier.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression, LogisticRegression
    >>> classifies(LinearRegression()), classifies(LogisticRegression())
    (False, True)
    """
    steps = getattr(estimator, "steps", None)
    if steps:
        return classifies(steps[-1][1])
    if any("Classifier" in kind.__name__ for kind in type(estimator).__mro__):
        return True
    # A search or another wrapper is what the estimator in it is; its tags say so.
    return hasattr(estimator, "__sklearn_tags__") and is_classifier(estimator)


def check_task(estimator: Any, task: Task) -> None:
    """Raise when a classifier is to predict numbers, or a regressor classes."""
    name = type(estimator).__name__
    if classifies(estimator) and task.is_regression:
        raise TypeError(
            f"model is a {name}, a classifier, but the target is numeric; pass a regressor."
        )
    if not classifies(estimator) and not task.is_regression:
        raise TypeError(
            f"model is a {name}, a regressor, but the target has {task.n_classes} classes; pass a "
            "classifier."
        )
