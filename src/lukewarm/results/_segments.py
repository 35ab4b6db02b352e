"""Importances by segment: the same feature sets, on some of the evaluation rows each.

Segments share no row, so given the models their estimates are independent, and whether they are
equal is a chi-square test with the variances of the segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd
from scipy.special import chdtrc

from lukewarm._text import printable
from lukewarm._validation import check_choice, check_readable
from lukewarm.results._health import health_frame
from lukewarm.results._records import MeasureValue, Missed
from lukewarm.results._tables import Tabular, p_value_text

if TYPE_CHECKING:
    from lukewarm.results._importance import ImportanceResult

# More labels are numbers or names of rows rather than segments.
_MOST_SEGMENTS = 100


@dataclass(frozen=True, eq=False)
class SegmentSkills:
    """What models are worth on the rows of one segment; the fields are those of a result."""

    full: MeasureValue
    reduced: tuple[MeasureValue, ...]
    scores: tuple[MeasureValue, ...] | None
    worth: np.ndarray | None
    missed: Missed | None
    share: float


class Evidence(Protocol):
    """What a result was computed from, and can be computed from again on fewer rows."""

    @property
    def n_table_rows(self) -> int:
        """Rows of the table that the evaluation rows were drawn from."""
        ...

    def on_rows(self, chosen: np.ndarray, level: float) -> SegmentSkills:
        """Return what the models are worth on these evaluation rows; a ValueError where nothing."""
        ...

    def by_fold(self) -> tuple[np.ndarray, float]:
        """Return the importances in each fold, and evaluation rows over rows learnt from."""
        ...

    def joined(self, parts: Sequence[Any]) -> Evidence:
        """Return the evidence of results over different feature sets as one."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class SegmentedImportance(Tabular):
    """Importances of the same feature sets in each of several segments.

    Parameters
    ----------
    segments : tuple of str
        The names of the segments.
    results : tuple of ImportanceResult
        What was measured on the rows of each.
    shares : tuple of float
        The weight of each segment in the whole. For a measure that is a mean over rows, the
        importance of the whole is the sum of those of the segments times these (other than with
        ``inference="split"``, where the two models are evaluated on different rows).
    """

    segments: tuple[str, ...]
    results: tuple[ImportanceResult, ...]
    shares: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.segments)

    def __getitem__(self, segment: str) -> ImportanceResult:
        """Return the result of one segment."""
        return self.results[self.segments.index(check_choice("segment", segment, self.segments))]

    def to_frame(self, *args: Any, **options: Any) -> pd.DataFrame:
        """Return one row per segment and feature set; the parameters are those of a result."""
        frames = []
        for segment, result in zip(self.segments, self.results, strict=True):
            frame = result.to_frame(*args, **options).drop(columns=["steps", "seconds"])
            frame.insert(0, "segment", segment)
            frame.insert(1, "n_rows", result.n_rows)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def equality(self) -> pd.DataFrame:
        """Return for each feature set a test of "the importance is the same in all segments".

        Returns
        -------
        DataFrame
            With columns feature, chi_square, n_degrees and p_value.

        Notes
        -----
        The statistic is the sum over segments of squared distances from the mean that weighs each
        segment by its precision, in standard errors. What an importance moved when the training
        rows doubled counts as an error of each segment by itself, so the test is conservative
        where it moved alike in all of them.
        """
        estimate = np.stack([result.importance for result in self.results])
        error = np.stack([result.standard_error for result in self.results])
        statistic, n_degrees = _chi_square(estimate, error)
        return pd.DataFrame(
            {
                "feature": list(self.results[0].names),
                "chi_square": statistic,
                "n_degrees": n_degrees,
                # Without a degree of freedom the statistic is 0 or inf, and so p is 1 or 0.
                "p_value": chdtrc(np.maximum(n_degrees, 1), statistic),
            }
        )

    def health(self) -> pd.DataFrame:
        """Return what to know before relying on these numbers, one row per segment and remark."""
        frames = []
        for segment, result in zip(self.segments, self.results, strict=True):
            frame = health_frame(result._all_remarks)
            frame.insert(0, "segment", segment)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def _headline(self) -> str:
        first = self.results[0]
        return f"{len(first)} feature sets in {len(self)} segments; {first.measure}"

    @property
    def _footnotes(self) -> list[str]:
        p_values = self.equality()["p_value"].to_numpy()
        first = int(p_values.argmin())
        name = printable(self.results[0].names[first])
        return [
            f"Segments differ most in {name}: p-value of equality {p_value_text(p_values[first])}."
        ]


def by_segment(result: ImportanceResult, segment: Any) -> SegmentedImportance:
    """Return the importances in each segment; see `ImportanceResult.by`."""
    evidence = result.evidence
    if evidence is None or result.rows is None:
        raise ValueError(
            "by() needs the predictions of the models, which a result keeps in memory but not in a "
            "file; call it on the result of a fit, before save."
        )
    codes, names = _labels(segment, result, evidence.n_table_rows)
    parts = []
    for code, name in enumerate(names):
        try:
            parts.append(evidence.on_rows(codes == code, result.level))
        except ValueError as error:
            raise ValueError(f"segment {name!r}: {error}") from None
    results = tuple(
        replace(
            result,
            full=part.full,
            reduced=part.reduced,
            scores=part.scores,
            worth=part.worth,
            missed=part.missed,
            remarks=(),
            rows=result.rows[codes == code],
            clusters=_clusters_at(result, codes == code),
            evidence=None,
        )
        for code, part in enumerate(parts)
    )
    return SegmentedImportance(names, results, tuple(part.share for part in parts))


def _clusters_at(result: ImportanceResult, chosen: np.ndarray) -> np.ndarray | None:
    if result.clusters is None:
        return None
    return np.unique(result.clusters[chosen], return_inverse=True)[1]


def _labels(
    segment: Any, result: ImportanceResult, n_table_rows: int
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the number of each evaluation row's segment, and the names of the segments."""
    labels = segment if isinstance(segment, pd.Series | pd.Categorical) else None
    values = check_readable("segment", segment) if labels is None else labels
    rows = result.rows
    assert rows is not None
    if np.ndim(values) != 1 or len(values) not in (n_table_rows, len(rows)):
        raise ValueError(
            "segment must have one label for each of the "
            f"{n_table_rows} rows of the table, or for each of the {len(rows)} evaluation rows "
            f"(result.rows); got shape {np.shape(values)}."
        )
    series = pd.Series(values).reset_index(drop=True)
    if len(series) == n_table_rows:
        series = series.iloc[rows]
    if series.isna().any():
        raise ValueError(
            f"segment is missing in {int(series.isna().sum())} of {len(series)} evaluation rows; "
            "give them a label of their own."
        )
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = series.cat.remove_unused_categories()
        codes, names = series.cat.codes.to_numpy(), list(series.cat.categories)
    else:
        codes, levels = pd.factorize(series, sort=True)
        names = list(levels)
    if not 2 <= len(names) <= _MOST_SEGMENTS:
        raise ValueError(
            f"segment must have 2 to {_MOST_SEGMENTS} different labels among the evaluation rows; "
            f"it has {len(names)}. Cut numbers into ranges, as with pandas.qcut."
        )
    return codes, tuple(str(name) for name in names)


def _chi_square(estimate: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the statistic and its degrees of freedom, each (n_sets,), from (n_segments, n_sets).

    Models that agree on every row of a segment leave an estimate without error there. Then that is
    the common value, and only the other segments can differ from it by chance.
    """
    is_exact = error == 0
    has_exact = is_exact.any(axis=0)
    precision = np.where(is_exact, 0.0, 1 / np.square(np.where(is_exact, 1.0, error)))
    total = np.where(has_exact, 1.0, precision.sum(axis=0))
    exact = np.take_along_axis(estimate, is_exact.argmax(axis=0)[None], axis=0)[0]
    mean = np.where(has_exact, exact, (precision * estimate).sum(axis=0) / total)
    statistic = (precision * np.square(estimate - mean)).sum(axis=0)
    differ = (is_exact & (estimate != mean)).any(axis=0)
    n_degrees = (~is_exact).sum(axis=0) - np.where(has_exact, 0, 1)
    return np.where(differ, np.inf, statistic), n_degrees
