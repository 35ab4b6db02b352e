"""From whatever the user calls a model to a learner: one entry for each kind of model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lukewarm._optional import require
from lukewarm._validation import check_choice
from lukewarm.learners._adapter import as_learner
from lukewarm.learners._base import BaseLearner, Learner
from lukewarm.learners._booster_models import of_its_task
from lukewarm.learners._outputs import (
    PerOutputLearner,
    model_of_one_output,
    quantile_models,
    takes_several_outputs,
)
from lukewarm.learners._predict_only import predicts
from lukewarm.learners._task import classifies
from lukewarm.measures import Task


def _every_model(model: Any) -> bool:
    return True


@dataclass(frozen=True)
class Entry:
    """A kind of model and the learner that wraps it.

    Parameters
    ----------
    package : str
        The top package of the types. They are looked up by name along a model's bases, so an engine
        that the user has not imported is not imported here either.
    types : tuple of str
        Names of classes; subclasses are wrapped, too.
    wrapper : str
        The learner's class, whose ``from_model(model, task=, seed=, prefit=)`` wraps a model.
    module : str
        Where the wrapper is, below lukewarm.learners.
    label : str
        How messages name the models.
    extra : str, optional
        The extra of this package that installs the engine.
    can_warm_start : bool, default True
        Whether the models can be trained further.
    suits : callable from a model to bool
        Whether the wrapper is for this object of the types; all of them by default.
    """

    package: str
    types: tuple[str, ...]
    wrapper: str
    module: str
    label: str
    extra: str | None = None
    can_warm_start: bool = True
    suits: Callable[[Any], bool] = _every_model

    def load(self) -> Any:
        """Return the wrapper's class, with its engine imported."""
        return getattr(import_module(f"lukewarm.learners.{self.module}"), self.wrapper)


def _pair(name: str) -> tuple[str, str]:
    return f"{name}Regressor", f"{name}Classifier"


def _takes_epochs(model: Any) -> bool:
    # L-BFGS has a memory that ends with each fit; scores without probabilities have no log-loss.
    gives_log_loss = not classifies(model) or hasattr(model, "predict_proba")
    return gives_log_loss and getattr(model, "solver", None) != "lbfgs"


def _bags_trees(model: Any) -> bool:
    # Nothing named is a tree.
    return model.estimator is None or type(model.estimator).__name__.startswith(
        ("DecisionTree", "ExtraTree")
    )


def _adds_trees(model: Any) -> bool:
    # Bagged trees, trees that are dropped again, and lines are no sum to add to: fitted as a whole.
    kind = getattr(model, "boosting_type", "gbdt"), getattr(model, "booster", None)
    return not {"rf", "dart", "gblinear"} & {each for each in kind if isinstance(each, str)}


ENTRIES = (
    Entry("lukewarm", _pair("ObliviousBoosting"), "ObliviousBoosting", "boosting", "'boosting'"),
    Entry("lukewarm", _pair("KernelMachine"), "KernelMachine", "kernel", "'kernel'"),
    Entry(
        "catboost",
        _pair("CatBoost"),
        "CatBoostLearner",
        "boosters._catboost",
        "CatBoost",
        "catboost",
    ),
    Entry(
        "lightgbm",
        _pair("LGBM"),
        "LightGBMLearner",
        "boosters._lightgbm",
        "LightGBM",
        "lightgbm",
        suits=_adds_trees,
    ),
    Entry(
        "xgboost",
        _pair("XGB"),
        "XGBoostLearner",
        "boosters._xgboost",
        "XGBoost",
        "xgboost",
        suits=_adds_trees,
    ),
    Entry(
        "sklearn",
        _pair("HistGradientBoosting"),
        "HistGradientBoostingLearner",
        "boosters._hist_gradient",
        "HistGradientBoosting",
    ),
    Entry(
        "sklearn",
        _pair("GradientBoosting"),
        "GradientBoostingLearner",
        "boosters._gradient",
        "GradientBoosting",
    ),
    Entry(
        "sklearn",
        _pair("MLP"),
        "PartialFitLearner",
        "sklearn._epochs",
        "MLP (sgd or adam)",
        suits=_takes_epochs,
    ),
    Entry(
        "sklearn",
        _pair("SGD"),
        "PartialFitLearner",
        "sklearn._epochs",
        "SGD (a classifier with loss='log_loss')",
        suits=_takes_epochs,
    ),
    Entry("skorch", ("NeuralNet",), "SkorchLearner", "torch._skorch", "a skorch net", "skorch"),
    Entry("torch", ("Module",), "TorchLearner", "torch._learner", "a torch.nn.Module", "torch"),
    Entry("sklearn", ("Pipeline",), "PipelineLearner", "sklearn._pipeline", "a Pipeline of these"),
    Entry(
        "sklearn",
        ("LinearRegression", "Ridge", "LogisticRegression"),
        "LinearLearner",
        "sklearn._linear",
        "linear models",
        can_warm_start=False,
    ),
    Entry(
        "sklearn",
        (*_pair("RandomForest"), *_pair("ExtraTrees"), *_pair("DecisionTree")),
        "BaggedTreesLearner",
        "sklearn._bagged",
        "forests and trees",
        can_warm_start=False,
    ),
    Entry(
        "sklearn",
        _pair("Bagging"),
        "BaggedTreesLearner",
        "sklearn._bagged",
        "bagged trees",
        can_warm_start=False,
        suits=_bags_trees,
    ),
    Entry(
        "sklearn",
        ("BaseSearchCV",),
        "SearchLearner",
        "sklearn._search",
        "searches over settings",
        can_warm_start=False,
    ),
)
# Any other estimator: it can be trained as a whole, not a step at a time.
REFIT_ONLY = Entry(
    "",
    (),
    "RefitOnlyLearner",
    "sklearn._refit_only",
    "any other estimator (but for early stopping)",
    can_warm_start=False,
)
# Whatever predicts and is no estimator; a Predictor is one by its type.
PREDICT_ONLY = Entry(
    "lukewarm",
    ("Predictor",),
    "PredictOnlyLearner",
    "_predict_only",
    "a function of the rows or any other object that predicts (with prefit=True)",
    can_warm_start=False,
)
_BY_TYPE = {
    (entry.package, name): entry for entry in (*ENTRIES, PREDICT_ONLY) for name in entry.types
}


def _named(name: str) -> Callable[[Task, int], BaseLearner]:
    def make(task: Task, seed: int) -> BaseLearner:
        kind = getattr(import_module("lukewarm.learners"), name)
        return kind(n_classes=task.n_classes, seed=seed)

    return make


def _catboost(task: Task, seed: int) -> BaseLearner:
    return _BY_TYPE["catboost", "CatBoostRegressor"].load().named(task=task, seed=seed)


def _estimator(
    module: str, regressor: str, classifier: str, extra: str = "", **settings: Any
) -> Callable[[Task, int], BaseLearner]:
    """Return how to make the learner of an estimator with these settings."""

    def make(task: Task, seed: int) -> BaseLearner:
        name = regressor if task.is_regression else classifier
        model = getattr(require(module, extra), name)(**settings)
        return from_model(model, task=task, seed=seed)

    return make


_BY_NAME: dict[str, Callable[[Task, int], BaseLearner]] = {
    "auto": _named("AutoLearner"),
    "boosting": _named("ObliviousBoosting"),
    "network": _named("Network"),
    "kernel": _named("KernelMachine"),
    "catboost": _catboost,
    # As many trees as CatBoost has by default; the stopping rows end training before.
    "lightgbm": _estimator(
        "lightgbm", *_pair("LGBM"), extra="lightgbm", n_estimators=1000, verbose=-1
    ),
    "xgboost": _estimator("xgboost", *_pair("XGB"), extra="xgboost", n_estimators=1000),
    "random_forest": _estimator("sklearn.ensemble", *_pair("RandomForest")),
    "linear": _estimator("sklearn.linear_model", "LinearRegression", "LogisticRegression"),
}
MODELS = tuple(_BY_NAME)


def from_model(model: Any, *, task: Task, seed: int, prefit: bool = False) -> BaseLearner:
    """Return a learner for `model`, untrained unless `prefit`.

    Parameters
    ----------
    model : str, estimator, torch.nn.Module, Learner, callable or object that predicts
        A name (one of `MODELS`), an estimator of any kind, a module, or any object with the methods
        of a learner; with `prefit` whatever predicts. It is never changed; of a fitted estimator
        only the settings count, unless `prefit`.
    task : Task
    seed : int
    prefit : bool, default False
        Whether the learner starts from `model` as the user has trained it.

    Examples
    --------
    >>> from catboost import CatBoostRegressor
    >>> learner = from_model(CatBoostRegressor(iterations=300), task=Task(), seed=0)
    >>> type(learner).__name__, learner.traits.max_steps
    ('CatBoostLearner', 300)
    >>> from_model("forest", task=Task(), seed=0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: model must be one of 'auto', 'boosting', ...; got 'forest'.
    """
    model = of_its_task(model, task)
    if task.n_targets > 1:
        return _of_outputs(model, task, seed, prefit)
    if isinstance(model, str):
        make = _BY_NAME[check_choice("model", model, _BY_NAME)]
        if prefit:
            raise ValueError(f"prefit=True needs a trained model; got the name {model!r}.")
        return make(task, seed)
    if isinstance(model, type):
        raise TypeError(f"model must be an object, not a class; pass {model.__name__}(...).")
    if isinstance(model, BaseLearner | Learner):
        return _of_learner(as_learner(model, task), task, seed, prefit)
    model = model_of_one_output(model, prefit)
    return _entry_of(model).load().from_model(model, task=task, seed=seed, prefit=prefit)


def _of_outputs(model: Any, task: Task, seed: int, prefit: bool) -> BaseLearner:
    """Return the learner of several outputs: the model as it is, or one like it for each."""
    is_named = isinstance(model, str | type | BaseLearner | Learner)
    if not is_named and (prefit or takes_several_outputs(model)):
        entry = _entry_of(model)
        if entry.package in ("torch", "skorch"):
            raise TypeError(
                f"a {type(model).__name__} has one output here, and y has {task.n_targets}; pass a "
                "function of the rows that asks the trained network, with prefit=True."
            )
        # Learners that take steps have one output; what is left is a model fitted as a whole.
        entry = REFIT_ONLY if entry.can_warm_start else entry
        return entry.load().from_model(model, task=task, seed=seed, prefit=prefit)
    models = list(quantile_models(model).values()) or [model] * task.n_targets
    if len(models) != task.n_targets:
        raise ValueError(
            f"model predicts {len(models)} quantiles, and y has {task.n_targets} columns; pass one "
            "column of y, or a model of one quantile."
        )
    return PerOutputLearner(
        [from_model(each, task=Task(), seed=seed, prefit=prefit) for each in models]
    )


def _of_learner(learner: BaseLearner, task: Task, seed: int, prefit: bool) -> BaseLearner:
    if prefit:
        return learner.copy(seed)
    if task.n_classes is None:
        return learner.fresh(seed)
    return learner.for_classes(task.n_classes).fresh(seed)


def _entry_of(model: Any) -> Entry:
    for kind in type(model).__mro__:
        entry = _BY_TYPE.get((kind.__module__.partition(".")[0], kind.__name__))
        if entry is not None and entry.suits(model):
            return entry
    # Some have `predict` only once they are fitted; their class always has it.
    if hasattr(type(model), "predict") and hasattr(model, "fit") and hasattr(model, "get_params"):
        return REFIT_ONLY
    if predicts(model):
        return PREDICT_ONLY
    names = ", ".join(repr(name) for name in MODELS)
    raise TypeError(
        f"model must be one of {names}, {_labels(*ENTRIES, REFIT_ONLY, PREDICT_ONLY)}, or an "
        f"object with the methods of lukewarm.learners.Learner; got {type(model).__name__}."
    )


def cannot_warm_start(model_type: str) -> str:
    """Return why early stopping is not for a model of this type, and what is."""
    return (
        f"a {model_type} cannot be warm-started; use method='projection', 'retrain' or 'dropout' "
        "with it, or a model that can be trained further: 'boosting', 'network', "
        f"{_labels(*(entry for entry in ENTRIES if entry.can_warm_start))}."
    )


def _labels(*entries: Entry) -> str:
    # Our own models are known by their names.
    return ", ".join(entry.label for entry in entries if entry.label.strip("'") not in MODELS)
