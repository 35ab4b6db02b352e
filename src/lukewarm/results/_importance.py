"""The record a VariableImportance fit leaves behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from lukewarm._typing import FeatureSet
from lukewarm._validation import (
    check_choice,
    check_fraction,
    check_instance,
    check_list,
)
from lukewarm.inference import (
    adjust_p_values,
)
from lukewarm.results._across_folds import across_folds
from lukewarm.results._candidates import Candidate, candidates_line
from lukewarm.results._contrast import Contrast, as_contrast
from lukewarm.results._effects import EffectCurves
from lukewarm.results._estimates import ImportanceEstimates
from lukewarm.results._fields import (
    Array,
    Candidates,
    Clusters,
    IndexSets,
    InMemory,
    Limits,
    Maybe,
    Number,
    Numbers,
    Remarks,
    Text,
    Texts,
    TraceLists,
    Traces,
    Value,
    Values,
)
from lukewarm.results._health import (
    Remark,
    health_line,
    remarks_on_estimates,
    rows_text,
)
from lukewarm.results._records import MeasureValue, Missed, TrainingTrace
from lukewarm.results._result_record import ResultRecord, joined_fields, settings
from lukewarm.results._segments import Evidence, SegmentedImportance, by_segment
from lukewarm.results._summary import summary
from lukewarm.results._tables import arranged, with_adjusted


@dataclass(frozen=True, eq=False, repr=False)
class ImportanceResult(ImportanceEstimates, ResultRecord):
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
        The score of the product test of each feature set: mean[(y - h)(f - h)] over the root of
        mean[(f - h)^2], in units of the measure. From it the p-values of "the importance is zero"
        derive; without it they are those of the intervals. Of means over outputs, the mean of
        scores in units of their errors.
    worth : ndarray of shape (n_sets,), optional
        What a set is worth at least, over its squared score: the lower ends of "learning_curve"
        intervals are not below what the scores show. nan where that is not known.
    missed : Missed, optional
        What models may have missed: intervals are longer by it.
    remarks : tuple of Remark
        What the table and the training gave to say; `health` adds what the estimates show.
    clusters : ndarray of int, shape (n,), optional
        The group of each evaluation row, from 0 on, where rows belong together, or several folds
        evaluate one row. Influence values are then one per group.
    rows : ndarray of int, shape (n,), optional
        The row of `X` behind each evaluation row, or of `X_eval` where that was given.
    n_evaluated : float, optional
        Evaluation rows, where influence values are those of cells of neighbouring rows.
    evidence : Evidence, optional
        The predictions behind the numbers, for `by`; not written to files.
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

    names: Annotated[tuple[str, ...], Texts("sets")]
    removed: Annotated[tuple[FeatureSet, ...], IndexSets("sets")]
    full: Annotated[MeasureValue, Value()]
    reduced: Annotated[tuple[MeasureValue, ...], Values("sets")]
    traces: Annotated[tuple[tuple[TrainingTrace, ...], ...], TraceLists("sets")]
    seconds: Annotated[tuple[float, ...], Numbers("sets")]
    full_traces: Annotated[tuple[TrainingTrace, ...], Traces()]
    full_seconds: Annotated[float, Number()]
    measure: Annotated[str, Text()]
    method: Annotated[str, Text()]
    model: Annotated[str, Text()]
    inference: Annotated[str, Text()] = "paired"
    level: Annotated[float, Number(above=0, below=1)] = 0.95
    notes: Annotated[tuple[str, ...], Texts()] = ()
    scores: Annotated[tuple[MeasureValue, ...] | None, Maybe(Values("sets", "scored_rows"))] = None
    worth: Annotated[np.ndarray | None, Maybe(Array(("sets",), finite=False))] = None
    missed: Annotated[Missed | None, Maybe(Limits())] = None
    remarks: Annotated[tuple[Remark, ...], Remarks()] = ()
    candidates: Annotated[tuple[Candidate, ...], Candidates()] = ()
    clusters: Annotated[np.ndarray | None, Clusters()] = None
    rows: Annotated[np.ndarray | None, Maybe(Array(("table_rows",), "i"))] = None
    n_evaluated: Annotated[float | None, Maybe(Number(above=0))] = None
    evidence: Annotated[Evidence | None, InMemory()] = None

    def select(self, fdr: float = 0.1, *, adjust: str = "bh") -> list[str]:
        """Return the names of the feature sets whose importance is above zero.

        Parameters
        ----------
        fdr : float, default 0.1
            The expected share of useless ones among them; with "holm", the chance of any.
        adjust : "bh", "by" or "holm", default "bh"
            How the p-values are adjusted: Benjamini-Hochberg for tests that are independent or
            positively dependent, Benjamini-Yekutieli for any, Holm for no false one at all.

        Examples
        --------
        >>> import lukewarm as lw
        >>> x, z = np.random.default_rng(0).normal(size=(2, 500))
        >>> result = lw.importance_from_predictions(x, x + 0.1 * z, {"x": 0 * x, "w": x + 0.1 * z})
        >>> result.select()
        ['x']
        """
        check_fraction("fdr", fdr)
        adjusted = adjust_p_values(self.p_value(), adjust)
        return [self.names[number] for number in np.flatnonzero(adjusted <= fdr)]

    def contrast(self, weights: Mapping[str, float]) -> Contrast:
        """Return a sum of importances, each times a weight, with its error, interval and p-value.

        Parameters
        ----------
        weights : mapping from names of feature sets to numbers

        Examples
        --------
        How much of two importances is counted twice, or found together only:

        >>> import lukewarm as lw
        >>> x, z = np.random.default_rng(0).normal(size=(2, 500))
        >>> y = x + z
        >>> result = lw.importance_from_predictions(y, y, {"x": z, "z": x, "x+z": 0 * x})
        >>> low, high = result.contrast({"x": 1, "z": 1, "x+z": -1}).interval()
        >>> low < 0 < high
        True
        """
        return as_contrast(self, weights)

    def difference(self, first: str, second: str) -> Contrast:
        """Return the importance of `first` minus that of `second`.

        Both were measured on the same rows; the influence values account for that.

        Parameters
        ----------
        first, second : str
            Names of feature sets of the result.

        Examples
        --------
        >>> import lukewarm as lw
        >>> x, z = np.random.default_rng(0).normal(size=(2, 500))
        >>> result = lw.importance_from_predictions(2 * x + z, 2 * x + z, {"x": z, "z": 2 * x})
        >>> low, high = result.difference("x", "z").interval()
        >>> 2 < low < high < 4
        True
        """
        for place, name in (("first", first), ("second", second)):
            check_choice(place, name, self.names)
        return Contrast(self, {first: 1.0, second: -1.0} if first != second else {first: 0.0})

    def by(self, segment: Any) -> SegmentedImportance:
        """Return the importances in each segment of the rows, and whether they differ.

        Parameters
        ----------
        segment : array-like
            The segment of each row of the table (`X`, or `X_eval` where that was given), or of each
            evaluation row in the order of `rows`: a column, the class, a window of time. Where
            every row was evaluated, the order is that of the table.

        Returns
        -------
        SegmentedImportance
            With `to_frame()`, `equality()` (a chi-square test for each feature set) and the result
            of each segment, ``by["north"]``.

        Notes
        -----
        The measure is taken anew of the rows of each segment, by the models that were trained on
        all segments.

        Examples
        --------
        >>> import lukewarm as lw
        >>> x, z = np.random.default_rng(0).normal(size=(2, 500))
        >>> north = z > 0
        >>> y = x * north
        >>> result = lw.importance_from_predictions(y, full=y, reduced={"x": 0 * x})
        >>> by = result.by(np.where(north, "north", "south"))
        >>> by.to_frame()[["segment", "feature", "importance"]].round(2)
          segment feature  importance
        0   north       x        1.06
        1   south       x        0.00
        """
        return by_segment(self, segment)

    def across_folds(self, level: float | None = None) -> pd.DataFrame:
        """Return intervals and p-values from the spread of the importances between folds.

        The other intervals count the evaluation rows, for models as they were trained. These ask
        what other draws of training and evaluation rows would have given, by the variance between
        folds with the correction of Nadeau and Bengio (2003) for the rows that folds share. They
        are for ``cv=RepeatedKFold(...)`` or ``ShuffleSplit``; ten or more folds leave them a
        usable width.

        Parameters
        ----------
        level : float, optional
            Level of the intervals; the result's own by default.

        Returns
        -------
        DataFrame
            With columns feature, importance, std_error, ci_low, ci_high, p_value (one-sided, by
            Student's law with a degree of freedom less than there are folds) and n_folds.
        """
        return across_folds(self, self._level(level))

    def to_frame(
        self,
        level: float | None = None,
        *,
        delta: float = 0.0,
        adjust: str | Iterable[str] = (),
        sort: bool = False,
        top: int | None = None,
        relative: bool = False,
        effects: EffectCurves | None = None,
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
        sort : bool, default False
            Whether the largest importance comes first.
        top : int, optional
            Only so many rows, those of the largest importances, sorted.
        relative : bool, default False
            Whether to add a column "relative": the importance over the largest one.
        effects : EffectCurves, optional
            Of `VariableImportance.effects`: adds a column "direction", which way the prediction
            goes as the feature grows ("" for sets of several columns and for levels).
        """
        low, high = self.interval(level)
        frame = pd.DataFrame(
            {
                "feature": list(self.names),
                "importance": self.importance,
                "std_error": self.standard_error,
                "ci_low": low,
                "ci_high": high,
                "p_value": self.p_value(delta),
                "shift": self.shift,
                "steps": [
                    sum(run.n_steps_kept for run in runs) / len(runs) for runs in self.traces
                ],
                "seconds": list(self.seconds),
            }
        )
        if all(len(runs) == 1 for runs in self.traces):
            frame["steps"] = frame["steps"].astype(int)
        frame = with_adjusted(frame, adjust)
        if effects is not None:
            check_instance("effects", effects, EffectCurves)
            direction_of = {curve.feature: curve.direction for curve in effects.curves}
            frame["direction"] = [direction_of.get(name, "") for name in self.names]
        return arranged(frame, "importance", sort=sort, top=top, relative=relative)

    def summary(self) -> str:
        """Return the result in a few sentences: what matters most, and what is not known.

        Examples
        --------
        >>> import lukewarm as lw
        >>> x, z = np.random.default_rng(0).normal(size=(2, 500))
        >>> full = 2 * x + z
        >>> result = lw.importance_from_predictions(full, full, {"x": z, "z": 2 * x, "w": full})
        >>> print(result.summary())
        x matters most of 3 feature sets: without it the mean squared error rises by 4.11 (95 %
        interval 3.54 to 4.68, p <1e-16). Then comes z. At the 5 % level, each tested alone, these
        cannot be told from zero: w.
        ...
        """
        return summary(self)

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
            if settings(part) != settings(first) or not np.array_equal(
                part.full.influence, first.full.influence
            ):
                raise ValueError(
                    f"results[{number}] comes from another full model, measure or set of "
                    "evaluation rows than results[0]; run both with the same settings and seed."
                )
        return cls(**joined_fields(parts))

    @property
    def _all_remarks(self) -> tuple[Remark, ...]:
        return (*self.remarks, *remarks_on_estimates(self, self.importance, self.full))

    @property
    def _footnotes(self) -> list[str]:
        health = health_line(self._all_remarks)
        tried = candidates_line(self.candidates)
        return [*self.notes, *(line for line in (tried, health) if line)]

    @property
    def _rows_text(self) -> str:
        if self.n_evaluated is None:
            return rows_text(self.n_rows, self.clusters)
        return f"{self.n_rows:,} rows in {len(self.full.influence):,} cells"

    def _headline(self) -> str:
        sets = "1 feature set" if len(self) == 1 else f"{len(self)} feature sets"
        return (
            f"{sets} by {self.method} on {self.model}; {self.measure} of the full model "
            f"{self.full.value - self.full.shift:.4g} on {self._rows_text}"
        )
