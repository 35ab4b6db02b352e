"""From whatever the user calls a model to a learner."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lukewarm._validation import check_choice
from lukewarm.learners._base import Learner

# (top package, class): the learner that wraps such a class or a subclass of it. Looked up along
# the type's bases, so an engine the user has not imported is not imported here either.
_BY_TYPE = {
    ("lukewarm", "ObliviousBoostingRegressor"): "learner_of_boosting",
    ("lukewarm", "ObliviousBoostingClassifier"): "learner_of_boosting",
    ("catboost", "CatBoostRegressor"): "CatBoostLearner",
    ("catboost", "CatBoostClassifier"): "CatBoostLearner",
    ("torch", "Module"): "TorchLearner",
}
_BY_NAME = {
    "boosting": "ObliviousBoosting",
    "network": "Network",
    "catboost": "CatBoostLearner",
}
_SUPPORTED = (
    "CatBoostRegressor, CatBoostClassifier, a torch.nn.Module, or an object with the methods of "
    "lukewarm.learners.Learner"
)


def as_learner(model: Any, *, n_classes: int | None, seed: int) -> Learner:
    """Return an untrained learner for `model`.

    Parameters
    ----------
    model : str, estimator, torch.nn.Module or Learner
        A name ("boosting", "network", "catboost"), an estimator of a supported library, a module,
        or anything that follows the learner protocol. It is never changed; of a fitted estimator
        only the settings count.
    n_classes : int or None
        None for regression.
    seed : int

    Examples
    --------
    >>> from catboost import CatBoostRegressor
    >>> learner = as_learner(CatBoostRegressor(iterations=300), n_classes=None, seed=0)
    >>> type(learner).__name__, learner.max_steps
    ('CatBoostLearner', 300)
    >>> as_learner("forest", n_classes=None, seed=0)
    Traceback (most recent call last):
        ...
    ValueError: model must be one of 'boosting', 'network', 'catboost'; got 'forest'.
    """
    if isinstance(model, str):
        return _by_name(model, n_classes, seed)
    if not isinstance(model, type):
        if isinstance(model, Learner):
            return _of_learner(model, n_classes, seed)
        for kind in type(model).__mro__:
            wrapper = _BY_TYPE.get((kind.__module__.partition(".")[0], kind.__name__))
            if wrapper is not None:
                return _load(wrapper)(model, n_classes=n_classes, seed=seed)
    raise TypeError(_unsupported(model))


def _by_name(name: str, n_classes: int | None, seed: int) -> Learner:
    learner = _load(_BY_NAME[check_choice("model", name, _BY_NAME)])
    if name == "catboost":
        return learner.named(n_classes=n_classes, seed=seed)
    return learner(n_classes=n_classes, seed=seed)


def _of_learner(model: Learner, n_classes: int | None, seed: int) -> Learner:
    if n_classes is None:
        return model.fresh(seed)
    if not hasattr(model, "for_classes"):
        raise TypeError(
            f"model is a {type(model).__name__}, which has no for_classes(n_classes) and so cannot "
            f"classify, but the target has {n_classes} classes."
        )
    return model.for_classes(n_classes).fresh(seed)


def _load(name: str) -> Any:
    return getattr(import_module("lukewarm.learners"), name)


def _unsupported(model: Any) -> str:
    if isinstance(model, type):
        return f"model must be an object, not a class; pass {model.__name__}(...)."
    listed = ", ".join(repr(name) for name in _BY_NAME)
    return f"model must be {listed}, {_SUPPORTED}; got {type(model).__name__}."
