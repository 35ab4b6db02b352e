"""What boosters of other libraries are that are no regressors or classifiers by their class."""

from __future__ import annotations

import json
from typing import Any

from lukewarm.learners._objectives import known_measure
from lukewarm.measures import MeanLoss, NegMSE, Task


def of_its_task(model: Any, task: Task) -> Any:
    """Return a plain `catboost.CatBoost` as the regressor or classifier it is; others as they are.

    Examples
    --------
    >>> from catboost import CatBoost
    >>> type(of_its_task(CatBoost({"iterations": 5}), Task())).__name__
    'CatBoostRegressor'
    """
    if _full_name(model) != "catboost.CatBoost":
        return model
    import catboost

    if not model.is_fitted():
        kinds = catboost.CatBoostRegressor, catboost.CatBoostClassifier
        return kinds[not task.is_regression](**model.get_params())
    convert = catboost.to_regressor if task.is_regression else catboost.to_classifier
    try:
        return convert(model)
    except catboost.CatBoostError as error:
        wanted = "numbers" if task.is_regression else "classes"
        raise ValueError(
            f"model is a CatBoost that was not trained to predict {wanted}: {error}. Pass task= "
            "for the target it was trained on."
        ) from None


def measure_of_booster(model: Any) -> MeanLoss:
    """Return the measure of a native booster's objective; squared error for anything else.

    Examples
    --------
    >>> import lightgbm, numpy as np
    >>> rows = lightgbm.Dataset(np.arange(60.0)[:, np.newaxis], np.arange(60.0))
    >>> settings = {"objective": "quantile", "alpha": 0.8, "verbose": -1}
    >>> measure_of_booster(lightgbm.train(settings, rows, 2)).name
    'pinball(0.8)'
    """
    name = _full_name(model)
    if name == "lightgbm.Booster":
        return known_measure("LightGBM", model.params.get("objective"), model.params)
    if name == "xgboost.Booster":
        objective = json.loads(model.save_config())["learner"]["objective"]
        settings = {
            key: json.loads(value)
            for part in objective.values()
            if isinstance(part, dict)
            for key, value in part.items()
        }
        return known_measure("XGBoost", objective["name"], settings)
    return NegMSE()


def _full_name(model: Any) -> str:
    kind = type(model)
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
