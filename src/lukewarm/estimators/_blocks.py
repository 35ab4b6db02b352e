"""Importances on all rows of a dataset that need not fit into memory, by models already trained.

Models only have to predict there. A job is one block of rows: it is read once, all models predict
it, with every feature set and without each, and what is left of it are sums over cells of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from joblib import parallel_config

from lukewarm._typing import Features, FeatureSet, Prediction, Vector
from lukewarm._validation import shown
from lukewarm.data import ParquetRows
from lukewarm.estimators._further_rows import FurtherRows
from lukewarm.estimators._prepared import Prepared
from lukewarm.evaluation import CellSums, TwinTerms, product_terms
from lukewarm.measures import RowTerms, row_terms
from lukewarm.parallel import blas_for, run_jobs
from lukewarm.reduction import ReducedModel
from lukewarm.results import ImportanceResult
from lukewarm.store import Entry, Store, array_digest, described

# Cells in the whole dataset: their number bounds what is kept, and the error of a standard error
# is one over the root of twice as many, 1 %.
_N_CELLS = 4096


@dataclass(frozen=True, eq=False)
class _Predictors:
    """A full model and the same without each feature set, as they predict new rows."""

    full: ReducedModel
    reduced: tuple[ReducedModel, ...]


@dataclass(frozen=True, eq=False)
class _BlockJob:
    """The work on one block; it is sent to worker processes once, a job is a number.

    Parameters
    ----------
    rows : ParquetRows
    without : ndarray of int
        Rows that are left out, rising.
    table : FurtherRows
    predictors : tuple of _Predictors
        That of all training rows, then those of halves.
    terms : RowTerms
    has_twins : bool
        Whether the losses of two models of halves are ones that twins are for.
    cell_rows : int
    store : Store, optional
    name : list of JSON values
        Of the job in the store, but for the block.
    """

    rows: ParquetRows
    without: np.ndarray
    table: FurtherRows
    predictors: tuple[_Predictors, ...]
    terms: RowTerms
    has_twins: bool
    cell_rows: int
    store: Store | None
    name: list[Any]

    def __call__(self, block: int) -> CellSums:
        def found() -> Entry:
            sums = self._sums(block)
            return Entry({}, {each.name: getattr(sums, each.name) for each in fields(sums)})

        entry = found() if self.store is None else self.store.kept([*self.name, block], found)[0]
        return CellSums(**entry.arrays)

    def _sums(self, block: int) -> CellSums:
        first = self.rows.start_of(block)
        parts = []
        for X, y, numbers in self.rows.batches(block, without=self.without):
            with blas_for(len(y)):
                parts.append(
                    self._of_batch(
                        self.table.features(X),
                        self.table.target(y, numbers),
                        (numbers - first) // self.cell_rows,
                    )
                )
        if not parts:
            n_sets, n_models = len(self.predictors[0].reduced), len(self.predictors)
            n_statistics = len(self.terms.statistics(np.zeros(1)))
            return CellSums(
                np.empty(0),
                np.empty((1 + n_sets, n_models, 0)),
                np.empty((n_statistics, 0)),
                np.empty((n_sets, 0)),
                np.empty((n_sets, 0)),
                np.empty((n_sets, len(fields(TwinTerms)) if self.has_twins else 0, 0)),
            )
        return CellSums.joined(parts)

    def _of_batch(self, X: Features, y: Vector, cells: np.ndarray) -> CellSums:
        # Batches end where cells may not: what a cell has in two batches counts as two cells.
        codes = np.unique(cells, return_inverse=True)[1]

        def summed(terms: Vector) -> Vector:
            return np.asarray(np.bincount(codes, weights=terms), dtype=float)

        errors, products, predictions = [], [], []
        for place, each in enumerate(self.predictors):
            full = each.full.predict(X)
            # Twins are compared set by set, once all have predicted.
            if self.has_twins:
                predictions.append([full])
            errors.append([summed(self.terms.errors(y, full))])
            for model in each.reduced:
                reduced = model.predict(X)
                if self.has_twins:
                    predictions[-1].append(reduced)
                errors[-1].append(summed(self.terms.errors(y, reduced)))
                if place == 0:
                    added = full - reduced if model.direction is None else model.direction(X)
                    products.append(product_terms(y, reduced, added))
        return CellSums(
            summed(np.ones(len(y))),
            np.array(errors).transpose(1, 0, 2),
            np.array([summed(each) for each in self.terms.statistics(y)]).reshape(
                -1, codes.max() + 1
            ),
            np.array([summed(each) for each in products]),
            np.array([summed(np.square(each)) for each in products]),
            self._twins(y, predictions, summed),
        )

    def _twins(
        self,
        y: Vector,
        predictions: list[list[Prediction]],
        summed: Callable[[Vector], Vector],
    ) -> np.ndarray:
        n_sets = len(self.predictors[0].reduced)
        if not self.has_twins:
            return np.empty((n_sets, 0, len(summed(y))))
        assert self.terms.loss is not None
        full, *by_set = zip(*predictions, strict=True)
        found = []
        for reduced in by_set:
            terms = TwinTerms.of(self.terms.loss, y, full, reduced)
            found.append([summed(getattr(terms, each.name)) for each in fields(terms)])
        return np.array(found)


def evaluated_on(
    prepared: Prepared,
    result: ImportanceResult,
    rows: ParquetRows,
    without: np.ndarray,
    *,
    n_jobs: int | None,
    verbose: bool | None,
) -> ImportanceResult:
    """Return the importances of a result's feature sets on all rows of a dataset.

    Parameters
    ----------
    prepared : Prepared
        With one full model, and those of its halves.
    result : ImportanceResult
        Of the same fit; what cannot be had from sums is taken from it.
    rows : ParquetRows
    without : ndarray of int
        Rows of the dataset that are left out.
    n_jobs, verbose
        As for the estimators.
    """
    problem = prepared.problem
    lacking = [name for name in problem.index.names if name not in rows.features]
    if lacking:
        raise ValueError(
            f"rows must have the columns of the fit, among them {shown(lacking)}; they have "
            f"{shown(list(rows.features))}."
        )
    measure = next(each for each in problem.measures if each.name == result.measure)
    terms = row_terms(measure, centre=float(problem.y.mean()), n_classes=problem.task.n_classes)
    learner = prepared.full_models[0].learner
    predictors = _predictors(prepared, result.removed, n_jobs, verbose)
    job = _BlockJob(
        rows,
        without,
        FurtherRows.of(problem, problem.read_by(learner), learner.traits.reads),
        predictors,
        terms,
        terms.loss is not None and prepared.has_twins,
        max(rows.n_rows // _N_CELLS, 1),
        prepared.store,
        [
            *("block", rows.fingerprint, array_digest(without), result.measure),
            *(described(prepared.reduction), prepared.symmetric, _N_CELLS),
            [[int(column) for column in removed] for removed in result.removed],
        ],
    )
    parts = run_jobs(
        job, range(rows.n_blocks), n_jobs=n_jobs, verbose=verbose, description="blocks of rows"
    )
    cells = CellSums.joined(parts)
    full, reduced = cells.skills(terms, rises=prepared.reduction.name == "projection")
    factor = prepared.runs.variance_factor(problem.clusters, int(cells.counts.sum()))
    return replace(
        result,
        full=full,
        reduced=reduced,
        scores=None if result.scores is None else cells.scores(factor),
        n_evaluated=float(cells.counts.sum()),
        clusters=None,
        rows=None,
        evidence=None,
    )


def _predictors(
    prepared: Prepared, sets: Sequence[FeatureSet], n_jobs: int | None, verbose: bool | None
) -> tuple[_Predictors, ...]:
    """Return the models that predict each row: of all training rows, and of halves."""
    runs = prepared.runs
    models = [runs.whole[0], *([] if runs.halves is None else [pair[0] for pair in runs.halves])]
    jobs = [(model, removed) for model in models for removed in ((), *sets)]
    # Here and in threads: what they hold on to is large, and shared.
    with parallel_config("threading"):
        found = run_jobs(
            lambda job: prepared.reduced(*job),
            jobs,
            n_jobs=n_jobs,
            verbose=verbose,
            description="models without features",
        )
    size = 1 + len(sets)
    return tuple(
        _Predictors(found[start], tuple(found[start + 1 : start + size]))
        for start in range(0, len(found), size)
    )
