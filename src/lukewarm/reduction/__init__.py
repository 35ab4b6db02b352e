"""How the model without some features, f_{-I}, is obtained from the full one."""

from lukewarm.reduction._base import ReducedModel, Reduction, ReductionData
from lukewarm.reduction._coalitions import CoalitionProjection
from lukewarm.reduction._conditional import column_of
from lukewarm.reduction._constant import constant_model
from lukewarm.reduction._cross_validated_stopping import CrossValidatedStopping
from lukewarm.reduction._dropout import Dropout
from lukewarm.reduction._early_stopping import EarlyStopping
from lukewarm.reduction._effects import changes_in_bins, changes_of_pairs, has_few_values
from lukewarm.reduction._kernel_flow import KernelFlow
from lukewarm.reduction._lazy import KernelRidge, Lazy, OneStep
from lukewarm.reduction._path_trace import PathTrace
from lukewarm.reduction._projection import Projection
from lukewarm.reduction._registry import (
    METHODS,
    as_reduction,
    check_method,
    check_suits,
    method_for,
)
from lukewarm.reduction._retrain import Retrain
from lukewarm.reduction._sketch import KernelSketch

__all__ = [
    "METHODS",
    "CoalitionProjection",
    "CrossValidatedStopping",
    "Dropout",
    "EarlyStopping",
    "KernelFlow",
    "KernelRidge",
    "KernelSketch",
    "Lazy",
    "OneStep",
    "PathTrace",
    "Projection",
    "ReducedModel",
    "Reduction",
    "ReductionData",
    "Retrain",
    "as_reduction",
    "changes_in_bins",
    "changes_of_pairs",
    "check_method",
    "check_suits",
    "column_of",
    "constant_model",
    "has_few_values",
    "method_for",
]
