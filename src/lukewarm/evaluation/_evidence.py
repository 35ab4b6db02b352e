"""What a result was computed from, kept beside it for estimates on some of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lukewarm._typing import Matrix, Vector
from lukewarm.evaluation._predictions import EvaluationPredictions
from lukewarm.evaluation._product import ProductTerms, clustered_score, score_of_outputs
from lukewarm.evaluation._remainder import Remainder
from lukewarm.evaluation._rows import EvaluationPlan
from lukewarm.measures import Measure, centres_classes
from lukewarm.results import MeasureValue, SegmentSkills

# Two rows have a spread, but no interval that anybody should read; `health` warns below thirty.
_FEWEST_ROWS = 5


@dataclass(frozen=True, eq=False)
class PredictionEvidence:
    """Predictions on the evaluation rows, with the measure that was taken of them.

    Parameters
    ----------
    predictions : EvaluationPredictions
    measure : Measure
    n_table_rows : int
        Rows of the table that the evaluation rows were drawn from.
    scored_terms : tuple of tuples of ProductTerms, optional
        Those of the score of each feature set, for each output.
    scored : ndarray of int, optional
        The evaluation row behind each of these terms.
    variance_factor : float
        Of the product statistic.
    n_learnt : tuple of int
        Rows that the model of each fold learnt from, those that stopped it among them.
    """

    predictions: EvaluationPredictions
    measure: Measure
    n_table_rows: int
    scored_terms: tuple[tuple[ProductTerms, ...], ...] | None = None
    scored: np.ndarray | None = None
    variance_factor: float = 1.0
    n_learnt: tuple[int, ...] = ()

    @cached_property
    def _courses(self) -> list[Any]:
        """What was decided for the whole holds for its parts, which then add up to it."""
        return self.predictions.courses(self.measure)

    def by_fold(self) -> tuple[Matrix, float]:
        """Return the importances in each fold, and evaluation rows over rows learnt from.

        Returns
        -------
        ndarray of shape (n_folds, n_sets), float
        """
        plan = self.predictions.plan
        pairs = list(zip(plan.full_parts, plan.reduced_parts, strict=True))
        values = []
        for pair in pairs:
            full, reduced = _on_part(self.predictions, *pair).skills(self.measure, self._courses)
            values.append([full.value - each.value for each in reduced])
        n_evaluated = np.mean([len(np.union1d(*pair)) for pair in pairs])
        ratio = n_evaluated / np.mean(self.n_learnt) if self.n_learnt else np.nan
        return np.array(values), float(ratio)

    def on_rows(self, chosen: np.ndarray, level: float) -> SegmentSkills:
        """Return what the models are worth on the chosen rows.

        Parameters
        ----------
        chosen : ndarray of bool, shape (n,)
        level : float
            Of the upper limits.

        Notes
        -----
        The measure is taken anew, of the chosen rows of all folds together, each with the weight
        that it has in the whole: 1 / (K n_k) in a fold of n_k rows. So the estimates of a measure
        that is a mean over rows add up to the whole, whatever the folds.
        """
        weights = _weights_in_the_whole(self.predictions)
        some = _at_rows(self.predictions, chosen, weights)
        self._check(some)
        full, reduced = some.skills(self.measure, self._courses)
        has_limits = bool(self.predictions.directions)
        scores = None if self.scored_terms is None else self._scores(chosen, self.scored_terms)
        return SegmentSkills(
            full,
            reduced,
            scores,
            None if scores is None else some.worth(self.measure, [each.value for each in scores]),
            some.missed(self.measure, level, self.n_learnt) if has_limits else None,
            float(weights[chosen].sum() / weights.sum()),
        )

    def joined(self, parts: Sequence[PredictionEvidence]) -> PredictionEvidence:
        """Return the evidence of results over different feature sets as one."""
        terms = [each for part in parts for each in part.scored_terms or ()]
        predictions = join_predictions([part.predictions for part in parts])
        return replace(self, predictions=predictions, scored_terms=tuple(terms) or None)

    def _check(self, some: EvaluationPredictions) -> None:
        plan = some.plan
        for part in (plan.full_parts[0], plan.reduced_parts[0]):
            _check_count(part, some.clusters, "to evaluate a model on")
            y = some.y[part]
            if hasattr(self.measure, "check_target"):
                self.measure.check_target(y)
            if centres_classes(self.measure) and (np.bincount(y.astype(int)) < 2).any():
                raise ValueError(
                    f"measure {self.measure.name!r} needs at least 2 rows of each class in a "
                    "segment; use accuracy or neg_log_loss, or join it with another segment."
                )

    def _scores(
        self, chosen: np.ndarray, scored_terms: Sequence[tuple[ProductTerms, ...]]
    ) -> tuple[MeasureValue, ...]:
        assert self.scored is not None
        inside = chosen[self.scored]
        clusters = self.predictions.clusters
        _check_count(self.scored[inside], clusters, "to test by")
        of_scored = None if clusters is None else clusters[self.scored[inside]]
        return tuple(
            clustered_score(
                score_of_outputs([each.at(inside) for each in by_output], self.variance_factor),
                of_scored,
            )
            for by_output in scored_terms
        )


def _check_count(rows: np.ndarray, clusters: np.ndarray | None, purpose: str) -> None:
    """Raise when rows, or the groups they belong to, are too few."""
    count = len(rows) if clusters is None else len(np.unique(clusters[rows]))
    if count < _FEWEST_ROWS:
        raise ValueError(
            f"it has {count} {'rows' if clusters is None else 'groups of rows'} {purpose}, and at "
            f"least {_FEWEST_ROWS} are needed for an interval; join it with another segment."
        )


def _weights_in_the_whole(predictions: EvaluationPredictions) -> Vector:
    """Return the weight of each evaluation row: equal sums in all folds, mean 1."""
    plan = predictions.plan
    weights = np.ones(len(predictions.y)) if predictions.weights is None else predictions.weights
    sides = [plan.full_parts]
    if plan.reduced_parts is not plan.full_parts:
        sides.append(plan.reduced_parts)
    balanced = np.zeros(len(weights))
    for parts in sides:
        for part in parts:
            balanced[part] = weights[part] / weights[part].sum()
    return balanced / balanced.mean()


def _on_part(
    predictions: EvaluationPredictions, full: np.ndarray, reduced: np.ndarray
) -> EvaluationPredictions:
    """Return the predictions, evaluated on the rows of one fold alone."""
    half = predictions.half
    return replace(
        predictions,
        plan=EvaluationPlan((full,), (reduced,)),
        half=None
        if half is None
        else (_on_part(half[0], full, reduced), _on_part(half[1], full, reduced)),
    )


def _at_rows(
    predictions: EvaluationPredictions, chosen: np.ndarray, weights: Vector
) -> EvaluationPredictions:
    """Return the predictions of the chosen rows, which are one part."""
    place = np.cumsum(chosen) - 1

    def inside(parts: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        rows = np.sort(np.concatenate(parts))
        return (place[rows[chosen[rows]]],)

    plan = predictions.plan
    return replace(
        predictions,
        y=predictions.y[chosen],
        full=predictions.full[chosen],
        reduced=tuple(each[chosen] for each in predictions.reduced),
        plan=EvaluationPlan(inside(plan.full_parts), inside(plan.reduced_parts)),
        weights=weights[chosen],
        half=None
        if predictions.half is None
        else (
            _at_rows(predictions.half[0], chosen, weights),
            _at_rows(predictions.half[1], chosen, weights),
        ),
        directions=tuple(None if each is None else each[chosen] for each in predictions.directions),
        remainder=None if predictions.remainder is None else predictions.remainder.at(chosen),
        clusters=None
        if predictions.clusters is None
        else np.unique(predictions.clusters[chosen], return_inverse=True)[1],
    )


def join_predictions(parts: Sequence[EvaluationPredictions]) -> EvaluationPredictions:
    """Return the predictions without different feature sets of the same full models as one."""
    first = parts[0]
    halves = [part.half for part in parts if part.half is not None]
    rests = [part.remainder for part in parts if part.remainder is not None]
    return replace(
        first,
        reduced=tuple(each for part in parts for each in part.reduced),
        directions=tuple(each for part in parts for each in part.directions),
        remainder=Remainder.joined(rests) if rests else None,
        half=(
            join_predictions([one for one, _ in halves]),
            join_predictions([other for _, other in halves]),
        )
        if halves
        else None,
    )
