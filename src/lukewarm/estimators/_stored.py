"""The store of a fit: what its numbers depend on, and whether it goes with the models at hand."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm._typing import RandomState
from lukewarm.data import RowSplit
from lukewarm.estimators._full_model import FullModel
from lukewarm.estimators._problem import Problem
from lukewarm.store import (
    Entry,
    Store,
    array_digest,
    column_digests,
    described,
    digest,
    packages_of,
    versions,
)

if TYPE_CHECKING:
    from lukewarm.estimators._base import ImportanceEstimator

# Parameters that no model without features depends on: what is asked for, how it is measured and
# shown, and how the work is done. `task` is known by what it makes of y.
_FREE = {
    *("features", "groups", "measure", "task", "level", "solver", "n_coalitions", "tolerance"),
    *("time_limit", "n_jobs", "verbose", "store", "on_error"),
}
# Beyond this share of their spread, predictions of two full models differ by more than rounding.
_ROUNDING = 1e-6


def check_store(store: Any) -> None:
    """Raise unless `store` is None or the path of a folder."""
    if store is None:
        return
    if not isinstance(store, str | os.PathLike):
        raise TypeError(f"store must be the path of a folder; got {type(store).__name__}.")
    if not os.fspath(store):
        raise ValueError("store must be the path of a folder; got an empty text.")


def open_store(estimator: ImportanceEstimator, problem: Problem) -> Store | None:
    """Return the store of a fit, made if it is new; raise where it was made with something else."""
    if estimator.store is None:
        return None
    # For a fit that names no seed: so large that no two stores share one.
    seed = int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
    return Store.opened(estimator.store, _identity(estimator, problem), seed=seed)


def random_state_of(estimator: ImportanceEstimator, store: Store | None) -> RandomState:
    """Return the user's `random_state`; where there is none, the seed that the store keeps."""
    given: RandomState = estimator.random_state
    return store.manifest.seed if given is None and store is not None else given


def check_full_models(store: Store, models: list[FullModel], splits: tuple[RowSplit, ...]) -> None:
    """Raise where the full models are not those the store was made with; keep what they predict.

    Full models are trained again when a run goes on. Their seeds are the same, so their
    predictions are, unless the engine is not deterministic or `model` is another one than its
    parameters tell.
    """
    for number, (model, split) in enumerate(zip(models, splits, strict=True)):
        rows = digest([array_digest(part) for part in (split.train, split.stopping)])
        rows = digest([rows, array_digest(split.evaluation)])
        prediction = np.asarray(model.learner.predict(model.evaluation.X))
        entry = store.read(["full model", number])
        if entry is None:
            store.write(["full model", number], Entry({"rows": rows}, {"prediction": prediction}))
            continue
        if entry.record["rows"] != rows:
            raise ValueError(
                f"the store {str(store.folder)!r} was made with other rows in its folds; cv must "
                "give the same folds again. Use another folder as store."
            )
        gap = _gap(prediction, entry.arrays["prediction"])
        if gap > _ROUNDING:
            raise ValueError(
                f"full model {number + 1} of {len(models)} predicts otherwise than the one the "
                f"store {str(store.folder)!r} was made with: by up to {gap:.2g} of the spread of "
                "its predictions. The model is "
                "another one, or its engine does not give the same numbers twice; use another "
                "folder as store, or fewer threads inside the engine."
            )


def _gap(prediction: np.ndarray, stored: np.ndarray) -> float:
    if prediction.shape != stored.shape:
        return float("inf")
    largest = np.abs(prediction - stored).max(initial=0.0)
    # nan, from predictions that are not finite, counts as a difference.
    spread = np.ptp(stored) or 1.0
    return float(largest / spread) if np.isfinite(largest) else float("inf")


def _identity(estimator: ImportanceEstimator, problem: Problem) -> dict[str, Any]:
    """Return what the outcomes of a fit depend on, by the names of the user's parameters."""
    params = estimator.get_params(deep=False)
    names, columns = map(str, problem.index.names), column_digests(problem.X)
    if problem.given is not None:
        # Some models see the table as it was given, dtypes included.
        given = column_digests(problem.given)
        columns = [digest(pair) for pair in zip(columns, given, strict=True)]
    classes = problem.classes
    data = {
        "estimator": type(estimator).__name__,
        "columns": [list(pair) for pair in zip(names, columns, strict=True)],
        "y": array_digest(problem.y),
        "task": "regression" if classes is None else "classification",
        "classes": None if classes is None else [str(label) for label in classes],
        "sample_weight": None if problem.weights is None else array_digest(problem.weights),
        "n_rows_of_X_eval": problem.n_evaluation,
        "groups of rows": described(problem.clusters),
        "time": described(problem.units),
    }
    settings = {name: described(params[name]) for name in sorted(params) if name not in _FREE}
    return {**data, **settings, "versions": versions(packages_of(estimator.model))}
