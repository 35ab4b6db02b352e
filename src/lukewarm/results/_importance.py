"""The record a VariableImportance fit leaves behind."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd

from lukewarm._typing import FeatureSet, Matrix, Vector
from lukewarm._validation import check_fraction
from lukewarm.inference import p_value, standard_error, wald_interval
from lukewarm.results._records import MeasureValue, TrainingTrace
from lukewarm.results._storage import read_record, write_record

_KIND = "ImportanceResult"


@dataclass(frozen=True, eq=False, repr=False)
class ImportanceResult:
    """Importances of feature sets, with all that their uncertainty derives from.

    Parameters
    ----------
    names : tuple of str
        The name of each feature set.
    removed : tuple of FeatureSet
        Its columns; empty tuples when the result was made from predictions alone.
    full : MeasureValue
        Skill of the full model on the evaluation rows.
    reduced : tuple of MeasureValue
        Skill of the model without each feature set.
    traces : tuple of TrainingTrace
        How each reduced model was trained.
    seconds : tuple of float
        What each reduced model cost.
    full_trace, full_seconds
        The same for the full model.
    measure, method, model : str
        What was measured, how the reduced models were obtained, on which kind of model.
    level : float
        Level of the intervals unless another is asked for.

    Examples
    --------
    >>> import lukewarm as lw
    >>> y = np.array([0.0, 1.0, 2.0, 3.0])
    >>> result = lw.importance_from_predictions(y, full=y, reduced=y + [1, -1, 1, -1])
    >>> result.importance
    array([1.])
    """

    names: tuple[str, ...]
    removed: tuple[FeatureSet, ...]
    full: MeasureValue
    reduced: tuple[MeasureValue, ...]
    traces: tuple[TrainingTrace, ...]
    seconds: tuple[float, ...]
    full_trace: TrainingTrace
    full_seconds: float
    measure: str
    method: str
    model: str
    level: float = 0.95

    def __len__(self) -> int:
        return len(self.names)

    @property
    def influence(self) -> Matrix:
        """Influence values of the importances, shape (n_sets, n)."""
        return np.stack([(self.full - reduced).influence for reduced in self.reduced])

    @property
    def importance(self) -> Vector:
        """Skill lost when each feature set is taken away, shape (n_sets,)."""
        return np.array([self.full.value - reduced.value for reduced in self.reduced])

    @property
    def standard_error(self) -> Vector:
        """Standard errors of the importances, shape (n_sets,)."""
        return standard_error(self.influence)

    def interval(self, level: float | None = None) -> tuple[Vector, Vector]:
        """Return the low and high ends of the Wald intervals, each of shape (n_sets,)."""
        level = self.level if level is None else check_fraction("level", level)
        return wald_interval(self.importance, self.standard_error, level)

    def p_value(self, delta: float = 0.0) -> Vector:
        """Return one-sided p-values of "the importance is at most `delta`", shape (n_sets,)."""
        return p_value(self.importance, self.standard_error, delta)

    def to_frame(self, level: float | None = None) -> pd.DataFrame:
        """Return one row per feature set: estimate, uncertainty, steps taken and seconds."""
        low, high = self.interval(level)
        return pd.DataFrame(
            {
                "feature": list(self.names),
                "importance": self.importance,
                "std_error": self.standard_error,
                "ci_low": low,
                "ci_high": high,
                "p_value": self.p_value(),
                "steps": [trace.stopped_step for trace in self.traces],
                "seconds": list(self.seconds),
            }
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the result to one file, JSON and arrays, and return its path."""
        record = {
            "kind": _KIND,
            "names": self.names,
            "removed": self.removed,
            "values": [reduced.value for reduced in self.reduced],
            "full_value": self.full.value,
            "stopped_steps": [trace.stopped_step for trace in self.traces],
            "full_stopped_step": self.full_trace.stopped_step,
            "seconds": self.seconds,
            "full_seconds": self.full_seconds,
            "measure": self.measure,
            "method": self.method,
            "model": self.model,
            "level": self.level,
        }
        arrays = {
            "influence": np.stack([reduced.influence for reduced in self.reduced]),
            "full_influence": self.full.influence,
            "full_losses": self.full_trace.losses,
        }
        for number, trace in enumerate(self.traces):
            arrays[f"losses_{number}"] = trace.losses
        return write_record(path, record, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ImportanceResult:
        """Return the result saved at `path`."""
        record, arrays = read_record(path, _KIND)
        return cls(
            names=tuple(record["names"]),
            removed=tuple(tuple(columns) for columns in record["removed"]),
            full=MeasureValue(record["full_value"], arrays["full_influence"]),
            reduced=tuple(
                MeasureValue(value, influence)
                for value, influence in zip(record["values"], arrays["influence"], strict=True)
            ),
            traces=tuple(
                TrainingTrace(arrays[f"losses_{number}"], step)
                for number, step in enumerate(record["stopped_steps"])
            ),
            seconds=tuple(record["seconds"]),
            full_trace=TrainingTrace(arrays["full_losses"], record["full_stopped_step"]),
            full_seconds=record["full_seconds"],
            measure=record["measure"],
            method=record["method"],
            model=record["model"],
            level=record["level"],
        )

    def _headline(self) -> str:
        sets = "1 feature set" if len(self) == 1 else f"{len(self)} feature sets"
        return (
            f"{sets} by {self.method} on {self.model}; {self.measure} of the full model "
            f"{self.full.value:.4g} on {len(self.full.influence)} rows"
        )

    def __repr__(self) -> str:
        table = self.to_frame().to_string(index=False, float_format=lambda value: f"{value:.4g}")
        return f"ImportanceResult: {self._headline()}\n{table}"

    def _repr_html_(self) -> str:
        table = self.to_frame().to_html(index=False, float_format=lambda value: f"{value:.4g}")
        return f"<p>{escape(self._headline())}</p>{table}"
