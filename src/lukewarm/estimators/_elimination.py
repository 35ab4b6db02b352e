"""In which order feature sets leave the model: greedily, the least needed first."""

from __future__ import annotations

import numpy as np

from lukewarm._random import derived_seed
from lukewarm._typing import FeatureSet
from lukewarm.estimators._prepared import Prepared
from lukewarm.parallel import blas_for, run_jobs, with_bar


def elimination_order(
    prepared: Prepared,
    sets: dict[str, FeatureSet],
    *,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> list[str]:
    """Return the names of the sets, that of the least needed first.

    At each step the set leaves whose loss costs least, together with all that left before. A set is
    mostly worth more once others have left, so what it was last known to cost is a bound: sets
    are tried again in that order until one costs no more than the bounds of all others. The
    evaluation rows have no part in it.

    Parameters
    ----------
    prepared : Prepared
    sets : dict from name to FeatureSet
        That share no column.
    n_jobs, verbose
        As for the estimators.
    """
    order: list[str] = []
    removed: FeatureSet = ()

    def skill_without(name: str) -> float:
        return _skill(prepared, tuple(sorted((*removed, *sets[name]))))

    with blas_for(len(prepared.problem.y)):
        first = run_jobs(
            skill_without, list(sets), n_jobs=n_jobs, verbose=verbose, description="feature sets"
        )
        skill = _skill(prepared, ())
        bounds = {name: skill - each for name, each in zip(sets, first, strict=True)}
        for _ in with_bar(sets, len(sets), verbose=verbose, description="elimination"):
            costs: dict[str, float] = dict(bounds) if not order else {}
            while not costs or min(costs.values()) > min(
                (bound for name, bound in bounds.items() if name not in costs), default=np.inf
            ):
                untried = {name: bound for name, bound in bounds.items() if name not in costs}
                name = min(untried, key=untried.__getitem__)
                costs[name] = bounds[name] = skill - skill_without(name)
            least = min(costs, key=costs.__getitem__)
            skill -= bounds.pop(least)
            order.append(least)
            removed = tuple(sorted((*removed, *sets[least])))
    return order


def _skill(prepared: Prepared, removed: FeatureSet) -> float:
    """Return the skill without the columns, on rows that do not evaluate, over all models."""
    measure = prepared.problem.measures[0]
    skills = []
    for number, full in enumerate(prepared.full_models):
        rows = full.data.stopping if len(full.data.stopping) else full.data.train
        seed = derived_seed(prepared.root_seed, number, *removed)
        prediction = full.reduce(prepared.reduction, removed, seed).predict(rows.X)
        skills.append(measure.evaluate(rows.y, prediction, rows.weights).value)
    return float(np.mean(skills))
