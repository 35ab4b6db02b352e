"""The scikit-learn front: constructors store, ``fit`` validates, fitted names end in ``_``.

``lukewarm.ImportanceSelector`` loads on demand: its base class brings much of scikit-learn.
"""

from lukewarm.estimators._interaction_importance import InteractionImportance
from lukewarm.estimators._parameters import INFERENCES
from lukewarm.estimators._shapley_importance import ShapleyImportance
from lukewarm.estimators._variable_importance import VariableImportance
from lukewarm.exceptions import PrecisionWarning, TaskWarning

__all__ = [
    "INFERENCES",
    "InteractionImportance",
    "PrecisionWarning",
    "ShapleyImportance",
    "TaskWarning",
    "VariableImportance",
]
