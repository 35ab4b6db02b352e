"""From whatever the user calls a model to a learner."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lukewarm._validation import check_choice
from lukewarm.learners._base import Learner, LengthensSteps, StagedLearner
from lukewarm.learners._fitted import check_fitted
from lukewarm.learners._predict_only import predicts
from lukewarm.learners._task import classifies

# (top package, class): the learner that wraps such a class or a subclass of it. Looked up along
# the type's bases, so an engine the user has not imported is not imported here either.
_BY_TYPE = {
    ("lukewarm", "ObliviousBoostingRegressor"): "learner_of_boosting",
    ("lukewarm", "ObliviousBoostingClassifier"): "learner_of_boosting",
    ("lukewarm", "KernelMachineRegressor"): "learner_of_kernel",
    ("lukewarm", "KernelMachineClassifier"): "learner_of_kernel",
    ("catboost", "CatBoostRegressor"): "CatBoostLearner",
    ("catboost", "CatBoostClassifier"): "CatBoostLearner",
    ("lightgbm", "LGBMRegressor"): "LightGBMLearner",
    ("lightgbm", "LGBMClassifier"): "LightGBMLearner",
    ("xgboost", "XGBRegressor"): "XGBoostLearner",
    ("xgboost", "XGBClassifier"): "XGBoostLearner",
    ("sklearn", "HistGradientBoostingRegressor"): "HistGradientBoostingLearner",
    ("sklearn", "HistGradientBoostingClassifier"): "HistGradientBoostingLearner",
    ("sklearn", "GradientBoostingRegressor"): "GradientBoostingLearner",
    ("sklearn", "GradientBoostingClassifier"): "GradientBoostingLearner",
    ("sklearn", "MLPRegressor"): "PartialFitLearner",
    ("sklearn", "MLPClassifier"): "PartialFitLearner",
    ("sklearn", "SGDRegressor"): "PartialFitLearner",
    ("sklearn", "SGDClassifier"): "PartialFitLearner",
    ("skorch", "NeuralNet"): "SkorchLearner",
    ("torch", "Module"): "TorchLearner",
    ("sklearn", "Pipeline"): "PipelineLearner",
    ("sklearn", "LinearRegression"): "LinearLearner",
    ("sklearn", "Ridge"): "LinearLearner",
    ("sklearn", "LogisticRegression"): "LinearLearner",
    ("sklearn", "RandomForestRegressor"): "BaggedTreesLearner",
    ("sklearn", "RandomForestClassifier"): "BaggedTreesLearner",
    ("sklearn", "ExtraTreesRegressor"): "BaggedTreesLearner",
    ("sklearn", "ExtraTreesClassifier"): "BaggedTreesLearner",
    ("sklearn", "DecisionTreeRegressor"): "BaggedTreesLearner",
    ("sklearn", "DecisionTreeClassifier"): "BaggedTreesLearner",
    ("lightgbm", "Booster"): "PredictOnlyLearner",
    ("xgboost", "Booster"): "PredictOnlyLearner",
    ("lukewarm", "Predictor"): "PredictOnlyLearner",
}
_BY_NAME = {
    "auto": "AutoLearner",
    "boosting": "ObliviousBoosting",
    "network": "Network",
    "kernel": "KernelMachine",
    "catboost": "CatBoostLearner",
}
MODELS = tuple(_BY_NAME)
_SUPPORTED = (
    "an estimator of CatBoost, LightGBM or XGBoost, HistGradientBoosting, GradientBoosting, MLP or "
    "SGD of scikit-learn, a skorch net, a torch.nn.Module, a Pipeline that ends in one of these, "
    "any other estimator with fit and predict (not for early_stopping), a function of the rows or "
    "any other object that predicts (with prefit=True), or an object with the methods of "
    "lukewarm.learners.Learner"
)


def as_learner(
    model: Any,
    *,
    n_classes: int | None,
    seed: int,
    prefit: bool = False,
) -> Learner:
    """Return a learner for `model`, untrained unless `prefit`.

    Parameters
    ----------
    model : str, estimator, torch.nn.Module or Learner
        A name ("auto", "boosting", "network", "kernel", "catboost"), an estimator of a supported
        library, a module, or anything that follows the learner protocol. It is never changed; of a
        fitted estimator only the settings count, unless `prefit`.
    n_classes : int or None
        None for regression.
    seed : int
    prefit : bool, default False
        Whether the learner stands where `model` stands, trained by the user.

    Examples
    --------
    >>> from catboost import CatBoostRegressor
    >>> learner = as_learner(CatBoostRegressor(iterations=300), n_classes=None, seed=0)
    >>> type(learner).__name__, learner.max_steps
    ('CatBoostLearner', 300)
    >>> as_learner("forest", n_classes=None, seed=0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: model must be one of 'auto', 'boosting', ..., 'catboost'; got 'forest'.
    """
    if isinstance(model, str):
        return _by_name(model, n_classes, seed, prefit)
    if isinstance(model, type):
        raise TypeError(f"model must be an object, not a class; pass {model.__name__}(...).")
    if isinstance(model, Learner):
        return model.copy(seed) if prefit else _of_learner(model, n_classes, seed)
    wrapper = _wrapper_of(model)
    if wrapper == "PipelineLearner":
        return _of_pipeline(model, n_classes, seed, prefit)
    if prefit:
        return _of_trained(wrapper, model, n_classes, seed)
    if wrapper == "PredictOnlyLearner":
        raise TypeError(
            f"model is a {type(model).__name__}, which predicts and cannot be trained; pass "
            "prefit=True, and rows it has not seen as X_eval and y_eval."
        )
    learner = _load(wrapper)(model, n_classes=n_classes, seed=seed)
    # A module is drawn anew: what it may have learnt before must not reach the evaluation rows.
    return learner.fresh(seed) if wrapper == "TorchLearner" else learner


def _wrapper_of(model: Any) -> str:
    for kind in type(model).__mro__:
        wrapper = _BY_TYPE.get((kind.__module__.partition(".")[0], kind.__name__))
        if wrapper is not None and not _takes_no_steps(wrapper, model):
            return wrapper
    # Some have `predict` only once they are fitted; their class always has it.
    if hasattr(type(model), "predict") and all(
        hasattr(model, method) for method in ("fit", "get_params")
    ):
        return "RefitOnlyLearner"
    if predicts(model):
        return "PredictOnlyLearner"
    listed = ", ".join(repr(name) for name in _BY_NAME)
    raise TypeError(f"model must be {listed}, {_SUPPORTED}; got {type(model).__name__}.")


def _takes_no_steps(wrapper: str, model: Any) -> bool:
    if wrapper != "PartialFitLearner":
        return False
    # L-BFGS has a memory that ends with each fit; scores without probabilities have no log-loss.
    return getattr(model, "solver", None) == "lbfgs" or (
        classifies(model) and not hasattr(model, "predict_proba")
    )


def _by_name(name: str, n_classes: int | None, seed: int, prefit: bool) -> Learner:
    learner = _load(_BY_NAME[check_choice("model", name, _BY_NAME)])
    if prefit:
        raise ValueError(f"prefit=True needs a trained model; got the name {name!r}.")
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


def _of_trained(wrapper: str, model: Any, n_classes: int | None, seed: int) -> Learner:
    if wrapper == "learner_of_boosting":
        check_fitted(model, n_classes)
        return model.learner_.copy(seed)
    if wrapper == "learner_of_kernel":
        check_fitted(model, n_classes)
        return _load("KernelMachine").from_fitted(model, n_classes=n_classes, seed=seed)
    return _load(wrapper).from_fitted(model, n_classes=n_classes, seed=seed)


def _of_pipeline(pipeline: Any, n_classes: int | None, seed: int, prefit: bool) -> Learner:
    last = as_learner(pipeline.steps[-1][1], n_classes=n_classes, seed=seed, prefit=prefit)
    name = "PipelineLearner"
    if isinstance(last, LengthensSteps):
        name = "LengtheningPipelineLearner"
    if isinstance(last, StagedLearner):
        name = "StagedPipelineLearner"
    kind = _load(name)
    make = kind.from_fitted if prefit else kind
    return make(pipeline, last)


def _load(name: str) -> Any:
    return getattr(import_module("lukewarm.learners"), name)
