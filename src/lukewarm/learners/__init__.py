"""Models that can be trained one step further, and the one loop that trains them."""

from importlib import import_module
from typing import Any

from lukewarm.learners._adapter import as_learner
from lukewarm.learners._base import (
    BaseLearner,
    DifferentiableLearner,
    Learner,
    Predicts,
)
from lukewarm.learners._class_weights import weights_by_code
from lukewarm.learners._fitted import check_columns_seen, share_set_aside
from lukewarm.learners._level_columns import level_columns
from lukewarm.learners._model_wrapper import ModelWrapper
from lukewarm.learners._outputs import PerOutputLearner, quantile_models
from lukewarm.learners._predict_only import cannot_train
from lukewarm.learners._registry import (
    ENTRIES,
    MODELS,
    PREDICT_ONLY,
    REFIT_ONLY,
    cannot_warm_start,
    from_model,
)
from lukewarm.learners._task import (
    MINIMUM_ROWS_PER_CLASS,
    TASKS,
    classifies,
    is_classification,
    warn_of_codes,
)
from lukewarm.learners._training import stopping_loss, train_for, train_until
from lukewarm.learners._traits import LearnerTraits

# Engines load when a learner that needs them is first asked for.
_LOADED_ON_DEMAND = {
    **{entry.wrapper: entry.module for entry in (*ENTRIES, REFIT_ONLY, PREDICT_ONLY)},
    "AutoLearner": "_auto",
    "BasedBoosting": "boosting",
    "KernelMachineClassifier": "kernel",
    "KernelMachineRegressor": "kernel",
    "Network": "torch._network",
    "ObliviousBoostingClassifier": "boosting",
    "ObliviousBoostingRegressor": "boosting",
    "Predictor": "_predict_only",
}

__all__ = [
    "MINIMUM_ROWS_PER_CLASS",
    "MODELS",
    "TASKS",
    "BaseLearner",
    "DifferentiableLearner",
    "Learner",
    "LearnerTraits",
    "ModelWrapper",
    "PerOutputLearner",
    "Predicts",
    "as_learner",
    "cannot_train",
    "cannot_warm_start",
    "check_columns_seen",
    "classifies",
    "from_model",
    "is_classification",
    "level_columns",
    "quantile_models",
    "share_set_aside",
    "stopping_loss",
    "train_for",
    "train_until",
    "warn_of_codes",
    "weights_by_code",
]
__all__ += list(_LOADED_ON_DEMAND)


def __getattr__(name: str) -> Any:
    if name not in _LOADED_ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LOADED_ON_DEMAND[name]}"), name)
