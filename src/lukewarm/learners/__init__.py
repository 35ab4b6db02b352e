"""Models that can go one step further from where they stand, and the one loop that trains them."""

from importlib import import_module
from typing import Any

from lukewarm.learners._base import BindsRows, Learner, StagedLearner
from lukewarm.learners._registry import as_learner
from lukewarm.learners._task import classifies
from lukewarm.learners._training import train_until

__all__ = [
    "BindsRows",
    "CatBoostLearner",
    "Learner",
    "Network",
    "ObliviousBoosting",
    "ObliviousBoostingClassifier",
    "ObliviousBoostingRegressor",
    "StagedLearner",
    "TorchLearner",
    "as_learner",
    "classifies",
    "train_until",
]

# Engines load when a learner that needs them is first asked for.
_LOADED_ON_DEMAND = {
    "CatBoostLearner": "lukewarm.learners._catboost",
    "Network": "lukewarm.learners._network",
    "ObliviousBoosting": "lukewarm.learners.boosting",
    "ObliviousBoostingClassifier": "lukewarm.learners.boosting",
    "ObliviousBoostingRegressor": "lukewarm.learners.boosting",
    "learner_of_boosting": "lukewarm.learners.boosting",
    "TorchLearner": "lukewarm.learners._torch",
}


def __getattr__(name: str) -> Any:
    if name not in _LOADED_ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LOADED_ON_DEMAND[name]), name)
