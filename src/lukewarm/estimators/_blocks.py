"""Importances on all rows of a dataset that need not fit into memory, by models already trained.

Models only have to predict there. A job is one block of rows: it is read once, all models predict
it, with every feature set and without each, and what is left of it are sums over cells of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from joblib import parallel_config

from lukewarm._typing import Features, FeatureSet, Vector
from lukewarm._validation import shown
from lukewarm.data import ParquetRows
from lukewarm.estimators._further_rows import FurtherRows
from lukewarm.estimators._prepared import Prepared
from lukewarm.evaluation import (
    CellSums,
    TwinTerms,
    own_squares,
    product_terms,
    without_rounding,
)
from lukewarm.measures import RowTerms, over_classes, row_terms
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
    share_of_half : float, optional
        Of the rows that the first model learns from; None where halves are not twins.
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
    variance: float
    has_twins: bool
    share_of_half: float | None
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
        first, end = self.rows.start_of(block), self.rows.start_of(block + 1)
        sums = CellSums.zeros(
            -(-(end - first) // self.cell_rows),
            n_sets=len(self.predictors[0].reduced),
            n_models=len(self.predictors),
            n_statistics=len(self.terms.statistics(np.zeros(1))),
            has_twins=self.has_twins,
        )
        for X, y, numbers in self.rows.batches(block, without=self.without):
            with blas_for(len(y)):
                self._add(
                    sums,
                    self.table.features(X),
                    self.table.target(y, numbers),
                    (numbers - first) // self.cell_rows,
                )
        return sums.filled

    def _add(self, sums: CellSums, X: Features, y: Vector, cells: np.ndarray) -> None:
        """Add the rows of a batch to their cells, one feature set after another.

        So memory holds the predictions of one set by all models, however many sets there are.
        """
        # Cells rise with the rows: those of a batch are neighbours.
        here = slice(cells[0], cells[-1] + 1)
        codes = cells - cells[0]

        def summed(terms: Vector) -> Vector:
            return np.asarray(np.bincount(codes, weights=terms), dtype=float)

        sums.counts[here] += np.bincount(codes)
        for total, terms in zip(sums.statistics, self.terms.statistics(y), strict=True):
            total[here] += summed(terms)
        full = [each.full.predict(X) for each in self.predictors]
        for place, prediction in enumerate(full):
            sums.errors[0, place, here] += summed(self.terms.errors(y, prediction))
        for number in range(len(self.predictors[0].reduced)):
            models = [each.reduced[number] for each in self.predictors]
            reduced = [model.predict(X) for model in models]
            for place, prediction in enumerate(reduced):
                sums.errors[1 + number, place, here] += summed(self.terms.errors(y, prediction))
            direction = models[0].direction
            added = full[0] - reduced[0] if direction is None else direction(X)
            added = without_rounding(added, self.variance)
            products = product_terms(y, reduced[0], added)
            sums.products[number, here] += summed(products)
            sums.effects[number, here] += summed(over_classes(np.square(added)))
            if self.share_of_half is not None and added.any():
                own = own_squares(full[1:], reduced[1:], self.share_of_half)
                sums.own_errors[number, here] += summed(own)
            if self.has_twins:
                assert self.terms.loss is not None
                twins = TwinTerms.of(self.terms.loss, y, full, reduced)
                for place, each in enumerate(fields(twins)):
                    sums.twins[number, place, here] += summed(getattr(twins, each.name))


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
        float(np.var(learner.predict(prepared.full_models[0].evaluation.X))),
        terms.loss is not None and prepared.has_twins,
        prepared.runs.share_of_half(0, 0) if prepared.has_twins else None,
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
    scores, worth = None, None
    if result.scores is not None:
        factor = prepared.runs.variance_factor(problem.clusters, int(cells.counts.sum()))
        scores = cells.scores(terms, problem.task.n_outputs, factor)
        worth = cells.worth(terms, [each.value for each in scores])
    return replace(
        result,
        full=full,
        reduced=reduced,
        scores=scores,
        worth=worth,
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
