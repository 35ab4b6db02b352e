"""From whatever the user calls a model to a learner: one entry for each kind of model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lukewarm._validation import check_choice
from lukewarm.learners._adapter import as_learner
from lukewarm.learners._base import BaseLearner, Learner
from lukewarm.measures import Task


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
    """

    package: str
    types: tuple[str, ...]
    wrapper: str
    module: str
    label: str
    extra: str | None = None

    def load(self) -> Any:
        """Return the wrapper's class, with its engine imported."""
        return getattr(import_module(f"lukewarm.learners.{self.module}"), self.wrapper)


def _pair(name: str) -> tuple[str, str]:
    return f"{name}Regressor", f"{name}Classifier"


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
        "lightgbm", _pair("LGBM"), "LightGBMLearner", "boosters._lightgbm", "LightGBM", "lightgbm"
    ),
    Entry("xgboost", _pair("XGB"), "XGBoostLearner", "boosters._xgboost", "XGBoost", "xgboost"),
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
    Entry("sklearn", _pair("MLP"), "PartialFitLearner", "sklearn._epochs", "MLP (sgd or adam)"),
    Entry("sklearn", _pair("SGD"), "PartialFitLearner", "sklearn._epochs", "SGD"),
    Entry("skorch", ("NeuralNet",), "SkorchLearner", "torch._skorch", "a skorch net", "skorch"),
    Entry("torch", ("Module",), "TorchLearner", "torch._learner", "a torch.nn.Module", "torch"),
    Entry("sklearn", ("Pipeline",), "PipelineLearner", "sklearn._pipeline", "a Pipeline of these"),
)
# Any other estimator: it can be trained as a whole, not a step at a time.
REFIT_ONLY = Entry(
    "",
    (),
    "RefitOnlyLearner",
    "sklearn._refit_only",
    "any other estimator (but for early stopping)",
)
_BY_TYPE = {(entry.package, name): entry for entry in ENTRIES for name in entry.types}


def _named(name: str) -> Callable[[Task, int], BaseLearner]:
    def make(task: Task, seed: int) -> BaseLearner:
        kind = getattr(import_module("lukewarm.learners"), name)
        return kind(n_classes=task.n_classes, seed=seed)

    return make


def _catboost(task: Task, seed: int) -> BaseLearner:
    return _BY_TYPE["catboost", "CatBoostRegressor"].load().named(task=task, seed=seed)


_BY_NAME: dict[str, Callable[[Task, int], BaseLearner]] = {
    "auto": _named("AutoLearner"),
    "boosting": _named("ObliviousBoosting"),
    "network": _named("Network"),
    "kernel": _named("KernelMachine"),
    "catboost": _catboost,
}
MODELS = tuple(_BY_NAME)


def from_model(model: Any, *, task: Task, seed: int, prefit: bool = False) -> BaseLearner:
    """Return a learner for `model`, untrained unless `prefit`.

    Parameters
    ----------
    model : str, estimator, torch.nn.Module or Learner
        A name ("auto", "boosting", "network", "kernel", "catboost"), an estimator of a supported
        library, a module, or any object with the methods of a learner. It is never changed; of a
        fitted estimator only the settings count, unless `prefit`.
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
    ValueError: model must be one of 'auto', 'boosting', ..., 'catboost'; got 'forest'.
    """
    if isinstance(model, str):
        make = _BY_NAME[check_choice("model", model, _BY_NAME)]
        if prefit:
            raise ValueError(f"prefit=True needs a trained model; got the name {model!r}.")
        return make(task, seed)
    if isinstance(model, type):
        raise TypeError(f"model must be an object, not a class; pass {model.__name__}(...).")
    if isinstance(model, BaseLearner | Learner):
        return _of_learner(as_learner(model, task), task, seed, prefit)
    return _entry_of(model).load().from_model(model, task=task, seed=seed, prefit=prefit)


def _of_learner(learner: BaseLearner, task: Task, seed: int, prefit: bool) -> BaseLearner:
    if prefit:
        return learner.copy(seed)
    if task.n_classes is None:
        return learner.fresh(seed)
    return learner.for_classes(task.n_classes).fresh(seed)


def _entry_of(model: Any) -> Entry:
    for kind in type(model).__mro__:
        entry = _BY_TYPE.get((kind.__module__.partition(".")[0], kind.__name__))
        # L-BFGS has a memory that ends with each fit, so it takes no single steps.
        if entry is not None and getattr(model, "solver", None) != "lbfgs":
            return entry
    if all(hasattr(model, method) for method in ("fit", "predict", "get_params")):
        return REFIT_ONLY
    names = ", ".join(repr(name) for name in MODELS)
    raise TypeError(
        f"model must be one of {names}, {_labels(*ENTRIES, REFIT_ONLY)}, or an object with the "
        f"methods of lukewarm.learners.Learner; got {type(model).__name__}."
    )


def cannot_warm_start(model_type: str) -> str:
    """Return why early stopping is not for a model of this type, and what is."""
    return (
        f"a {model_type} cannot be warm-started; use method='retrain' or method='dropout' with it, "
        f"or a model that can be trained further: 'boosting', 'network', {_labels(*ENTRIES)}."
    )


def _labels(*entries: Entry) -> str:
    # Our own models are known by their names.
    return ", ".join(entry.label for entry in entries if entry.package != "lukewarm")
