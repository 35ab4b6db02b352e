"""Whether an estimator classifies, found without importing its library."""

from __future__ import annotations

from typing import Any

from sklearn.base import is_classifier


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


def check_task(estimator: Any, n_classes: int | None) -> None:
    """Raise when a classifier is to predict numbers, or a regressor classes."""
    name = type(estimator).__name__
    if classifies(estimator) and n_classes is None:
        raise TypeError(
            f"model is a {name}, a classifier, but the target is numeric; pass a regressor."
        )
    if not classifies(estimator) and n_classes is not None:
        raise TypeError(
            f"model is a {name}, a regressor, but the target has {n_classes} classes; pass a "
            "classifier."
        )


def check_can_go_on(model: Any, learner: Any, method: Any) -> None:
    """Raise when a method that goes on training is asked of a model that cannot."""
    if method in ("early_stopping", "cross_validated_stopping") and not getattr(
        learner, "can_warm_start", True
    ):
        raise TypeError(cannot_go_on(model))


def cannot_go_on(model: Any) -> str:
    """Return why early stopping is not for this model, and what is."""
    return (
        f"a {type(model).__name__} cannot be warm-started; use method='projection', 'retrain' or "
        "'dropout' with it, or a model that can go on: 'boosting', 'network', CatBoost, "
        "LightGBM, XGBoost, HistGradientBoosting, GradientBoosting, MLP (sgd or adam), SGD "
        "(a classifier with loss='log_loss'), skorch or a torch module."
    )
