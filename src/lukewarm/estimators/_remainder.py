"""A second look: what a kernel machine still finds in the residuals of the full models.

A model that cannot learn an effect, as greedy trees a product of three columns, has learnt as
little of it from all rows as from half of them. So neither the learning curve nor the twins know.
The residuals do.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from lukewarm._random import derived_seed
from lukewarm._typing import FeatureSet, Matrix, Prediction, Vector
from lukewarm.data import Rows
from lukewarm.estimators._prepared import Prepared
from lukewarm.evaluation import Remainder, clustered_score
from lukewarm.measures import mean_of_rows

# Fewer rows on either side say nothing of what is left.
_FEWEST_ROWS = 40
# Standard errors by which residuals must be smaller with the machine, on rows that it did not see.
_CLEARLY = 2.0
# Keeps the seed apart from those of jobs, which are named by a model and columns.
_SEED = 1_000_003


def remainder_of(
    prepared: Prepared, full: Prediction, sets: Collection[FeatureSet]
) -> Remainder | None:
    """Return what the full models leave to be learnt; None where nothing is found.

    The evaluation rows are parted at random. A kernel machine learns the residuals of one part and
    is judged by the other, and where it helps there, the other way round. A model that was chosen
    among several has been compared with a kernel machine already, and what a label is off by says
    nothing of what its model has learnt.

    Parameters
    ----------
    prepared : Prepared
    full : Prediction
        Of the full models, for the evaluation rows.
    sets : collection of FeatureSet
    """
    gives_labels = any(model.learner.output == "labels" for model in prepared.full_models)
    if prepared.reduction.name != "projection" or prepared.candidates or gives_labels:
        return None
    seed = derived_seed(prepared.root_seed, _SEED)
    parts = _parts(prepared.clusters, len(full), seed)
    if min(map(len, parts)) < _FEWEST_ROWS:
        return None
    from lukewarm.learners.kernel import ResidualMachine

    targets = _targets(prepared.problem.y[prepared.numbers], full)
    centred = targets - np.average(targets, axis=0, weights=prepared.weights)
    variance = np.mean(np.square(centred), axis=0)
    unit = np.where(variance > 0, variance, 1.0)
    left = targets - full.reshape(targets.shape)
    X = prepared.problem.rows(prepared.numbers).X
    rows = Rows(X, left, prepared.weights, prepared.clusters)
    found, machines = np.zeros(left.shape), []
    for learnt_from, judged in (parts, parts[::-1]):
        machine, others = ResidualMachine.learn(rows.at(learnt_from), seed), rows.at(judged)
        if machine is None:
            return None
        found[judged] = machine.predict(others.X)
        if not _clearly_helps(_saved(others.y, others.y - found[judged], unit), others):
            return None
        machines.append((machine, judged))

    def without(removed: FeatureSet) -> Prediction:
        if not any(machine.uses(removed) for machine, _ in machines):
            return found.reshape(full.shape)
        changed = np.zeros(left.shape)
        for machine, judged in machines:
            changed[judged] = machine.predict_without(removed, rows.at(judged).X)
        return prepared.on_disk(changed.reshape(full.shape))

    gained, explained = (
        np.average(_saved(before, after, unit), weights=prepared.weights)
        for before, after in ((left, left - found), (centred, left))
    )
    return Remainder(
        found.reshape(full.shape),
        tuple(map(without, sets)),
        float(gained / explained) if explained > 0 else np.inf,
    )


def left_by_full_models(prepared: Prepared) -> Remainder | None:
    """Return what the full models leave to be learnt, without any feature set."""
    full = {
        number: model.learner.predict(model.evaluation.X)
        for number, model in enumerate(prepared.full_models)
        if number in prepared.runs.whole
    }
    return remainder_of(prepared, prepared.runs.stack(prepared.runs.whole, full), ())


def _parts(clusters: np.ndarray | None, n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two halves of the rows, or of the groups they belong to."""
    units = np.arange(n_rows) if clusters is None else clusters
    n_units = int(units.max()) + 1
    is_first = np.zeros(n_units, dtype=bool)
    is_first[np.random.default_rng(seed).permutation(n_units)[: n_units // 2]] = True
    return np.flatnonzero(is_first[units]), np.flatnonzero(~is_first[units])


def _targets(y: Vector, full: Prediction) -> Matrix:
    """Return y, or the indicators of several classes, (n, n_outputs)."""
    if full.ndim == 1 or y.ndim == 2:
        return y.reshape(len(y), -1).astype(float)
    return np.eye(full.shape[1])[y.astype(int)]


def _saved(before: Matrix, after: Matrix, unit: Vector) -> Vector:
    """Return by how much squared errors fall at each row, summed over outputs in units of each."""
    return ((np.square(before) - np.square(after)) / unit).sum(axis=1)


def _clearly_helps(saved: Vector, rows: Rows) -> bool:
    gain = clustered_score(mean_of_rows(saved, rows.weights), rows.clusters)
    return gain.value > _CLEARLY * gain.standard_error
