"""Columns of numbers that only a model's settings call categorical."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Features
from lukewarm.learners._base import BaseLearner
from lukewarm.learners._model_wrapper import ModelWrapper

# As LightGBM, CatBoost and HistGradientBoosting call the setting; XGBoost has one kind per column.
_SETTINGS = (
    *("categorical_feature", "cat_feature", "categorical_column", "cat_column"),
    *("categorical_features", "cat_features"),
)
_KINDS = "feature_types"
_LIGHTGBM_NAMES = "name:"


def level_columns(learner: BaseLearner, X: Features) -> frozenset[int]:
    """Return the places of the columns that a booster's settings call categorical.

    Parameters
    ----------
    learner : BaseLearner
        Of a pipeline they are columns behind the transformers, not those of X, and are left out.
    X : ndarray or DataFrame of shape (n, p)

    Examples
    --------
    >>> from sklearn.ensemble import HistGradientBoostingRegressor
    >>> from lukewarm.learners import from_model
    >>> from lukewarm.measures import Task
    >>> model = HistGradientBoostingRegressor(categorical_features=["kind"])
    >>> learner = from_model(model, task=Task(), seed=0)
    >>> level_columns(learner, pd.DataFrame({"size": [1.0], "kind": [2.0]}))
    frozenset({1})
    """
    if not isinstance(learner, ModelWrapper):
        return frozenset()
    estimator = learner.estimator
    if not hasattr(estimator, "get_params"):  # a torch module
        return frozenset()
    settings = estimator.get_params(deep=False)
    kinds = settings.get(_KINDS)
    # A string is XGBoost's name for one kind of all columns.
    every = [kinds] * X.shape[1] if isinstance(kinds, str) else (kinds or [])
    places = {place for place, kind in enumerate(every) if kind == "c"}
    for name in _SETTINGS:
        places |= _places(_listed(settings.get(name)), X)
    if hasattr(estimator, "get_cat_feature_indices") and estimator.is_fitted():
        places |= set(estimator.get_cat_feature_indices())
    return frozenset(place for place in places if 0 <= place < X.shape[1])


def _listed(given: Any) -> list[Any]:
    """Return names, places or one flag per column; LightGBM also takes text for a list of them."""
    if given is None or (isinstance(given, str) and given in ("auto", "from_dtype", "")):
        return []
    if isinstance(given, str):
        if given.startswith(_LIGHTGBM_NAMES):
            return given[len(_LIGHTGBM_NAMES) :].split(",")
        parts = given.split(",")
        return [int(part) for part in parts] if all(map(str.isdecimal, parts)) else parts
    return list(given) if isinstance(given, Iterable) else [given]


def _places(keys: list[Any], X: Features) -> set[int]:
    if keys and all(isinstance(key, bool | np.bool_) for key in keys):
        return set(np.flatnonzero(keys).tolist())
    labels = list(X.columns) if isinstance(X, pd.DataFrame) else []
    by_name = {str(label): place for place, label in enumerate(labels)}
    return {
        by_name.get(key, -1) if isinstance(key, str) else int(key)  # engines refuse unknown names
        for key in keys
    }
