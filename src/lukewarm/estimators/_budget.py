"""As many feature sets as there is time for, the most promising first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np

from lukewarm._typing import FeatureSet
from lukewarm.estimators._folds import FullModel
from lukewarm.estimators._prepared import Outcome, Prepared
from lukewarm.measures import Measure
from lukewarm.parallel import blas_for, iterate_jobs, with_bar
from lukewarm.results import Remark

_MOST_NAMES = 20


@dataclass(frozen=True, eq=False)
class Harvest:
    """What all full models predict without each feature set that was reached.

    Parameters
    ----------
    outcomes : dict from FeatureSet to list of Outcome
        One per full model; the empty set is among them.
    interrupted : bool
        Whether the user broke off.
    """

    outcomes: dict[FeatureSet, list[Outcome]]
    interrupted: bool = False


def harvest(
    prepared: Prepared,
    sets: Sequence[FeatureSet],
    *,
    deadline: float = np.inf,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> Harvest:
    """Return the outcomes without each of the sets, in this order until the deadline.

    Parameters
    ----------
    prepared : Prepared
    sets : sequence of FeatureSet
    deadline : float
        Of the monotonic clock. No set is begun after it, but the first.
    n_jobs, verbose
        As for the estimators.

    Notes
    -----
    A break by the user (KeyboardInterrupt) leaves what is complete. It is raised again here where
    nothing is.
    """
    models = range(len(prepared.full_models))
    compared: list[FeatureSet] = [(), *sets]
    jobs = [(place, model) for place in range(len(compared)) for model in models]

    def outcome(job: tuple[int, int]) -> Outcome | None:
        place, model = job
        is_late = place > 1 and monotonic() > deadline
        return None if is_late else prepared.outcome(model, compared[place])

    found: list[Outcome | None] = []
    interrupted = False
    try:
        with blas_for(len(prepared.problem.y)):
            results = iterate_jobs(outcome, jobs, n_jobs=n_jobs, prefer="threads")
            bar = with_bar(results, len(jobs), verbose=verbose, description="feature sets")
            for each in bar:
                found.append(each)
    except KeyboardInterrupt:
        interrupted = True
        if len(found) < 2 * len(models):
            raise
    outcomes = {}
    for place, removed in enumerate(compared):
        of_set = found[place * len(models) : (place + 1) * len(models)]
        complete = [each for each in of_set if each is not None]
        if len(complete) == len(models):
            outcomes[removed] = complete
    return Harvest(outcomes, interrupted)


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


def not_reached_remark(names: Sequence[str], n_asked: int) -> tuple[Remark, ...]:
    """Return the remark on feature sets that were not reached; none where all were."""
    if not names:
        return ()
    more = len(names) - _MOST_NAMES
    listed = ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    message = (
        f"{len(names)} of {n_asked} feature sets were not reached before the end of the time "
        f"limit, or a break: {listed}. fit_more() goes on with them."
    )
    return (Remark("not_reached", "warning", "", message),)
