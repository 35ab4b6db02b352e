"""Predictive skill V(f, P) and its per-row influence values; larger is better."""

from lukewarm.measures._base import Measure, mean_of_rows
from lukewarm.measures._classification import AUC, Accuracy, Deviance, NegLogLoss
from lukewarm.measures._decisions import (
    F1,
    AveragePrecision,
    BalancedAccuracy,
    Brier,
    MacroAUC,
)
from lukewarm.measures._deviances import GammaDeviance, PoissonDeviance, TweedieDeviance
from lukewarm.measures._losses import (
    log_losses,
    mean_log_loss,
    mean_squared_error,
    over_classes,
    residuals,
    squared_errors,
)
from lukewarm.measures._mean_loss import MeanLoss, NegMeanLoss
from lukewarm.measures._of_rows import BregmanLoss, MeanOfRows, OfLosses
from lukewarm.measures._outputs import (
    MeanOverOutputs,
    OneOutput,
    OutputsLoss,
    loss_of,
    over_outputs,
)
from lukewarm.measures._registry import (
    MEASURES,
    as_measure,
    available,
    centres_classes,
    needs_classes,
    own_names,
)
from lukewarm.measures._regression import R2, RMSE, Huber, NegMAE, NegMSE, Pinball
from lukewarm.measures._row_terms import RowTerms, row_terms
from lukewarm.measures._scorer import ScorerMeasure
from lukewarm.measures._task import REGRESSION, Task

__all__ = [
    "AUC",
    "F1",
    "MEASURES",
    "R2",
    "REGRESSION",
    "RMSE",
    "Accuracy",
    "AveragePrecision",
    "BalancedAccuracy",
    "BregmanLoss",
    "Brier",
    "Deviance",
    "GammaDeviance",
    "Huber",
    "MacroAUC",
    "MeanLoss",
    "MeanOfRows",
    "MeanOverOutputs",
    "Measure",
    "NegLogLoss",
    "NegMAE",
    "NegMSE",
    "NegMeanLoss",
    "OfLosses",
    "OneOutput",
    "OutputsLoss",
    "Pinball",
    "PoissonDeviance",
    "RowTerms",
    "ScorerMeasure",
    "Task",
    "TweedieDeviance",
    "as_measure",
    "available",
    "centres_classes",
    "log_losses",
    "loss_of",
    "mean_log_loss",
    "mean_of_rows",
    "mean_squared_error",
    "needs_classes",
    "over_classes",
    "over_outputs",
    "own_names",
    "residuals",
    "row_terms",
    "squared_errors",
]
