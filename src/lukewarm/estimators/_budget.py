"""As many feature sets as there is time for, the most promising first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic, time

import numpy as np

from lukewarm._typing import FeatureSet
from lukewarm._validation import shown
from lukewarm.estimators._full_model import FullModel
from lukewarm.estimators._outcome import Outcome
from lukewarm.estimators._prepared import Prepared
from lukewarm.exceptions import ClaimedElsewhere
from lukewarm.measures import Measure
from lukewarm.parallel import blas_for, iterate_jobs, with_bar
from lukewarm.results import Remark
from lukewarm.store import Store

ON_ERROR = ("raise", "record")
# In a sentence; the others are counted.
_MOST_NAMES = 20
_MOST_REASONS = 3


@dataclass(frozen=True, eq=False)
class Harvest:
    """What all full models predict without each feature set that was reached.

    Parameters
    ----------
    outcomes : dict from FeatureSet to list of Outcome
        One per full model; the empty set is among them.
    interrupted : bool
        Whether the user broke off.
    failures : dict from FeatureSet to str
        Why the models without some sets could not be obtained.
    """

    outcomes: dict[FeatureSet, list[Outcome]]
    interrupted: bool = False
    failures: dict[FeatureSet, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Failure:
    """Stands for the outcome of a job that raised an error."""

    reason: str


@dataclass(frozen=True, eq=False)
class _OutcomeJob:
    """The work of a harvest; it is sent to worker processes once, a job is two numbers."""

    prepared: Prepared
    compared: list[FeatureSet]
    latest: float
    records_errors: bool

    def __call__(self, job: tuple[int, int]) -> Outcome | _Failure | None:
        place, model = job
        removed = self.compared[place]
        is_late = place > 1 and time() > self.latest
        if is_late and not self.prepared.is_stored(model, removed):
            return None
        try:
            return outcome_of(self.prepared, model, removed)
        except ClaimedElsewhere:
            raise
        except Exception as error:
            if removed and self.records_errors:
                return _Failure(f"{type(error).__name__}: {error}")
            raise


def outcome_of(prepared: Prepared, model: int, removed: FeatureSet) -> Outcome:
    """Return what a full model without `removed` predicts; errors say which model it was.

    Parameters
    ----------
    prepared : Prepared
    model : int
        Number of the full model.
    removed : FeatureSet
    """
    try:
        with blas_for(len(prepared.problem.y)):
            return prepared.outcome(model, removed)
    except ClaimedElsewhere:
        raise
    except Exception as error:
        if hasattr(error, "add_note"):  # not in Python 3.10
            names = [prepared.problem.index.names[column] for column in removed]
            which = f"the model without {shown(names)}" if removed else "the full model"
            error.add_note(f"This happened to {which}.")
        raise


def harvest(
    prepared: Prepared,
    sets: Sequence[FeatureSet],
    *,
    deadline: float = np.inf,
    n_jobs: int | None = None,
    verbose: bool | None = None,
    on_error: str = "raise",
    description: str = "feature sets",
) -> Harvest:
    """Return the outcomes without each of the sets, in this order until the deadline.

    Parameters
    ----------
    prepared : Prepared
    sets : sequence of FeatureSet
    deadline : float
        Of the monotonic clock. No set is begun after it, but the first; those in a store are read.
    n_jobs, verbose, on_error
        As for the estimators.
    description : str
        What the progress bar counts.

    Notes
    -----
    A break by the user (KeyboardInterrupt) leaves what is complete. It is raised again here where
    nothing is.
    """
    models = range(len(prepared.full_models))
    compared: list[FeatureSet] = [(), *sets]
    jobs = [(place, model) for place in range(len(compared)) for model in models]
    # Workers on other machines have the same time of day, but not the same monotonic clock.
    latest = time() + deadline - monotonic()
    work = _OutcomeJob(prepared, compared, latest, on_error == "record")
    results_by_job: dict[int, Outcome | _Failure | None] = {}
    interrupted = False
    try:
        results = _work_on(work, jobs, n_jobs)
        for number, each in with_bar(results, len(jobs), verbose=verbose, description=description):
            results_by_job[number] = each
            if isinstance(each, Outcome):
                place, model = jobs[number]
                prepared.keep(model, compared[place], each)
                results_by_job[number] = each.kept_by(prepared.on_disk)
    except KeyboardInterrupt:
        interrupted = True
    outcomes, failures = {}, {}
    for place, removed in enumerate(compared):
        of_set = [results_by_job.get(place * len(models) + model) for model in models]
        complete = [each for each in of_set if isinstance(each, Outcome)]
        failed = [each.reason for each in of_set if isinstance(each, _Failure)]
        if failed:
            failures[removed] = failed[0]
        elif len(complete) == len(models):
            outcomes[removed] = complete
    if interrupted and ((() not in outcomes) or len(outcomes) == 1):
        raise KeyboardInterrupt(break_message(prepared.store, has_result=False))
    if len(outcomes) == 1 and failures:
        raise RuntimeError(
            f"none of the {len(sets)} feature sets could be measured; the first says "
            f"{next(iter(failures.values()))}"
        )
    return Harvest(outcomes, interrupted, failures)


def _work_on(
    work: _OutcomeJob, jobs: Sequence[tuple[int, int]], n_jobs: int | None
) -> Iterator[tuple[int, Outcome | _Failure | None]]:
    """Yield the results of the jobs: first those in the store, which need no worker."""
    is_stored = [work.prepared.is_stored(model, work.compared[place]) for place, model in jobs]
    for number in np.flatnonzero(is_stored).tolist():
        yield number, work(jobs[number])
    missing = np.flatnonzero(~np.array(is_stored)).tolist()
    results = iterate_jobs(
        work, [jobs[number] for number in missing], n_jobs=n_jobs, prefer="threads"
    )
    for place, result in results:
        yield missing[place], result


def break_message(store: Store | None, *, has_result: bool) -> str:
    """Return what to tell somebody who broke off."""
    done = (
        "the feature sets that were done are in result_" if has_result else "there is no result yet"
    )
    if store is None:
        return f"{done}; fit_more() goes on with the others." if has_result else f"{done}."
    return (
        f"{done}; {len(store)} finished jobs are in the store {str(store.folder)!r}: call fit "
        "again, with the same store, to go on."
    )


def most_promising_first(prepared: Prepared, sets: dict[str, FeatureSet]) -> list[str]:
    """Return the names of the sets, that of the largest dropout importance first.

    Dropout only predicts, and overstates more often than it misses. It is measured on the rows
    that decide when to stop, or on the training rows of a model that is fitted in one go. The
    evaluation rows have no part in the choice, so the intervals of the sets reached stay valid.
    """
    measure = prepared.problem.measures[0]
    full_skills = [_skill(full, (), measure) for full in prepared.full_models]
    importance = {
        name: np.mean(
            [
                skill - _skill(full, removed, measure)
                for skill, full in zip(full_skills, prepared.full_models, strict=True)
            ]
        )
        for name, removed in sets.items()
    }
    return sorted(sets, key=lambda name: importance[name], reverse=True)


def _skill(full: FullModel, removed: FeatureSet, measure: Measure) -> float:
    rows = full.data.stopping if len(full.data.stopping) else full.data.train
    X = full.data.removal.apply(rows.X, removed) if removed else rows.X
    return measure.evaluate(rows.y, full.learner.predict(X), rows.weights).value


def not_reached_remark(
    names: Sequence[str], n_asked: int, reasons: Mapping[str, str]
) -> tuple[Remark, ...]:
    """Return the remarks on feature sets that were not reached; none where all were.

    Parameters
    ----------
    names : sequence of str
        The feature sets that have no result.
    n_asked : int
        How many were asked for.
    reasons : mapping from str to str
        Why the models without a set failed, for those whose did.
    """
    failed = [f"{name} ({reasons[name]})" for name in names if name in reasons]
    late = [name for name in names if name not in reasons]
    remarks: tuple[Remark, ...] = ()
    if late:
        message = (
            f"{len(late)} of {n_asked} feature sets were not reached before the end of the time "
            f"limit, or a break: {_listed(late, _MOST_NAMES)}. fit_more() goes on with them."
        )
        remarks += (Remark("not_reached", "warning", "", message),)
    if failed:
        message = (
            f"the models without {len(failed)} of {n_asked} feature sets failed: "
            f"{_listed(failed, _MOST_REASONS)}. fit_more() tries them again."
        )
        remarks += (Remark("failed", "warning", "", message),)
    return remarks


def _listed(texts: Sequence[str], most: int) -> str:
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")
