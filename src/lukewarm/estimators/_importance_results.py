"""From what the models predict without each feature set to results, one for each measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lukewarm._typing import FeatureSet
from lukewarm.estimators._health import fit_remarks, with_importance_remarks
from lukewarm.estimators._outcome import Outcome
from lukewarm.estimators._prepared import Prepared
from lukewarm.estimators._remainder import remainder_of
from lukewarm.evaluation import (
    EvaluationPredictions,
    PredictionEvidence,
    ProductTerms,
    clustered_score,
    score_of_outputs,
)
from lukewarm.measures import Measure
from lukewarm.results import ImportanceResult, MeasureValue, Remark


def importance_results(
    prepared: Prepared,
    sets: dict[str, FeatureSet],
    outcomes: Mapping[FeatureSet, list[Outcome]],
    *,
    model_name: str,
    level: float,
    has_own_length: bool,
) -> tuple[EvaluationPredictions, dict[str, ImportanceResult]]:
    """Return the predictions of the evaluation rows, and a result for each measure.

    Parameters
    ----------
    prepared : Prepared
    sets : dict from name to FeatureSet
        In the order of the results.
    outcomes : mapping from FeatureSet to list of Outcome
        Of these sets and of the empty one, by each full model.
    model_name : str
    level : float
    has_own_length : bool
        Whether the user's model says how long it is to be trained.
    """
    full, reduced = outcomes[()], [outcomes[removed] for removed in sets.values()]
    predictions = prepared.predictions(full, reduced)
    rest = remainder_of(prepared, predictions.full, sets.values())
    # The interval of a model that came fitted is about the model as it stands.
    predictions = replace(predictions, remainder=rest if prepared.n_learnt else None)
    remarks = fit_remarks(prepared, sets.values(), has_own_length=has_own_length)
    results = {}
    for measure in prepared.problem.measures:
        terms = prepared.scored_terms(full, reduced, measure)
        result = _result(measure, sets, prepared, predictions, reduced, terms, model_name, level)
        results[measure.name] = with_importance_remarks(result, prepared, remarks, rest)
    return predictions, results


def with_remark(result: ImportanceResult, remark: tuple[Remark, ...]) -> ImportanceResult:
    """Return the result with what is said now of feature sets that were not reached."""
    others = tuple(each for each in result.remarks if each.name not in ("not_reached", "failed"))
    return replace(result, remarks=(*remark, *others))


def _result(
    measure: Measure,
    sets: dict[str, FeatureSet],
    prepared: Prepared,
    predictions: EvaluationPredictions,
    by_set: list[list[Outcome]],
    terms: tuple[tuple[ProductTerms, ...], ...] | None,
    model_name: str,
    level: float,
) -> ImportanceResult:
    """Return the result by one measure.

    Parameters
    ----------
    measure : Measure
    sets : dict from name to feature set
    prepared : Prepared
    predictions : EvaluationPredictions
        Without each of the sets.
    by_set : list of lists of Outcome
        Of every full model, for each of the sets.
    terms : tuple of tuples of ProductTerms, optional
        Those of the scores, for each output; None where there is no product test.
    model_name : str
    level : float
    """
    full, reduced = predictions.skills(measure)
    is_projection = prepared.reduction.name == "projection"
    places = prepared.problem.evaluated(prepared.numbers)
    scored, clusters = prepared.scored, prepared.clusters
    scores = None if terms is None else _scores(prepared, terms)
    return ImportanceResult(
        names=tuple(sets),
        removed=tuple(sets.values()),
        full=full,
        reduced=reduced,
        traces=tuple(
            tuple(outcomes[model].trace for model in prepared.runs.whole) for outcomes in by_set
        ),
        seconds=tuple(sum(each.seconds for each in outcomes) for outcomes in by_set),
        full_traces=tuple(prepared.full_models[model].trace for model in prepared.runs.whole),
        full_seconds=sum(model.seconds for model in prepared.full_models),
        measure=measure.name,
        method=prepared.reduction.name,
        model=prepared.described(model_name),
        inference=prepared.inference,
        level=level,
        scores=scores,
        worth=None
        if scores is None
        else predictions.worth(measure, [each.value for each in scores]),
        missed=predictions.missed(measure, level, prepared.n_learnt) if is_projection else None,
        clusters=clusters,
        rows=places.rows,
        evidence=PredictionEvidence(
            predictions,
            measure,
            places.n_table_rows,
            terms,
            scored,
            prepared.variance_factor,
            prepared.n_learnt,
        ),
        candidates=prepared.candidates,
    )


def _scores(
    prepared: Prepared, terms: tuple[tuple[ProductTerms, ...], ...]
) -> tuple[MeasureValue, ...]:
    """Return the score of each feature set, with an influence value per row or group of rows."""
    clusters = None if prepared.clusters is None else prepared.clusters[prepared.scored]
    scores = []
    for by_output in terms:
        score = score_of_outputs(by_output, prepared.variance_factor)
        score = replace(score, influence=prepared.on_disk(score.influence))
        scores.append(clustered_score(score, clusters))
    return tuple(scores)
