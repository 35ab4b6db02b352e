"""Frozen records of what was measured: traces, values, importances; to_frame, save and load."""

from lukewarm.exceptions import (
    HealthWarning,
    ImportanceWarning,
    NearZeroWarning,
    UntrainedWarning,
)
from lukewarm.results._candidates import Candidate
from lukewarm.results._contrast import Contrast
from lukewarm.results._effects import EffectCurve, EffectCurves
from lukewarm.results._elimination import EliminationPath
from lukewarm.results._health import Remark, warn_of
from lukewarm.results._importance import ImportanceResult
from lukewarm.results._measure_words import MeasureWords, words_for
from lukewarm.results._records import ClosedFormTrace, MeasureValue, Missed, TrainingTrace
from lukewarm.results._segments import SegmentedImportance, SegmentSkills
from lukewarm.results._shapley import ShapleyResult

__all__ = [
    "Candidate",
    "ClosedFormTrace",
    "Contrast",
    "EffectCurve",
    "EffectCurves",
    "EliminationPath",
    "HealthWarning",
    "ImportanceResult",
    "ImportanceWarning",
    "MeasureValue",
    "MeasureWords",
    "Missed",
    "NearZeroWarning",
    "Remark",
    "SegmentSkills",
    "SegmentedImportance",
    "ShapleyResult",
    "TrainingTrace",
    "UntrainedWarning",
    "warn_of",
    "words_for",
]
