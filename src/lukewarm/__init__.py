"""Which features matter, and how sure are you? Importance by warm start and early stopping."""

from lukewarm import datasets
from lukewarm._version import __version__
from lukewarm.estimators import VariableImportance
from lukewarm.evaluation import NearZeroWarning, importance_from_predictions
from lukewarm.plotting import plot_comparison, plot_importance, plot_trace
from lukewarm.results import ImportanceResult, ImportanceWarning, MeasureValue, TrainingTrace

__all__ = [
    "ImportanceResult",
    "ImportanceWarning",
    "MeasureValue",
    "NearZeroWarning",
    "TrainingTrace",
    "VariableImportance",
    "__version__",
    "datasets",
    "importance_from_predictions",
    "plot_comparison",
    "plot_importance",
    "plot_trace",
]
