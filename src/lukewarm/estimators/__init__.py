"""The scikit-learn front: constructors store, ``fit`` validates, fitted names end in ``_``."""

from lukewarm.estimators._shapley_importance import ShapleyImportance
from lukewarm.estimators._shapley_run import PrecisionWarning
from lukewarm.estimators._task import TaskWarning
from lukewarm.estimators._variable_importance import VariableImportance

__all__ = ["PrecisionWarning", "ShapleyImportance", "TaskWarning", "VariableImportance"]
