"""Models that can go one step further from where they stand, and the one loop that trains them."""

from importlib import import_module
from typing import Any

from lukewarm.learners._base import (
    BindsRows,
    ChoosesModel,
    Learner,
    LengthensSteps,
    Recalibrates,
    StagedLearner,
    TakesOver,
)
from lukewarm.learners._class_weights import weights_by_code
from lukewarm.learners._differentiable import DifferentiableLearner
from lukewarm.learners._fitted import check_columns_seen, share_set_aside
from lukewarm.learners._level_columns import level_columns
from lukewarm.learners._registry import MODELS, as_learner
from lukewarm.learners._task import check_can_go_on, classifies
from lukewarm.learners._training import fits_in_one_go, stopping_loss, train_for, train_until

__all__ = [
    "MODELS",
    "AutoLearner",
    "BasedBoosting",
    "BindsRows",
    "CatBoostLearner",
    "ChoosesModel",
    "DifferentiableLearner",
    "GradientBoostingLearner",
    "HistGradientBoostingLearner",
    "KernelMachine",
    "KernelMachineClassifier",
    "KernelMachineRegressor",
    "Learner",
    "LengtheningPipelineLearner",
    "LengthensSteps",
    "LightGBMLearner",
    "Network",
    "ObliviousBoosting",
    "ObliviousBoostingClassifier",
    "ObliviousBoostingRegressor",
    "PartialFitLearner",
    "PipelineLearner",
    "Recalibrates",
    "RefitOnlyLearner",
    "SkorchLearner",
    "StagedLearner",
    "StagedPipelineLearner",
    "TakesOver",
    "TorchLearner",
    "XGBoostLearner",
    "as_learner",
    "check_can_go_on",
    "check_columns_seen",
    "classifies",
    "fits_in_one_go",
    "level_columns",
    "share_set_aside",
    "stopping_loss",
    "train_for",
    "train_until",
    "weights_by_code",
]

# Engines load when a learner that needs them is first asked for.
_LOADED_ON_DEMAND = {
    "AutoLearner": "lukewarm.learners._auto",
    "BasedBoosting": "lukewarm.learners.boosting",
    "CatBoostLearner": "lukewarm.learners._catboost",
    "GradientBoostingLearner": "lukewarm.learners._sklearn_gradient",
    "HistGradientBoostingLearner": "lukewarm.learners._sklearn_hist",
    "KernelMachine": "lukewarm.learners.kernel",
    "KernelMachineClassifier": "lukewarm.learners.kernel",
    "KernelMachineRegressor": "lukewarm.learners.kernel",
    "LengtheningPipelineLearner": "lukewarm.learners._pipeline",
    "LightGBMLearner": "lukewarm.learners._lightgbm",
    "Network": "lukewarm.learners._network",
    "ObliviousBoosting": "lukewarm.learners.boosting",
    "ObliviousBoostingClassifier": "lukewarm.learners.boosting",
    "ObliviousBoostingRegressor": "lukewarm.learners.boosting",
    "PartialFitLearner": "lukewarm.learners._sklearn_epochs",
    "PipelineLearner": "lukewarm.learners._pipeline",
    "RefitOnlyLearner": "lukewarm.learners._refit_only",
    "SkorchLearner": "lukewarm.learners._skorch",
    "StagedPipelineLearner": "lukewarm.learners._pipeline",
    "learner_of_boosting": "lukewarm.learners.boosting",
    "learner_of_kernel": "lukewarm.learners.kernel",
    "TorchLearner": "lukewarm.learners._torch",
    "XGBoostLearner": "lukewarm.learners._xgboost",
}


def __getattr__(name: str) -> Any:
    if name not in _LOADED_ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LOADED_ON_DEMAND[name]), name)
