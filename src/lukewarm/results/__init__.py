"""Frozen records of what was measured: traces, values, importances; to_frame, save and load."""

from lukewarm.exceptions import ImportanceWarning
from lukewarm.results._importance import ImportanceResult
from lukewarm.results._records import MeasureValue, TrainingTrace
from lukewarm.results._shapley import ShapleyResult

__all__ = [
    "ImportanceResult",
    "ImportanceWarning",
    "MeasureValue",
    "ShapleyResult",
    "TrainingTrace",
]
