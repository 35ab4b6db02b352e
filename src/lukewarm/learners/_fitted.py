"""Estimators the user has already trained."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from lukewarm._typing import Features
from lukewarm.data import FeatureIndex
from lukewarm.measures import Task


def check_fitted(estimator: Any, task: Task) -> None:
    """Raise when a model named as trained is not, or knows another number of classes."""
    is_fitted = getattr(estimator, "is_fitted", None)
    if is_fitted is not None and not is_fitted():
        raise NotFittedError(_not_fitted(estimator))
    if is_fitted is None:
        try:
            check_is_fitted(estimator)
        except NotFittedError:
            raise NotFittedError(_not_fitted(estimator)) from None
    classes = getattr(estimator, "classes_", None)
    if task.is_regression or classes is None:
        return
    if len(classes) != task.n_classes:
        raise ValueError(
            f"model was trained on {len(classes)} classes, but y has {task.n_classes}; pass rows "
            "of all the classes."
        )
    if list(classes) != sorted(classes):
        raise ValueError(
            f"model was trained with its classes in the order {list(classes)}, but codes follow "
            f"{sorted(classes)}; train it with weights of classes in that order."
        )


def share_set_aside(model: Any) -> float:
    """Return the share of its rows that a trained model kept to validate or stop itself by.

    Examples
    --------
    >>> from sklearn.neural_network import MLPRegressor
    >>> share_set_aside(MLPRegressor()), share_set_aside(MLPRegressor(early_stopping=True))
    (0.0, 0.1)
    """
    steps = getattr(model, "steps", None)
    if steps:
        return share_set_aside(steps[-1][1])
    if hasattr(model, "best_estimator_"):
        return share_set_aside(model.best_estimator_)
    # skorch: a number of folds, of which one is kept, or a share.
    kept = getattr(getattr(model, "train_split", None), "cv", None)
    if isinstance(kept, int | float):
        return 1 / kept if kept > 1 else float(kept)
    # scikit-learn, from the surest sign to the faintest: what a booster of histograms did, what a
    # network or a booster of exact trees was told to do.
    is_patient = getattr(model, "n_iter_no_change", None) is not None
    stops = getattr(model, "do_early_stopping_", getattr(model, "early_stopping", is_patient))
    fraction = getattr(model, "validation_fraction", None)
    return fraction if stops and isinstance(fraction, float) else 0.0


def check_columns_seen(model: Any, index: FeatureIndex) -> None:
    """Raise when a trained model knows other columns than those of X, or in another order."""
    n_seen = getattr(model, "n_features_in_", len(index))
    if n_seen != len(index):
        raise ValueError(
            f"model was trained on {n_seen} features, but X has {len(index)}; pass the columns it "
            "was trained on."
        )
    seen = _names_seen(model)
    if seen is None or index.labels is None:
        return
    if [_without_blanks(name) for name in seen] != [_without_blanks(name) for name in index.names]:
        raise ValueError(
            f"X must have the columns the model was trained on, in their order, "
            f"{[str(name) for name in seen]}; got {list(index.names)}."
        )


def _names_seen(model: Any) -> Any:
    """Return the names a model was trained with; None where it was with an array."""
    package = type(model).__module__.partition(".")[0]
    if package == "lightgbm" and hasattr(model, "feature_name"):
        names = model.feature_name()
        return None if names == [f"Column_{number}" for number in range(len(names))] else names
    if package == "xgboost" and type(model).__name__ == "Booster":
        return model.feature_names
    return getattr(model, "feature_names_in_", None)


def _without_blanks(name: Any) -> str:
    # LightGBM keeps "a b" as "a_b", XGBoost the levels of a name with a blank between them.
    return re.sub(r"\s", "_", str(name))


def as_seen(model: Any, X: Features) -> Features:
    """Return the rows with the column names the model was trained with, where it was with names."""
    names = getattr(model, "feature_names_in_", None)
    if names is None or isinstance(X, pd.DataFrame):
        return X
    return pd.DataFrame(np.asarray(X), columns=list(names))


def as_numbers(X: Features) -> Features:
    """Return a frame without categories as a float matrix; anything else as it is."""
    if isinstance(X, pd.DataFrame) and (X.dtypes == "float64").all():
        return X.to_numpy()
    return X


def _not_fitted(estimator: Any) -> str:
    return (
        f"prefit=True needs a trained model, but this {type(estimator).__name__} is not fitted; "
        "fit it first, or leave prefit out."
    )
