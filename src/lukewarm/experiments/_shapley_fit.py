"""Shapley values by one method, with the processor time they took."""

from __future__ import annotations

import warnings
from time import process_time
from typing import Any

import numpy as np

from lukewarm.datasets import Dataset
from lukewarm.estimators import ShapleyImportance
from lukewarm.experiments._models import PaperModel, start_engine
from lukewarm.results import ImportanceWarning


def shapley_values(
    data: Dataset,
    settings: PaperModel,
    method: str,
    *,
    n_coalitions: int | None,
    generator: np.random.Generator,
    measure: str = "neg_mse",
) -> dict[str, Any]:
    """Return the Shapley values with their standard errors, and the time and fits they took.

    Parameters
    ----------
    data : Dataset
    settings : PaperModel
    method : str
    n_coalitions : int or None
        Fits of the regression-adjusted estimate; None for every coalition.
    generator : numpy.random.Generator
        Its state draws the split, the models and the coalitions: methods that start from the same
        state are compared on the same rows, full model and coalitions.
    measure : str
    """
    estimator = ShapleyImportance(
        settings.model,
        # With the steps of the paper, not those the library would take.
        settings.reduction(method, settings.max_steps),
        measure,
        inference="paired",
        solver="exact" if n_coalitions is None else "regression_adjusted",
        n_coalitions=n_coalitions,
        patience=settings.patience,
        min_delta=settings.min_delta,
        max_steps=settings.max_steps,
        random_state=generator,
        verbose=False,
    )
    start_engine(settings, data.X.to_numpy(dtype=float), data.y.to_numpy(dtype=float))
    started = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportanceWarning)
        result = estimator.fit(data.X, data.y).result_
    return {
        "features": list(result.names),
        "shapley": result.shapley_value.tolist(),
        "std_error": result.standard_error.tolist(),
        "n_fits": result.n_fits,
        "seconds": process_time() - started,
        "full_seconds": result.full_seconds,
    }
