"""How the model without some features, f_{-I}, is obtained from the full one."""

from lukewarm.reduction._base import (
    BaseReduction,
    ReducedModel,
    Reduction,
    ReductionData,
    ReductionTraits,
)
from lukewarm.reduction._cross_validated_stopping import CrossValidatedStopping
from lukewarm.reduction._early_stopping import EarlyStopping
from lukewarm.reduction._registry import (
    METHODS,
    as_reduction,
    check_method,
    check_suits,
    method_for,
)
from lukewarm.reduction._retrain import Retrain
from lukewarm.reduction._untrained import Dropout, constant_model
from lukewarm.reduction.linearized._kernel_flow import KernelFlow
from lukewarm.reduction.linearized._lazy import KernelRidge, Lazy, OneStep
from lukewarm.reduction.linearized._path_trace import PathTrace
from lukewarm.reduction.linearized._sketch import KernelSketch
from lukewarm.reduction.projection._coalitions import CoalitionProjection
from lukewarm.reduction.projection._column_values import column_of
from lukewarm.reduction.projection._effects import (
    changes_in_bins,
    changes_of_pairs,
    has_few_values,
)
from lukewarm.reduction.projection._projection import Projection

__all__ = [
    "METHODS",
    "BaseReduction",
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
    "ReductionTraits",
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
