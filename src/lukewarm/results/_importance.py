"""The record a VariableImportance fit leaves behind."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtri

from lukewarm._text import printable
from lukewarm._typing import FeatureSet, Matrix, RandomState, Vector
from lukewarm._validation import (
    check_choice,
    check_flag,
    check_fraction,
    check_instance,
    check_list,
    check_number,
)
from lukewarm.inference import (
    adjust_p_values,
    check_adjustments,
    p_value,
    simultaneous_quantile,
    skewed_widths,
    standard_error,
    wald_interval,
)
from lukewarm.inference import reach_zero as extend_to_zero
from lukewarm.results._candidates import Candidate, candidates_line
from lukewarm.results._health import (
    Remark,
    health_frame,
    health_line,
    remarks_on_estimates,
)
from lukewarm.results._importance_file import importance_fields, importance_record
from lukewarm.results._records import MeasureValue, TrainingTrace
from lukewarm.results._storage import reading_record, write_record

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
    traces : tuple of tuples of TrainingTrace
        How the reduced models of each feature set were trained, one per fold.
    seconds : tuple of float
        What the reduced models of each feature set cost.
    full_traces, full_seconds
        The same for the full model.
    measure, method, model, inference : str
        What was measured, how the reduced models were obtained, on which kind of model, and the
        kind of interval ("learning_curve", "paired" or "split").
    level : float
        Level of the intervals unless another is asked for.
    notes : tuple of str
        What a reader should know about these estimates.
    scores : tuple of MeasureValue, optional
        The product statistic of each feature set, mean[(y - h)(f - h)], from which the p-values
        of "the importance is zero" derive; without it they are those of the intervals.
    missed : tuple of float or None, optional
        The most that a feature set can be worth which the full model does not look at, at the
        result's level; None for the others. Their intervals end there.
    remarks : tuple of Remark
        What the table and the training gave to say; `health` adds what the estimates show.
    candidates : tuple of Candidate
        Models that ``model="auto"`` tried, with their losses on the stopping rows and seconds.

    Examples
    --------
    >>> import lukewarm as lw
    >>> y = np.array([0.0, 1.0, 2.0, 3.0])
    >>> result = lw.importance_from_predictions(y, full=y, reduced=y + [1, -2, 1, -2])
    >>> result.importance
    array([2.5])
    """

    names: tuple[str, ...]
    removed: tuple[FeatureSet, ...]
    full: MeasureValue
    reduced: tuple[MeasureValue, ...]
    traces: tuple[tuple[TrainingTrace, ...], ...]
    seconds: tuple[float, ...]
    full_traces: tuple[TrainingTrace, ...]
    full_seconds: float
    measure: str
    method: str
    model: str
    inference: str = "paired"
    level: float = 0.95
    notes: tuple[str, ...] = ()
    scores: tuple[MeasureValue, ...] | None = None
    missed: tuple[float | None, ...] | None = None
    remarks: tuple[Remark, ...] = ()
    candidates: tuple[Candidate, ...] = ()

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
        """Standard errors of the importances, shape (n_sets,).

        What an importance moved when the training rows doubled counts as one more error.
        """
        return np.hypot(standard_error(self.influence), self.shift)

    @property
    def shift(self) -> Vector:
        """What each importance moved when the training rows doubled; 0 where that is not known."""
        return np.array([(self.full - reduced).shift for reduced in self.reduced])

    def interval(
        self, level: float | None = None, *, reach_zero: bool = False
    ) -> tuple[Vector, Vector]:
        """Return the low and high ends of the intervals, each of shape (n_sets,).

        Wald intervals; with ``inference="learning_curve"`` the skewness of the influence values
        is taken account of, and the end on the skewed side is the farther one.

        Parameters
        ----------
        level : float, optional
            The result's own by default.
        reach_zero : bool, default False
            Whether intervals wholly below zero are extended to it. A true importance is not
            negative, so these cover it at least as often; the plain ones show by how much the
            models are better without a feature.
        """
        ends = self._ends(self._level(level))
        if self.missed is not None:
            least = [-np.inf if each is None else each for each in self.missed]
            ends = ends[0], np.maximum(ends[1], least)
        return extend_to_zero(*ends) if check_flag("reach_zero", reach_zero) else ends

    def _ends(self, level: float) -> tuple[Vector, Vector]:
        importance = self.importance
        if self.inference != "learning_curve":
            return wald_interval(importance, self.standard_error, level)
        below, above = skewed_widths(self.influence, level)
        # The shift may lie on either side.
        moved = ndtri(0.5 + level / 2) * self.shift
        return importance - np.hypot(below, moved), importance + np.hypot(above, moved)

    def simultaneous_interval(
        self,
        level: float | None = None,
        random_state: RandomState = 0,
        *,
        reach_zero: bool = False,
    ) -> tuple[Vector, Vector]:
        """Return the ends of intervals that cover all the importances together.

        The half-width in standard errors comes from a multiplier bootstrap of the influence
        values, so correlated importances cost less than Bonferroni's bound. `reach_zero` is that
        of `interval`.
        """
        quantile = simultaneous_quantile(self.influence, self._level(level), random_state)
        half_width = quantile * self.standard_error
        ends = self.importance - half_width, self.importance + half_width
        return extend_to_zero(*ends) if check_flag("reach_zero", reach_zero) else ends

    def p_value(self, delta: float = 0.0) -> Vector:
        """Return one-sided p-values of "the importance is at most `delta`", shape (n_sets,).

        At zero, where two models differ by less than the theory of intervals needs, they come from
        the product statistic where there is one (`scores`).
        """
        if self.scores is not None and check_number("delta", delta) == 0:
            return np.array([score.p_value() for score in self.scores])
        return p_value(self.importance, self.standard_error, delta)

    def difference(self, first: str, second: str) -> MeasureValue:
        """Return the importance of `first` minus that of `second`, with its standard error.

        Both were measured on the same rows; the influence values account for that.

        Examples
        --------
        >>> import lukewarm as lw
        >>> x, z = np.random.default_rng(0).normal(size=(2, 500))
        >>> result = lw.importance_from_predictions(2 * x + z, 2 * x + z, {"x": z, "z": 2 * x})
        >>> low, high = result.difference("x", "z").interval()
        >>> 2 < low < high < 4
        True
        """
        chosen = [
            self.reduced[self.names.index(check_choice(place, name, self.names))]
            for place, name in (("first", first), ("second", second))
        ]
        return chosen[1] - chosen[0]

    def health(self) -> pd.DataFrame:
        """Return what to know before relying on these numbers, one row per remark.

        Returns
        -------
        DataFrame
            With columns severity ("warning" or "note"), name, feature and message, warnings
            first; empty when there is nothing to say.

        Examples
        --------
        >>> import lukewarm as lw
        >>> y, noise = np.random.default_rng(0).normal(size=(2, 50))
        >>> result = lw.importance_from_predictions(y, y + noise, {"a": y + 1.001 * noise})
        >>> result.health()[["severity", "name", "feature"]]
          severity       name feature
        0  warning  near_zero       a
        """
        return health_frame(self._all_remarks)

    def to_frame(
        self,
        level: float | None = None,
        *,
        delta: float = 0.0,
        adjust: str | Iterable[str] = (),
    ) -> pd.DataFrame:
        """Return one row per feature set: estimate, uncertainty, steps taken and seconds.

        Parameters
        ----------
        level : float, optional
            Level of the intervals; the result's own by default.
        delta : float, default 0
            The p-values are those of "the importance is at most delta".
        adjust : str or iterable of str
            Any of "holm", "bh", "by": adds a column of p-values adjusted for the number of
            feature sets for each.
        """
        low, high = self.interval(level)
        p_values = self.p_value(delta)
        frame = pd.DataFrame(
            {
                "feature": list(self.names),
                "importance": self.importance,
                "std_error": self.standard_error,
                "ci_low": low,
                "ci_high": high,
                "p_value": p_values,
                "shift": self.shift,
                "steps": [np.mean([run.n_steps_kept for run in runs]) for runs in self.traces],
                "seconds": list(self.seconds),
            }
        )
        if all(len(runs) == 1 for runs in self.traces):
            frame["steps"] = frame["steps"].astype(int)
        for method in check_adjustments(adjust):
            frame[f"p_{method}"] = adjust_p_values(p_values, method)
        return frame

    @classmethod
    def merge(cls, results: Iterable[ImportanceResult]) -> ImportanceResult:
        """Return one result from runs over different feature sets of the same full model.

        Runs with the same data, model, settings and int seed share the full model, whatever
        features each of them was asked for: thousands of features can be spread over machines.
        """
        parts = [
            check_instance(f"results[{number}]", each, cls)
            for number, each in enumerate(check_list("results", results))
        ]
        if not parts:
            raise ValueError("results is empty; merge needs at least one.")
        first = parts[0]
        names = [name for part in parts for name in part.names]
        repeated = sorted(name for name, count in Counter(names).items() if count > 1)
        if repeated:
            raise ValueError(f"results must be over different feature sets; {repeated} repeat.")
        for number, part in enumerate(parts):
            if part._settings != first._settings or not np.array_equal(
                part.full.influence, first.full.influence
            ):
                raise ValueError(
                    f"results[{number}] comes from another full model, measure or set of "
                    "evaluation rows than results[0]; run both with the same settings and seed."
                )
        return replace(
            first,
            names=tuple(names),
            removed=tuple(columns for part in parts for columns in part.removed),
            reduced=tuple(value for part in parts for value in part.reduced),
            traces=tuple(runs for part in parts for runs in part.traces),
            seconds=tuple(seconds for part in parts for seconds in part.seconds),
            scores=None
            if first.scores is None
            else tuple(score for part in parts for score in part.scores or ()),
            missed=None
            if first.missed is None
            else tuple(each for part in parts for each in part.missed or ()),
            remarks=tuple(dict.fromkeys(each for part in parts for each in part.remarks)),
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the result to one file, JSON and arrays, and return its path."""
        record, arrays = importance_record(self)
        return write_record(path, _KIND, record, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ImportanceResult:
        """Return the result saved at `path`.

        Raises
        ------
        ValueError
            If the file is damaged, holds something else, or comes from another version.
        """
        with reading_record(path, _KIND) as stored:
            return cls(**importance_fields(stored))

    @property
    def _settings(self) -> tuple[str, ...]:
        return self.measure, self.method, self.model, self.inference

    @property
    def _all_remarks(self) -> tuple[Remark, ...]:
        return (*self.remarks, *remarks_on_estimates(self, self.importance, self.full))

    @property
    def _footnotes(self) -> list[str]:
        health = health_line(self._all_remarks)
        tried = candidates_line(self.candidates)
        return [*self.notes, *(line for line in (tried, health) if line)]

    def _level(self, level: float | None) -> float:
        return self.level if level is None else check_fraction("level", level)

    def _headline(self) -> str:
        sets = "1 feature set" if len(self) == 1 else f"{len(self)} feature sets"
        return (
            f"{sets} by {self.method} on {self.model}; {self.measure} of the full model "
            f"{self.full.value - self.full.shift:.4g} on {len(self.full.influence)} rows"
        )

    def __repr__(self) -> str:
        frame = self.to_frame().assign(feature=[printable(name) for name in self.names])
        table = frame.to_string(index=False, float_format=lambda value: f"{value:.4g}")
        return "\n".join([f"ImportanceResult: {self._headline()}", table, *self._footnotes])

    def _repr_html_(self) -> str:
        table = self.to_frame().to_html(index=False, float_format=lambda value: f"{value:.4g}")
        notes = "".join(f"<p>{escape(note)}</p>" for note in self._footnotes)
        return f"<p>{escape(self._headline())}</p>{table}{notes}"
