"""The record a ShapleyImportance fit leaves behind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from lukewarm._typing import FeatureSet, Matrix, Vector
from lukewarm._validation import check_choice, check_count, check_fraction, check_list, shown
from lukewarm.inference import (
    mapped,
    p_value,
    skewed_widths,
    standard_error,
    wald_interval,
)
from lukewarm.results._candidates import Candidate, candidates_line
from lukewarm.results._fields import (
    Array,
    Candidates,
    Clusters,
    IndexSets,
    Maybe,
    Number,
    Remarks,
    Text,
    Texts,
)
from lukewarm.results._health import (
    Remark,
    health_line,
    remarks_on_estimates,
    rows_text,
)
from lukewarm.results._records import MeasureValue
from lukewarm.results._result_record import ResultRecord
from lukewarm.results._shapley_interactions import shapley_interactions
from lukewarm.results._tables import arranged, with_adjusted


@dataclass(frozen=True, eq=False, repr=False)
class ShapleyResult(ResultRecord):
    """Shapley values of features, with every fitted coalition and all their uncertainty.

    Parameters
    ----------
    names : tuple of str
        The name of each player.
    players : tuple of FeatureSet
        Its columns.
    coalitions : tuple of tuples of int
        The players kept by each model, the empty and the full coalition included.
    values : ndarray of shape (m,)
        Skill of each coalition's model on the evaluation rows.
    influence : ndarray of shape (m, n)
        Influence values of each skill, one per evaluation row or group of rows.
    weights : ndarray of shape (p, m)
        The solver's linear map from coalition values to Shapley values.
    covariance : ndarray of shape (p, p)
        Of the sampling error: that of not fitting every coalition.
    steps, seconds : ndarray of shape (m,)
        Steps kept and time spent on each coalition's model.
    history_sizes, history_values, history_errors : ndarray of shape (k,), (k, p), (k, p)
        Shapley values and their sampling errors after so many fits, along the run.
    full_seconds : float
        What the full model cost.
    measure, method, model, solver, inference : str
    level : float
        Level of the intervals unless another is asked for.
    with_rows : ndarray of bool, shape (n,), optional
        With ``inference="split"``, the rows that evaluate the models that have a feature; the
        others evaluate those that do not.
    shifts : ndarray of shape (m,), optional
        What each coalition's skill moved when the training rows doubled.
    disagreements : ndarray of shape (m, n_folds), optional
        How far two models of half the rows disagree about it; see `MeasureValue`.
    candidates : tuple of Candidate
        Models that ``model="auto"`` tried, with their losses on the stopping rows and seconds.
    remarks : tuple of Remark
        What the table and the training gave to say; `health` adds what the estimates show.
    clusters : ndarray of int, optional
        The group of each evaluation row, from 0 on, where rows belong together.

    Examples
    --------
    >>> import lukewarm as lw
    >>> data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
    >>> result = lw.ShapleyImportance(random_state=0).fit(data.X[["X1", "X2"]], data.y).result_
    >>> result.coalitions
    ((), (0,), (1,), (0, 1))
    >>> gain = result.value_of(["X1", "X2"]).value - result.value_of([]).value
    >>> bool(np.isclose(result.shapley_value.sum(), gain))
    True
    """

    names: Annotated[tuple[str, ...], Texts("players")]
    players: Annotated[tuple[FeatureSet, ...], IndexSets("players")]
    coalitions: Annotated[tuple[tuple[int, ...], ...], IndexSets("coalitions", below="players")]
    values: Annotated[Vector, Array(("coalitions",))]
    influence: Annotated[np.ndarray, Array(("coalitions", "rows"))]
    weights: Annotated[Matrix, Array(("players", "coalitions"))]
    # Too few coalitions leave errors that nobody knows: inf.
    covariance: Annotated[Matrix, Array(("players", "players"), finite=False)]
    steps: Annotated[np.ndarray, Array(("coalitions",), "i")]
    seconds: Annotated[Vector, Array(("coalitions",))]
    history_sizes: Annotated[np.ndarray, Array(("points",), "i")]
    history_values: Annotated[Matrix, Array(("points", "players"), finite=False)]
    history_errors: Annotated[Matrix, Array(("points", "players"), finite=False)]
    full_seconds: Annotated[float, Number()]
    measure: Annotated[str, Text()]
    method: Annotated[str, Text()]
    model: Annotated[str, Text()]
    solver: Annotated[str, Text()]
    inference: Annotated[str, Text()] = "paired"
    level: Annotated[float, Number(above=0, below=1)] = 0.95
    with_rows: Annotated[np.ndarray | None, Maybe(Array(("rows",), "b"))] = None
    shifts: Annotated[Vector | None, Maybe(Array(("coalitions",)))] = None
    disagreements: Annotated[Matrix | None, Maybe(Array(("coalitions", "folds")))] = None
    remarks: Annotated[tuple[Remark, ...], Remarks()] = ()
    candidates: Annotated[tuple[Candidate, ...], Candidates()] = ()
    clusters: Annotated[np.ndarray | None, Clusters()] = None

    def __len__(self) -> int:
        return len(self.names)

    @property
    def n_fits(self) -> int:
        """Reduced models fitted: coalitions other than the empty and the full one."""
        return len(self.coalitions) - 2

    @property
    def n_rows(self) -> int:
        """Evaluation rows."""
        return self.influence.shape[1] if self.clusters is None else len(self.clusters)

    @property
    def shapley_value(self) -> Vector:
        """Shapley values, shape (p,); they sum to the full model's gain over no feature."""
        # A constant shared by all values is taken off first: it could only add round-off.
        return self.weights @ (self.values - self.values[0])

    @cached_property
    def shapley_influence(self) -> Matrix:
        """Influence values of the Shapley values, shape (p, n).

        Notes
        -----
        The solver's map applied to the coalitions' influence values. With ``inference="split"``
        the coalitions that have the feature are evaluated on one half of the rows and those that
        do not on the other, so that the variance does not vanish with the Shapley value. The value
        itself is the mean over both assignments of the halves, which varies no more than one of
        them: the intervals are conservative.
        """
        if self.with_rows is None:
            return mapped(self.weights, self.influence)
        has = np.zeros((len(self), len(self.coalitions)), dtype=bool)
        for number, coalition in enumerate(self.coalitions):
            has[list(coalition), number] = True
        with_share = self.with_rows.mean()
        return np.where(
            self.with_rows,
            mapped(np.where(has, self.weights, 0), self.influence) / with_share,
            mapped(np.where(has, 0, self.weights), self.influence) / (1 - with_share),
        )

    @property
    def sampling_error(self) -> Vector:
        """Standard errors due to the coalitions that were not fitted, shape (p,)."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def data_error(self) -> Vector:
        """Standard errors due to the number of evaluation rows, shape (p,)."""
        return standard_error(self.shapley_influence)

    @property
    def shift(self) -> Vector:
        """What each Shapley value moved when the training rows doubled; 0 where not known."""
        return np.zeros(len(self)) if self.shifts is None else self.weights @ self.shifts

    @property
    def training_error(self) -> Vector:
        """Errors due to the training rows, shape (p,); 0 where they are not known."""
        if self.disagreements is None:
            return np.abs(self.shift)
        disagreement = np.linalg.norm(self.weights @ self.disagreements, axis=1)
        return np.hypot(self.shift, disagreement)

    @property
    def standard_error(self) -> Vector:
        """Standard errors, all parts together, shape (p,)."""
        parts = (self.sampling_error, self.data_error, self.training_error)
        return np.sqrt(np.sum(np.square(parts), axis=0))

    def interval(self, level: float | None = None) -> tuple[Vector, Vector]:
        """Return the low and high ends of the intervals, each of shape (p,).

        Wald intervals; with ``inference="learning_curve"`` the skewness of the influence values
        is taken account of, and the end on the skewed side is the farther one.
        """
        level = self.level if level is None else check_fraction("level", level)
        value = self.shapley_value
        if self.inference != "learning_curve":
            return wald_interval(value, self.standard_error, level)
        below, above = skewed_widths(self.shapley_influence, level)
        # Neither of the other parts knows a side.
        others = ndtri(0.5 + level / 2) * np.hypot(self.sampling_error, self.training_error)
        return value - np.hypot(below, others), value + np.hypot(above, others)

    def p_value(self, delta: float = 0.0) -> Vector:
        """Return one-sided p-values of "the Shapley value is at most `delta`", shape (p,)."""
        return p_value(self.shapley_value, self.standard_error, delta)

    def value_of(self, kept: Iterable[Any]) -> MeasureValue:
        """Return the skill of the model that keeps these players, by name or number.

        Raises
        ------
        ValueError
            If that coalition was not among those fitted.
        """
        players = [
            self.names.index(check_choice("kept", each, self.names))
            if isinstance(each, str)
            else check_count("kept", each, minimum=0, maximum=len(self) - 1)
            for each in check_list("kept", kept)
        ]
        coalition = tuple(sorted(set(players)))
        if len(coalition) < len(players):
            raise ValueError(f"kept names a player twice; got {shown(players)}.")
        if coalition not in self.coalitions:
            raise ValueError(
                f"kept is the coalition {coalition}, not among the {len(self.coalitions)} that "
                "were fitted; fit more of them."
            )
        place = self.coalitions.index(coalition)
        skill = MeasureValue(float(self.values[place]), self.influence[place].astype(float))
        if self.shifts is None or self.disagreements is None:
            return skill
        shift, disagreement = float(self.shifts[place]), self.disagreements[place]
        return replace(skill, shift=shift, disagreement=disagreement)

    def interactions(self) -> pd.DataFrame:
        """Return how much more pairs of players are worth together than beside each other.

        From the coalitions that were fitted, all of which are needed (``solver="exact"``).

        Returns
        -------
        DataFrame
            One row per pair, the largest first: the Shapley interaction index (Grabisch and Roubens
            1999), its standard error, interval and two-sided p-value. Positive where the two need
            each other, negative where each can stand for the other.

        Examples
        --------
        >>> import lukewarm as lw
        >>> data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
        >>> sv = lw.ShapleyImportance("boosting", random_state=0).fit(data.X[["X1", "X2"]], data.y)
        >>> sv.result_.interactions()[["first", "second"]]
          first second
        0    X1     X2
        """
        return shapley_interactions(self)

    def to_frame(
        self,
        level: float | None = None,
        *,
        delta: float = 0.0,
        adjust: str | Iterable[str] = (),
        sort: bool = False,
        top: int | None = None,
        relative: bool = False,
    ) -> pd.DataFrame:
        """Return one row per player: Shapley value and its uncertainty, in both parts.

        Parameters
        ----------
        level : float, optional
            Level of the intervals; the result's own by default.
        delta : float, default 0
            The p-values are those of "the Shapley value is at most delta".
        adjust : str or iterable of str
            Any of "holm", "bh", "by": adds a column of p-values adjusted for the number of
            players for each.
        sort : bool, default False
            Whether the largest Shapley value comes first.
        top : int, optional
            Only so many rows, those of the largest Shapley values, sorted.
        relative : bool, default False
            Whether to add a column "relative": the Shapley value over the largest one.
        """
        low, high = self.interval(level)
        frame = pd.DataFrame(
            {
                "feature": list(self.names),
                "shapley_value": self.shapley_value,
                "std_error": self.standard_error,
                "std_error_sampling": self.sampling_error,
                "std_error_data": self.data_error,
                "ci_low": low,
                "ci_high": high,
                "p_value": self.p_value(delta),
                "shift": self.shift,
            }
        )
        frame = with_adjusted(frame, adjust)
        return arranged(frame, "shapley_value", sort=sort, top=top, relative=relative)

    @property
    def _all_remarks(self) -> tuple[Remark, ...]:
        full = self.value_of(range(len(self)))
        return (*self.remarks, *remarks_on_estimates(self, self.shapley_value, full))

    @property
    def _footnotes(self) -> list[str]:
        lines = (candidates_line(self.candidates), health_line(self._all_remarks))
        return [line for line in lines if line]

    def _headline(self) -> str:
        return (
            f"{len(self)} players by {self.solver} over {self.n_fits} reduced models "
            f"({self.method} on {self.model}); {self.measure} on "
            f"{rows_text(self.n_rows, self.clusters)}"
        )
